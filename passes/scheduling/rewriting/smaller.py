"""The op inside a tile: the slices that a tile of an op needs, and the op on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mlir import ir
from mlir.dialects import arith

from ....dialects.bufferizable import Subset
from ....dialects.subsets import extract_slice, static_entries
from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import Number, add, as_value, multiply, tensor_size
from ...analysis.linalg.structured_op import OperandIndex, Structured

__all__ = ["Sized", "Tile", "Tiles", "build_smaller", "loop_sizes", "slice_type", "take_slice"]


@frozen
class Tile:
    """Where a tile begins in a loop, and how many iterations it has."""

    first: Number
    size: Number


Tiles = Mapping[int, Tile]
"""A tile in each of the loops that are tiled, by the number of the loop."""


class Sized:
    """A linalg op with the trip counts of its loops; builds a `tensor.dim` for each dynamic one.

    `measured` maps an operand to a value with the same sizes: another one if the operand will be erased.
    """

    def __init__(self, op: Structured, measured: Callable[[ir.Value], ir.Value] = lambda value: value) -> None:
        self.op = op
        self.operands = list(op.op.operands)
        self.sizes = loop_sizes(op, list(map(measured, self.operands)))

    def subset(self, operand: int, value: ir.Value, tiles: Tiles) -> Subset | None:
        """Return the slice of `value`, for operand `operand`, that a tile needs; None for all of it, or a scalar."""
        if not any(self.op.depends(operand, loop) for loop in tiles):
            return None
        offsets: list[Number] = []
        lengths: list[Number] = []
        for dimension, index in enumerate(self.op.indices[operand]):
            is_tiled = any(loop in tiles for loop in index.coefficients)
            offsets.append(_first(index, tiles) if is_tiled else 0)
            lengths.append(self._extent(index, tiles) if is_tiled else tensor_size(value, dimension))
        return Subset(tuple(offsets), tuple(lengths), (1,) * len(offsets))

    def _extent(self, index: OperandIndex, tiles: Tiles) -> Number:
        """Return how many elements of a dimension a tile spans; the constant of the index stays in the op's map."""
        if index.loop is not None and index.loop in tiles:
            return tiles[index.loop].size
        total: Number = 1 + index.constant
        for loop, factor in index.coefficients.items():
            size = tiles[loop].size if loop in tiles else self.sizes[loop]
            total = add(total, multiply(add(size, -1), factor))
        return total


def loop_sizes(op: Structured, operands: Sequence[ir.Value]) -> list[Number]:
    """Build the trip counts of the loops of `op` from `operands`, which have the sizes of its own."""
    return [
        tensor_size(operands[operand], dimension) if size is None else size
        for size, (operand, dimension) in zip(op.sizes, op.places, strict=True)
    ]


def _first(index: OperandIndex, tiles: Tiles) -> Number:
    """Return the first index of a tile; loops that are not tiled begin at 0."""
    total: Number = 0
    for loop, factor in index.coefficients.items():
        if loop in tiles:
            total = add(total, multiply(tiles[loop].first, factor))
    return total


def slice_type(value: ir.Value, subset: Subset) -> ir.RankedTensorType:
    """Return the type of `subset` of `value`."""
    return ir.RankedTensorType.get(static_entries(subset.sizes), ir.RankedTensorType(value.type).element_type)


def take_slice(value: ir.Value, subset: Subset | None) -> ir.Value:
    """Build `subset` of `value`; nothing for all of it."""
    return value if subset is None else extract_slice(value, subset, slice_type(value, subset))


def build_smaller(op: Structured, parts: Sequence[ir.Value], tiles: Tiles) -> ir.Operation:
    """Build `op` on `parts` instead of its operands; `linalg.index` is offset by the start of the tile."""
    smaller = op.op.clone(ir.InsertionPoint.current).operation
    for number, part in enumerate(parts):
        smaller.operands[number] = part
    for result, number in zip(smaller.results, op.outputs, strict=True):
        result.set_type(parts[number].type)
    for inner in list(smaller.regions[0].blocks[0].operations):
        if inner.operation.name == "linalg.index":
            _shift_index(inner.operation, tiles)
    return smaller


def _shift_index(op: ir.Operation, tiles: Tiles) -> None:
    tile = tiles.get(ir.IntegerAttr(op.attributes["dim"]).value)
    if tile is None or (isinstance(tile.first, int) and tile.first == 0):
        return
    result = op.results[0]
    uses = [(use.owner.operation, use.operand_number) for use in result.uses]
    with ir.InsertionPoint.after(op), op.location:
        shifted = arith.addi(result, as_value(tile.first))
    for owner, operand in uses:
        owner.operands[operand] = shifted
