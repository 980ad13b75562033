"""The outcome of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Evaluation"]


@dataclass(frozen=True)
class Evaluation:
    """The results of a call and its effects on memory.

    `results` are arrays and Python scalars; `arguments` are the caller's, memrefs changed in place. `allocations` and
    `frees` count heap memory, results included; `copies` and `copied_bytes` count what `memref.copy` and `linalg.copy`
    ops copied, as `Program.memory_stats` does; `leaked` counts allocations neither freed nor returned. `undefined` has,
    for each result, None or a mask of its undefined elements, which were never written.
    """

    results: tuple[Any, ...]
    arguments: tuple[Any, ...]
    allocations: int
    frees: int
    copies: int
    copied_bytes: int
    leaked: int
    undefined: tuple[Any, ...] = ()
