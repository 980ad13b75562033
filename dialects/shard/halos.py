"""`shard.update_halo` and `shard.shift`: exchanges between neighbours, sends and receives at once."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, memref

from ..bufferizable import OpModel
from ..rewriter import Rewriter
from ..structured import extent, size_value
from ..subsets import elements
from ..support.index_math import index_constant, subtract
from ..support.memref_types import identity_type
from .collective import CollectiveModel, InPlaceModel, number_of
from .grids import RankGroup, group_of
from .messages import block, dynamic_sizes, send_receive, within

__all__ = ["HALO_MODELS"]


def _split_axes(op: ir.Operation) -> list[list[int]]:
    """For each dimension the axes that split it."""
    text = str(op.attributes["split_axes"]).removeprefix("#shard<axisarray").removesuffix(">").strip()
    inner = text.removeprefix("[").removesuffix("]").replace(" ", "")
    parts = inner.removeprefix("[").removesuffix("]").split("],[") if inner else []
    return [[int(axis) for axis in part.split(",") if axis] for part in parts]


class UpdateHaloModel(InPlaceModel):
    """``shard.update_halo``: neighbours exchange borders in the tensor itself.

    One dimension after another, each with the halos of those before, so that corners arrive as well. Beyond the ends
    of the grid nothing is received: the halo there keeps its content.
    """

    op_names = ("shard.update_halo",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse halos whose width is not known."""
        if len(op.operands) > 1 or any(width < 0 for width in elements(op.attributes["static_halo_sizes"])):
            return f"'{op.name}' has halos of unknown width, but needs static ones"
        return super().refuse(op)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Exchange in place."""
        buffer = rewriter.buffer(op, 0)
        widths = elements(op.attributes["static_halo_sizes"])
        for dimension, axes in enumerate(_split_axes(op)):
            if axes:
                before, after, *widths = widths
                _exchange(group_of(op, axes), buffer, dimension, before, after)
        rewriter.replace(op, [buffer])


def _exchange(group: RankGroup, buffer: ir.Value, dimension: int, before: int, after: int) -> None:
    """Fill the halos of one dimension from the ranks before and after."""
    communicator = group.communicator()
    rank = group.rank(communicator)
    lower, upper = (within(group, rank, step, around=False) for step in (-1, 1))
    size = extent(buffer, dimension)
    if before:
        last = block(buffer, dimension, subtract(size, after + before), before)
        halo = block(buffer, dimension, 0, before)
        send_receive(group, communicator, (last, upper), (halo, lower), overwrites=False)
    if after:
        first = block(buffer, dimension, before, after)
        halo = block(buffer, dimension, subtract(size, after), after)
        send_receive(group, communicator, (first, lower), (halo, upper), overwrites=False)


class ShiftModel(CollectiveModel):
    """``shard.shift``: each rank gets the tensor of the rank at a distance, in a new buffer.

    Sizes that the type does not know may differ; they are exchanged first. A rank that gets nothing keeps its own.
    """

    op_names = ("shard.shift",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Send and receive; around the ends of the axis if the op rotates."""
        whole = self.group(op)
        group = RankGroup(whole.module, whole.grid, (number_of(op, "shift_axis"),))
        source, communicator = rewriter.buffer(op, 0), group.communicator()
        rank, distance, around = group.rank(communicator), number_of(op, "offset"), "rotate" in op.attributes
        to, from_ = (within(group, rank, step, around=around) for step in (distance, -distance))
        type_ = ir.MemRefType(source.type)
        unknown = [dimension for dimension in range(type_.rank) if type_.is_dynamic_dim(dimension)]
        own = [size_value(source, dimension) for dimension in unknown]
        sizes = _shifted_sizes(rewriter, group, communicator, own, (to, from_))
        known = dict(zip(unknown, sizes, strict=True))
        target = rewriter.allocate(ir.MemRefType(identity_type(op.results[0].type)), dynamic_sizes(op, source, known))
        send_receive(group, communicator, (source, to), (target, from_), overwrites=True)
        rewriter.replace(op, [target])


def _shifted_sizes(
    rewriter: Rewriter,
    group: RankGroup,
    communicator: ir.Value,
    own: Sequence[ir.Value],
    ranks: tuple[ir.Value, ir.Value],
) -> list[ir.Value]:
    """Build the sizes of what is received, where those of what is sent are `own`."""
    if not own:
        return []
    number, index = ir.IntegerType.get_signless(64), ir.IndexType.get()
    sent, received = (rewriter.allocate(ir.MemRefType.get([len(own)], number)) for _ in range(2))
    for place, size in enumerate(own):
        for told in (sent, received):
            memref.store(arith.index_cast(number, size), told, [index_constant(place)])
    send_receive(group, communicator, (sent, ranks[0]), (received, ranks[1]), overwrites=False)
    return [arith.index_cast(index, memref.load(received, [index_constant(place)])) for place in range(len(own))]


HALO_MODELS: tuple[OpModel, ...] = (UpdateHaloModel(), ShiftModel())
