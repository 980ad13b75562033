"""One linalg op on tensors as loops around a smaller one, which works on slices.

Each loop that is tiled runs in steps of the tile size. The last tile is smaller where the size does not divide the
loop: as a slice of the size that is left (`affine.min`), or, for loops that are peeled, as an op of its own behind the
loop, so that the one inside has static sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from mlir import ir
from mlir.dialects import affine, arith, tensor

from ...dialects.bufferizable import Subset
from ...dialects.structured import index_constant
from ...dialects.subsets import extract_slice, insert_slice, static_entries
from ..analysis.schedule import TileLoop
from ..analysis.structured_op import Index, Structured
from .loops import Number, Segment, add, as_value, build_loop, multiply, segments

__all__ = ["Tiled", "tile"]


@dataclass
class Tiled:
    """What takes the place of an op: `results` of its own, and the smaller ops inside the loops."""

    results: list[ir.Value] = field(default_factory=list[ir.Value])
    ops: list[ir.Operation] = field(default_factory=list[ir.Operation])


@dataclass(frozen=True)
class _Tile:
    """Where a tile begins in a loop, and how many iterations it has."""

    first: Number
    size: Number


def tile(structured: Structured, loops: Sequence[TileLoop], inits: Sequence[ir.Value] | None = None) -> Tiled:
    """Build `loops`, outermost first, around a smaller `structured` at the current insertion point.

    `inits` take the place of the op's own. The op itself stays; its results are to be replaced. Linear in the op and in
    2 to the number of peeled loops.
    """
    builder = _Builder(structured, loops)
    first = list(inits) if inits is not None else [builder.operands[number] for number in structured.outputs]
    builder.tiled.results = builder.nest(loops, {}, first)
    return builder.tiled


class _Builder:
    """Builds tiles. What depends on no loop is built before the first one."""

    def __init__(self, structured: Structured, loops: Sequence[TileLoop]) -> None:
        self.op = structured
        self.operands = list(structured.op.operands)
        self.tiled = Tiled()
        self.sizes = [self._size(loop) for loop in structured.loops]
        self.parts = {one.loop: _parts(one, self.sizes[one.loop]) for one in loops}

    def _size(self, loop: int) -> Number:
        size = self.op.sizes[loop]
        if size is not None:
            return size
        operand, dimension = self.op.places[loop]
        return tensor.dim(self.operands[operand], index_constant(dimension))

    def nest(self, loops: Sequence[TileLoop], tiles: Mapping[int, _Tile], carried: list[ir.Value]) -> list[ir.Value]:
        """Build what is left of the `loops`; `tiles` tells where those that stand are."""
        if not loops:
            return self.inside(tiles, carried)
        one, *others = loops
        whole = self.sizes[one.loop]

        def body(segment: Segment, number: Number, values: list[ir.Value]) -> list[ir.Value]:
            position = _Tile(number, _tile_size(one, segment, number, whole))
            return self.nest(others, {**tiles, one.loop: position}, values)

        for segment in self.parts[one.loop]:
            carried = build_loop(segment, carried, partial(body, segment))
        return carried

    def inside(self, tiles: Mapping[int, _Tile], carried: list[ir.Value]) -> list[ir.Value]:
        """Build the smaller op at `tiles`, with its slices."""
        op = self.op
        values = [*self.operands[: op.inputs], *carried]
        subsets = [self.subset(operand, value, tiles) for operand, value in enumerate(values)]
        parts = [_part(value, subset) for value, subset in zip(values, subsets, strict=True)]
        smaller = op.op.clone(ir.InsertionPoint.current).operation
        for number, part in enumerate(parts):
            smaller.operands[number] = part
        for result, number in zip(smaller.results, op.outputs, strict=True):
            result.set_type(parts[number].type)
        _shift_indices(smaller, {loop: one.first for loop, one in tiles.items()})
        self.tiled.ops.append(smaller)
        return [
            result if subset is None else insert_slice(result, value, subset)
            for result, value, subset in zip(smaller.results, carried, subsets[op.inputs :], strict=True)
        ]

    def subset(self, operand: int, value: ir.Value, tiles: Mapping[int, _Tile]) -> Subset | None:
        """Return the slice of an operand that a tile needs, None for all of it."""
        if not any(self.op.depends(operand, loop) for loop in tiles):
            return None
        offsets: list[Number] = []
        lengths: list[Number] = []
        shape = ir.RankedTensorType(value.type).shape
        for dimension, index in enumerate(self.op.indices[operand]):
            if any(loop in tiles for loop in index.coefficients):
                offsets.append(_first(index, tiles))
                lengths.append(self.extent(index, tiles))
            else:
                offsets.append(0)
                static = shape[dimension]
                known = static != ir.ShapedType.get_dynamic_size()
                lengths.append(static if known else tensor.dim(value, index_constant(dimension)))
        return Subset(tuple(offsets), tuple(lengths), (1,) * len(offsets))

    def extent(self, index: Index, tiles: Mapping[int, _Tile]) -> Number:
        """Return how many elements of a dimension a tile reaches; the constant of the index stays with the op."""
        total: Number = 1 + index.constant
        for loop, factor in index.coefficients.items():
            size = tiles[loop].size if loop in tiles else self.sizes[loop]
            total = add(total, multiply(add(size, -1), factor))
        return total


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


def _first(index: Index, tiles: Mapping[int, _Tile]) -> Number:
    """Return the first index of a tile; loops that are not tiled begin at 0."""
    total: Number = 0
    for loop, factor in index.coefficients.items():
        if loop in tiles:
            total = add(total, multiply(tiles[loop].first, factor))
    return total


def _part(value: ir.Value, subset: Subset | None) -> ir.Value:
    if subset is None:
        return value
    type_ = ir.RankedTensorType(value.type)
    return extract_slice(value, subset, ir.RankedTensorType.get(static_entries(subset.sizes), type_.element_type))


def _shift_indices(op: ir.Operation, first: Mapping[int, Number]) -> None:
    """Let `linalg.index` in the payload of the smaller op count from the beginning of the whole loop."""
    for inner in list(op.regions[0].blocks[0].operations):
        if inner.operation.name != "linalg.index":
            continue
        offset = first.get(ir.IntegerAttr(inner.operation.attributes["dim"]).value)
        if offset is None or (isinstance(offset, int) and offset == 0):
            continue
        result = inner.operation.results[0]
        uses = [(use.owner.operation, use.operand_number) for use in result.uses]
        with ir.InsertionPoint.after(inner), inner.location:
            shifted = arith.addi(result, as_value(offset))
        for owner, operand in uses:
            owner.operands[operand] = shifted
