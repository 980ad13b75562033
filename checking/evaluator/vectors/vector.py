"""Vectors as arrays: creation, extraction, insertion, reshapes; masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder, Registers
from ..decoding.handlers import Handler
from ..decoding.steps import known, on_registers, on_values
from ..dialects.tensor import checked_index, filled, from_elements
from ..values.attributes import integers, mixed
from ..values.signature import Function
from ..values.slices import inner_key, replaced, slice_key
from ..values.undefined import Undefined

__all__ = ["OPS"]


@on_values
def _broadcast(decoder: Decoder, op: ir.Operation) -> Function:
    shape, element = tuple(ir.ShapedType(op.results[0].type).shape), decoder.element(op.results[0].type)

    def broadcast(value: Any) -> Any:
        if isinstance(value, Undefined | np.generic) or not hasattr(value, "shape"):
            return filled(shape, value, element)
        return np.broadcast_to(value, shape)

    return broadcast


def _step(decoder: Decoder, op: ir.Operation) -> Any:
    (count,) = ir.ShapedType(op.results[0].type).shape
    return np.arange(count, dtype=decoder.element(op.results[0].type).dtype)


def _prefix(shape: Sequence[int], lengths: Sequence[int]) -> Any:
    """A mask that is on where every index is below a length."""
    mask = np.zeros(tuple(shape), np.bool_)
    mask[tuple(slice(0, max(0, length)) for length in lengths)] = True
    return mask


@on_values
def _create_mask(_decoder: Decoder, op: ir.Operation) -> Function:
    shape = ir.ShapedType(op.results[0].type).shape
    return lambda *lengths: _prefix(shape, [length.__index__() for length in lengths])


def _constant_mask(_decoder: Decoder, op: ir.Operation) -> Any:
    return _prefix(ir.ShapedType(op.results[0].type).shape, integers(op, "mask_dim_sizes"))


def _position(op: ir.Operation, first: int) -> Callable[[Sequence[Any], Sequence[int]], tuple[int, ...]]:
    """From the operands' values and the vector's sizes to a position, whose operands begin at `first`."""
    static = integers(op, "static_position")
    position = mixed(static, first)
    return lambda values, shape: checked_index(position(values), shape[: len(static)])


@on_values
def _extract(decoder: Decoder, op: ir.Operation) -> Function:
    position, element = _position(op, 1), decoder.element(op.results[0].type)
    if isinstance(op.results[0].type, ir.VectorType):
        return lambda *values: values[0][(*position(values, values[0].shape), ...)]
    return lambda *values: element.scalar(values[0][position(values, values[0].shape)])


@on_values
def _insert(_decoder: Decoder, op: ir.Operation) -> Function:
    position = _position(op, 2)
    return lambda *values: replaced(values[1], (*position(values, values[1].shape), ...), values[0])


def _array(op: ir.Operation, name: str) -> list[int]:
    return [ir.IntegerAttr(entry).value for entry in ir.ArrayAttr(op.attributes[name])]


@on_values
def _extract_strided(_decoder: Decoder, op: ir.Operation) -> Function:
    offsets, sizes, strides = (_array(op, name) for name in ("offsets", "sizes", "strides"))
    shape = ir.ShapedType(op.operands[0].type).shape[: len(offsets)]
    key = slice_key(offsets, sizes, strides, shape)
    return lambda value: value[key]


@on_values
def _insert_strided(_decoder: Decoder, op: ir.Operation) -> Function:
    inserted, shape = (ir.ShapedType(operand.type).shape for operand in op.operands)
    key = inner_key(_array(op, "offsets"), inserted, _array(op, "strides"), shape)
    return lambda source, target: replaced(target, key, source)


@on_values
def _shape_cast(_decoder: Decoder, op: ir.Operation) -> Function:
    shape = tuple(ir.ShapedType(op.results[0].type).shape)
    return lambda value: value.reshape(shape)


@on_values
def _transpose(_decoder: Decoder, op: ir.Operation) -> Function:
    permutation = integers(op, "permutation")
    return lambda value: value.transpose(permutation)


@on_values
def _shuffle(_decoder: Decoder, op: ir.Operation) -> Function:
    lanes = [max(entry, 0) for entry in integers(op, "mask")]
    return lambda *parts: np.concatenate([part if part.shape else part.reshape((1,)) for part in parts], 0)[lanes]


@on_values
def _to_elements(decoder: Decoder, op: ir.Operation) -> Function:
    count, scalar = len(op.results), decoder.element(op.operands[0].type).scalar

    def to_elements(vector: Any) -> Any:
        flat = vector.reshape((-1,))
        scalars = [scalar(flat[i]) for i in range(count)]
        return scalars if count > 1 else scalars[0]

    return to_elements


@on_registers
def _mask(decoder: Decoder, op: ir.Operation) -> Function:
    """vector.mask: the masked op reads the mask itself."""
    outer, decoder.mask = decoder.mask, decoder.slot(op.operands[0])
    try:
        code = decoder.region(op.regions[0])
    finally:
        decoder.mask = outer

    def run(registers: Registers, mask: Any, *other: Any) -> Sequence[Any]:
        values = code.call(registers, ())
        return [np.where(mask, value, other[0]) for value in values] if other else values

    return run


OPS: dict[str, Handler] = {
    "vector.broadcast": _broadcast,
    "vector.step": known(_step),
    "vector.create_mask": _create_mask,
    "vector.constant_mask": known(_constant_mask),
    "vector.extract": _extract,
    "vector.insert": _insert,
    "vector.extract_strided_slice": _extract_strided,
    "vector.insert_strided_slice": _insert_strided,
    "vector.shape_cast": _shape_cast,
    "vector.transpose": _transpose,
    "vector.shuffle": _shuffle,
    "vector.from_elements": from_elements,
    "vector.to_elements": _to_elements,
    "vector.mask": _mask,
}
