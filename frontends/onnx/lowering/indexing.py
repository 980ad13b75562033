"""Gathers and scatters."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import scf, tensor

from ....dialects.support.index_math import Number, as_value
from .graph import Node, lowers
from .scalars import INDEX, Scalar, choose, constant, greatest, least
from .structured import computed, else_of, extract, fill, product, reshape
from .values import UnsupportedOnnxError, Value

I64 = np.dtype(np.int64)


def wrapped(at: Scalar, size: Number) -> Scalar:
    """An index that may count from the end, from 0."""
    place = at.to(INDEX)
    return choose(place < 0, place + Scalar(as_value(size), INDEX), place)


@lowers("Gather")
def _gather(node: Node) -> Value:
    x, indices = node.input(0), node.input(1)
    axis = node.axis(x.rank, 0)
    sizes = [*x.sizes[:axis], *indices.sizes, *x.sizes[axis + 1 :]]
    size = x.sizes[axis]

    def element(at: list[Scalar]) -> Scalar:
        place = extract(indices, at[axis : axis + indices.rank])
        return extract(x, [*at[:axis], wrapped(place, size), *at[axis + indices.rank :]])

    return computed(sizes, x.dtype, element)


@lowers("GatherElements")
def _gather_elements(node: Node) -> Value:
    x, indices = node.input(0), node.input(1)
    axis = node.axis(x.rank, 0)
    size = x.sizes[axis]
    return computed(
        indices.sizes,
        x.dtype,
        lambda at: extract(x, [*at[:axis], wrapped(extract(indices, at), size), *at[axis + 1 :]]),
    )


@lowers("GatherND")
def _gather_nd(node: Node) -> Value:
    x, indices = node.input(0), node.input(1)
    batch = node.attribute("batch_dims", 0)
    length = indices.shape[-1]
    if length is None:
        raise UnsupportedOnnxError(f"the last size of the indices of {node} must be known")
    given = indices.sizes[:-1]
    sizes = [*given, *x.sizes[batch + length :]]
    all_sizes = x.sizes

    def element(at: list[Scalar]) -> Scalar:
        tuples = [extract(indices, [*at[: len(given)], n]) for n in range(length)]
        places = [wrapped(place, all_sizes[batch + n]) for n, place in enumerate(tuples)]
        return extract(x, [*at[:batch], *places, *at[len(given) :]])

    return computed(sizes, x.dtype, element)


def combine(reduction: str, old: Scalar, new: Scalar) -> Scalar:
    """What a scatter stores."""
    if reduction == "add":
        return old + new
    if reduction == "mul":
        return old * new
    return greatest(old, new) if reduction == "max" else least(old, new) if reduction == "min" else new


def nest(sizes: list[Number], init: ir.Value, body: Any, at: list[Scalar] | None = None) -> ir.Value:
    """A nest of `scf.for` over an index space that carries one tensor; the body gets the indices and the tensor."""
    at = at or []
    if not sizes:
        return body(at, init)
    loop = scf.ForOp(as_value(0), as_value(sizes[0]), as_value(1), [init])
    with ir.InsertionPoint(loop.body):
        inner = nest(sizes[1:], loop.inner_iter_args[0], body, [*at, Scalar(loop.induction_variable, INDEX)])
        scf.YieldOp([inner])
    return loop.results[0]


def store(into: ir.Value, places: list[Scalar], element: Scalar) -> ir.Value:
    """A `tensor.insert`."""
    return tensor.insert(element.value, into, [place.to(INDEX).value for place in places])


@lowers("ScatterElements", "Scatter")
def _scatter_elements(node: Node) -> Value:
    x, indices, updates = node.tensors
    axis = node.axis(x.rank, 0)
    reduction = node.attribute("reduction", "none")
    size = x.sizes[axis]

    def step(at: list[Scalar], into: ir.Value) -> ir.Value:
        places = [*at[:axis], wrapped(extract(indices, at), size), *at[axis + 1 :]]
        return store(into, places, combine(reduction, extract(into, places, x.dtype), extract(updates, at)))

    return Value(x.dtype, nest(indices.sizes, x.ssa, step))


@lowers("ScatterND")
def _scatter_nd(node: Node) -> Value:
    x, indices, updates = node.tensors
    length = indices.shape[-1]
    if length is None:
        raise UnsupportedOnnxError(f"the last size of the indices of {node} must be known")
    reduction = node.attribute("reduction", "none")
    outer, sizes = indices.rank - 1, x.sizes

    def step(at: list[Scalar], into: ir.Value) -> ir.Value:
        tuples = [extract(indices, [*at[:outer], n]) for n in range(length)]
        places = [*(wrapped(p, sizes[n]) for n, p in enumerate(tuples)), *at[outer:]]
        return store(into, places, combine(reduction, extract(into, places, x.dtype), extract(updates, at)))

    return Value(x.dtype, nest(updates.sizes, x.ssa, step))


@lowers("TensorScatter")
def _tensor_scatter(node: Node) -> Value:
    past, update = node.input(0), node.input(1)
    axis = node.axis(past.rank, -2)
    starts = node.input(2) if node.has(2) else None
    circular = node.attribute("mode", "linear") == "circular"
    size = Scalar(as_value(past.sizes[axis]), INDEX)

    def step(at: list[Scalar], into: ir.Value) -> ir.Value:
        places = list(at)
        if starts is not None:
            places[axis] = at[axis] + extract(starts, [at[0]]).to(INDEX)
        if circular:
            places[axis] = places[axis].apply("rem", size)
        return store(into, places, extract(update, at))

    return Value(past.dtype, nest(update.sizes, past.ssa, step))


@lowers("NonZero")
def _non_zero(node: Node) -> Value:
    x = node.input()
    x = x if x.rank else reshape(x, [1])
    return selected_indices(x.sizes, lambda at: extract(x, at).to(np.dtype(bool)))


def counted(sizes: list[Number], holds: Any) -> ir.Value:
    """The number of indices for which a condition holds."""
    zero = fill([], I64, 0)

    def step(at: list[Scalar], total: ir.Value) -> ir.Value:
        return store(total, [], extract(total, [], I64) + holds(at).to(I64))

    return extract(nest(sizes, zero.ssa, step), [], I64).to(INDEX).value


def selected_indices(sizes: list[Number], holds: Any) -> Value:
    """The indices for which a condition holds, in order, as columns."""
    rank = len(sizes)
    count = counted(sizes, holds)
    found = fill([rank, count], I64, 0)
    position = constant(0, I64)
    state = [found.ssa, position.value]

    def rows(level: int, at: list[Scalar], carried: list[ir.Value]) -> list[ir.Value]:
        if level < rank:
            loop = scf.ForOp(as_value(0), as_value(sizes[level]), as_value(1), carried)
            with ir.InsertionPoint(loop.body):
                scf.YieldOp(rows(level + 1, [*at, Scalar(loop.induction_variable, INDEX)], list(loop.inner_iter_args)))
            return list(loop.results)
        chosen = holds(at)
        branch = scf.IfOp(chosen.value, [v.type for v in carried], has_else=True)
        with ir.InsertionPoint(branch.then_block):
            into, place = carried[0], Scalar(carried[1], I64)
            for d, i in enumerate(at):
                into = store(into, [constant(d, INDEX), place], i.to(I64))
            scf.YieldOp([into, (place + 1).value])
        with ir.InsertionPoint(else_of(branch)):
            scf.YieldOp(carried)
        return list(branch.results)

    return Value(I64, rows(0, [], state)[0])


@lowers("Compress")
def _compress(node: Node) -> Value:
    x, condition = node.input(0), node.input(1)
    if "axis" not in node.attributes:
        x = reshape(x, [product(x.sizes)])
    axis = node.axis(x.rank, 0)
    chosen = selected_indices([condition.sizes[0]], lambda at: extract(condition, at))
    picked = reshape(chosen, [chosen.sizes[1]])
    sizes = [*x.sizes[:axis], picked.sizes[0], *x.sizes[axis + 1 :]]
    return computed(sizes, x.dtype, lambda at: extract(x, [*at[:axis], extract(picked, [at[axis]]), *at[axis + 1 :]]))
