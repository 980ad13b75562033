"""linalg.pack, linalg.unpack and linalg.softmax, which have no body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, Step, integers, mixed
from .errors import EvaluationError
from .float_ops import maximum
from .handlers import Handler
from .math_ops import MATH_OPS
from .memory import MemRef
from .signature import ElementwiseSignature
from .tensor import filled
from .vector_transfers import contents

__all__ = ["OPS"]


def _write(registers: Registers, target: Any, results: Sequence[int], value: Any) -> None:
    """The value of a tensor op is its result; on memrefs it is written."""
    if isinstance(target, MemRef):
        target.write(value)
    else:
        registers[results[0]] = value


class _Tiling:
    """How the packed dimensions lie over the plain ones."""

    def __init__(self, decoder: Decoder, op: ir.Operation, plain: int) -> None:
        rank = ir.ShapedType(op.operands[plain].type).rank
        self.order = integers(op, "outer_dims_perm") or list(range(rank))
        self.positions = integers(op, "inner_dims_pos")
        static = integers(op, "static_inner_tiles")
        dynamic = static.count(ir.ShapedType.get_dynamic_size())
        operands = list(op.operands)
        self.tiles = mixed(decoder, static, operands[len(operands) - dynamic :])

    def check(self, tiles: Sequence[int], plain: Sequence[int], packed: Sequence[int]) -> None:
        """Refuse shapes that do not belong together."""
        rank = len(plain)
        tile_of = dict(zip(self.positions, tiles, strict=True))
        if any(tile <= 0 for tile in tiles):
            raise EvaluationError(f"tiles have the sizes {list(tiles)}, they must be positive")
        wanted = [-(-plain[dim] // tile_of.get(dim, 1)) for dim in self.order]
        if list(packed) != [*wanted, *tiles]:
            raise EvaluationError(
                f"tiles of {list(tiles)} of the sizes {list(plain)} are {[*wanted, *tiles]}, not {list(packed)}"
            )
        assert len(packed) == rank + len(tiles)


def _pack(decoder: Decoder, op: ir.Operation) -> Step:
    tiling, element = _Tiling(decoder, op, 0), decoder.element(op.operands[0].type)
    source, target = decoder.all(list(op.operands)[:2])
    padding = decoder.slot(op.operands[2]) if integers(op, "operandSegmentSizes")[2] else None
    results = decoder.all(list(op.results))

    def step(registers: Registers) -> None:
        value, tiles = contents(registers[source]), tiling.tiles(registers)
        shape = registers[target].shape
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
            found = value[tuple(clipped)]
        elif padding is None:
            raise EvaluationError(f"tiles of {list(tiles)} are not full, and there is no padding")
        else:
            padded = filled(shape, registers[padding], element)
            found = padded if 0 in value.shape else np.where(inside, value[tuple(clipped)], padded)
        _write(registers, registers[target], results, found)

    return step


def _unpack(decoder: Decoder, op: ir.Operation) -> Step:
    tiling = _Tiling(decoder, op, 1)
    source, target = decoder.all(list(op.operands)[:2])
    results = decoder.all(list(op.results))

    def step(registers: Registers) -> None:
        value, tiles = contents(registers[source]), tiling.tiles(registers)
        shape = registers[target].shape
        tiling.check(tiles, shape, value.shape)
        grid = np.ix_(*map(np.arange, shape)) if shape else ()
        tile_of = dict(zip(tiling.positions, tiles, strict=True))
        outer = [grid[dim] // tile_of.get(dim, 1) for dim in tiling.order]
        inner = [grid[dim] % tile for dim, tile in zip(tiling.positions, tiles, strict=True)]
        _write(registers, registers[target], results, value[(*outer, *inner)] if shape else value)

    return step


def _softmax(decoder: Decoder, op: ir.Operation) -> Step:
    source, target = decoder.all(list(op.operands))
    results, axis = decoder.all(list(op.results)), ir.IntegerAttr(op.attributes["dimension"]).value
    element = decoder.element(op.operands[0].type)
    exp = MATH_OPS["math.exp"](ElementwiseSignature(op, (element,), (element,)))

    def step(registers: Registers) -> None:
        value = contents(registers[source])
        if value.shape != registers[target].shape:
            raise EvaluationError(f"sizes {list(value.shape)} are written to {list(registers[target].shape)}")
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
        _write(registers, registers[target], results, lines.transpose(np.argsort(first)))

    return step


OPS: dict[str, Handler] = {"linalg.pack": _pack, "linalg.unpack": _unpack, "linalg.softmax": _softmax}
