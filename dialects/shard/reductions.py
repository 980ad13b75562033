"""Ops that combine what ranks have: `shard.all_reduce` in place, `shard.reduce_scatter` into a part of the size."""

from __future__ import annotations

from mlir import ir

from ..bufferizable import OpModel
from ..rewriter import Rewriter
from ..structured import extent
from ..support.memref_types import identity_type
from .collective import CollectiveModel, InPlaceModel, number_of
from .grids import balanced_extent, mpi_op
from .messages import block, dynamic_sizes

__all__ = ["REDUCTION_MODELS"]

_MPI_OPS = {"max": 1, "min": 2, "sum": 3, "product": 4, "bitwise_and": 6, "bitwise_or": 8, "bitwise_xor": 10}
_ON_BITS = ("bitwise_and", "bitwise_or", "bitwise_xor")


def _reduction(op: ir.Operation) -> str:
    return str(op.attributes["reduction"]).removeprefix("#shard<partial ").removesuffix(">")


def _why_no_reduction(op: ir.Operation) -> str | None:
    kind = _reduction(op)
    element = ir.ShapedType(op.operands[0].type).element_type
    if kind not in _MPI_OPS or (kind in _ON_BITS and not isinstance(element, ir.IntegerType)):
        return f"'{op.name}' reduces {element} by {kind}, but MPI has {', '.join(_MPI_OPS)}"
    return None


def _reduce(op: ir.Operation, buffer: ir.Value, communicator: ir.Value) -> None:
    """Combine the buffers of all ranks, each in its own memory."""
    number = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), _MPI_OPS[_reduction(op)])
    mpi_op("mpi.allreduce", [buffer, buffer, communicator], op=number)


class AllReduceModel(InPlaceModel):
    """``shard.all_reduce``: one memref for MPI, which then sums in place (MPI_IN_PLACE)."""

    op_names = ("shard.all_reduce",)
    computes = True

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse reductions that MPI does not have."""
        return _why_no_reduction(op) or super().refuse(op)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Reduce the buffer."""
        buffer = rewriter.buffer(op, 0)
        _reduce(op, buffer, self.group(op).communicator())
        rewriter.replace(op, [buffer])


class ReduceScatterModel(CollectiveModel):
    """``shard.reduce_scatter``: a new buffer for the part. Equal parts of leading dimensions go through MPI's own op.

    For others the whole is reduced in a copy, of which the part is kept.
    """

    op_names = ("shard.reduce_scatter",)
    computes = True

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse reductions that MPI does not have."""
        return _why_no_reduction(op) or super().refuse(op)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Reduce and take the part."""
        source, dimension, group = rewriter.buffer(op, 0), number_of(op, "scatter_dim"), self.group(op)
        communicator = group.communicator()
        whole = extent(source, dimension)
        if dimension == 0 and isinstance(whole, int) and whole % group.size == 0:
            target = rewriter.allocate(_part_type(op), dynamic_sizes(op, source, {}))
            number = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), _MPI_OPS[_reduction(op)])
            mpi_op("mpi.reduce_scatter_block", [source, target, communicator], op=number)
            rewriter.replace(op, [target])
            return
        type_ = ir.MemRefType(source.type)
        copy = rewriter.allocate(ir.MemRefType.get(type_.shape, type_.element_type), rewriter.sizes(source))
        rewriter.copy(source, copy)
        _reduce(op, copy, communicator)
        offset, size = balanced_extent(whole, group.size, group.rank(communicator))
        target = rewriter.allocate(_part_type(op), dynamic_sizes(op, source, {dimension: size}))
        rewriter.copy(block(copy, dimension, offset, size), target)
        rewriter.replace(op, [target])


def _part_type(op: ir.Operation) -> ir.MemRefType:
    return ir.MemRefType(identity_type(op.results[0].type))


REDUCTION_MODELS: tuple[OpModel, ...] = (AllReduceModel(), ReduceScatterModel())
