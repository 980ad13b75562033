"""Parts of tensors: extract_slice, insert_slice, pad and concat."""

from __future__ import annotations

import itertools

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, Step, integers, mixed
from .errors import EvaluationError
from .handlers import Handler
from .shapes import require_static
from .slices import SliceReader, replaced
from .tensor import filled, stack_scalars

__all__ = ["OPS"]


def _extract_slice(decoder: Decoder, op: ir.Operation) -> Step:
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])
    reader = SliceReader(decoder, op, 1)
    kept = reader.kept(op.results[0].type)

    def step(registers: Registers) -> None:
        array = registers[source]
        key, sizes = reader.key(registers, array.shape)
        part = array[key]
        registers[result] = part if kept is None else part.reshape([sizes[i] for i in kept])

    return step


def _insert_slice(decoder: Decoder, op: ir.Operation) -> Step:
    source, target = decoder.all(list(op.operands)[:2])
    result, reader = decoder.slot(op.results[0]), SliceReader(decoder, op, 2)

    def step(registers: Registers) -> None:
        array, inserted = registers[target], registers[source]
        key, sizes = reader.key(registers, array.shape)
        if len(inserted.shape) == len(sizes) and tuple(sizes) != inserted.shape:
            raise EvaluationError(f"what is inserted has sizes {list(inserted.shape)}, the slice has {list(sizes)}")
        registers[result] = replaced(array, key, sizes, inserted)

    return step


def _pad(decoder: Decoder, op: ir.Operation) -> Step:
    segments = integers(op, "operandSegmentSizes")
    operands = list(op.operands)
    low = mixed(decoder, integers(op, "static_low"), operands[1 : 1 + segments[1]])
    high = mixed(decoder, integers(op, "static_high"), operands[1 + segments[1] :])
    source, result = decoder.slot(operands[0]), decoder.slot(op.results[0])
    type_ = op.results[0].type
    element, code = decoder.element(type_), decoder.region(op.regions[0])
    is_uniform = not any(list(argument.uses) for argument in op.regions[0].blocks[0].arguments)

    def step(registers: Registers) -> None:
        array, before, after = registers[source], low(registers), high(registers)
        if any(size < 0 for size in (*before, *after)):
            raise EvaluationError(f"padding is negative: low {list(before)}, high {list(after)}")
        sizes = [a + size + b for a, size, b in zip(before, array.shape, after, strict=True)]
        require_static(type_, sizes)
        inside = [range(a, a + size) for a, size in zip(before, array.shape, strict=True)]
        key = tuple(slice(part.start, part.stop) for part in inside)
        if is_uniform:
            padding = code.call(registers, [0] * len(sizes))[0]
            registers[result] = replaced(filled(sizes, padding, element), key, None, array)
            return
        values = [
            element.dtype.type(0)
            if all(i in part for i, part in zip(point, inside, strict=True))
            else code.call(registers, point)[0]
            for point in itertools.product(*map(range, sizes))
        ]
        registers[result] = replaced(stack_scalars(values, sizes, element.dtype), key, None, array)

    return step


def _concat(decoder: Decoder, op: ir.Operation) -> Step:
    slots, result = decoder.all(list(op.operands)), decoder.slot(op.results[0])
    axis, static = ir.IntegerAttr(op.attributes["dim"]).value, ir.ShapedType(op.results[0].type).shape
    dynamic = ir.ShapedType.get_dynamic_size()

    def step(registers: Registers) -> None:
        value = np.concatenate([registers[slot] for slot in slots], axis)
        if any(size not in (dynamic, found) for size, found in zip(static, value.shape, strict=True)):
            raise EvaluationError(f"the parts make sizes {list(value.shape)}, the result is {op.results[0].type}")
        registers[result] = value

    return step


OPS: dict[str, Handler] = {
    "tensor.extract_slice": _extract_slice,
    "tensor.insert_slice": _insert_slice,
    "tensor.pad": _pad,
    "tensor.concat": _concat,
}
