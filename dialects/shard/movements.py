"""Ops that move elements between all ranks of a group: gathering and slicing, exchanging all with all."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import memref

from ..bufferizable import AliasingValue, OpModel, Relation
from ..rewriter import Rewriter
from ..structured import extent
from ..support.memref_types import identity_type
from ..support.mpi_names import PartsExchange
from .collective import CollectiveModel, number_of
from .exchanged_parts import call_exchange
from .grids import balanced_extent, mpi_op
from .messages import block, dynamic_sizes
from .received_parts import ReceivedParts

__all__ = ["MOVEMENT_MODELS"]


class AllGatherModel(CollectiveModel):
    """``shard.all_gather``: a new buffer, into whose slices the parts are received.

    Equal parts of the leading dimension go through MPI's own op. Else each rank exchanges with all others in turn; if
    sizes are dynamic they are exchanged first.
    """

    op_names = ("shard.all_gather",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Gather."""
        source, dimension, group = rewriter.buffer(op, 0), number_of(op, "gather_axis"), self.group(op)
        communicator = group.communicator()
        places = ReceivedParts(rewriter, group, communicator, extent(source, dimension), None)
        sizes = dynamic_sizes(op, source, {dimension: places.total})
        target = rewriter.allocate(ir.MemRefType(identity_type(op.results[0].type)), sizes)
        leads = all(size == 1 for size in ir.MemRefType(source.type).shape[:dimension])
        if 0 in ir.MemRefType(target.type).shape:
            rewriter.replace(op, [target])  # No elements: even offset 0 would be out of bounds.
            return
        is_equal = places.offsets is None
        if is_equal and leads and str(ir.MemRefType(source.type).element_type) in _KNOWN_TO_UPSTREAM:
            mpi_op("mpi.allgather", [source, target, communicator])
        else:
            kind = PartsExchange(group.size, dimension, None)
            call_exchange(group.module, kind, communicator, source, target, places.offsets)
        rewriter.replace(op, [target])


_KNOWN_TO_UPSTREAM = ("i8", "i16", "i32", "i64", "f32", "f64")


class AllSliceModel(CollectiveModel):
    """``shard.all_slice``: each rank's part, a view of the operand. Nothing is sent."""

    op_names = ("shard.all_slice",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """A view reads nothing."""
        return False

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result lies somewhere in the operand."""
        return (AliasingValue(0, Relation.UNKNOWN),)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Take the view."""
        source, dimension, group = rewriter.source_buffer(op, 0), number_of(op, "slice_axis"), self.group(op)
        communicator = group.communicator()
        offset, size = balanced_extent(extent(source, dimension), group.size, group.rank(communicator))
        view = block(source, dimension, offset, size)
        wanted = ir.ShapedType(op.results[0].type).shape
        rewriter.replace(op, [rewriter.settle_view(op, 0, _with_shape(view, wanted))])


def _with_shape(view: ir.Value, shape: Sequence[int]) -> ir.Value:
    """The view with what the tensor type says of its sizes."""
    type_ = ir.MemRefType(view.type)
    if list(type_.shape) == list(shape):
        return view
    return memref.cast(ir.MemRefType.get(shape, type_.element_type, type_.layout, type_.memory_space), view)


class AllToAllModel(CollectiveModel):
    """``shard.all_to_all``: the parts of one dimension are exchanged, and what is received is put side by side.

    Parts are balanced, as everywhere. If what ranks give may differ in size, the sizes are exchanged first.
    """

    op_names = ("shard.all_to_all",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Exchange with each rank in turn."""
        source, group = rewriter.buffer(op, 0), self.group(op)
        split, concat = number_of(op, "split_axis"), number_of(op, "concat_axis")
        communicator = group.communicator()
        rank = group.rank(communicator)
        mine = balanced_extent(extent(source, split), group.size, rank)[1]
        places = ReceivedParts(rewriter, group, communicator, extent(source, concat), mine if split == concat else None)
        sizes = dynamic_sizes(op, source, {split: mine, concat: places.total})
        target = rewriter.allocate(ir.MemRefType(identity_type(op.results[0].type)), sizes)
        if 0 in ir.MemRefType(target.type).shape:
            rewriter.replace(op, [target])  # No elements: even offset 0 would be out of bounds.
            return
        kind = PartsExchange(group.size, concat, split)
        call_exchange(group.module, kind, communicator, source, target, places.offsets)
        rewriter.replace(op, [target])


class AnnotationModel(OpModel):
    """``shard.shard``: what the whole program says of a tensor, which no rank runs."""

    op_names = ("shard.shard",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse it."""
        return f"'{op.name}' says how a tensor is split; partition the program first, by inplace-shard or mi.shard"


MOVEMENT_MODELS: tuple[OpModel, ...] = (
    AllGatherModel(),
    AllSliceModel(),
    AllToAllModel(),
    AnnotationModel(),
)
