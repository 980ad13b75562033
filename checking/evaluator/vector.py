"""Vectors as arrays: made, taken apart, put together and reshaped; masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, Step, integers, mixed, transfer
from .errors import EvaluationError
from .handlers import Handler
from .slices import replaced, slice_key
from .tensor import filled, stack_scalars
from .undefined import Undefined

__all__ = ["OPS"]


def _unary(make: Callable[[ir.Operation], Callable[[Any], Any]]) -> Handler:
    """An op on one vector by a function on arrays."""

    def handler(decoder: Decoder, op: ir.Operation) -> Step:
        function, source, result = make(op), decoder.slot(op.operands[0]), decoder.slot(op.results[0])

        def step(registers: Registers) -> None:
            registers[result] = function(registers[source])

        return step

    return handler


def _broadcast(decoder: Decoder, op: ir.Operation) -> Step:
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])
    shape, element = ir.ShapedType(op.results[0].type).shape, decoder.element(op.results[0].type)

    def step(registers: Registers) -> None:
        value = registers[source]
        if isinstance(value, Undefined | np.generic) or not hasattr(value, "shape"):
            registers[result] = filled(shape, value, element)
        else:
            registers[result] = np.broadcast_to(value, tuple(shape))

    return step


def _step(decoder: Decoder, op: ir.Operation) -> Step:
    result, (count,) = decoder.slot(op.results[0]), ir.ShapedType(op.results[0].type).shape
    dtype = decoder.element(op.results[0].type).dtype

    def step(registers: Registers) -> None:
        registers[result] = np.arange(count, dtype=dtype)

    return step


def _prefix(shape: Sequence[int], lengths: Sequence[int]) -> Any:
    """A mask that is on where every index is below a length."""
    mask = np.zeros(tuple(shape), np.bool_)
    mask[tuple(slice(0, max(0, length)) for length in lengths)] = True
    return mask


def _create_mask(decoder: Decoder, op: ir.Operation) -> Step:
    slots, result = decoder.all(list(op.operands)), decoder.slot(op.results[0])
    shape = ir.ShapedType(op.results[0].type).shape

    def step(registers: Registers) -> None:
        registers[result] = _prefix(shape, [registers[slot].__index__() for slot in slots])

    return step


def _constant_mask(decoder: Decoder, op: ir.Operation) -> Step:
    result, mask = (
        decoder.slot(op.results[0]),
        _prefix(ir.ShapedType(op.results[0].type).shape, integers(op, "mask_dim_sizes")),
    )

    def step(registers: Registers) -> None:
        registers[result] = mask

    return step


def _position(decoder: Decoder, op: ir.Operation, first: int) -> Callable[[Registers, Sequence[int]], tuple[int, ...]]:
    position = mixed(decoder, integers(op, "static_position"), list(op.operands)[first:])

    def read(registers: Registers, shape: Sequence[int]) -> tuple[int, ...]:
        index = tuple(position(registers))
        if any(not 0 <= i < size for i, size in zip(index, shape, strict=False)):
            raise EvaluationError(f"position {list(index)} is out of bounds: the sizes are {list(shape)}")
        return index

    return read


def _extract(decoder: Decoder, op: ir.Operation) -> Step:
    source, result, position = decoder.slot(op.operands[0]), decoder.slot(op.results[0]), _position(decoder, op, 1)
    is_vector = isinstance(op.results[0].type, ir.VectorType)
    element = decoder.element(op.results[0].type)

    def step(registers: Registers) -> None:
        vector = registers[source]
        index = position(registers, vector.shape)
        if is_vector:
            registers[result] = vector[(*index, ...)]
            return
        value = vector[index]
        registers[result] = value.item() if hasattr(value, "undefined") else element.scalar(value)

    return step


def _insert(decoder: Decoder, op: ir.Operation) -> Step:
    source, target = decoder.all(list(op.operands)[:2])
    result, position = decoder.slot(op.results[0]), _position(decoder, op, 2)

    def step(registers: Registers) -> None:
        vector = registers[target]
        registers[result] = replaced(vector, (*position(registers, vector.shape), ...), None, registers[source])

    return step


def _array(op: ir.Operation, name: str) -> list[int]:
    return [ir.IntegerAttr(entry).value for entry in ir.ArrayAttr(op.attributes[name])]


def _extract_strided(op: ir.Operation) -> Callable[[Any], Any]:
    offsets, sizes, strides = (_array(op, name) for name in ("offsets", "sizes", "strides"))
    shape = ir.ShapedType(op.operands[0].type).shape[: len(offsets)]
    key = slice_key(offsets, sizes, strides, shape)
    return lambda value: value[key]


def _insert_strided(decoder: Decoder, op: ir.Operation) -> Step:
    source, target = decoder.all(list(op.operands))
    result, inserted = decoder.slot(op.results[0]), ir.ShapedType(op.operands[0].type).shape
    offsets, strides = _array(op, "offsets"), _array(op, "strides")
    outer = len(offsets) - len(inserted)
    shape = ir.ShapedType(op.operands[1].type).shape
    key = slice_key(offsets, [*[1] * outer, *inserted], [*[1] * outer, *strides], shape)
    whole = (*[entry.start for entry in key[:outer]], *key[outer:])

    def step(registers: Registers) -> None:
        registers[result] = replaced(registers[target], whole, None, registers[source])

    return step


def _shape_cast(op: ir.Operation) -> Callable[[Any], Any]:
    shape = tuple(ir.ShapedType(op.results[0].type).shape)
    return lambda value: value.reshape(shape)


def _transpose(op: ir.Operation) -> Callable[[Any], Any]:
    permutation = integers(op, "permutation")
    return lambda value: value.transpose(permutation)


def _shuffle(decoder: Decoder, op: ir.Operation) -> Step:
    a, b = decoder.all(list(op.operands))
    result, mask = decoder.slot(op.results[0]), integers(op, "mask")

    def step(registers: Registers) -> None:
        parts = [value if value.shape else value.reshape((1,)) for value in (registers[a], registers[b])]
        registers[result] = np.concatenate(parts, 0)[[max(entry, 0) for entry in mask]]

    return step


def _from_elements(decoder: Decoder, op: ir.Operation) -> Step:
    slots, result = decoder.all(list(op.operands)), decoder.slot(op.results[0])
    shape, dtype = ir.ShapedType(op.results[0].type).shape, decoder.element(op.results[0].type).dtype

    def step(registers: Registers) -> None:
        registers[result] = stack_scalars([registers[slot] for slot in slots], shape, dtype)

    return step


def _to_elements(decoder: Decoder, op: ir.Operation) -> Step:
    source, results = decoder.slot(op.operands[0]), decoder.all(list(op.results))
    element = decoder.element(op.operands[0].type)

    def step(registers: Registers) -> None:
        flat = registers[source].reshape((-1,))
        values = [flat[i] for i in range(len(results))]
        scalars = [value.item() if hasattr(value, "undefined") else element.scalar(value) for value in values]
        transfer(registers, results, scalars)

    return step


def _mask(decoder: Decoder, op: ir.Operation) -> Step:
    """One op that only computes where a mask is on; the op itself asks for the mask."""
    mask, *rest = decoder.all(list(op.operands))
    results, other = decoder.all(list(op.results)), rest[0] if rest else None
    outer, decoder.mask = decoder.mask, mask
    try:
        code = decoder.region(op.regions[0])
    finally:
        decoder.mask = outer

    def step(registers: Registers) -> None:
        values = code.call(registers, ())
        if other is not None:
            values = [np.where(registers[mask], value, registers[other]) for value in values]
        transfer(registers, results, values)

    return step


OPS: dict[str, Handler] = {
    "vector.broadcast": _broadcast,
    "vector.step": _step,
    "vector.create_mask": _create_mask,
    "vector.constant_mask": _constant_mask,
    "vector.extract": _extract,
    "vector.insert": _insert,
    "vector.extract_strided_slice": _unary(_extract_strided),
    "vector.insert_strided_slice": _insert_strided,
    "vector.shape_cast": _unary(_shape_cast),
    "vector.transpose": _unary(_transpose),
    "vector.shuffle": _shuffle,
    "vector.from_elements": _from_elements,
    "vector.to_elements": _to_elements,
    "vector.mask": _mask,
}
