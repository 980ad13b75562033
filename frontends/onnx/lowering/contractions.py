"""Products that are summed: matrix products and Einstein sums."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir.dialects import linalg

from ....dialects.support.index_math import Number
from .graph import Node, lowers
from .reductions import wide_type
from .scalars import DType, Scalar
from .structured import accumulate, cast_to, elementwise, fill, loops, reshape
from .values import UnsupportedOnnxError, Value

I32 = np.dtype(np.int32)


def contract(values: Sequence[Value], labels: Sequence[str], result: str, dtype: DType) -> Value:
    """The Einstein sum of tensors whose dimensions have one-letter labels, accumulated in `dtype`.

    Dimensions of size 1 are broadcast.
    """
    order = result + "".join(dict.fromkeys(c for text in labels for c in text if c not in result))
    sizes: dict[str, Number] = {}
    for value, text in zip(values, labels, strict=True):
        for size, label in zip(value.sizes, text, strict=True):
            if label not in sizes or (isinstance(sizes[label], int) and sizes[label] == 1):
                sizes[label] = size
    summed = [d for d, label in enumerate(order) if label not in result]
    dims = dict(zip(order, loops(len(order)), strict=True))
    operands = []
    for value, text in zip(values, labels, strict=True):
        kept = [d for d, label in enumerate(text) if value.shape[d] != 1 or sizes[label] == 1]
        part = reshape(value, [value.sizes[d] for d in kept]) if len(kept) < value.rank else value
        operands.append((part, [dims[text[d]] for d in kept]))
    init = fill([sizes[label] for label in result], dtype, 0)

    def body(total: Scalar, *elements: Scalar) -> Scalar:
        product = elements[0].to(dtype)
        for element in elements[1:]:
            product = product * element.to(dtype)
        return total + product

    return accumulate(len(order), summed, operands, init, body)


def matmul(a: Value, b: Value, dtype: DType) -> Value:
    """The product of stacks of matrices, as `numpy.matmul`; accumulated in `dtype`."""
    named = {(2, 2): linalg.matmul, (3, 3): linalg.batch_matmul}.get((a.rank, b.rank))
    same = a.rank == 2 or a.shape[:1] == b.shape[:1] != (None,)
    if named and same and a.dtype == b.dtype == dtype:
        init = fill([*a.sizes[:-1], b.sizes[-1]], dtype, 0)
        product: Any = named(a.ssa, b.ssa, outs=[init.ssa])
        return Value(dtype, product)
    batch = string.ascii_lowercase[: max(a.rank, b.rank, 2) - 2]
    left = "Z" if a.rank == 1 else batch[len(batch) - (a.rank - 2) :] + "YZ"
    right = "Z" if b.rank == 1 else batch[len(batch) - (b.rank - 2) :] + "ZX"
    return contract([a, b], [left, right], batch + ("Y" if a.rank > 1 else "") + ("X" if b.rank > 1 else ""), dtype)


@lowers("MatMul")
def _matmul(node: Node) -> Value:
    a, b = node.tensors
    return cast_to(matmul(a, b, wide_type(a.dtype)), a.dtype)


@lowers("Gemm")
def _gemm(node: Node) -> Value:
    a, b = node.input(0), node.input(1)
    alpha, beta = node.attribute("alpha", 1.0), node.attribute("beta", 1.0)
    turned = [node.attribute(name, 0) for name in ("transA", "transB")]
    labels = ["ZY" if turned[0] else "YZ", "XZ" if turned[1] else "ZX"]
    wide = wide_type(a.dtype)
    total = contract([a, b], labels, "YX", wide) if any(turned) else matmul(a, b, wide)

    def scaled(e: Scalar, factor: float) -> Scalar:
        return e if factor == 1 else e * factor

    if not node.has(2):
        return cast_to(total, a.dtype) if alpha == 1 else elementwise(a.dtype, [total], lambda e: e * alpha)
    return elementwise(
        a.dtype, [total, node.input(2)], lambda e, c: (scaled(e, alpha) + scaled(c.to(wide), beta)).to(a.dtype)
    )


def centred(value: Value, zero_point: Value | None, channel: int) -> Value:
    """Integers as i32 with their zero point, of all or of each channel, subtracted."""
    if zero_point is None:
        return cast_to(value, I32)
    if zero_point.rank == 1 and zero_point.shape != (1,):
        zero_point = reshape(zero_point, [zero_point.sizes[0], *[1] * (value.rank - 1 - channel)])
    elif zero_point.rank == 1:
        zero_point = reshape(zero_point, [])
    return elementwise(I32, [value, zero_point], lambda e, z: e.to(I32) - z.to(I32))


@lowers("MatMulInteger")
def _matmul_integer(node: Node) -> Value:
    a, b = node.input(0), node.input(1)
    first = centred(a, node.input(2) if node.has(2) else None, a.rank - 2)
    second = centred(b, node.input(3) if node.has(3) else None, b.rank - 1)
    return matmul(first, second, I32)


@lowers("QLinearMatMul")
def _quantized_matmul(node: Node) -> Value:
    a, a_scale, a_zero, b, b_scale, b_zero, scale, zero = node.tensors
    product = node.call("MatMulInteger", a, b, a_zero, b_zero)
    if a_scale.rank == 1 and a_scale.shape != (1,):
        a_scale = reshape(a_scale, [*a_scale.sizes, 1])
    return requantized(product, a_scale, b_scale, scale, zero)


def requantized(total: Value, first: Value, second: Value, scale: Value, zero: Value) -> Value:
    """An i32 sum of products of quantized numbers, quantized anew."""
    from .quantization import saturated

    wide = np.dtype(np.float32)

    def body(e: Scalar, a: Scalar, b: Scalar, s: Scalar, z: Scalar) -> Scalar:
        real = e.to(wide) * (a.to(wide) * b.to(wide) / s.to(wide))
        return saturated(real.math("roundeven") + z.to(wide), zero.dtype)

    return elementwise(zero.dtype, [total, first, second, scale, zero], body)


@lowers("Einsum")
def _einsum(node: Node) -> Value:
    values = node.tensors
    text = node.attribute("equation").replace(" ", "")
    left, arrow, result = text.partition("->")
    terms = left.split(",")
    count = max(
        (v.rank - len(t.replace("...", "")) for v, t in zip(values, terms, strict=True) if "..." in t), default=0
    )
    free = [c for c in string.ascii_letters if c not in text][:count]

    def spelled(term: str, rank: int) -> str:
        width = rank - len(term.replace("...", ""))
        return term.replace("...", "".join(free[count - width :]) if width else "")

    labels = [spelled(t, v.rank) for t, v in zip(terms, values, strict=True)]
    if arrow:
        result = result.replace("...", "".join(free))
    else:
        used = "".join(labels)
        result = "".join(free) + "".join(sorted(c for c in set(used) if used.count(c) == 1 and c not in free))
    if any(c not in "".join(labels) for c in result):
        raise UnsupportedOnnxError(f"the equation {text!r} of {node} has a result that no operand has")
    dtype = values[0].dtype
    return cast_to(contract(values, labels, result, wide_type(dtype)), dtype)


__all__ = ["centred", "contract", "matmul", "requantized"]
