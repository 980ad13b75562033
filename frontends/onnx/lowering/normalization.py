"""Normalizations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .graph import Node, lowers
from .reductions import add_up, mean_of, wide_type
from .scalars import TypedScalar
from .structured import Value, accumulate, cast_to, elementwise, fill, loops, pad, reshape


def _column(value: Value, rank: int) -> Value:
    """One number for each channel, broadcast over batch and space."""
    return reshape(value, [*value.sizes, *[1] * (rank - 2)])


@lowers("BatchNormalization")
def _batch_normalization(node: Node) -> Any:
    x, scale, bias, mean, variance = (node.input(number) for number in range(5))
    epsilon = node.attribute("epsilon", 1e-5)
    if not node.attribute("training_mode", 0):
        return _scaled(node, x, scale, bias, mean, variance, epsilon)
    if node.version < 14:
        return NotImplemented
    axes = [d for d in range(x.rank) if d != 1]
    now = mean_of(x, axes)
    wide = now.dtype
    squares = elementwise(wide, [x, now], lambda e, m: (e.to(wide) - m) * (e.to(wide) - m))
    spread = mean_of(squares, axes)
    momentum = node.attribute("momentum", 0.9)

    def updated(old: Value, new: Value) -> Value:
        flat = reshape(new, [x.sizes[1]])
        return elementwise(old.dtype, [old, flat], lambda a, b: a * momentum + b.to(old.dtype) * (1 - momentum))

    center, width = (reshape(v, [x.sizes[1]]) for v in (now, spread))
    result = _scaled(node, x, scale, bias, center, width, epsilon)
    return result, updated(mean, now), updated(variance, spread)


def _scaled(node: Node, x: Value, scale: Value, bias: Value, mean: Value, variance: Value, epsilon: float) -> Value:
    """A tensor normalized by means and variances: one product and one sum, where all of these are stored."""
    wide = wide_type(x.dtype)
    line = _as_line([value.array for value in (scale, bias, mean, variance)], epsilon)
    if line is not None:
        columns = [_column(node.stored(array.astype(wide)), x.rank) for array in line]
        return elementwise(x.dtype, [x, *columns], lambda e, f, c: (e.to(wide) * f + c).to(x.dtype))

    def body(e: TypedScalar, s: TypedScalar, b: TypedScalar, m: TypedScalar, v: TypedScalar) -> TypedScalar:
        spread = (v.to(wide) + epsilon).math("sqrt")
        return ((e.to(wide) - m.to(wide)) / spread * s.to(wide) + b.to(wide)).to(x.dtype)

    return elementwise(x.dtype, [x, *(_column(v, x.rank) for v in (scale, bias, mean, variance))], body)


def _as_line(stored: Sequence[np.ndarray[Any, Any] | None], epsilon: float) -> list[np.ndarray[Any, Any]] | None:
    """The factors and summands that stored scales, shifts, means and variances make; None if these are not finite."""
    known = [np.asarray(array, np.float64) for array in stored if array is not None]
    if len(known) < len(stored):
        return None
    scale, shift, mean, variance = known
    with np.errstate(all="ignore"):
        factor = scale / np.sqrt(variance + epsilon)
        summand = shift - mean * factor
    return [factor, summand] if np.isfinite([factor, summand]).all() else None


def normalized(x: Value, axes: list[int], epsilon: float) -> tuple[Value, Value, Value]:
    """A tensor less its mean over its deviation, with the mean and the inverse deviation, in a wide type."""
    mean = mean_of(x, axes)
    wide = mean.dtype
    centred = elementwise(wide, [x, mean], lambda e, m: e.to(wide) - m)
    squares = add_up(centred, axes, keep=True, of=lambda e: e * e)
    spread = elementwise(wide, [mean_scaled(squares, x, axes)], lambda v: 1.0 / (v + epsilon).math("sqrt"))
    return elementwise(wide, [centred, spread], lambda e, s: e * s), mean, spread


def mean_scaled(total: Value, x: Value, axes: list[int]) -> Value:
    """A sum over dimensions of `x`, divided by how many elements they have."""
    from ....dialects.support.index_math import as_value
    from .scalars import INDEX
    from .structured import product

    count = TypedScalar(as_value(product([x.sizes[d] for d in axes])), INDEX)
    return elementwise(total.dtype, [total], lambda e: e / count.to(total.dtype))


@lowers("InstanceNormalization")
def _instance_normalization(node: Node) -> Value:
    x, scale, bias = node.tensors
    result, _, _ = normalized(x, list(range(2, x.rank)), node.attribute("epsilon", 1e-5))
    wide = result.dtype
    columns = [_column(v, x.rank) for v in (scale, bias)]
    return elementwise(x.dtype, [result, *columns], lambda e, s, b: (e * s.to(wide) + b.to(wide)).to(x.dtype))


@lowers("LayerNormalization")
def _layer_normalization(node: Node) -> Any:
    x, scale = node.input(0), node.input(1)
    axis = node.axis(x.rank, -1)
    result, mean, spread = normalized(x, list(range(axis, x.rank)), node.attribute("epsilon", 1e-5))
    wide = result.dtype
    factors = [scale, node.input(2)] if node.has(2) else [scale]

    def body(e: TypedScalar, s: TypedScalar, *b: TypedScalar) -> TypedScalar:
        product = e * s.to(wide)
        return (product + b[0].to(wide) if b else product).to(x.dtype)

    return elementwise(x.dtype, [result, *factors], body), mean, spread


@lowers("LRN")
def _local_response(node: Node) -> Value:
    x = node.input()
    size = node.attribute("size")
    alpha, beta, bias = (node.attribute(n, d) for n, d in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0)))
    low = (size - 1) // 2
    wide = wide_type(x.dtype)
    zeros = [0] * x.rank
    padded = pad(cast_to(x, wide), [0, low, *zeros[2:]], [0, size - 1 - low, *zeros[2:]], 0)
    dims = loops(x.rank + 1)
    shape = Value(wide, fill([size], wide, 0).ssa)
    at = [dims[0], dims[1] + dims[-1], *dims[2:-1]]
    total = accumulate(
        x.rank + 1, [x.rank], [(padded, at), (shape, [dims[-1]])], fill(x.sizes, wide, 0), lambda t, e, _: t + e * e
    )

    def body(e: TypedScalar, t: TypedScalar) -> TypedScalar:
        from .scalars import constant

        base = t * (alpha / size) + bias
        return (e.to(wide) / base.power(constant(beta, wide))).to(x.dtype)

    return elementwise(x.dtype, [x, total], body)


@lowers("LpNormalization")
def _lp_normalization(node: Node) -> Value:
    from .scalars import choose

    x = node.input()
    axis, power = node.axis(x.rank, -1), node.attribute("p", 2)
    total = add_up(x, [axis], keep=True, of=TypedScalar.absolute if power == 1 else lambda e: e * e)

    def body(e: TypedScalar, t: TypedScalar) -> TypedScalar:
        norm = t if power == 1 else t.math("sqrt")
        return choose(norm.equals(0), norm, e.to(norm.dtype) / norm).to(x.dtype)

    return elementwise(x.dtype, [x, total], body)
