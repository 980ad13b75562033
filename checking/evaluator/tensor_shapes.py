"""The same elements in another shape or type: cast, bitcast, expand_shape, collapse_shape, reshape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, Step, integers, mixed
from .errors import EvaluationError
from .handlers import Handler
from .shapes import expanded_shape, groups_of, require_static
from .undefined import defined

__all__ = ["OPS", "collapsed", "requested_shape"]


def _cast(decoder: Decoder, op: ir.Operation) -> Step:
    source, result, type_ = decoder.slot(op.operands[0]), decoder.slot(op.results[0]), op.results[0].type
    ranked = isinstance(type_, ir.RankedTensorType)

    def step(registers: Registers) -> None:
        value = registers[source]
        if ranked:
            require_static(type_, value.shape)
        registers[result] = value

    return step


def _bitcast(decoder: Decoder, op: ir.Operation) -> Step:
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])
    element, type_ = decoder.element(op.results[0].type), op.results[0].type
    by_value = element.is_bool or decoder.element(op.operands[0].type).is_bool

    def step(registers: Registers) -> None:
        value = registers[source]
        require_static(type_, value.shape)
        registers[result] = value.astype(element.dtype) if by_value else _bits(value, element.dtype)

    return step


def _bits(value: Any, dtype: np.dtype[Any]) -> Any:
    return (np.ascontiguousarray(value).reshape(value.shape) if isinstance(value, np.ndarray) else value).view(dtype)


def _expand(decoder: Decoder, op: ir.Operation) -> Step:
    source, result, groups = decoder.slot(op.operands[0]), decoder.slot(op.results[0]), groups_of(op)
    sizes = mixed(decoder, integers(op, "static_output_shape"), list(op.operands)[1:])

    def step(registers: Registers) -> None:
        value, shape = registers[source], sizes(registers)
        expanded_shape(value.shape, groups, shape)
        registers[result] = value.reshape(shape)

    return step


def collapsed(shape: Sequence[int], groups: Sequence[Sequence[int]]) -> list[int]:
    """The sizes after each group has become one dimension. Without groups there must be just one element."""
    sizes = [math.prod(shape[i] for i in group) for group in groups]
    if math.prod(sizes) != math.prod(shape):
        raise EvaluationError(f"sizes {list(shape)} cannot be collapsed to {sizes}")
    return sizes


def _collapse(decoder: Decoder, op: ir.Operation) -> Step:
    source, result, groups = decoder.slot(op.operands[0]), decoder.slot(op.results[0]), groups_of(op)

    def step(registers: Registers) -> None:
        value = registers[source]
        registers[result] = value.reshape(collapsed(value.shape, groups))

    return step


def requested_shape(value: Any, shape: Any, type_: ir.Type) -> list[int]:
    """The sizes that a tensor of sizes asks for, which must hold the same number of elements."""
    sizes = [int(size) for size in defined(shape)]
    if math.prod(sizes) != value.size or any(size < 0 for size in sizes):
        raise EvaluationError(f"{value.size} elements cannot have the sizes {sizes}")
    if isinstance(type_, ir.RankedTensorType | ir.MemRefType):
        require_static(type_, sizes)
    return sizes


def _reshape(decoder: Decoder, op: ir.Operation) -> Step:
    source, shape = decoder.all(list(op.operands))
    result, type_ = decoder.slot(op.results[0]), op.results[0].type

    def step(registers: Registers) -> None:
        value = registers[source]
        registers[result] = value.reshape(requested_shape(value, registers[shape], type_))

    return step


OPS: dict[str, Handler] = {
    "tensor.cast": _cast,
    "tensor.bitcast": _bitcast,
    "tensor.expand_shape": _expand,
    "tensor.collapse_shape": _collapse,
    "tensor.reshape": _reshape,
}
