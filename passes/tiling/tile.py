"""One linalg op on tensors as loops around a smaller one, which works on slices.

Each loop that is tiled runs in steps of the tile size. The last tile is smaller where the size does not divide the
loop: as a slice of the size that is left (`affine.min`), or, for loops that are peeled, as an op of its own behind the
loop, so that the one inside has static sizes.

Producers can be taken into the tile: then their results are computed tile by tile, in buffers as large as a tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from mlir import ir
from mlir.dialects import affine, arith

from ...dialects.structured import index_constant
from ...dialects.subsets import insert_slice
from ..analysis.schedule import TileLoop
from ..analysis.structured_op import Structured
from .loops import Number, Segment, as_value, build_loop, segments
from .smaller import Sized, Tile, Tiles, build_smaller, slice_type, take_slice

__all__ = ["Tiled", "tile"]

_EMPTY = "tensor.empty"


@dataclass
class Tiled:
    """What takes the place of an op: `results` of its own, and the smaller ops inside the loops."""

    results: list[ir.Value] = field(default_factory=list[ir.Value])
    ops: list[ir.Operation] = field(default_factory=list[ir.Operation])


def tile(structured: Structured, loops: Sequence[TileLoop], producers: Sequence[Structured] = ()) -> Tiled:
    """Build `loops`, outermost first, around a smaller `structured` at the current insertion point.

    `producers` are computed inside the innermost loop; only they and the op itself may use their results, and all must
    move with all of `loops`. The op and the producers stay; the results of the op are to be replaced.

    Linear in the ops, and in 2 to the number of peeled loops.
    """
    builder = _Builder(structured, loops, producers)
    first = [builder.root.operands[number] for number in structured.outputs]
    builder.tiled.results = builder.nest(loops, {}, first)
    return builder.tiled


class _Builder:
    """Builds tiles. What depends on no loop is built before the first one."""

    def __init__(self, root: Structured, loops: Sequence[TileLoop], producers: Sequence[Structured]) -> None:
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
        self.parts = {one.loop: _parts(one, self.root.sizes[one.loop]) for one in loops}
        self.tiled = Tiled()

    def measured(self, value: ir.Value) -> ir.Value:
        """Return what has the sizes of `value` and stays: a result is as large as its init."""
        while value in self.inits:
            value = self.inits[value]
        return value

    def nest(self, loops: Sequence[TileLoop], tiles: Tiles, carried: list[ir.Value]) -> list[ir.Value]:
        """Build what is left of the `loops`; `tiles` tells where those that stand are."""
        if not loops:
            return _Inside(self, tiles).build(carried)
        one, *others = loops
        whole = self.root.sizes[one.loop]

        def body(segment: Segment, number: Number, values: list[ir.Value]) -> list[ir.Value]:
            position = Tile(number, _tile_size(one, segment, number, whole))
            return self.nest(others, {**tiles, one.loop: position}, values)

        for segment in self.parts[one.loop]:
            carried = build_loop(segment, carried, partial(body, segment))
        return carried


class _Inside:
    """What stands in the innermost loop."""

    def __init__(self, builder: _Builder, tiles: Tiles) -> None:
        self.builder = builder
        self.tiles = tiles
        self.known: dict[ir.Value, ir.Value] = {}

    def build(self, carried: Sequence[ir.Value]) -> list[ir.Value]:
        """Build the smaller op, and its producers before it; return the updated outputs."""
        root = self.builder.root
        inputs = [self.part(root, operand, self.tiles) for operand in range(root.op.inputs)]
        subsets = [
            root.subset(operand, value, self.tiles) for operand, value in zip(root.op.outputs, carried, strict=True)
        ]
        starts = [
            self.part(root, operand, self.tiles) if root.operands[operand] in self.builder.producers
            else take_slice(value, subset)
            for operand, value, subset in zip(root.op.outputs, carried, subsets, strict=True)
        ]  # fmt: skip
        smaller = build_smaller(root.op, [*inputs, *starts], self.tiles)
        self.builder.tiled.ops.append(smaller)
        return [
            result if subset is None else insert_slice(result, value, subset)
            for result, value, subset in zip(smaller.results, carried, subsets, strict=True)
        ]

    def part(self, user: Sized, operand: int, tiles: Tiles) -> ir.Value:
        """Return what the tile of `user` needs of an operand: a slice, or what a producer computes for it."""
        value = user.operands[operand]
        if value in self.builder.producers:
            return self.produced(value, user, operand, tiles)
        if not isinstance(value.type, ir.RankedTensorType):
            return value
        return take_slice(value, user.subset(operand, value, tiles))

    def produced(self, value: ir.Value, user: Sized, operand: int, tiles: Tiles) -> ir.Value:
        """Return the tile of a producer's result, built once for all that use it."""
        if value not in self.known:
            producer, number = self.builder.producers[value]
            output = producer.op.indices[producer.op.inputs + number]
            own: dict[int, Tile] = {}
            for index, read in zip(output, user.op.indices[operand], strict=True):
                if index.loop is not None and read.loop is not None and read.loop in tiles:
                    own[index.loop] = tiles[read.loop]
            self.produce(producer, own)
        return self.known[value]

    def produce(self, producer: Sized, tiles: Tiles) -> None:
        inputs = [self.part(producer, operand, tiles) for operand in range(producer.op.inputs)]
        starts = [self.start(producer, operand, tiles) for operand in producer.op.outputs]
        smaller = build_smaller(producer.op, [*inputs, *starts], tiles)
        self.builder.tiled.ops.append(smaller)
        self.known.update(zip(producer.op.op.results, smaller.results, strict=True))

    def start(self, producer: Sized, operand: int, tiles: Tiles) -> ir.Value:
        """Return the init of a smaller producer: of no tensor that is empty a slice is taken."""
        value = producer.operands[operand]
        owner = value.owner
        if isinstance(owner, ir.Block) or owner.name != _EMPTY:
            return self.part(producer, operand, tiles)
        subset = producer.subset(operand, value, tiles)
        if subset is None:
            return value
        sizes = [size for size in subset.sizes if not isinstance(size, int)]
        return ir.Operation.create(_EMPTY, results=[slice_type(value, subset)], operands=sizes).result


def _parts(one: TileLoop, whole: Number) -> list[Segment]:
    if not one.peel:
        return [] if isinstance(whole, int) and not whole else [Segment(0, whole, one.size, 1)]
    if isinstance(whole, int):
        return list(segments(whole, 1, one.size))
    main = arith.subi(whole, arith.remui(whole, index_constant(one.size)))
    # What is left of a dynamic size is at most one more step.
    return [Segment(0, main, one.size, one.size), Segment(main, whole, one.size, 0)]


def _tile_size(one: TileLoop, segment: Segment, number: Number, whole: Number) -> Number:
    """Return how many iterations the tile at `number` has."""
    if one.peel:
        return segment.count or arith.subi(as_value(whole), as_value(number))
    if isinstance(whole, int) and (whole % one.size == 0 or isinstance(number, int)):
        return min(one.size, whole - (number if isinstance(number, int) else 0))
    size, position = ir.AffineConstantExpr.get(one.size), ir.AffineDimExpr.get(0)
    if isinstance(whole, int):
        map_ = ir.AffineMap.get(1, 0, [size, ir.AffineConstantExpr.get(whole) - position])
        return affine.AffineMinOp(map_, [as_value(number)]).result
    map_ = ir.AffineMap.get(1, 1, [size, ir.AffineSymbolExpr.get(0) - position])
    return affine.AffineMinOp(map_, [as_value(number), as_value(whole)]).result
