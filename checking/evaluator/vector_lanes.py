"""Lanes of vectors in another order or of another width: interleave, deinterleave and bitcast."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, Step, transfer
from .handlers import Handler
from .undefined import Partial, defined

__all__ = ["OPS"]


def _stacked(parts: list[Any]) -> Any:
    """Vectors side by side along a new last dimension."""
    return np.concatenate([part.reshape((*part.shape, 1)) for part in parts], parts[0].ndim)


def _interleave(decoder: Decoder, op: ir.Operation) -> Step:
    a, b = decoder.all(list(op.operands))
    result, shape = decoder.slot(op.results[0]), ir.ShapedType(op.results[0].type).shape

    def step(registers: Registers) -> None:
        registers[result] = _stacked([registers[a], registers[b]]).reshape(tuple(shape))

    return step


def _deinterleave(decoder: Decoder, op: ir.Operation) -> Step:
    source, results = decoder.slot(op.operands[0]), decoder.all(list(op.results))

    def step(registers: Registers) -> None:
        value = registers[source]
        transfer(registers, results, [value[..., 0::2], value[..., 1::2]])

    return step


def _bitcast(decoder: Decoder, op: ir.Operation) -> Step:
    """Between widths, a lane that holds an undefined bit is not supported: all of the vector must be defined."""
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])
    before, after = decoder.element(op.operands[0].type), decoder.element(op.results[0].type)
    shape = tuple(ir.ShapedType(op.results[0].type).shape)

    def step(registers: Registers) -> None:
        value = registers[source]
        if type(value) is Partial and before.width == after.width:
            registers[result] = Partial(value.data.view(after.dtype), value.undefined)
        else:
            registers[result] = np.ascontiguousarray(defined(value)).view(after.dtype).reshape(shape)

    return step


OPS: dict[str, Handler] = {
    "vector.interleave": _interleave,
    "vector.deinterleave": _deinterleave,
    "vector.bitcast": _bitcast,
}
