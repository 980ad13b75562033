"""Operators that read a picture between its elements: Resize, Upsample, GridSample, RoiAlign, DeformConv."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir

from ....dialects.support.index_math import as_value, ceil_div
from .graph import Node, lowers
from .reductions import wide_type
from .scalars import INDEX, Scalar, choose, constant, greatest, is_float, least, lowest
from .structured import computed, elementwise, extract, index, loops, map_elements, reshape
from .values import UnsupportedOnnxError, Value

I64, BOOL = np.dtype(np.int64), np.dtype(np.bool_)
Array = np.ndarray[Any, Any]


@lowers("Upsample")
def _upsample(node: Node) -> Any:
    scales = node.input(1) if node.has(1) else node.attribute("scales")
    if not isinstance(scales, Value):
        scales = Value(np.dtype(np.float32), constant=np.array(scales, np.float32))
    mode = node.attribute("mode", "nearest")
    return node.call("Resize", node.input(), scales, mode=mode)


@lowers("Resize")
def _resize(node: Node) -> Value:
    x = node.input()
    axes = [node.normalized(a, x.rank) for a in node.attribute("axes") or range(x.rank)]
    if None in [x.shape[a] for a in axes]:
        raise UnsupportedOnnxError(f"{node} needs a picture of known sizes")
    sizes = [x.shape[a] or 0 for a in axes]
    scales, wanted = _targets(node, sizes)
    roi = node.input(1).require_constant(f"'roi' of {node}") if node.has(1) and node.version >= 11 else np.zeros(0)
    count = len(axes)
    outside: dict[int, Array] = {}
    result = x
    for number, axis in enumerate(axes):
        if scales[number] == 1 and wanted[number] == sizes[number] and not roi.size:
            continue
        bounds = (float(roi[number]), float(roi[count + number])) if roi.size else (0.0, 1.0)
        at = _coordinates(node, sizes[number], wanted[number], scales[number], bounds)
        if node.attribute("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize":
            outside[axis] = (at < 0) | (at > sizes[number] - 1)
        places, weights = _taps(node, at, sizes[number], scales[number])
        result = _interpolated(result, axis, places, weights)
    return _with_outside(result, outside, node.attribute("extrapolation_value", 0.0))


def _targets(node: Node, sizes: list[int]) -> tuple[list[float], list[int]]:
    """The factor and the new size of each dimension."""
    at = 1 if node.version < 11 else 2
    if node.has(3) and node.version >= 11:
        wanted = [int(n) for n in node.input(3).require_constant(f"'sizes' of {node}")]
        policy = node.attribute("keep_aspect_ratio_policy", "stretch")
        scales = [w / s for w, s in zip(wanted, sizes, strict=True)]
        if policy != "stretch":
            one = min(scales) if policy == "not_larger" else max(scales)
            scales = [one] * len(sizes)
            wanted = [math.floor(one * s + 0.5) for s in sizes]
        return scales, wanted
    scales = [float(n) for n in node.input(at).require_constant(f"'scales' of {node}")]
    return scales, [math.floor(f * s) for f, s in zip(scales, sizes, strict=True)]


def _coordinates(node: Node, size: int, wanted: int, scale: float, roi: tuple[float, float]) -> Array:
    """Where each element of the result lies in the picture."""
    at = np.arange(wanted, dtype=np.float64)
    default = "half_pixel" if node.version >= 11 else "asymmetric"
    mode = node.attribute("coordinate_transformation_mode", default)
    length = scale * size
    if mode == "asymmetric":
        return at / scale
    if mode == "align_corners":
        return at * (size - 1) / (length - 1) if length != 1 else at * 0
    if mode == "tf_crop_and_resize":
        start, end = roi
        if length == 1:
            return at * 0 + (end - start) * (size - 1) / 2
        return start * (size - 1) + at * (end - start) * (size - 1) / (length - 1)
    if mode == "tf_half_pixel_for_nn":
        return (at + 0.5) / scale
    centred = (at + 0.5) / scale - 0.5
    if mode == "pytorch_half_pixel":
        return at * 0 - 0.5 if length == 1 else centred
    if mode == "half_pixel_symmetric":
        return size / 2 * (1 - wanted / length) + centred
    if mode == "half_pixel":
        return centred
    raise UnsupportedOnnxError(f"coordinate_transformation_mode {mode!r} of {node} is not supported")


def _cubic(x: Array, a: float) -> Array:
    x = np.abs(x)
    near, far = (a + 2) * x**3 - (a + 3) * x**2 + 1, a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


def _taps(node: Node, at: Array, size: int, scale: float) -> tuple[Array, Array]:
    """The elements that each one of the result is a weighted sum of, and the weights."""
    mode = node.attribute("mode", "nearest")
    if mode == "nearest":
        rounding = {
            "round_prefer_floor": lambda v: np.ceil(v - 0.5),
            "round_prefer_ceil": lambda v: np.floor(v + 0.5),
            "floor": np.floor,
            "ceil": np.ceil,
        }[node.attribute("nearest_mode", "round_prefer_floor" if node.version >= 11 else "floor")]
        places = np.clip(rounding(at), 0, size - 1).astype(np.int64)[:, None]
        return places, np.ones_like(places, np.float64)
    shrink = min(scale, 1.0) if node.attribute("antialias", 0) else 1.0
    reach = (1 if mode == "linear" else 2) / shrink
    first = math.floor(-reach) + 1
    left = np.floor(at)
    steps = np.arange(first, 2 - first if shrink < 1 else math.floor(reach) + 1)
    distance = (steps[None] - (at - left)[:, None]) * shrink
    if mode == "linear":
        weights = np.clip(1 - np.abs(distance), 0, 1)
    else:
        weights = _cubic(distance, node.attribute("cubic_coeff_a", -0.75))
    places = (left[:, None] + steps).astype(np.int64)
    if node.attribute("exclude_outside", 0):
        weights = np.where((places >= 0) & (places < size), weights, 0)
    if shrink < 1 or node.attribute("exclude_outside", 0):
        weights = weights / weights.sum(1, keepdims=True)
    return np.clip(places, 0, size - 1), weights


def _interpolated(x: Value, axis: int, places: Array, weights: Array) -> Value:
    """The weighted sums of elements along a dimension."""
    wide = wide_type(x.dtype) if is_float(x.dtype) else np.dtype(np.float32)
    sizes = [*x.sizes[:axis], len(places), *x.sizes[axis + 1 :]]
    moves = bool((weights == 1).all())
    where = Value(I64, constant=places)
    factors = Value(wide, constant=weights.astype(wide))
    tables = (where.ssa, factors.ssa)

    def element(at: list[Scalar]) -> Scalar:
        total: Scalar | None = None
        for tap in range(places.shape[1]):
            place = extract(tables[0], [at[axis], tap], I64)
            e = extract(x, [*at[:axis], place, *at[axis + 1 :]])
            if moves:
                return e
            part = e.to(wide) * extract(tables[1], [at[axis], tap], wide)
            total = part if total is None else total + part
        assert total is not None
        return total.to(x.dtype)

    return computed(sizes, x.dtype, element)


def _with_outside(x: Value, outside: dict[int, Array], number: float) -> Value:
    for axis, mask in outside.items():
        table = Value(BOOL, constant=np.append(mask, False))
        flags = table.ssa
        x = map_elements(
            x.sizes,
            x.dtype,
            [(x, loops(x.rank))],
            lambda e, axis=axis, flags=flags: choose(extract(flags, [index(axis)], BOOL), constant(number, e.dtype), e),
        )
    return x


@lowers("GridSample")
def _grid_sample(node: Node) -> Value:
    x, grid = node.input(0), node.input(1)
    rank = x.rank - 2
    said: str = node.attribute("mode", "linear")
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(said, said)
    padding, corners = node.attribute("padding_mode", "zeros"), bool(node.attribute("align_corners", 0))
    wide = wide_type(x.dtype)
    lengths = [Scalar(as_value(size), INDEX) for size in x.sizes[2:]]
    sizes = [x.sizes[0], x.sizes[1], *grid.sizes[1:-1]]

    def fetch(at: list[Scalar], places: Sequence[Scalar]) -> Scalar:
        """The element at whole places, inside or outside of the picture."""
        inside = constant(True, BOOL)
        read: list[Scalar] = []
        for place, size in zip(places, lengths, strict=True):
            if padding == "reflection":
                place = _reflected(place, size.to(I64).to(wide), corners=corners)
            whole = place.to(I64).to(INDEX)
            inside = inside & (whole >= 0) & (whole < size)
            read.append(greatest(least(whole, size - 1), 0))
        e = extract(x, [*at[:2], *read]).to(wide)
        return choose(inside, e, 0.0) if padding == "zeros" else e

    def element(at: list[Scalar]) -> Scalar:
        places: list[Scalar] = []
        for d in range(rank):
            g = extract(grid, [at[0], *at[2:], rank - 1 - d]).to(wide)
            size = lengths[d].to(I64).to(wide)
            place = (g + 1.0) * 0.5 * (size - 1.0) if corners else ((g + 1.0) * size - 1.0) * 0.5
            if padding == "border":
                place = least(greatest(place, 0.0), size - 1.0)
            elif padding == "reflection":
                place = _reflected(place, size, corners=corners)
            places.append(place.math("roundeven") if mode == "nearest" else place)
        if mode == "nearest":
            return fetch(at, places).to(x.dtype)
        taps = [_grid_taps(place, mode) for place in places]
        total = constant(0, wide)
        for chosen in itertools.product(*taps):
            weight = chosen[0][1]
            for _, factor in chosen[1:]:
                weight = weight * factor
            total = total + fetch(at, [place for place, _ in chosen]) * weight
        return total.to(x.dtype)

    return computed(sizes, x.dtype, element)


def _grid_taps(place: Scalar, mode: str) -> list[tuple[Scalar, Scalar]]:
    """Whole places beside one, with their weights."""
    left = place.math("floor")
    ratio = place - left
    if mode == "linear":
        return [(left, 1.0 - ratio), (left + 1.0, ratio)]
    a = -0.75

    def weight(distance: Scalar, near: bool) -> Scalar:
        if near:
            return ((a + 2) * distance - (a + 3)) * distance * distance + 1.0
        return ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a

    return [
        (left - 1.0, weight(ratio + 1.0, False)),
        (left, weight(ratio, True)),
        (left + 1.0, weight(1.0 - ratio, True)),
        (left + 2.0, weight(2.0 - ratio, False)),
    ]


def _reflected(place: Scalar, size: Scalar, *, corners: bool) -> Scalar:
    """A place outside, mirrored at the borders until it is inside."""
    low, span = (0.0, size - 1.0) if corners else (-0.5, size)
    from_low = (place - low).absolute()
    turns = (from_low / span).math("floor")
    rest = from_low - turns * span
    even = (turns - (turns * 0.5).math("floor") * 2.0).equals(0.0)
    mirrored = choose(even, rest + low, (span - rest) + low)
    return choose(span.equals(0.0), constant(0, place.dtype), mirrored)


def _bilinear(fetch: Callable[[Scalar, Scalar], Scalar], y: Scalar, x: Scalar, height: Scalar, width: Scalar) -> Scalar:
    """The element between four others; 0 outside."""
    outside = (y < -1.0) | (y > height) | (x < -1.0) | (x > width)
    y, x = greatest(y, 0.0), greatest(x, 0.0)
    total: Scalar | None = None
    parts: list[list[tuple[Scalar, Scalar]]] = []
    for place, size in ((y, height), (x, width)):
        low = least(place.math("floor"), size - 1.0)
        ratio = choose(place.math("floor") >= size - 1.0, constant(0, place.dtype), place - low)
        parts.append([(low, 1.0 - ratio), (least(low + 1.0, size - 1.0), ratio)])
    for (a, p), (b, q) in itertools.product(*parts):
        part = fetch(a.to(I64), b.to(I64)) * (p * q)
        total = part if total is None else total + part
    assert total is not None
    return choose(outside, constant(0, total.dtype), total)


@lowers("RoiAlign")
def _roi_align(node: Node) -> Value:
    x, rois, batches = node.tensors
    height, width = node.attribute("output_height", 1), node.attribute("output_width", 1)
    ratio, scale = node.attribute("sampling_ratio", 0), node.attribute("spatial_scale", 1.0)
    default = "half_pixel" if node.version >= 16 else "output_half_pixel"
    half = node.attribute("coordinate_transformation_mode", default) == "half_pixel"
    average = node.attribute("mode", "avg") == "avg"
    dtype = x.dtype
    high, wide = (Scalar(as_value(s), INDEX).to(I64).to(dtype) for s in x.sizes[2:])
    from mlir.dialects import scf

    def element(at: list[Scalar]) -> Scalar:
        roi, channel, row, column = at
        batch = extract(batches, [roi])
        x1, y1, x2, y2 = (extract(rois, [roi, n]) * scale - (0.5 if half else 0.0) for n in range(4))
        bins: list[Scalar] = []
        counts: list[Scalar] = []
        for first, last, parts in ((y1, y2, height), (x1, x2, width)):
            extent = last - first if half else greatest(last - first, 1.0)
            bins.append(extent / float(parts))
            counts.append(constant(ratio, I64) if ratio > 0 else (extent / float(parts)).math("ceil").to(I64))

        def at_point(i: Scalar, j: Scalar) -> Scalar:
            y = y1 + row.to(I64).to(dtype) * bins[0] + (i.to(dtype) + 0.5) * bins[0] / counts[0].to(dtype)
            c = x1 + column.to(I64).to(dtype) * bins[1] + (j.to(dtype) + 0.5) * bins[1] / counts[1].to(dtype)
            if not average:
                return _largest_weighted(lambda p, q: extract(x, [batch, channel, p, q]), y, c, high, wide)
            return _bilinear(lambda p, q: extract(x, [batch, channel, p, q]), y, c, high, wide)

        start = constant(0 if average else lowest(dtype), dtype)
        outer = scf.ForOp(as_value(0), counts[0].to(INDEX).value, as_value(1), [start.value])
        with ir.InsertionPoint(outer.body):
            inner = scf.ForOp(as_value(0), counts[1].to(INDEX).value, as_value(1), [outer.inner_iter_args[0]])
            with ir.InsertionPoint(inner.body):
                total = Scalar(inner.inner_iter_args[0], dtype)
                e = at_point(
                    Scalar(outer.induction_variable, INDEX).to(I64), Scalar(inner.induction_variable, INDEX).to(I64)
                )
                scf.YieldOp([(total + e if average else greatest(total, e)).value])
            scf.YieldOp([inner.results[0]])
        total = Scalar(outer.results[0], dtype)
        if not average:
            return choose((counts[0] * counts[1]).equals(0), constant(0, dtype), total)
        return total / greatest(counts[0] * counts[1], 1).to(dtype)

    return computed([rois.sizes[0], x.sizes[1], height, width], dtype, element)


def _largest_weighted(fetch: Any, y: Scalar, x: Scalar, height: Scalar, width: Scalar) -> Scalar:
    """The largest of four neighbours, each times its weight."""
    outside = (y < -1.0) | (y > height) | (x < -1.0) | (x > width)
    y, x = greatest(y, 0.0), greatest(x, 0.0)
    parts: list[list[tuple[Scalar, Scalar]]] = []
    for place, size in ((y, height), (x, width)):
        low = least(place.math("floor"), size - 1.0)
        ratio = choose(place.math("floor") >= size - 1.0, constant(0, place.dtype), place - low)
        parts.append([(low, 1.0 - ratio), (least(low + 1.0, size - 1.0), ratio)])
    best: Scalar | None = None
    for (a, p), (b, q) in itertools.product(*parts):
        part = fetch(a.to(I64), b.to(I64)) * (p * q)
        best = part if best is None else greatest(best, part)
    assert best is not None
    return choose(outside, constant(0, best.dtype), best)


@lowers("DeformConv")
def _deform_conv(node: Node) -> Value:
    from .contractions import contract
    from .windows import window_of

    x, weights, offsets = (node.input(n) for n in range(3))
    if x.rank != 4:
        raise UnsupportedOnnxError(f"{node} has a picture of rank {x.rank}; rank 4 is supported")
    kernel = list(node.attribute("kernel_shape") or [s or 0 for s in weights.shape[2:]])
    window = window_of(node, x.sizes[2:], kernel)
    mask = node.input(4) if node.has(4) else None
    group, parts = node.attribute("group", 1), node.attribute("offset_group", 1)
    n, channels, *_ = x.sizes
    high, wide = (Scalar(as_value(s), INDEX).to(I64).to(x.dtype) for s in x.sizes[2:])
    each = Scalar(as_value(ceil_div(channels, parts)), INDEX)

    def element(at: list[Scalar]) -> Scalar:
        b, c, ky, kx, oy, ox = at
        part, tap = c / each, ky * kernel[1] + kx
        base = part * (2 * kernel[0] * kernel[1]) + tap * 2
        places: list[Scalar] = []
        for d, (o, k) in enumerate(((oy, ky), (ox, kx))):
            whole = o * window.strides[d] + k * window.dilations[d] - Scalar(as_value(window.low[d]), INDEX)
            places.append(whole.to(I64).to(x.dtype) + extract(offsets, [b, base + d, oy, ox]))
        e = _zero_bilinear(lambda p, q: extract(x, [b, c, p, q]), places[0], places[1], high, wide)
        return e * extract(mask, [b, part * (kernel[0] * kernel[1]) + tap, oy, ox]) if mask is not None else e

    columns = computed([n, channels, *kernel, *window.sizes], x.dtype, element)
    filters = weights.sizes[0]
    apart = reshape(columns, [n, group, ceil_div(channels, group), *kernel, *window.sizes])
    grouped = reshape(weights, [group, ceil_div(filters, group), *weights.sizes[1:]])
    total = contract([apart, grouped], ["ngckqyx", "gfckq"], "ngfyx", wide_type(x.dtype))
    total = reshape(total, [n, filters, *window.sizes])
    if not node.has(3):
        return total
    bias = node.input(3)
    return elementwise(x.dtype, [total, reshape(bias, [*bias.sizes, 1, 1])], lambda e, b: e + b)


def _zero_bilinear(fetch: Any, y: Scalar, x: Scalar, height: Scalar, width: Scalar) -> Scalar:
    """The element between four others, each 0 if it is outside."""
    total: Scalar | None = None
    for dy, dx in itertools.product((0.0, 1.0), repeat=2):
        a, b = y.math("floor") + dy, x.math("floor") + dx
        weight = (1.0 - (y - a).absolute()) * (1.0 - (x - b).absolute())
        inside = (a >= 0.0) & (a < height) & (b >= 0.0) & (b < width)
        p, q = least(greatest(a, 0.0), height - 1.0), least(greatest(b, 0.0), width - 1.0)
        part = choose(inside, fetch(p.to(I64), q.to(I64)) * weight, 0.0)
        total = part if total is None else total + part
    assert total is not None
    return total
