"""Convolutions: with groups, transposed, of quantized numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import linalg

from ....dialects.support.index_math import add, ceil_div, multiply
from .contractions import centred, requantized
from .graph import Node, lowers
from .reductions import wide_type
from .scalars import DType
from .structured import (
    accumulate,
    cast_to,
    computed,
    elementwise,
    extract,
    fill,
    insert_slice,
    loops,
    reshape,
    slice_of,
)
from .values import UnsupportedOnnxError, Value
from .windows import SlidingWindow, padded, window_of

I64, I32 = np.dtype(np.int64), np.dtype(np.int32)


def convolution(node: Node, x: Value, weights: Value, dtype: DType) -> Value:
    """The convolution without bias, accumulated in `dtype`."""
    kernel = [size for size in weights.shape[2:] if size is not None]
    if len(kernel) != x.rank - 2:
        raise UnsupportedOnnxError(f"the kernel of {node} must have known sizes")
    window = window_of(node, x.sizes[2:], kernel)
    group = node.attribute("group", 1)
    x = padded(x, window, 0)
    filters = weights.sizes[0]
    init_sizes = [x.sizes[0], filters, *window.sizes]
    named = _NAMED.get((window.rank, group))
    if named and x.dtype == weights.dtype == dtype:
        init = fill(init_sizes, dtype, 0).ssa
        steps = {"strides": _numbers(window.strides), "dilations": _numbers(window.dilations)}
        op = named([init.type], [x.ssa, weights.ssa], [init], **steps)
        linalg.fill_builtin_region(op.operation)
        return Value(dtype, op.operation.results[0])
    return _grouped(x, weights, window, group, dtype)


_NAMED: dict[tuple[int, int], Any] = {
    (1, 1): linalg.Conv1DNcwFcwOp,
    (2, 1): linalg.Conv2DNchwFchwOp,
    (3, 1): linalg.Conv3DNcdhwFcdhwOp,
}


def _numbers(values: Sequence[int]) -> ir.Attribute:
    word = ir.IntegerType.get_signless(64)
    return ir.DenseElementsAttr.get([ir.IntegerAttr.get(word, value) for value in values])


def _grouped(x: Value, weights: Value, window: SlidingWindow, group: int, dtype: DType) -> Value:
    """A convolution as one generic op; loops: batch, group, filter, places, channel, window."""
    rank = window.rank
    n, _, *spatial = x.sizes
    filters, channels, *kernel = weights.sizes
    if filters == group and channels == 1:
        return _depthwise(x, weights, window, dtype)
    each = ceil_div(filters, group)
    picture = reshape(x, [n, group, channels, *spatial])
    grouped = reshape(weights, [group, each, channels, *kernel])
    b, g, f, *rest = loops(4 + 2 * rank)
    places, channel, inside = rest[:rank], rest[rank], rest[rank + 1 :]
    operands = [(picture, [b, g, channel, *window.place(places, inside)]), (grouped, [g, f, channel, *inside])]
    reduced = list(range(3 + rank, 4 + 2 * rank))
    init = fill([n, group, each, *window.sizes], dtype, 0)
    total = accumulate(4 + 2 * rank, reduced, operands, init, lambda t, e, w: t + e.to(dtype) * w.to(dtype))
    return reshape(total, [n, filters, *window.sizes])


def _depthwise(x: Value, weights: Value, window: SlidingWindow, dtype: DType) -> Value:
    """A convolution of each channel with one filter; loops: batch, channel, places, window."""
    rank = window.rank
    b, c, *rest = loops(2 + 2 * rank)
    places, inside = rest[:rank], rest[rank:]
    operands = [
        (x, [b, c, *window.place(places, inside)]),
        (weights, [c, ir.AffineConstantExpr.get(0), *inside]),
    ]
    init = fill([x.sizes[0], weights.sizes[0], *window.sizes], dtype, 0)
    reduced = list(range(2 + rank, 2 + 2 * rank))
    return accumulate(2 + 2 * rank, reduced, operands, init, lambda t, e, w: t + e.to(dtype) * w.to(dtype))


def _biased(total: Value, node: Node, at: int, dtype: DType) -> Value:
    if not node.has(at):
        return cast_to(total, dtype)
    bias = node.input(at)
    column = reshape(bias, [*bias.sizes, *[1] * (total.rank - 2)])
    return elementwise(dtype, [total, column], lambda e, b: (e + b.to(e.dtype)).to(dtype))


@lowers("Conv")
def _conv(node: Node) -> Value:
    x, weights = node.input(0), node.input(1)
    return _biased(convolution(node, x, weights, wide_type(x.dtype)), node, 2, x.dtype)


@lowers("ConvInteger")
def _conv_integer(node: Node) -> Value:
    x = centred(node.input(0), node.input(2) if node.has(2) else None, 1)
    weights = centred(node.input(1), node.input(3) if node.has(3) else None, 0)
    return convolution(node, x, weights, I32)


@lowers("QLinearConv")
def _quantized_conv(node: Node) -> Value:
    x, x_scale, x_zero, weights, w_scale, w_zero, scale, zero = (node.input(number) for number in range(8))
    total = convolution(node, centred(x, x_zero, 1), centred(weights, w_zero, 0), I32)
    total = _biased(total, node, 8, I32)
    if w_scale.rank == 1 and w_scale.shape != (1,):
        w_scale = reshape(w_scale, [*w_scale.sizes, *[1] * (total.rank - 2)])
    return requantized(total, x_scale, w_scale, scale, zero)


@lowers("ConvTranspose")
def _conv_transpose(node: Node) -> Value:
    x, weights = node.input(0), node.input(1)
    kernel = [size for size in weights.shape[2:] if size is not None]
    rank, group = x.rank - 2, node.attribute("group", 1)
    strides = list(node.attribute("strides") or [1] * rank)
    dilations = list(node.attribute("dilations") or [1] * rank)
    extents = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    low, high = _transposed_pads(node, x, strides, extents)
    n, channels, *spatial = x.sizes
    # Zeros between the elements and around them; then a convolution with the kernel turned around.
    apart = [add(multiply(add(size, -1), s), 1) for size, s in zip(spatial, strides, strict=True)]
    before = [e - 1 - lo for e, lo in zip(extents, low, strict=True)]
    behind = [e - 1 - hi for e, hi in zip(extents, high, strict=True)]
    whole = [add(size, max(b, 0) + max(h, 0)) for size, b, h in zip(apart, before, behind, strict=True)]
    picture = fill([n, channels, *whole], x.dtype, 0)
    picture = insert_slice(x, picture, [0, 0, *[max(b, 0) for b in before]], [1, 1, *strides])
    cut = [max(-b, 0) for b in before]
    sizes = [add(size, -c - max(-h, 0)) for size, c, h in zip(whole, cut, behind, strict=True)]
    if any(p < 0 for p in (*before, *behind)):
        picture = slice_of(picture, [0, 0, *cut], [n, channels, *sizes])
    places = [add(size, 1 - e) for size, e in zip(sizes, extents, strict=True)]
    total = _turned(picture, weights, SlidingWindow(kernel, [1] * rank, dilations, [], [], places), group)
    return _biased(total, node, 2, x.dtype)


def _transposed_pads(node: Node, x: Value, strides: list[int], extents: list[int]) -> tuple[list[int], list[int]]:
    """What is cut off before and behind the result of a transposed convolution; less than 0 where it is made longer."""
    rank = len(strides)
    extra = list(node.attribute("output_padding") or [0] * rank)
    given = list(node.attribute("pads") or [0] * (2 * rank))
    wanted, automatic = node.attribute("output_shape"), node.attribute("auto_pad", "NOTSET")
    low, high = given[:rank], [h - e for h, e in zip(given[rank:], extra, strict=True)]
    for d, size in enumerate(x.shape[2:]):
        if wanted is None and not automatic.startswith("SAME"):
            continue
        if size is None:
            raise UnsupportedOnnxError(f"{node} needs a picture of known sizes")
        target = wanted[-rank:][d] if wanted is not None else size * strides[d]
        total = (size - 1) * strides[d] + extra[d] + extents[d] - target
        less = total // 2
        low[d] = less if automatic == "SAME_UPPER" else total - less
        high[d] = total - low[d] - extra[d]
    return low, high


def _turned(x: Value, weights: Value, window: SlidingWindow, group: int) -> Value:
    """A convolution with a kernel of layout channel, filter, window, turned around."""
    rank = window.rank
    dtype = wide_type(x.dtype)
    n, channels, *spatial = x.sizes
    _, each, *kernel = weights.sizes
    inner = ceil_div(channels, group)
    turned = computed(
        weights.sizes,
        weights.dtype,
        lambda at: extract(weights, [*at[:2], *(k - 1 - i for k, i in zip(window.kernel, at[2:], strict=True))]),
    )
    grouped = reshape(turned, [group, inner, each, *kernel])
    picture = reshape(x, [n, group, inner, *spatial])
    b, g, f, *rest = loops(4 + 2 * rank)
    places, channel, inside = rest[:rank], rest[rank], rest[rank + 1 :]
    operands = [(picture, [b, g, channel, *window.place(places, inside)]), (grouped, [g, channel, f, *inside])]
    init = fill([n, group, each, *window.sizes], dtype, 0)
    reduced = list(range(3 + rank, 4 + 2 * rank))
    total = accumulate(4 + 2 * rank, reduced, operands, init, lambda t, e, w: t + e.to(dtype) * w.to(dtype))
    return reshape(total, [n, multiply(each, group), *window.sizes])
