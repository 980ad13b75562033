"""Quantized numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....dialects.support.index_math import multiply
from .graph import Node, dtype_of, lowers
from .scalars import DType, TypedScalar, greatest, is_float, is_narrow_float, kind, least, limits
from .structured import elementwise, expand, reshape, slice_of
from .values import Value

F32, F64, I32 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int32)


def saturated(x: TypedScalar, dtype: DType) -> TypedScalar:
    """A whole number as an integer or a float of 8 bits, the nearest where it does not fit."""
    lowest, largest = limits(dtype)
    inside = least(greatest(x, float(lowest)), float(largest))
    return inside.to(dtype) if is_float(dtype) else inside.to(np.dtype(np.int64)).to(dtype)


def _along(node: Node, x: Value, factor: Value) -> Value:
    """A scale or zero point, broadcast to the tensor: one, one for each index of an axis, or for each block."""
    block = node.attribute("block_size", 0)
    if factor.rank == 0 or factor.shape == (1,):
        return reshape(factor, [])
    axis = node.axis(x.rank, 1)
    if not block:
        return reshape(factor, [*factor.sizes, *[1] * (x.rank - 1 - axis)]) if factor.rank == 1 else factor
    sizes = factor.sizes
    wide = expand(
        reshape(factor, [*sizes[: axis + 1], 1, *sizes[axis + 1 :]]), [*sizes[: axis + 1], block, *sizes[axis + 1 :]]
    )
    whole = reshape(wide, [*sizes[:axis], multiply(sizes[axis], block), *sizes[axis + 1 :]])
    return slice_of(whole, [0] * x.rank, x.sizes)


@lowers("QuantizeLinear")
def _quantize(node: Node) -> Any:
    x, scale = node.input(0), node.input(1)
    zero = node.input(2) if node.has(2) else None
    code = node.attribute("output_dtype", 0)
    dtype = zero.dtype if zero is not None else dtype_of(code) if code else np.dtype(np.uint8)
    if kind(dtype) not in "iu" and not is_narrow_float(dtype):
        return NotImplemented
    given = [_along(node, x, scale), *([_along(node, x, zero)] if zero is not None else [])]

    def body(e: TypedScalar, s: TypedScalar, *z: TypedScalar) -> TypedScalar:
        # `optimize` may divide by multiplying with a reciprocal; in f64 the quotient is right to f32 even so. One that
        # is next to a half would be rounded to another whole number.
        quotient = (e.to(F64) / s.to(F64)).to(F32)
        whole = quotient if is_float(dtype) else quotient.math("roundeven")
        return saturated(whole + z[0].to(F32) if z else whole, dtype)

    return elementwise(dtype, [x, *given], body)


@lowers("DequantizeLinear")
def _dequantize(node: Node) -> Any:
    x, scale = node.input(0), node.input(1)
    zero = node.input(2) if node.has(2) else None
    given = [_along(node, x, scale), *([_along(node, x, zero)] if zero is not None else [])]
    code = node.attribute("output_dtype", 0)
    dtype = dtype_of(code) if code else scale.dtype

    def body(e: TypedScalar, s: TypedScalar, *z: TypedScalar) -> TypedScalar:
        if is_float(e.dtype):
            return (e.to(F32) * s.to(F32)).to(dtype)
        whole = e.to(I32)
        return ((whole - z[0].to(I32) if z else whole).to(F32) * s.to(F32)).to(dtype)

    return elementwise(dtype, [x, *given], body)
