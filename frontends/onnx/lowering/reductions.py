"""Reductions, arg-reductions, softmax, cumulative sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....dialects.support.index_math import as_value
from .graph import Node, lowers
from .indexing import extract as _extract
from .scalars import INDEX, DType, Scalar, bits, choose, constant, greatest, is_float, largest, least, lowest
from .structured import (
    accumulate,
    aligned,
    elementwise,
    fill,
    for_loop,
    index,
    insert_slice,
    loops,
    map_elements,
    product,
    reshape,
    slice_of,
)
from .values import Value

F32, I64 = np.dtype(np.float32), np.dtype(np.int64)


def wide_type(dtype: DType) -> DType:
    """The type that sums are accumulated in."""
    return F32 if is_float(dtype) and bits(dtype) < 32 else dtype


def reduced(
    x: Value, axes: list[int], dtype: DType, init: Any, body: Callable[[Scalar, Scalar], Scalar], *, keep: bool
) -> Value:
    """A reduction over dimensions; `body` gets what was accumulated, of type `dtype`, and the element."""
    sizes = [size for d, size in enumerate(x.sizes) if d not in axes]
    total = accumulate(x.rank, axes, [(x, loops(x.rank))], fill(sizes, dtype, init), body)
    return reshape(total, [1 if d in axes else size for d, size in enumerate(x.sizes)]) if keep else total


def add_up(x: Value, axes: list[int], *, keep: bool, of: Callable[[Scalar], Scalar] = lambda e: e) -> Value:
    """The sum, in a wide type, of a function of the elements."""
    wide = wide_type(x.dtype)
    return reduced(x, axes, wide, 0, lambda total, e: total + of(e.to(wide)), keep=keep)


def mean_of(x: Value, axes: list[int], *, keep: bool = True) -> Value:
    """The mean in a wide type."""
    count = Scalar(as_value(product([x.sizes[d] for d in axes])), INDEX)
    total = add_up(x, axes, keep=keep)
    return elementwise(total.dtype, [total], lambda e: e / count.to(total.dtype))


def maximum_of(x: Value, axes: list[int], *, keep: bool) -> Value:
    """The largest element."""
    return reduced(x, axes, x.dtype, lowest(x.dtype), greatest, keep=keep)


def _axes(node: Node, rank: int) -> list[int] | None:
    """The dimensions to reduce; None for none at all."""
    axes = node.constant(1, "axes")
    if axes is None or (isinstance(axes, list) and not axes):
        return None if node.attribute("noop_with_empty_axes", 0) else list(range(rank))
    return sorted({node.normalized(a, rank) for a in np.atleast_1d(axes).tolist()})


_AFTER: dict[str, Callable[[Scalar], Scalar]] = {
    "ReduceL2": lambda e: e.math("sqrt"),
    "ReduceLogSum": lambda e: e.math("log"),
}
_ELEMENT: dict[str, Callable[[Scalar], Scalar]] = {
    "ReduceL1": Scalar.absolute,
    "ReduceL2": lambda e: e * e,
    "ReduceSumSquare": lambda e: e * e,
}


def _reduce(node: Node) -> Value:
    x, name = node.input(), node.op_type
    axes, keep = _axes(node, x.rank), bool(node.attribute("keepdims", 1))
    of, after = _ELEMENT.get(name, lambda e: e), _AFTER.get(name, lambda e: e)
    wide = np.dtype(np.float64) if name in _AFTER and not is_float(x.dtype) else wide_type(x.dtype)
    if axes is None:
        return elementwise(x.dtype, [x], lambda e: after(of(e.to(wide))).to(x.dtype))
    if name == "ReduceMax":
        return maximum_of(x, axes, keep=keep)
    if name == "ReduceMin":
        return reduced(x, axes, x.dtype, largest(x.dtype), least, keep=keep)
    if name == "ReduceProd":
        total = reduced(x, axes, wide, 1, lambda t, e: t * e.to(wide), keep=keep)
    else:
        total = reduced(x, axes, wide, 0, lambda t, e: t + of(e.to(wide)), keep=keep)
    if name == "ReduceMean":
        count = Scalar(as_value(product([x.sizes[d] for d in axes])), INDEX)
        return elementwise(x.dtype, [total], lambda e: (e / count.to(wide)).to(x.dtype))
    if name not in _AFTER and wide == x.dtype:
        return total
    return elementwise(x.dtype, [total], lambda e: after(e).to(x.dtype))


for _name in ["Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSum"]:
    lowers(f"Reduce{_name}")(_reduce)


@lowers("ReduceLogSumExp")
def _log_sum_exp(node: Node) -> Value:
    x = node.input()
    axes, keep = _axes(node, x.rank), bool(node.attribute("keepdims", 1))
    if axes is None:
        return x
    top = maximum_of(x, axes, keep=True)
    finite = elementwise(x.dtype, [top], lambda e: choose(e.absolute().equals(np.inf), constant(0, x.dtype), e))
    shifted = elementwise(x.dtype, [x, finite], lambda e, t: (e - t).math("exp"))
    total = add_up(shifted, axes, keep=True)
    result = elementwise(x.dtype, [total, finite], lambda e, t: e.math("log").to(x.dtype) + t)
    return result if keep else reshape(result, [s for d, s in enumerate(x.sizes) if d not in axes])


@lowers("ArgMax", "ArgMin")
def _arg(node: Node) -> Value:
    x = node.input()
    axis = node.axis(x.rank, 0)
    keep, last = node.attribute("keepdims", 1), node.attribute("select_last_index", 0)
    predicate = ("g" if node.op_type == "ArgMax" else "l") + ("e" if last else "t")
    outer = [size for d, size in enumerate(x.sizes) if d != axis]

    def step(total: Scalar, e: Scalar) -> Scalar:
        kept = [index(d) for d in range(x.rank)]
        best = _extract(x, [*kept[:axis], total, *kept[axis + 1 :]])
        better = e.compare(predicate, best)
        if e.kind == "f":
            better = better | (e.is_nan() & ~best.is_nan())
        return choose(better, kept[axis].to(I64), total)

    found = accumulate(x.rank, [axis], [(x, loops(x.rank))], fill(outer, I64, 0), step)
    return reshape(found, [1 if d == axis else s for d, s in enumerate(x.sizes)]) if keep else found


def softmax(x: Value, axes: list[int], *, logarithm: bool = False) -> Value:
    """Softmax over dimensions, or its logarithm."""
    wide = wide_type(x.dtype)
    top = maximum_of(x, axes, keep=True)
    shifted = elementwise(wide, [x, top], lambda e, t: e.to(wide) - t.to(wide))
    if logarithm:
        total = add_up(shifted, axes, keep=True, of=lambda e: e.math("exp"))
        return elementwise(x.dtype, [shifted, total], lambda e, t: (e - t.math("log")).to(x.dtype))
    powers = elementwise(wide, [shifted], lambda e: e.math("exp"))
    total = add_up(powers, axes, keep=True)
    return elementwise(x.dtype, [powers, total], lambda e, t: (e / t).to(x.dtype))


@lowers("Softmax", "LogSoftmax", "Hardmax")
def _softmax(node: Node) -> Value:
    x = node.input()
    old = node.version < 13
    axis = node.axis(x.rank, 1 if old else -1)
    axes = list(range(axis, x.rank)) if old else [axis]
    if node.op_type != "Hardmax":
        return softmax(x, axes, logarithm=node.op_type == "LogSoftmax")
    if len(axes) > 1:
        return NotImplemented
    chosen = node.call("ArgMax", x, axis=axis, keepdims=1)
    operands = [aligned(chosen, x.rank)]
    one, zero = constant(1, x.dtype), constant(0, x.dtype)
    return map_elements(x.sizes, x.dtype, operands, lambda c: choose(index(axis).to(I64).equals(c), one, zero))


@lowers("CumSum", "CumProd")
def _cumulative(node: Node) -> Value:
    x = node.input()
    axis = node.normalized(int(np.reshape(node.constant(1, "axis"), -1)[0]), x.rank)
    return cumulative(
        x,
        axis,
        product_of=node.op_type == "CumProd",
        exclusive=bool(node.attribute("exclusive", 0)),
        reverse=bool(node.attribute("reverse", 0)),
    )


def cumulative(x: Value, axis: int, *, product_of: bool, exclusive: bool, reverse: bool) -> Value:
    """Sums or products of the elements up to each one along a dimension."""
    from .structured import empty

    neutral = 1 if product_of else 0
    row = [1 if d == axis else size for d, size in enumerate(x.sizes)]
    count = Scalar(as_value(x.sizes[axis]), INDEX)

    def step(i: Scalar, carried: list[Value]) -> list[Value]:
        total, into = carried
        place = count - 1 - i if reverse else i
        offsets = [place.value if d == axis else 0 for d in range(x.rank)]
        part = slice_of(x, offsets, row)
        new = elementwise(x.dtype, [total, part], lambda a, b: a * b if product_of else a + b)
        new = cast_shape(new, total)
        return [new, insert_slice(total if exclusive else new, into, offsets)]

    total = fill(row, x.dtype, neutral)
    into = Value(x.dtype, empty(x.sizes, x.dtype))
    return for_loop(x.sizes[axis], [total, into], step)[1]


def cast_shape(value: Value, like: Value) -> Value:
    """A value with the static sizes of another."""
    from .structured import cast_tensor

    return cast_tensor(value, like.shape)
