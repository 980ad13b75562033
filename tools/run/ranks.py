"""The ranks of `inplace-run --grid`: processes that mpiexec has started, the first of which reads and prints."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeVar

from mlir import ir

from ...passes.framework.errors import PassError
from ...runtime.call.entry_point import EntryPoint
from ...runtime.interface.signature import Signature
from ...runtime.memory.statistics import MemoryStats
from ...runtime.message_passing.communicators import Communicators, RankError
from ...runtime.message_passing.distributed_entry import DistributedEntry
from ...runtime.message_passing.library import MissingMpiError, start_problem, world
from ..shared.command_line import ToolError, UsageError
from ..shared.grids import partition

__all__ = ["RunRanks", "whole_signature"]

Made = TypeVar("Made")


class RunRanks:
    """All ranks of the run. Raises `ToolError` if there are not as many as the grid needs."""

    def __init__(self, grid: tuple[int, ...], program: str, given: Sequence[str]) -> None:
        self.grid = grid
        try:
            self.comm = world()
        except MissingMpiError as error:
            raise ToolError(f"--grid: {error}") from None
        self.is_first = self.comm.Get_rank() == 0
        if self.comm.Get_size() != prod(grid):
            extents = "x".join(map(str, grid))
            problem = start_problem(prod(grid), self.comm.Get_size(), shlex.join((program, *given)))
            raise ToolError(f"--grid {extents} {problem}" if self.is_first else "")
        self._communicators = Communicators(self.comm)

    def together(self, make: Callable[[], Made]) -> Made:
        """What `make` makes on each rank. An error is reported once, by the first rank, and ends all of them."""
        try:
            return self._communicators.together(make)
        except RankError as error:
            raise ToolError(str(error) if self.is_first else "") from None
        except (ToolError, UsageError, PassError, ValueError) as error:
            if self.is_first:
                raise
            raise ToolError("") from error

    def on_first(self, make: Callable[[], Made]) -> Made:
        """What `make` makes on the first rank, on all of them; it must be possible to pickle it."""
        made = self.together(lambda: make() if self.is_first else None)
        return self.comm.bcast(made)

    def arguments(self, function: EntryPoint, make: Callable[[Signature], list[Any]]) -> list[Any]:
        """The arguments of this rank: whole ones on the first rank, if the program is partitioned."""
        made = self.together(lambda: make(whole_signature(function)))
        return made if self.is_first or not _is_partitioned(function) else [None] * len(made)

    def partition(self, module: ir.Operation) -> None:
        """Partition a module that has annotations; raises `ToolError` if that is not for this grid."""
        partition(module, self.grid)

    def memory_text(self, stats: MemoryStats) -> str:
        """The statistics of all ranks in a line."""
        found: list[MemoryStats] = self.comm.allgather(stats)
        total = {name: sum(getattr(one, name) for one in found) for name in ("allocations", "frees", "leaked_bytes")}
        copies, copied = (sum(getattr(one, name) for one in found) for name in ("copies", "copied_bytes"))
        return (
            f"{len(found)} ranks together: allocations: {total['allocations']}, frees: {total['frees']}, "
            f"leaked: {total['leaked_bytes']} bytes, copies: {copies} ({copied} bytes); "
            f"the largest peak of a rank: {max(one.peak_bytes for one in found)} bytes"
        )


def whole_signature(function: EntryPoint) -> Signature:
    """The types of what the first rank gives and gets."""
    if isinstance(function, DistributedEntry) and _is_partitioned(function):
        return function.whole_signature
    return function.signature


def _is_partitioned(function: EntryPoint) -> bool:
    return isinstance(function, DistributedEntry) and function.shards is not None
