"""Ops that move elements between ranks: gathering and slicing, exchanging all with all, broadcasting from one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from mlir import ir
from mlir.dialects import arith, memref, scf

from ..bufferizable import AliasingValue, OpModel, Relation
from ..rewriter import Rewriter
from ..structured import extent
from ..subsets import elements
from ..support.index_math import Number, add, as_value, index_constant, multiply
from ..support.memref_types import identity_type
from .collective import CollectiveModel, InPlaceModel, number_of
from .grids import RankGroup, balanced_extent, mpi_op
from .messages import block, dynamic_sizes, rank_number, send_receive

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
        own = extent(source, dimension)
        offsets = None if isinstance(own, int) else _offsets(rewriter, group, communicator, own)
        known = {} if offsets is None else {dimension: memref.load(offsets, [index_constant(group.size)])}
        target = rewriter.allocate(ir.MemRefType(identity_type(op.results[0].type)), dynamic_sizes(op, source, known))
        leads = all(size == 1 for size in ir.MemRefType(source.type).shape[:dimension])
        if 0 in ir.MemRefType(target.type).shape:
            rewriter.replace(op, [target])  # No elements: even offset 0 would be out of bounds.
            return
        if offsets is None and leads and str(ir.MemRefType(source.type).element_type) in _KNOWN_TO_UPSTREAM:
            mpi_op("mpi.allgather", [source, target, communicator])
        else:
            _gather_in_turn(rewriter, group, communicator, source, target, dimension, offsets)
        rewriter.replace(op, [target])


_KNOWN_TO_UPSTREAM = ("i8", "i16", "i32", "i64", "f32", "f64")


def _offsets(rewriter: Rewriter, group: RankGroup, communicator: ir.Value, own: Number) -> ir.Value:
    """Build a buffer with the offsets of the parts of all ranks, and the sum of their sizes behind."""
    number, index = ir.IntegerType.get_signless(64), ir.IndexType.get()
    sizes = rewriter.allocate(ir.MemRefType.get([group.size], number))
    mine = rewriter.allocate(ir.MemRefType.get([1], number))
    offsets = rewriter.allocate(ir.MemRefType.get([group.size + 1], index))
    zero, one = index_constant(0), index_constant(1)
    memref.store(arith.index_cast(number, as_value(own)), mine, [zero])
    mpi_op("mpi.allgather", [mine, sizes, communicator])
    memref.store(zero, offsets, [zero])
    loop = scf.ForOp(zero, index_constant(group.size), one, [zero])
    with ir.InsertionPoint(loop.body):
        number_of_part, last = loop.induction_variable, loop.inner_iter_args[0]
        reached = arith.addi(last, arith.index_cast(index, memref.load(sizes, [number_of_part])))
        memref.store(reached, offsets, [arith.addi(number_of_part, one)])
        scf.yield_([reached])
    return offsets


def _partners(group: RankGroup, rank: ir.Value) -> Iterator[tuple[ir.Value, ir.Value]]:
    """Build a loop over all other ranks: in each turn one to send to, and one to receive from."""
    size = index_constant(group.size)
    loop = scf.ForOp(index_constant(1), size, index_constant(1))
    with ir.InsertionPoint(loop.body):
        step = loop.induction_variable
        source = arith.remui(arith.subi(arith.addi(rank, size), step), size)
        yield arith.remui(arith.addi(rank, step), size), source
        scf.yield_([])


def _gather_in_turn(
    rewriter: Rewriter,
    group: RankGroup,
    communicator: ir.Value,
    source: ir.Value,
    target: ir.Value,
    dimension: int,
    offsets: ir.Value | None,
) -> None:
    """Copy the rank's own part to its place and receive all others in theirs."""
    rank = group.rank(communicator)

    def part_of(other: ir.Value) -> ir.Value:
        own = extent(source, dimension)
        if offsets is None:
            return block(target, dimension, multiply(other, own), own)
        start = memref.load(offsets, [other])
        stop = memref.load(offsets, [arith.addi(other, index_constant(1))])
        return block(target, dimension, start, arith.subi(stop, start))

    rewriter.copy(source, part_of(rank))
    for to, from_ in _partners(group, rank):
        received = part_of(from_), rank_number(from_)
        send_receive(group, communicator, (source, rank_number(to)), received, overwrites=True)


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
    """``shard.all_to_all``: the parts of one dimension are exchanged, and what is received is put side by side."""

    op_names = ("shard.all_to_all",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse parts of sizes that differ between ranks."""
        type_ = ir.ShapedType(op.operands[0].type)
        split = type_.shape[number_of(op, "split_axis")]
        why = super().refuse(op)
        if why is None and (not type_.has_static_shape or split % self.group(op).size):
            return f"'{op.name}' splits {op.operands[0].type} in {self.group(op).size} parts, which must be equal"
        return why

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Exchange with each rank in turn."""
        source, group = rewriter.buffer(op, 0), self.group(op)
        split, concat = number_of(op, "split_axis"), number_of(op, "concat_axis")
        communicator = group.communicator()
        rank = group.rank(communicator)
        target = rewriter.allocate(ir.MemRefType(identity_type(op.results[0].type)), dynamic_sizes(op, source, {}))
        shape = ir.MemRefType(source.type).shape
        part, length = shape[split] // group.size, (shape[concat] if split != concat else shape[split] // group.size)

        def blocks(to: ir.Value, from_: ir.Value) -> tuple[ir.Value, ir.Value]:
            sent = block(source, split, multiply(to, part), part)
            return sent, block(target, concat, multiply(from_, length), length)

        rewriter.copy(*blocks(rank, rank))
        for to, from_ in _partners(group, rank):
            sent, place = blocks(to, from_)
            received = place, rank_number(from_)
            send_receive(group, communicator, (sent, rank_number(to)), received, overwrites=True)
        rewriter.replace(op, [target])


class BroadcastModel(InPlaceModel):
    """``shard.broadcast``: every rank's tensor is overwritten by that of the root, along a binomial tree."""

    op_names = ("shard.broadcast",)
    computes = True

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse a root that is only known at run time."""
        if any(coordinate < 0 for coordinate in elements(op.attributes["root"])):
            return f"'{op.name}' has a root that is known at run time only, but needs a static one"
        return super().refuse(op)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """In step k the 2^k ranks that have the tensor send it to as many others."""
        buffer, group = rewriter.buffer(op, 0), self.group(op)
        communicator = group.communicator()
        root, size = _linear(group, elements(op.attributes["root"])), group.size
        distance = arith.remui(_add(group.rank(communicator), size - root), index_constant(size))
        reached = 1
        while reached < size:
            _double(group, communicator, buffer, distance, root, reached)
            reached *= 2
        rewriter.replace(op, [buffer])


def _add(value: ir.Value, number: int) -> ir.Value:
    return as_value(add(value, number))


def _linear(group: RankGroup, root: Sequence[int]) -> int:
    extents = [group.grid[axis] for axis in group.axes]
    return sum(coordinate * prod(extents[number + 1 :]) for number, coordinate in enumerate(root))


def _double(
    group: RankGroup, communicator: ir.Value, buffer: ir.Value, distance: ir.Value, root: int, reached: int
) -> None:
    """Ranks at a distance below `reached` from the root send to those as far behind them."""
    size, less = group.size, arith.CmpIPredicate.ult
    partner = arith.remui(_add(distance, reached + root), index_constant(size))
    teacher = arith.remui(_add(distance, size + root - reached), index_constant(size))
    sends = arith.andi(
        arith.cmpi(less, distance, index_constant(reached)),
        arith.cmpi(less, distance, index_constant(max(size - reached, 0))),
    )
    learns = arith.andi(
        arith.cmpi(arith.CmpIPredicate.uge, distance, index_constant(reached)),
        arith.cmpi(less, distance, index_constant(2 * reached)),
    )
    for happens, name, other in ((sends, "mpi.send", partner), (learns, "mpi.recv", teacher)):
        branch = scf.IfOp(happens)
        with ir.InsertionPoint(branch.then_block):
            mpi_op(name, [buffer, rank_number(0), rank_number(other), communicator])
            scf.yield_([])


class RootedModel(CollectiveModel):
    """Ops that only some ranks take part in, or that give most of them nothing."""

    op_names = ("shard.gather", "shard.scatter", "shard.reduce", "shard.send", "shard.recv")

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse them."""
        return f"'{op.name}' is not bufferized; use a collective that gives every rank its result"


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
    BroadcastModel(),
    RootedModel(),
    AnnotationModel(),
)
