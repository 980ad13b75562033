"""linalg.pack, linalg.unpack and linalg.softmax, which have no body."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import on_values
from ..values.attributes import DYNAMIC, integer, integers, mixed
from ..values.errors import EvaluationError
from ..values.float_ops import maximum
from ..values.math_ops import MATH_OPS
from ..values.memory import MemRef, contents
from ..values.signature import ElementwiseSignature, Function
from ..values.slices import replaced
from .tensor import filled

__all__ = ["OPS"]


def _write(target: Any, value: Any) -> Any:
    """The value of a tensor op is its result; on memrefs it is written."""
    if isinstance(target, MemRef):
        target.write(value)
    return value


class _Tiling:
    """The tiling of linalg.pack and linalg.unpack."""

    def __init__(self, op: ir.Operation, plain: int) -> None:
        rank = ir.ShapedType(op.operands[plain].type).rank
        self.order = integers(op, "outer_dims_perm") or list(range(rank))
        self.positions = integers(op, "inner_dims_pos")
        static = integers(op, "static_inner_tiles")
        self.tiles = mixed(static, len(op.operands) - static.count(DYNAMIC))

    def split(self, tiles: Sequence[int], plain: Sequence[int], packed: Sequence[int]) -> list[tuple[int, ...]]:
        """For each plain dimension its number of tiles, and their size if it has tiles; refuses shapes that differ."""
        tile_of = dict(zip(self.positions, tiles, strict=True))
        if any(tile <= 0 for tile in tiles):
            raise EvaluationError(f"tiles have the sizes {list(tiles)}, they must be positive")
        parts = [(-(-size // tile_of[d]), tile_of[d]) if d in tile_of else (size,) for d, size in enumerate(plain)]
        wanted = [*(parts[dim][0] for dim in self.order), *tiles]
        if list(packed) != wanted:
            raise EvaluationError(f"tiles of {list(tiles)} of the sizes {list(plain)} are {wanted}, not {list(packed)}")
        return parts

    def axes(self, parts: Sequence[tuple[int, ...]]) -> list[int]:
        """Where the packed dimensions are among all parts of the plain ones."""
        first = list(itertools.accumulate(map(len, parts), initial=0))
        return [*(first[dim] for dim in self.order), *(first[dim] + 1 for dim in self.positions)]


def _corner(shape: Sequence[int]) -> tuple[Any, ...]:
    return (*[slice(0, size) for size in shape], ...)


@on_values
def _pack(decoder: Decoder, op: ir.Operation) -> Function:
    tiling, element = _Tiling(op, 0), decoder.element(op.operands[0].type)
    is_padded = integers(op, "operandSegmentSizes")[2]

    def pack(*operands: Any) -> Any:
        value, tiles = contents(operands[0]), tiling.tiles(operands)
        parts = tiling.split(tiles, value.shape, operands[1].shape)
        full = tuple([math.prod(part) for part in parts])
        if full != value.shape:
            if not is_padded:
                raise EvaluationError(f"tiles of {list(tiles)} are not full, and there is no padding")
            value = replaced(filled(full, operands[2], element), _corner(value.shape), value)
        return _write(operands[1], value.reshape(list(itertools.chain(*parts))).transpose(tiling.axes(parts)))

    return pack


@on_values
def _unpack(_decoder: Decoder, op: ir.Operation) -> Function:
    tiling = _Tiling(op, 1)

    def unpack(*operands: Any) -> Any:
        value, shape = contents(operands[0]), operands[1].shape
        parts = tiling.split(tiling.tiles(operands), shape, value.shape)
        plain = value.transpose(np.argsort(tiling.axes(parts))).reshape([math.prod(part) for part in parts])
        return _write(operands[1], plain[_corner(shape)])

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
