"""The same elements in another shape or type: cast, bitcast, expand_shape, collapse_shape, reshape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import on_values
from ..values.attributes import integers, mixed
from ..values.errors import EvaluationError
from ..values.memory import MemRef, contents
from ..values.shapes import expanded_shape, groups_of, require_static
from ..values.signature import Function
from ..values.undefined import defined

__all__ = ["OPS", "collapse", "expand", "reshape"]


@on_values
def _cast(_decoder: Decoder, op: ir.Operation) -> Function:
    type_ = op.results[0].type

    def cast(value: Any) -> Any:
        require_static(type_, value.shape)
        return value

    return cast


@on_values
def _bitcast(decoder: Decoder, op: ir.Operation) -> Function:
    element, type_ = decoder.element(op.results[0].type), op.results[0].type
    by_value = element.is_bool or decoder.element(op.operands[0].type).is_bool

    def bitcast(value: Any) -> Any:
        require_static(type_, value.shape)
        return value.astype(element.dtype) if by_value else _bits(value, element.dtype)

    return bitcast


def _bits(value: Any, dtype: np.dtype[Any]) -> Any:
    return (np.ascontiguousarray(value).reshape(value.shape) if isinstance(value, np.ndarray) else value).view(dtype)


@on_values
def expand(_decoder: Decoder, op: ir.Operation) -> Function:
    """expand_shape of tensors and memrefs."""
    groups, sizes = groups_of(op), mixed(integers(op, "static_output_shape"), 1)

    def expanded(*values: Any) -> Any:
        shape = sizes(values)
        expanded_shape(values[0].shape, groups, shape)
        return values[0].reshape(shape)

    return expanded


def _collapsed(shape: Sequence[int], groups: Sequence[Sequence[int]]) -> list[int]:
    """The sizes after each group has become one dimension. Without groups there must be just one element."""
    sizes = [math.prod(shape[i] for i in group) for group in groups]
    if math.prod(sizes) != math.prod(shape):
        raise EvaluationError(f"sizes {list(shape)} cannot be collapsed to {sizes}")
    return sizes


@on_values
def collapse(_decoder: Decoder, op: ir.Operation) -> Function:
    """collapse_shape of tensors and memrefs."""
    groups = groups_of(op)
    return lambda value: value.reshape(_collapsed(value.shape, groups))


@on_values
def reshape(_decoder: Decoder, op: ir.Operation) -> Function:
    """tensor.reshape and memref.reshape, whose memory must be contiguous."""
    type_ = op.results[0].type

    def reshaped(value: Any, shape: Any) -> Any:
        sizes, count = [int(size) for size in defined(contents(shape))], math.prod(value.shape)
        if math.prod(sizes) != count or any(size < 0 for size in sizes):
            raise EvaluationError(f"{count} elements cannot have the sizes {sizes}")
        require_static(type_, sizes)
        if isinstance(value, MemRef) and not value.array.flags.c_contiguous:
            raise EvaluationError(f"memory of strides {list(value.strides)} is reshaped; it must be contiguous")
        return value.reshape(sizes)

    return reshaped


OPS: dict[str, Handler] = {
    "tensor.cast": _cast,
    "tensor.bitcast": _bitcast,
    "tensor.expand_shape": expand,
    "tensor.collapse_shape": collapse,
    "tensor.reshape": reshape,
}
