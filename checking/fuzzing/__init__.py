"""Fuzzing of bufferization: random programs through many configurations, compared with a reference evaluation."""

from __future__ import annotations

from .campaign import Campaign, Tally
from .configurations import (
    CONFIGURATIONS,
    KERNEL_CONFIGURATIONS,
    OPTIMIZE_CONFIGURATIONS,
    SEARCH_CONFIGURATIONS,
    Configuration,
)
from .outcomes import Finding, FindingKind, Trial
from .trial import try_program

__all__ = [
    "CONFIGURATIONS",
    "KERNEL_CONFIGURATIONS",
    "OPTIMIZE_CONFIGURATIONS",
    "SEARCH_CONFIGURATIONS",
    "Campaign",
    "Configuration",
    "Finding",
    "FindingKind",
    "Tally",
    "Trial",
    "try_program",
]
