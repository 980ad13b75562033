"""A linalg op on tensors as a loop nest around the same op on slices.

Each tiled loop runs in steps of the tile size. The last tile is smaller where the size does not divide the trip count:
a slice of the size that is left (`affine.min`), or, in peeled loops, an op of its own after the loop, so that the op
inside has static sizes.

Producers can be fused into the tile: then their results are computed tile by tile, in buffers as large as a tile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial

from mlir import ir
from mlir.dialects import affine, arith, scf

from ....dialects.bufferizable import Subset
from ....dialects.structured import index_constant
from ....dialects.subsets import insert_slice, parallel_insert_slice
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import record
from ....dialects.support.index_math import Number, as_value, ceil_div, multiply
from ...analysis.linalg.structured_op import Structured
from ...analysis.schedule.cache_tiling import TileLoop
from ...analysis.schedule.distribution import Distribution
from .any_order import forget_promises
from .loops import Segment, build_loop, segments
from .smaller import Sized, Tile, Tiles, build_smaller, slice_type, take_slice

__all__ = ["Tiled", "distribute", "tile"]

_EMPTY = "tensor.empty"


@record
class Tiled:
    """The replacement of an op: its new `results`, and the smaller ops inside the loops."""

    results: list[ir.Value] = field(default_factory=list[ir.Value])
    ops: list[ir.Operation] = field(default_factory=list[ir.Operation])


def tile(structured: Structured, loops: Sequence[TileLoop], producers: Sequence[Structured] = ()) -> Tiled:
    """Build `loops`, outermost first, around a smaller `structured` at the current insertion point.

    `producers` are computed inside the innermost loop; only they and the op itself may use their results, and all must
    move with all of `loops`. The op and the producers stay: the caller replaces the results and erases them.

    Linear in the ops, and in 2 to the number of peeled loops.
    """
    if not all(structured.parallel[one.loop] for one in loops):
        forget_promises(structured)
    builder = _Builder(structured, producers)
    parts = {one.loop: _parts(one, builder.root.sizes[one.loop]) for one in loops}
    builder.tiled.results = builder.nest(loops, parts, {}, builder.first())
    return builder.tiled


def distribute(structured: Structured, how: Distribution, producers: Sequence[Structured] = ()) -> Tiled:
    """Build an `scf.forall` over the parts of `structured`; otherwise like `tile`. None of the parts is empty."""
    builder = _Builder(structured, producers)
    whole = builder.root.sizes[how.loop]
    part = _equal_part(whole, how)
    forall = scf.ForallOp([0], [ceil_div(whole, part)], [1], builder.first())
    thread, *shared = list(forall.body.arguments)
    with ir.InsertionPoint(forall.body):
        first = arith.muli(thread, as_value(part))
        tiles = {how.loop: Tile(first, _rest(part, whole, first))}
        results, subsets = _Inside(builder, tiles, shared).build(shared)
        ends = scf.InParallelOp()
        with ir.InsertionPoint(ends.operation.regions[0].blocks[0]):
            for result, target, subset in zip(results, shared, subsets, strict=True):
                assert subset is not None, "every output moves with a parallel loop"
                parallel_insert_slice(result, target, subset)
    builder.tiled.results = list(forall.operation.results)
    return builder.tiled


def _equal_part(whole: Number, how: Distribution) -> Number:
    """Return the iterations of a part: an equal share, rounded up to a multiple of the unit."""
    share = how.parts * how.unit
    if isinstance(whole, int):
        return max(1, -(-whole // share)) * how.unit
    parts = arith.maxui(as_value(ceil_div(whole, share)), index_constant(1))
    return multiply(parts, how.unit)


class _Builder:
    """Builds tiles. Values that depend on no loop are built before the first loop."""

    def __init__(self, root: Structured, producers: Sequence[Structured]) -> None:
        self.inits: dict[ir.Value, ir.Value] = {
            result: producer.op.operands[number]
            for producer in producers
            for result, number in zip(producer.op.results, producer.outputs, strict=True)
        }
        self.root = Sized(root, self.measured)
        self.producers: dict[ir.Value, tuple[Sized, int]] = {
            result: (Sized(producer, self.measured), number)
            for producer in producers
            for number, result in enumerate(producer.op.results)
        }
        self.tiled = Tiled()

    def measured(self, value: ir.Value) -> ir.Value:
        """Return a value with the sizes of `value` that is not erased: a result has the sizes of its init."""
        while value in self.inits:
            value = self.inits[value]
        return value

    def first(self) -> list[ir.Value]:
        """Return the initial outputs. If an init is a producer's result, all of the output is written: use its init."""
        return [self.measured(self.root.operands[number]) for number in self.root.op.outputs]

    def nest(
        self,
        loops: Sequence[TileLoop],
        parts: Mapping[int, Sequence[Segment]],
        tiles: Tiles,
        carried: list[ir.Value],
    ) -> list[ir.Value]:
        """Build `loops`, inside of loops that are at `tiles`."""
        if not loops:
            results, subsets = _Inside(self, tiles).build(carried)
            return [
                result if subset is None else insert_slice(result, value, subset)
                for result, value, subset in zip(results, carried, subsets, strict=True)
            ]
        one, *others = loops
        whole = self.root.sizes[one.loop]

        def body(segment: Segment, number: Number, values: list[ir.Value]) -> list[ir.Value]:
            position = Tile(number, _tile_size(one, segment, number, whole))
            return self.nest(others, parts, {**tiles, one.loop: position}, values)

        for segment in parts[one.loop]:
            carried = build_loop(segment, carried, partial(body, segment))
        return carried


