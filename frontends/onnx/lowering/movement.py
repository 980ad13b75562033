"""Operators that move elements: reshapes, slices, concatenations, padding."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith

from ....dialects.support.index_math import Number, add, as_value, ceil_div, multiply, subtract
from .graph import Node, lowers
from .scalars import INDEX, TypedScalar, choose, constant, greatest, least
from .structured import (
    computed,
    expand,
    extract,
    fill,
    insert_slice,
    pad,
    product,
    reshape,
    slice_of,
    transpose,
)
from .values import NeedsConstantError, Value

I64 = np.dtype(np.int64)


@lowers("Reshape")
def _reshape(node: Node) -> Value:
    x = node.input()
    wanted: list[Number] = node.input(1).elements if node.has(1) else list(node.attribute("shape"))
    zero_is_kept = not node.attribute("allowzero", 0)
    sizes: list[Number] = []
    for d, size in enumerate(wanted):
        if isinstance(size, ir.Value):
            sizes.append(_run_time_size(x, d, wanted, zero_is_kept) if node.input(1).known_elements is None else size)
        else:
            sizes.append(x.sizes[d] if size == 0 and zero_is_kept else size)
    if -1 in [size for size in sizes if isinstance(size, int)]:
        at = next(d for d, size in enumerate(sizes) if isinstance(size, int) and size == -1)
        sizes[at] = _rest(x.sizes, [*sizes[:at], *sizes[at + 1 :]])
    return reshape(x, sizes)


def _rest(total: list[Number], others: list[Number]) -> Number:
    """The size that makes the product of `others` that of `total`; sizes on both sides cancel."""
    left, right = list(total), list(others)
    for size in others:
        if size in left:
            left.remove(size)
            right.remove(size)
    whole, part = product(left), product(right)
    if isinstance(whole, int) and isinstance(part, int):
        return whole // part if part else 0
    return whole if isinstance(part, int) and part == 1 else arith.divui(as_value(whole), as_value(part))


def _run_time_size(x: Value, d: int, wanted: list[Number], zero_is_kept: bool) -> ir.Value:
    """One size of a shape that is known at run time only: it may be 0 (keep) or -1 (the rest)."""
    size = TypedScalar(as_value(wanted[d]), INDEX)
    if zero_is_kept and d < x.rank:
        size = choose(size.equals(0), TypedScalar(as_value(x.sizes[d]), INDEX), size)
    others = constant(1, INDEX)
    for at, other in enumerate(wanted):
        if at != d:
            one = TypedScalar(as_value(other), INDEX)
            if zero_is_kept and at < x.rank:
                one = choose(one.equals(0), TypedScalar(as_value(x.sizes[at]), INDEX), one)
            others = others * one
    rest = TypedScalar(as_value(product(x.sizes)), INDEX) / greatest(others, 1)
    return choose(size.equals(-1), rest, size).value


@lowers("Flatten")
def _flatten(node: Node) -> Value:
    x = node.input()
    axis = node.attribute("axis", 1)
    axis += x.rank if axis < 0 else 0
    return reshape(x, [product(x.sizes[:axis]), product(x.sizes[axis:])])


@lowers("Squeeze")
def _squeeze(node: Node) -> Value:
    x = node.input()
    axes = node.constant(1, "axes")
    if axes is None:
        if None in x.shape:
            raise NeedsConstantError(f"{node} needs axes, as sizes of its input are known at run time only", "")
        dropped = {d for d, size in enumerate(x.shape) if size == 1}
    else:
        dropped = {node.normalized(axis, x.rank) for axis in np.atleast_1d(axes).tolist()}
    return reshape(x, [size for d, size in enumerate(x.sizes) if d not in dropped])


@lowers("Unsqueeze")
def _unsqueeze(node: Node) -> Value:
    x = node.input()
    axes = np.atleast_1d(node.constant(1, "axes")).tolist()
    rank = x.rank + len(axes)
    added = {node.normalized(axis, rank) for axis in axes}
    sizes = iter(x.sizes)
    return reshape(x, [1 if d in added else next(sizes) for d in range(rank)])


@lowers("Transpose")
def _transpose(node: Node) -> Value:
    x = node.input()
    return transpose(x, node.attribute("perm") or list(range(x.rank))[::-1])


@lowers("Concat")
def _concat(node: Node) -> Value:
    values = node.tensors
    axis = node.axis(values[0].rank, 1)
    return concat(values, axis)


def concat(values: list[Value], axis: int) -> Value:
    """The tensors one behind the other along a dimension."""
    if len(values) == 1:
        return values[0]
    sizes = list(values[0].sizes)
    for value in values[1:]:
        sizes[axis] = add(sizes[axis], value.sizes[axis])
    from .structured import empty

    result = Value(values[0].dtype, empty(sizes, values[0].dtype))
    offsets: list[Number] = [0] * len(sizes)
    for value in values:
        if 0 not in value.shape:
            result = insert_slice(value, result, offsets)
        offsets[axis] = add(offsets[axis], value.sizes[axis])
    return result


@lowers("Split")
def _split(node: Node) -> Any:
    x = node.input()
    axis = node.axis(x.rank, 0)
    return tuple(pieces(x, axis, split_lengths(node, x.sizes[axis], len(node.output_names))))


def split_lengths(node: Node, size: Number, count: int) -> list[Number]:
    """The length of each part of a split."""
    if node.has(1):
        return node.input(1).elements
    if node.attribute("split") is not None:
        return list(node.attribute("split"))
    count = node.attribute("num_outputs", count)
    part = ceil_div(size, count)
    return [*[part] * (count - 1), subtract(size, multiply(part, count - 1))]


def pieces(x: Value, axis: int, lengths: list[Number]) -> list[Value]:
    """Slices of these lengths, one behind the other."""
    offsets: list[Number] = [0] * x.rank
    found: list[Value] = []
    for length in lengths:
        sizes = [*x.sizes[:axis], length, *x.sizes[axis + 1 :]]
        nothing = (isinstance(length, int) and length == 0) or 0 in x.shape
        found.append(fill(sizes, x.dtype, 0) if nothing else slice_of(x, offsets, sizes))
        offsets[axis] = add(offsets[axis], length)
    return found


@lowers("Slice")
def _slice(node: Node) -> Value:
    x = node.input()
    starts: list[Number] = node.input(1).elements if node.has(1) else list(node.attribute("starts"))
    ends: list[Number] = node.input(2).elements if node.has(2) else list(node.attribute("ends"))
    axes = node.constant(3, "axes") or list(range(len(starts)))
    steps = node.constant(4, "steps") or [1] * len(starts)
    offsets: list[Number] = [0] * x.rank
    sizes, strides = x.sizes, [1] * x.rank
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        d = node.normalized(axis, x.rank)
        offsets[d], sizes[d] = _range_of(start, end, step, sizes[d])
        strides[d] = step
    if 0 in [size for size in sizes if isinstance(size, int)]:
        return fill(sizes, x.dtype, 0)
    if all(step > 0 for step in strides):
        return slice_of(x, offsets, sizes, strides)
    return computed(
        sizes,
        x.dtype,
        lambda at: extract(
            x, [TypedScalar(as_value(o), INDEX) + i * s for o, i, s in zip(offsets, at, strides, strict=True)]
        ),
    )


def _range_of(start: Number, end: Number, step: int, size: Number) -> tuple[Number, Number]:
    """The first index and the number of indices of `start:end:step` on a dimension."""
    if isinstance(start, int) and isinstance(end, int) and isinstance(size, int):
        indices = range(*slice(start, end if step > 0 or end >= -size else None, step).indices(size))
        return (indices.start if indices else 0), len(indices)
    last = TypedScalar(as_value(size), INDEX)
    low, high = (constant(0, INDEX), last) if step > 0 else (constant(-1, INDEX), last - 1)

    def clamped(number: Number) -> TypedScalar:
        at = TypedScalar(as_value(number), INDEX)
        at = choose(at < 0, at + last, at)
        return least(greatest(at, low), high)

    first, behind = clamped(start), clamped(end)
    count = greatest((behind - first + (step - 1 if step > 0 else step + 1)) / step, 0)
    if step > 0:
        return least(first, last).value, count.value
    return first.value, count.value


@lowers("Expand")
def _expand(node: Node) -> Value:
    x = node.input()
    wanted = node.input(1).elements
    rank = max(x.rank, len(wanted))
    sizes: list[Number] = [1] * (rank - x.rank) + x.sizes
    for number, size in enumerate(wanted):
        d = rank - len(wanted) + number
        if isinstance(size, ir.Value):
            known = sizes[d]
            if isinstance(known, int) and known == 1:
                sizes[d] = greatest(TypedScalar(size, INDEX), 1).value if node.input(1).known_elements is None else size
        elif size != 1:
            sizes[d] = size
    return expand(x, sizes)


@lowers("Tile")
def _tile(node: Node) -> Value:
    x = node.input()
    repeats: list[Number] = node.input(1).elements
    if len(node.inputs) == 3:  # The first version.
        (count,), (axis,) = node.constant(1, ""), node.constant(2, "")
        repeats = [count if d == axis else 1 for d in range(x.rank)]
    if x.rank == 0:
        return x
    doubled = [n for pair in zip(repeats, x.sizes, strict=True) for n in pair]
    apart = reshape(x, [n for size in x.sizes for n in (1, size)])
    return reshape(expand(apart, doubled), [multiply(r, s) for r, s in zip(repeats, x.sizes, strict=True)])


@lowers("Pad")
def _pad(node: Node) -> Value:
    x = node.input()
    given = node.input(1).elements if node.has(1) else list(node.attribute("pads", node.attribute("paddings")))
    axes = [node.normalized(a, x.rank) for a in node.constant(3, "axes") or range(x.rank)]
    low: list[Number] = [0] * x.rank
    high: list[Number] = [0] * x.rank
    for number, axis in enumerate(axes):
        low[axis], high[axis] = given[number], given[len(axes) + number]
    mode = node.attribute("mode", "constant")
    if mode == "constant":
        number: Any = node.attribute("value", 0)
        if node.has(2):
            number = extract(reshape(node.input(2), []), [])
        if all(isinstance(p, int) and p >= 0 for p in (*low, *high)):
            return pad(x, low, high, number)
        return _padded_by_index(x, low, high, number)
    return _padded(x, low, high, mode)


def _sizes_of(x: Value, low: list[Number], high: list[Number]) -> list[Number]:
    return [add(add(size, lo), hi) for size, lo, hi in zip(x.sizes, low, high, strict=True)]


def _padded_by_index(x: Value, low: list[Number], high: list[Number], number: Any) -> Value:
    """Padding that may be negative, or is known at run time only."""
    filler = number if isinstance(number, TypedScalar) else constant(number, x.dtype)
    sizes = x.sizes

    def element(at: list[TypedScalar]) -> TypedScalar:
        inside = constant(True, np.dtype(bool))
        places: list[TypedScalar] = []
        for i, lo, size in zip(at, low, sizes, strict=True):
            last = TypedScalar(as_value(size), INDEX)
            place = i - TypedScalar(as_value(lo), INDEX)
            inside = inside & (place >= 0) & (place < last)
            places.append(greatest(least(place, last - 1), 0))
        return choose(inside, extract(x, places), filler)

    if 0 in x.shape:
        return fill(_sizes_of(x, low, high), x.dtype, filler)
    return computed(_sizes_of(x, low, high), x.dtype, element)


def _padded(x: Value, low: list[Number], high: list[Number], mode: str) -> Value:
    """Padding with elements of the tensor itself."""

    def place(i: TypedScalar, lo: Number, size: Number) -> TypedScalar:
        last = TypedScalar(as_value(size), INDEX)
        at = i - TypedScalar(as_value(lo), INDEX)
        if mode == "edge":
            return greatest(least(at, last - 1), 0)
        if mode == "wrap":
            return ((at.apply("rem", last)) + last).apply("rem", last)
        period = greatest((last - 1) * 2, 1)  # reflect
        folded = (at.apply("rem", period) + period).apply("rem", period)
        return choose(folded < last, folded, period - folded)

    sizes = x.sizes
    return computed(
        _sizes_of(x, low, high),
        x.dtype,
        lambda at: extract(x, [place(i, lo, size) for i, lo, size in zip(at, low, sizes, strict=True)]),
    )


@lowers("DepthToSpace")
def _depth_to_space(node: Node) -> Value:
    x = node.input()
    block = node.attribute("blocksize")
    n, c, h, w = x.sizes
    depth = ceil_div(c, block * block)
    first = node.attribute("mode", "DCR") == "DCR"
    apart = reshape(x, [n, block, block, depth, h, w] if first else [n, depth, block, block, h, w])
    moved = transpose(apart, [0, 3, 4, 1, 5, 2] if first else [0, 1, 4, 2, 5, 3])
    return reshape(moved, [n, depth, multiply(h, block), multiply(w, block)])


@lowers("SpaceToDepth")
def _space_to_depth(node: Node) -> Value:
    x = node.input()
    block = node.attribute("blocksize")
    n, c, h, w = x.sizes
    height, width = ceil_div(h, block), ceil_div(w, block)
    apart = reshape(x, [n, c, height, block, width, block])
    order = [0, 3, 5, 1, 2, 4] if node.attribute("mode", "DCR") == "DCR" else [0, 1, 3, 5, 2, 4]
    return reshape(transpose(apart, order), [n, multiply(c, block * block), height, width])


@lowers("ReverseSequence")
def _reverse_sequence(node: Node) -> Value:
    x, lengths = node.input(0), node.input(1)
    time, batch = node.attribute("time_axis", 0), node.attribute("batch_axis", 1)

    def element(at: list[TypedScalar]) -> TypedScalar:
        length = extract(lengths, [at[batch]]).to(INDEX)
        places = list(at)
        places[time] = choose(at[time] < length, length - 1 - at[time], at[time])
        return extract(x, places)

    return computed(x.sizes, x.dtype, element)
