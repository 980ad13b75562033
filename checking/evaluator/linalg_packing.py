"""linalg.pack, linalg.unpack and linalg.softmax, which have no body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from .attributes import DYNAMIC, integer, integers, mixed
from .decoder import Decoder
from .errors import EvaluationError
from .float_ops import maximum
from .handlers import Handler
from .math_ops import MATH_OPS
from .memory import MemRef, contents
from .signature import ElementwiseSignature, Function
from .steps import on_values
from .tensor import filled

__all__ = ["OPS"]


def _write(target: Any, value: Any) -> Any:
    """The value of a tensor op is its result; on memrefs it is written."""
    if isinstance(target, MemRef):
        target.write(value)
    return value


class _Tiling:
    """How the packed dimensions lie over the plain ones."""

    def __init__(self, op: ir.Operation, plain: int) -> None:
        rank = ir.ShapedType(op.operands[plain].type).rank
        self.order = integers(op, "outer_dims_perm") or list(range(rank))
        self.positions = integers(op, "inner_dims_pos")
        static = integers(op, "static_inner_tiles")
        self.tiles = mixed(static, len(op.operands) - static.count(DYNAMIC))

    def check(self, tiles: Sequence[int], plain: Sequence[int], packed: Sequence[int]) -> None:
        """Refuse shapes that do not belong together."""
        tile_of = dict(zip(self.positions, tiles, strict=True))
        if any(tile <= 0 for tile in tiles):
            raise EvaluationError(f"tiles have the sizes {list(tiles)}, they must be positive")
        wanted = [-(-plain[dim] // tile_of.get(dim, 1)) for dim in self.order]
        if list(packed) != [*wanted, *tiles]:
            raise EvaluationError(
                f"tiles of {list(tiles)} of the sizes {list(plain)} are {[*wanted, *tiles]}, not {list(packed)}"
            )


@on_values
def _pack(decoder: Decoder, op: ir.Operation) -> Function:
    tiling, element = _Tiling(op, 0), decoder.element(op.operands[0].type)
    is_padded = integers(op, "operandSegmentSizes")[2]

    def pack(*operands: Any) -> Any:
        value, tiles, shape = contents(operands[0]), tiling.tiles(operands), operands[1].shape
        tiling.check(tiles, value.shape, shape)
        grid = np.ix_(*map(np.arange, shape)) if shape else ()
        rank = len(value.shape)
        indices: list[Any] = [None] * rank
        for place, dim in enumerate(tiling.order):
            indices[dim] = grid[place]
        for place, (dim, tile) in enumerate(zip(tiling.positions, tiles, strict=True), rank):
            indices[dim] = indices[dim] * tile + grid[place]
        inside = np.ones(shape, np.bool_)
        for index, size in zip(indices, value.shape, strict=True):
            inside &= index < size
        clipped = [np.minimum(index, size - 1) for index, size in zip(indices, value.shape, strict=True)]
        if np.all(inside):
            return _write(operands[1], value[tuple(clipped)])
        if not is_padded:
            raise EvaluationError(f"tiles of {list(tiles)} are not full, and there is no padding")
        padded = filled(shape, operands[2], element)
        return _write(operands[1], padded if 0 in value.shape else np.where(inside, value[tuple(clipped)], padded))

    return pack


@on_values
def _unpack(_decoder: Decoder, op: ir.Operation) -> Function:
    tiling = _Tiling(op, 1)

    def unpack(*operands: Any) -> Any:
        value, tiles, shape = contents(operands[0]), tiling.tiles(operands), operands[1].shape
        tiling.check(tiles, shape, value.shape)
        grid = np.ix_(*map(np.arange, shape)) if shape else ()
        tile_of = dict(zip(tiling.positions, tiles, strict=True))
        outer = [grid[dim] // tile_of.get(dim, 1) for dim in tiling.order]
        inner = [grid[dim] % tile for dim, tile in zip(tiling.positions, tiles, strict=True)]
        return _write(operands[1], value[(*outer, *inner)] if shape else value)

    return unpack


@on_values
def _softmax(decoder: Decoder, op: ir.Operation) -> Function:
    axis, element = integer(op, "dimension"), decoder.element(op.operands[0].type)
    exp = MATH_OPS["math.exp"](ElementwiseSignature(op, (element,), (element,)))

    def softmax(source: Any, target: Any) -> Any:
        value = contents(source)
        if value.shape != target.shape:
            raise EvaluationError(f"sizes {list(value.shape)} are written to {list(target.shape)}")
        first = (axis, *[dim for dim in range(value.ndim) if dim != axis])
        lines = value.transpose(first)
        if value.size:
            largest, total = lines[0], element.dtype.type(0)
            for i in range(1, lines.shape[0]):
                largest = maximum(largest, lines[i])
            powers = exp(lines - largest)
            for i in range(powers.shape[0]):
                total = total + powers[i]
            lines = powers / total
        return _write(target, lines.transpose(np.argsort(first)))

    return softmax


OPS: dict[str, Handler] = {"linalg.pack": _pack, "linalg.unpack": _unpack, "linalg.softmax": _softmax}
