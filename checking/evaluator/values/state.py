"""The state of a run: the steps left, memory and its counters, globals, the call stack."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .errors import EvaluationError
from .memory import Buffer, MemRef

__all__ = ["EvaluationState"]


@dataclass
class EvaluationState:
    """One run of a program. `steps` counts down; `frames` has the stack memory of each active call."""

    steps: int
    depth_limit: int
    depth: int = 0
    allocations: int = 0
    frees: int = 0
    copies: int = 0
    copied_bytes: int = 0
    heap: list[Buffer] = field(default_factory=list)
    frames: list[list[Buffer]] = field(default_factory=list)
    globals: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, Any] = field(default_factory=dict)

    def spend(self, steps: int) -> None:
        """Count steps; too many are an error."""
        self.steps -= steps
        if self.steps < 0:
            raise EvaluationError("the limit of steps is reached: the program runs too long or forever")

    def allocated(self, buffer: Buffer) -> None:
        """Count memory from the heap."""
        self.allocations += 1
        self.heap.append(buffer)

    def copied(self, source: MemRef) -> None:
        """Count a copy of all that `source` holds."""
        self.copies += 1
        self.copied_bytes += source.array.size * source.array.itemsize
