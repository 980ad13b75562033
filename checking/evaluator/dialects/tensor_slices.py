"""Parts of tensors: extract_slice, insert_slice, pad and concat."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder, Registers
from ..decoding.handlers import Handler
from ..decoding.steps import on_registers, on_values
from ..values.attributes import integer, mixed_lists
from ..values.errors import EvaluationError
from ..values.shapes import require_static
from ..values.signature import Function
from ..values.slices import SliceReader, replaced
from .tensor import filled, stack_scalars

__all__ = ["OPS"]


@on_values
def _extract_slice(_decoder: Decoder, op: ir.Operation) -> Function:
    slice_ = SliceReader(op, 1, op.results[0].type)
    return lambda *values: values[0][slice_.key(values, values[0].shape)]


@on_values
def _insert_slice(_decoder: Decoder, op: ir.Operation) -> Function:
    slice_ = SliceReader(op, 2, op.operands[0].type)
    return lambda *values: slice_.insert(values, values[0], values[1])[1]


@on_registers
def _pad(decoder: Decoder, op: ir.Operation) -> Function:
    low, high = mixed_lists(op, 1, "static_low", "static_high")
    type_ = op.results[0].type
    element, code = decoder.element(type_), decoder.region(op.regions[0])
    is_uniform = not any(list(argument.uses) for argument in op.regions[0].blocks[0].arguments)

    def pad(registers: Registers, *operands: Any) -> list[Any]:
        array, before, after = operands[0], low(operands), high(operands)
        if any(size < 0 for size in (*before, *after)):
            raise EvaluationError(f"padding is negative: low {list(before)}, high {list(after)}")
        sizes = [a + size + b for a, size, b in zip(before, array.shape, after, strict=True)]
        require_static(type_, sizes)
        inside = [range(a, a + size) for a, size in zip(before, array.shape, strict=True)]
        if is_uniform:
            padded = filled(sizes, code.call(registers, [0] * len(sizes))[0], element)
        else:
            values = [
                element.dtype.type(0)
                if all(i in part for i, part in zip(point, inside, strict=True))
                else code.call(registers, point)[0]
                for point in itertools.product(*map(range, sizes))
            ]
            padded = stack_scalars(values, sizes, element.dtype)
        return [replaced(padded, tuple(slice(part.start, part.stop) for part in inside), array)]

    return pad


@on_values
def _concat(_decoder: Decoder, op: ir.Operation) -> Function:
    axis, type_ = integer(op, "dim"), op.results[0].type

    def concat(*parts: Any) -> Any:
        value = np.concatenate(parts, axis)
        require_static(type_, value.shape)
        return value

    return concat


OPS: dict[str, Handler] = {
    "tensor.extract_slice": _extract_slice,
    "tensor.insert_slice": _insert_slice,
    "tensor.pad": _pad,
    "tensor.concat": _concat,
}