class _Inside:
    """Builds the body of the innermost loop.

    `shared` are outputs of which each tile has a part of its own, written once: a tile that reads its part of an init
    reads it from there, so that threads may write it in place.
    """

    def __init__(self, builder: _Builder, tiles: Tiles, shared: Sequence[ir.Value] = ()) -> None:
        self.builder = builder
        self.tiles = tiles
        self.known: dict[ir.Value, ir.Value] = {}
        self.targets: dict[ir.Value, ir.Value] = {}
        self.own: dict[ir.Value, tuple[ir.Value, int]] = {}
        for output, value in zip(builder.root.op.outputs, shared, strict=bool(shared)):
            self.own.setdefault(builder.measured(builder.root.operands[output]), (value, output))

    def build(self, carried: Sequence[ir.Value]) -> tuple[list[ir.Value], list[Subset | None]]:
        """Build the smaller op, and its producers before it; return its results and their slices."""
        root = self.builder.root
        inputs = [self.part(root, operand, self.tiles) for operand in range(root.op.inputs)]
        subsets = [
            root.subset(operand, value, self.tiles) for operand, value in zip(root.op.outputs, carried, strict=True)
        ]
        starts: list[ir.Value] = []
        for operand, value, subset in zip(root.op.outputs, carried, subsets, strict=True):
            target, init = take_slice(value, subset), root.operands[operand]
            # A producer of an init computes into the slice that the result goes to; it is left out if it is not read.
            if root.op.reads[operand] and init in self.builder.producers:
                self.targets[init] = target
                target = self.part(root, operand, self.tiles)
            starts.append(target)
        smaller = build_smaller(root.op, [*inputs, *starts], self.tiles)
        self.builder.tiled.ops.append(smaller)
        return list(smaller.results), subsets

    def part(self, user: Sized, operand: int, tiles: Tiles) -> ir.Value:
        """Return the part of an operand that the tile of `user` needs: a slice, or the result of a producer."""
        value = user.operands[operand]
        if value in self.builder.producers:
            return self.produced(value, user, operand, tiles)
        if value in self.own:
            shared, output = self.own[value]
            root = self.builder.root
            if user is root:
                is_own = root.op.indices[operand] == root.op.indices[output]
            else:  # a producer, which has read it all before the op itself writes
                place = _place(user, operand, tiles)
                is_own = place is not None and place == _place(root, output, self.tiles)
            value = shared if is_own else value
        return take_slice(value, user.subset(operand, value, tiles))

    def produced(self, value: ir.Value, user: Sized, operand: int, tiles: Tiles) -> ir.Value:
        """Return the tile of a producer's result, built once for all its users."""
        if value not in self.known:
            producer, result = self.builder.producers[value]
            output = producer.op.indices[producer.op.inputs + result]
            own: dict[int, Tile] = {}
            for index, read in zip(output, user.op.indices[operand], strict=True):
                if index.loop is not None and read.loop is not None and read.loop in tiles:
                    own[index.loop] = tiles[read.loop]
            inputs = [self.part(producer, number, own) for number in range(producer.op.inputs)]
            starts = [self.start(producer, number, own) for number in producer.op.outputs]
            smaller = build_smaller(producer.op, [*inputs, *starts], own)
            self.builder.tiled.ops.append(smaller)
            self.known.update(zip(producer.op.op.results, smaller.results, strict=True))
        return self.known[value]

    def start(self, producer: Sized, operand: int, tiles: Tiles) -> ir.Value:
        """Return the init of a smaller producer; for a `tensor.empty` a smaller one instead of a slice of it."""
        value = producer.operands[operand]
        target = self.targets.get(producer.op.op.results[operand - producer.op.inputs])
        if target is not None and value not in self.builder.producers:
            return target
        if target is not None:
            self.targets[value] = target
        if defining_op(value, _EMPTY) is None:
            return self.part(producer, operand, tiles)
        subset = producer.subset(operand, value, tiles)
        if subset is None:
            return value
        sizes = [size for size in subset.sizes if not isinstance(size, int)]
        return ir.Operation.create(_EMPTY, results=[slice_type(value, subset)], operands=sizes).result


