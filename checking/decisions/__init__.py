"""Other orders of in-place decisions than the default one: which there are, and programs bufferized by several."""

from __future__ import annotations

from .orders import Outcomes, Turns, decisions_of, find_outcomes
from .variants import analyses_by_name, bufferize_variants, functions_by_name

__all__ = [
    "Outcomes",
    "Turns",
    "analyses_by_name",
    "bufferize_variants",
    "decisions_of",
    "find_outcomes",
    "functions_by_name",
]
