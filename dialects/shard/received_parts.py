"""The parts that a rank receives from all ranks of its group, side by side along one dimension."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import arith, memref, scf

from ..rewriter import Rewriter
from ..support.index_math import Number, as_value, index_constant, multiply
from .grids import RankGroup, balanced_extent, mpi_op

__all__ = ["ReceivedParts", "part_at"]


class ReceivedParts:
    """Where each part stands, and how long they are together. Sizes that may differ are exchanged."""

    def __init__(
        self, rewriter: Rewriter, group: RankGroup, communicator: ir.Value, given: Number, part: Number | None
    ) -> None:
        """Build what is needed to tell.

        `given` is the size of what each rank has in the dimension that is put together; `part` is this rank's part of
        it, if it is the dimension that is split.
        """
        self.offsets: ir.Value | None = None
        """The offsets of all parts, and the sum of their sizes behind; None if they are of one size."""
        if isinstance(given, int):
            self.total = multiply(given if part is None else part, group.size)
            return
        rank, whole = group.rank(communicator), part is None

        def received(size: ir.Value) -> ir.Value:
            return size if whole else as_value(balanced_extent(size, group.size, rank)[1])

        self.offsets = _offsets(rewriter, group, communicator, given, received)
        self.total: Number = memref.load(self.offsets, [index_constant(group.size)])


def part_at(rank: ir.Value, offsets: ir.Value | None, length: Number | None) -> tuple[Number, Number]:
    """Build the offset and the size of the part of a rank: by the offsets of all, or by the size that each has."""
    if offsets is None:
        assert length is not None, "one of both is known"
        return multiply(rank, length), length
    start = memref.load(offsets, [rank])
    stop = memref.load(offsets, [arith.addi(rank, index_constant(1))])
    return start, arith.subi(stop, start)


def _offsets(
    rewriter: Rewriter,
    group: RankGroup,
    communicator: ir.Value,
    own: ir.Value,
    part_of: Callable[[ir.Value], ir.Value],
) -> ir.Value:
    """Build a buffer with the offsets of the parts of all ranks, and the sum of their sizes behind.

    Each rank tells its size `own`; `part_of` builds what comes from a rank of that size.
    """
    number, index = ir.IntegerType.get_signless(64), ir.IndexType.get()
    sizes = rewriter.allocate(ir.MemRefType.get([group.size], number))
    mine = rewriter.allocate(ir.MemRefType.get([1], number))
    offsets = rewriter.allocate(ir.MemRefType.get([group.size + 1], index))
    zero, one = index_constant(0), index_constant(1)
    memref.store(arith.index_cast(number, own), mine, [zero])
    mpi_op("mpi.allgather", [mine, sizes, communicator])
    memref.store(zero, offsets, [zero])
    loop = scf.ForOp(zero, index_constant(group.size), one, [zero])
    with ir.InsertionPoint(loop.body):
        number_of_part, last = loop.induction_variable, loop.inner_iter_args[0]
        told = arith.index_cast(index, memref.load(sizes, [number_of_part]))
        reached = arith.addi(last, part_of(told))
        memref.store(reached, offsets, [arith.addi(number_of_part, one)])
        scf.yield_([reached])
    return offsets