def _place(user: Sized, operand: int, tiles: Tiles) -> list[Tile | None] | None:
    """Where in an operand a tile of `user` is: a tile or all of each dimension (None); None if it is no such part.

    Equal places in one tensor are the same elements.
    """
    place: list[Tile | None] = []
    for index in user.op.indices[operand]:
        tiled = [tiles[loop] for loop in index.coefficients if loop in tiles]
        if tiled and index.loop is None:
            return None
        place.append(tiled[0] if tiled else None)
    return place


def _parts(one: TileLoop, whole: Number) -> list[Segment]:
    if not one.peel:
        return [] if isinstance(whole, int) and not whole else [Segment(0, whole, one.size, 1)]
    if isinstance(whole, int):
        parts = list(segments(whole, 1, one.size))
        if len(parts) < 2 or parts[1].count >= one.least:
            return parts
        end, count = one.size * (whole // one.size - 1), one.size + parts[1].count
        return [Segment(0, end, one.size, one.size), Segment(end, whole, count, count)][0 if end else 1 :]
    main = arith.subi(whole, arith.remui(whole, index_constant(one.size)))
    # The remainder of a dynamic size is at most one more step.
    return [Segment(0, main, one.size, one.size), Segment(main, whole, one.size, 0)]


def _tile_size(one: TileLoop, segment: Segment, number: Number, whole: Number) -> Number:
    """Return the iterations of the tile at `number`."""
    if one.peel:
        return segment.count or arith.subi(as_value(whole), as_value(number))
    return _rest(one.size, whole, number)


def _rest(size: Number, whole: Number, first: Number) -> Number:
    """Return `size`, or the remainder of `whole` after `first`, a multiple of `size`, if that is less."""
    if size == 1 and isinstance(size, int):
        return 1
    if isinstance(size, int) and isinstance(whole, int) and (whole % size == 0 or isinstance(first, int)):
        return min(size, whole - (first if isinstance(first, int) else 0))
    position, bound = ir.AffineDimExpr.get(0), ir.AffineSymbolExpr.get(0)
    if isinstance(size, int):
        operands = [as_value(first)] if isinstance(whole, int) else [as_value(first), as_value(whole)]
        end = ir.AffineConstantExpr.get(whole) if isinstance(whole, int) else bound
        map_ = ir.AffineMap.get(1, len(operands) - 1, [ir.AffineConstantExpr.get(size), end - position])
        return affine.AffineMinOp(map_, operands).result
    return arith.minui(size, arith.subi(as_value(whole), as_value(first)))
