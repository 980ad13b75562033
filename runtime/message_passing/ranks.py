"""The ranks that a program runs on, and how its functions lie on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mlir import ir

from ...passes.framework.shard_attributes import read_grid
from ..call.held_arguments import HeldArguments
from ..call.results import NativeCode
from ..interface.signature import Signature
from ..memory.statistics import MemoryStats
from .communicators import Communicators
from .distributed_entry import DistributedEntry
from .shard_reading import read_shards
from .shards import require_ranks

__all__ = ["Ranks"]


class Ranks:
    """The ranks of a program. Raises `ValueError` if it was partitioned for another number of them."""

    def __init__(self, communicator: Communicators, module: ir.Module, signatures: Mapping[str, Signature]) -> None:
        self.communicator = communicator
        require_ranks(read_grid(module.operation), communicator.size)
        self._shards = read_shards(module, signatures)

    def entry_point(
        self,
        signature: Signature,
        native: Callable[[bool], NativeCode],
        report: Callable[[MemoryStats], None],
        held: HeldArguments,
    ) -> DistributedEntry:
        """The entry point that has this signature; the arguments are as for `EntryPoint`."""
        shards = self._shards.get(signature.name)
        rest = None if shards is None else shards.without(held.arrays)
        return DistributedEntry(signature, native, report, held, self.communicator, rest)
