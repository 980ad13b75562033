"""What the in-place analysis is asked for: plain data, made once from the options of the pass."""

from __future__ import annotations

from dataclasses import dataclass

from .decision_order import Heuristic

__all__ = ["AnalysisOptions"]


@dataclass(frozen=True)
class AnalysisOptions:
    """Fields are named after the options of ``inplace-one-shot-bufferize`` that they come from."""

    boundaries: bool = False
    """Function arguments and results become buffers."""
    allow_unknown: bool = False
    """Ops without a model are taken to read, write and alias everything they touch instead of being refused."""
    copy_before_write: bool = False
    """Every write is refused."""
    calls_copy: bool = False
    """A call may pass a copy of an operand's buffer, to give the callee the layout it asks for."""
    heuristic: Heuristic = Heuristic.CHEAPEST
    fuzzer_seed: int = 0
    return_allocs: bool = True
    """Loops may hand on other buffers than the ones they are given."""
    parallel: bool = True
    """Runs of a parallel region are kept apart."""
