"""Every small program over a grammar, by every order of decisions that differs, compared with a reference."""

from __future__ import annotations

from .campaign import Exhaustion, ExhaustionTally, load_totals, save_totals
from .findings import Counterexample, save_finding
from .grammar import GRAMMAR
from .workers import results, results_on

__all__ = [
    "GRAMMAR",
    "Counterexample",
    "Exhaustion",
    "ExhaustionTally",
    "load_totals",
    "results",
    "results_on",
    "save_finding",
    "save_totals",
]
