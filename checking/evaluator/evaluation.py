"""What a run of a program gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Evaluation"]


@dataclass(frozen=True)
class Evaluation:
    """The results of a call and what it did to memory.

    `results` are arrays and Python scalars, `arguments` what was passed in (a memref's array has been changed where it
    is). `allocations` and `frees` count memory from the heap, also that of results; `copies` counts the `memref.copy`
    and `linalg.copy` that ran, as `Program.memory_stats` does; `leaked` is how many allocations were neither freed nor
    returned. `undefined` has, for each result, None or the mask of the elements that nobody wrote, whose values mean
    nothing.
    """

    results: tuple[Any, ...]
    arguments: tuple[Any, ...]
    allocations: int
    frees: int
    copies: int
    leaked: int
    undefined: tuple[Any, ...] = ()
