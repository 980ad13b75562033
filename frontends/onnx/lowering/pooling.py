"""Pooling, its inverse, and columns of windows put back into a picture."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from mlir import ir

from ....dialects.support.index_math import Number, add, as_value, ceil_div, multiply
from .graph import Node, lowers
from .reductions import wide_type
from .scalars import INDEX, TypedScalar, choose, constant, greatest, lowest
from .structured import (
    accumulate,
    cast_to,
    elementwise,
    empty,
    extract,
    fill,
    loops,
    product,
    reshape,
    slice_of,
    static,
)
from .values import UnsupportedOnnxError, Value
from .windows import SlidingWindow, padded, window_of

I64, I32 = np.dtype(np.int64), np.dtype(np.int32)


def pooled(x: Value, window: SlidingWindow, number: Any, init: Value, body: Callable[..., TypedScalar]) -> Value:
    """A reduction over the window at each place; `number` pads the picture."""
    rank = window.rank
    b, c, *rest = loops(2 + 2 * rank)
    places, inside = rest[:rank], rest[rank:]
    shape = Value(x.dtype, empty(window.kernel, x.dtype))  # Of which only the sizes count.
    operands = [(padded(x, window, number), [b, c, *window.place(places, inside)]), (shape, inside)]
    reduced = list(range(2 + rank, 2 + 2 * rank))
    return accumulate(2 + 2 * rank, reduced, operands, init, lambda total, e, _: body(total, e))


def _pool_window(node: Node, x: Value) -> SlidingWindow:
    return window_of(node, x.sizes[2:], node.attribute("kernel_shape"), ceil=bool(node.attribute("ceil_mode", 0)))


@lowers("MaxPool")
def _max_pool(node: Node) -> Any:
    x = node.input()
    window = _pool_window(node, x)
    sizes = [*x.sizes[:2], *window.sizes]
    start = lowest(x.dtype)
    top = pooled(x, window, start, fill(sizes, x.dtype, start), greatest)
    if len(node.output_names) < 2:
        return top
    return top, _positions(node, x, window)


def _positions(node: Node, x: Value, window: SlidingWindow) -> Value:
    """The place in the flat picture of the largest element of each window."""
    from .structured import index

    rank = window.rank
    sizes = x.sizes

    def flat(places: list[TypedScalar]) -> TypedScalar:
        order = list(range(rank))
        if node.attribute("storage_order", 0):
            order.reverse()
        spatial = constant(0, INDEX)
        for d in order:
            spatial = spatial * TypedScalar(as_value(sizes[2 + d]), INDEX) + places[2 + d]
        area = TypedScalar(as_value(product(sizes[2:])), INDEX)
        return ((places[0] * TypedScalar(as_value(sizes[1]), INDEX) + places[1]) * area + spatial).to(I64)

    def element(place: TypedScalar) -> TypedScalar:
        """The element at a place that `flat` gives."""
        rest = place.to(INDEX)
        at: list[TypedScalar] = [constant(0, INDEX)] * (2 + rank)
        order = [d + 2 for d in (range(rank) if not node.attribute("storage_order", 0) else range(rank - 1, -1, -1))]
        for d in [*order[::-1], 1, 0]:
            size = TypedScalar(as_value(sizes[d]), INDEX)
            at[d], rest = rest.apply("rem", size), rest / size
        return extract(x, at)

    def body(total: TypedScalar, _: TypedScalar) -> TypedScalar:
        at = [index(0), index(1)]
        inside = constant(True, np.dtype(bool))
        for d in range(rank):
            place = index(2 + d) * window.strides[d] + index(2 + rank + d) * window.dilations[d]
            place = place - TypedScalar(as_value(window.low[d]), INDEX)
            size = TypedScalar(as_value(sizes[2 + d]), INDEX)
            inside = inside & (place >= 0) & (place < size)
            at.append(greatest(choose(place < size, place, size - 1), 0))
        unset = total < 0
        better = unset | (extract(x, at) > element(choose(unset, constant(0, I64), total)))
        return choose(inside & better, flat(at), total)

    init = fill([*sizes[:2], *window.sizes], I64, -1)
    return pooled(x, window, 0, init, body)


@lowers("AveragePool")
def _average_pool(node: Node) -> Value:
    x = node.input()
    window = _pool_window(node, x)
    wide = wide_type(x.dtype)
    sizes = [*x.sizes[:2], *window.sizes]
    total = pooled(x, window, 0, fill(sizes, wide, 0), lambda t, e: t + e.to(wide))
    counts = _window_counts(node, x, window)
    return elementwise(x.dtype, [total, counts], lambda e, n: (e / n.to(wide)).to(x.dtype))


def _window_counts(node: Node, x: Value, window: SlidingWindow) -> Value:
    """How many elements each window averages."""
    pads = list(node.attribute("pads") or [0] * (2 * window.rank))
    automatic = node.attribute("auto_pad", "NOTSET").startswith("SAME")
    with_padding = node.attribute("count_include_pad", 0)
    spatial = x.shape[2:]
    if None in spatial or any(isinstance(p, ir.Value) for p in (*window.low, *window.high, *window.sizes)):
        raise UnsupportedOnnxError(f"{node} needs a picture of known sizes")
    total = np.ones([1] * window.rank)
    for d, size in enumerate(spatial):
        assert size is not None
        low, high = window.low[d], window.high[d] if automatic else pads[window.rank + d]
        assert isinstance(low, int) and isinstance(high, int)
        first, last = (-low, size + high) if with_padding else (0, size)
        at = np.arange(static(window.sizes)[d] or 0)[:, None] * window.strides[d] - low
        inside = at + np.arange(window.kernel[d])[None] * window.dilations[d]
        counts = ((inside >= first) & (inside < last)).sum(1)
        total = total * counts.reshape([-1 if e == d else 1 for e in range(window.rank)])
    return Value(np.dtype(np.int64), constant=total.astype(np.int64))


@lowers("LpPool")
def _lp_pool(node: Node) -> Value:
    x = node.input()
    window = _pool_window(node, x)
    power = node.attribute("p", 2)
    wide = wide_type(x.dtype)
    sizes = [*x.sizes[:2], *window.sizes]

    def raised(e: TypedScalar) -> TypedScalar:
        size = e.to(wide).absolute()
        return size if power == 1 else size * size if power == 2 else size.power(constant(power, wide))

    total = pooled(x, window, 0, fill(sizes, wide, 0), lambda t, e: t + raised(e))
    return elementwise(x.dtype, [total], lambda e: e.power(constant(1 / power, wide)).to(x.dtype))


@lowers("GlobalAveragePool")
def _global_average(node: Node) -> Value:
    from .reductions import mean_of

    x = node.input()
    return cast_to(mean_of(x, list(range(2, x.rank))), x.dtype)


@lowers("GlobalMaxPool")
def _global_maximum(node: Node) -> Value:
    from .reductions import maximum_of

    x = node.input()
    return maximum_of(x, list(range(2, x.rank)), keep=True)


@lowers("GlobalLpPool")
def _global_lp(node: Node) -> Value:
    from .reductions import add_up

    x = node.input()
    power = node.attribute("p", 2)
    wide = wide_type(x.dtype)
    total = add_up(x, list(range(2, x.rank)), keep=True, of=lambda e: e.absolute().power(constant(power, wide)))
    return elementwise(x.dtype, [total], lambda e: e.power(constant(1 / power, wide)).to(x.dtype))


@lowers("MaxUnpool")
def _max_unpool(node: Node) -> Value:
    from .indexing import nest, store

    x, places = node.input(0), node.input(1)
    kernel = node.attribute("kernel_shape")
    strides = node.attribute("strides") or [1] * len(kernel)
    pads = node.attribute("pads") or [0] * (2 * len(kernel))
    rank = len(kernel)
    natural: list[Number] = [
        add(multiply(add(size, -1), strides[d]), kernel[d] - pads[d] - pads[rank + d])
        for d, size in enumerate(x.sizes[2:])
    ]
    sizes = [*x.sizes[:2], *natural]
    wanted = node.input(2).elements if node.has(2) else sizes
    flat = fill([product(wanted)], x.dtype, 0)

    def place_of(place: TypedScalar) -> TypedScalar:
        """A flat place in the natural sizes, as the same indices in the wanted ones."""
        rest, result, factor = place.to(INDEX), constant(0, INDEX), constant(1, INDEX)
        for d in range(len(sizes) - 1, -1, -1):
            size = TypedScalar(as_value(sizes[d]), INDEX)
            result = result + rest.apply("rem", size) * factor
            rest, factor = rest / size, factor * TypedScalar(as_value(wanted[d]), INDEX)
        return result

    def step(at: list[TypedScalar], into: ir.Value) -> ir.Value:
        place = extract(places, at)
        return store(into, [place_of(place)], extract(x, at))

    return reshape(Value(x.dtype, nest(x.sizes, flat.ssa, step)), wanted)


@lowers("Col2Im")
def _columns_to_image(node: Node) -> Value:
    from .indexing import nest, store

    x = node.input()
    image = node.input(1).require_constant(f"'image_shape' of {node}").tolist()
    block = node.input(2).require_constant(f"'block_shape' of {node}").tolist()
    window = window_of(node, image, block)
    n = x.sizes[0]
    channels = ceil_div(x.sizes[1], math.prod(block))
    apart = reshape(x, [n, channels, *block, *window.sizes])
    whole = [add(add(size, lo), hi) for size, lo, hi in zip(image, window.low, window.high, strict=True)]
    rank = len(block)

    def step(at: list[TypedScalar], into: ir.Value) -> ir.Value:
        inside, places = at[2 : 2 + rank], at[2 + rank :]
        place = [p * s + k * d for p, k, s, d in zip(places, inside, window.strides, window.dilations, strict=True)]
        target = [*at[:2], *place]
        return store(into, target, extract(into, target, x.dtype) + extract(apart, at))

    total = Value(x.dtype, nest(apart.sizes, fill([n, channels, *whole], x.dtype, 0).ssa, step))
    return slice_of(total, [0, 0, *window.low], [n, channels, *image])
