"""Operators that slide a window over a picture: convolutions and pooling."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import linalg

from ....dialects.support.index_math import Number, add, as_value, ceil_div, multiply
from .contractions import centred, requantized
from .graph import Node, lowers
from .reductions import wide_type
from .scalars import INDEX, DType, Scalar, choose, constant, greatest, lowest
from .structured import (
    accumulate,
    cast_to,
    computed,
    elementwise,
    empty,
    extract,
    fill,
    insert_slice,
    loops,
    pad,
    reshape,
    slice_of,
    static,
)
from .values import UnsupportedOnnxError, Value

I64, I32 = np.dtype(np.int64), np.dtype(np.int32)


@dataclass(frozen=True)
class Window:
    """How a window slides: one entry for each spatial dimension; `sizes` is the number of its places."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    low: list[Number]
    high: list[Number]
    sizes: list[Number]

    @property
    def rank(self) -> int:
        """The number of spatial dimensions."""
        return len(self.kernel)

    def place(self, out: Sequence[ir.AffineExpr], inside: Sequence[ir.AffineExpr]) -> list[ir.AffineExpr]:
        """What a place and an element of the window read of the padded picture."""
        return [o * s + k * d for o, k, s, d in zip(out, inside, self.strides, self.dilations, strict=True)]


def _count(size: Number, extent: int, stride: int, *, ceil: bool) -> Number:
    """How many places a window has on a dimension of padded size `size`."""
    room = add(size, -extent)
    if isinstance(room, int):
        places = (-(-room // stride) if ceil else room // stride) + 1
        return max(places, 0)
    return add(ceil_div(room, stride) if ceil else add(ceil_div(add(room, 1), stride), -1), 1)


def window_of(node: Node, spatial: Sequence[Number], kernel: Sequence[int], *, ceil: bool = False) -> Window:
    """The window that the attributes of a node describe, over a picture of these sizes."""
    rank = len(kernel)
    strides = list(node.attribute("strides") or [1] * rank)
    dilations = list(node.attribute("dilations") or [1] * rank)
    given = list(node.attribute("pads") or [0] * (2 * rank))
    automatic = node.attribute("auto_pad", "NOTSET")
    extents = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    low: list[Number] = list(given[:rank])
    high: list[Number] = list(given[rank:])
    sizes: list[Number] = []
    for d, size in enumerate(spatial):
        if automatic.startswith("SAME"):
            if isinstance(size, ir.Value):
                raise UnsupportedOnnxError(f"{node} pads by {automatic}, but the picture's sizes are dynamic")
            places = -(-size // strides[d])
            total = max((places - 1) * strides[d] + extents[d] - size, 0)
            less, more = total // 2, total - total // 2
            low[d], high[d] = (less, more) if automatic == "SAME_UPPER" else (more, less)
            sizes.append(places)
            continue
        if automatic == "VALID":
            low[d] = high[d] = 0
        whole = add(add(size, low[d]), high[d])
        padded = add(size, low[d])
        places = _count(whole, extents[d], strides[d], ceil=ceil)
        if ceil and isinstance(places, int) and isinstance(padded, int) and (places - 1) * strides[d] >= padded:
            places -= 1
        if ceil and isinstance(places, int) and isinstance(whole, int):
            high[d] = add(high[d], max((places - 1) * strides[d] + extents[d] - whole, 0))
        sizes.append(places)
    return Window(list(kernel), strides, dilations, low, high, sizes)


def padded(x: Value, window: Window, number: Any) -> Value:
    """A picture with batch and channels, padded as the window wants."""
    return pad(x, [0, 0, *window.low], [0, 0, *window.high], number)


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
        return Value(
            dtype,
            named(
                x.ssa,
                weights.ssa,
                outs=[fill(init_sizes, dtype, 0).ssa],
                strides=window.strides,
                dilations=window.dilations,
            ),
        )
    return _grouped(x, weights, window, group, dtype)


_NAMED: dict[tuple[int, int], Any] = {
    (1, 1): linalg.conv_1d_ncw_fcw,
    (2, 1): linalg.conv_2d_nchw_fchw,
    (3, 1): linalg.conv_3d_ncdhw_fcdhw,
}


def _grouped(x: Value, weights: Value, window: Window, group: int, dtype: DType) -> Value:
    """A convolution as one generic op; loops: batch, group, filter, places, channel, window."""
    rank = window.rank
    n, _, *spatial = x.sizes
    filters, channels, *kernel = weights.sizes
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
    total = _turned(picture, weights, Window(kernel, [1] * rank, dilations, [], [], places), group)
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


def _turned(x: Value, weights: Value, window: Window, group: int) -> Value:
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


def pooled(x: Value, window: Window, number: Any, init: Value, body: Callable[..., Scalar]) -> Value:
    """A reduction over the window at each place; `number` pads the picture."""
    rank = window.rank
    b, c, *rest = loops(2 + 2 * rank)
    places, inside = rest[:rank], rest[rank:]
    shape = Value(x.dtype, empty(window.kernel, x.dtype))  # Of which only the sizes count.
    operands = [(padded(x, window, number), [b, c, *window.place(places, inside)]), (shape, inside)]
    reduced = list(range(2 + rank, 2 + 2 * rank))
    return accumulate(2 + 2 * rank, reduced, operands, init, lambda total, e, _: body(total, e))


def _pool_window(node: Node, x: Value) -> Window:
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


def _positions(node: Node, x: Value, window: Window) -> Value:
    """The place in the flat picture of the largest element of each window."""
    from .structured import index

    rank = window.rank
    sizes = x.sizes

    def flat(places: list[Scalar]) -> Scalar:
        order = list(range(rank))
        if node.attribute("storage_order", 0):
            order.reverse()
        spatial = constant(0, INDEX)
        for d in order:
            spatial = spatial * Scalar(as_value(sizes[2 + d]), INDEX) + places[2 + d]
        area = Scalar(as_value(_product(sizes[2:])), INDEX)
        return ((places[0] * Scalar(as_value(sizes[1]), INDEX) + places[1]) * area + spatial).to(I64)

    def element(place: Scalar) -> Scalar:
        """The element at a place that `flat` gives."""
        rest = place.to(INDEX)
        at: list[Scalar] = [constant(0, INDEX)] * (2 + rank)
        order = [d + 2 for d in (range(rank) if not node.attribute("storage_order", 0) else range(rank - 1, -1, -1))]
        for d in [*order[::-1], 1, 0]:
            size = Scalar(as_value(sizes[d]), INDEX)
            at[d], rest = rest.apply("rem", size), rest / size
        return extract(x, at)

    def body(total: Scalar, _: Scalar) -> Scalar:
        at = [index(0), index(1)]
        inside = constant(True, np.dtype(bool))
        for d in range(rank):
            place = index(2 + d) * window.strides[d] + index(2 + rank + d) * window.dilations[d]
            place = place - Scalar(as_value(window.low[d]), INDEX)
            size = Scalar(as_value(sizes[2 + d]), INDEX)
            inside = inside & (place >= 0) & (place < size)
            at.append(greatest(choose(place < size, place, size - 1), 0))
        unset = total < 0
        better = unset | (extract(x, at) > element(choose(unset, constant(0, I64), total)))
        return choose(inside & better, flat(at), total)

    init = fill([*sizes[:2], *window.sizes], I64, -1)
    return pooled(x, window, 0, init, body)


def _product(sizes: Sequence[Number]) -> Number:
    total: Number = 1
    for size in sizes:
        total = multiply(total, size)
    return total


@lowers("AveragePool")
def _average_pool(node: Node) -> Value:
    x = node.input()
    window = _pool_window(node, x)
    wide = wide_type(x.dtype)
    sizes = [*x.sizes[:2], *window.sizes]
    total = pooled(x, window, 0, fill(sizes, wide, 0), lambda t, e: t + e.to(wide))
    counts = _window_counts(node, x, window)
    return elementwise(x.dtype, [total, counts], lambda e, n: (e / n.to(wide)).to(x.dtype))


def _window_counts(node: Node, x: Value, window: Window) -> Value:
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

    def raised(e: Scalar) -> Scalar:
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
    flat = fill([_product(wanted)], x.dtype, 0)

    def place_of(place: Scalar) -> Scalar:
        """A flat place in the natural sizes, as the same indices in the wanted ones."""
        rest, result, factor = place.to(INDEX), constant(0, INDEX), constant(1, INDEX)
        for d in range(len(sizes) - 1, -1, -1):
            size = Scalar(as_value(sizes[d]), INDEX)
            result = result + rest.apply("rem", size) * factor
            rest, factor = rest / size, factor * Scalar(as_value(wanted[d]), INDEX)
        return result

    def step(at: list[Scalar], into: ir.Value) -> ir.Value:
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

    def step(at: list[Scalar], into: ir.Value) -> ir.Value:
        inside, places = at[2 : 2 + rank], at[2 + rank :]
        place = [p * s + k * d for p, k, s, d in zip(places, inside, window.strides, window.dilations, strict=True)]
        target = [*at[:2], *place]
        return store(into, target, extract(into, target, x.dtype) + extract(apart, at))

    total = Value(x.dtype, nest(apart.sizes, fill([n, channels, *whole], x.dtype, 0).ssa, step))
    return slice_of(total, [0, 0, *window.low], [n, channels, *image])
