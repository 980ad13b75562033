"""Operators that order elements: TopK, Unique, NonMaxSuppression."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import scf

from ....dialects.support.index_math import Number, as_value, multiply
from .graph import Node, lowers
from .indexing import nest, store
from .scalars import INDEX, TypedScalar, choose, constant, greatest, largest, least
from .structured import (
    accumulate,
    computed,
    else_of,
    empty,
    extract,
    fill,
    for_loop,
    index,
    insert_slice,
    loops,
    product,
    reshape,
    slice_of,
    transpose,
)
from .values import Value

I64, BOOL = np.dtype(np.int64), np.dtype(np.bool_)


@lowers("TopK")
def _top_k(node: Node) -> Any:
    x = node.input()
    axis = node.axis(x.rank, -1)
    count = node.input(1).elements[0] if node.has(1) else node.attribute("k")
    return top(x, axis, count, largest_first=bool(node.attribute("largest", 1)))


def top(x: Value, axis: int, count: Number, *, largest_first: bool) -> tuple[Value, Value]:
    """The first elements of a dimension in order, with their indices; of equal ones those with the smaller index.

    Each step looks for the element that follows the one before, so it takes `count` times the size of the dimension.
    """
    outer = [size for d, size in enumerate(x.sizes) if d != axis]
    predicate = "gt" if largest_first else "lt"

    def following(step: TypedScalar, before: Value) -> Value:
        def body(found: TypedScalar, e: TypedScalar) -> TypedScalar:
            at = [index(d) for d in range(x.rank)]
            kept = [*at[:axis], *at[axis + 1 :]]

            def element(place: TypedScalar) -> TypedScalar:
                return extract(x, [*at[:axis], greatest(place, 0), *at[axis + 1 :]])

            place = at[axis].to(I64)
            last = extract(before, kept)
            limit = element(last)
            behind = limit.compare(predicate, e) | (limit.equals(e) & (place > last)) | step.equals(0)
            return choose(behind & ((found < 0) | e.compare(predicate, element(found))), place, found)

        return accumulate(x.rank, [axis], [(x, loops(x.rank))], fill(outer, I64, -1), body)

    table = Value(I64, empty([*outer, count], I64))

    def body(step: TypedScalar, carried: list[Value]) -> list[Value]:
        before, into = carried
        found = following(step, before)
        column = reshape(found, [*outer, 1])
        return [found, insert_slice(column, into, [*[0] * len(outer), step.value])]

    _, places = for_loop(count, [fill(outer, I64, -1), table], body)
    order = list(range(x.rank - 1))
    order.insert(axis, x.rank - 1)
    places = transpose(places, order)
    values = computed(places.sizes, x.dtype, lambda at: extract(x, [*at[:axis], extract(places, at), *at[axis + 1 :]]))
    return values, places


@lowers("Unique")
def _unique(node: Node) -> Any:
    x = node.input()
    axis = node.axis(x.rank) if "axis" in node.attributes else None
    rows = reshape(x, [product(x.sizes), 1])
    if axis is not None:
        front = transpose(x, [axis, *[d for d in range(x.rank) if d != axis]])
        rows = reshape(front, [front.sizes[0], product(front.sizes[1:])])
    firsts, ranks, count = _classes(rows, in_order=bool(node.attribute("sorted", 1)))
    total = rows.sizes[0]
    places = _scattered(
        fill([count], I64, 0),
        total,
        lambda i: extract(ranks, [i]),
        lambda i, old: choose(extract(firsts, [i]), i.to(I64), old),
    )
    counts = _scattered(fill([count], I64, 0), total, lambda i: extract(ranks, [i]), lambda i, old: old + 1)
    if axis is None:
        unique = computed([count], x.dtype, lambda at: extract(rows, [extract(places, at), constant(0, INDEX)]))
    else:
        sizes = [*x.sizes[:axis], count, *x.sizes[axis + 1 :]]
        unique = computed(
            sizes, x.dtype, lambda at: extract(x, [*at[:axis], extract(places, [at[axis]]), *at[axis + 1 :]])
        )
    return unique, places, ranks, counts


def _scattered(into: Value, total: Number, place: Any, element: Any) -> Value:
    def step(at: list[TypedScalar], table: ir.Value) -> ir.Value:
        target = [place(at[0])]
        return store(table, target, element(at[0], extract(table, target, into.dtype)))

    return Value(into.dtype, nest([total], into.ssa, step))


def _classes(rows: Value, *, in_order: bool) -> tuple[Value, Value, ir.Value]:
    """Which rows are the first of their kind, the number of each row's kind, and how many kinds there are."""
    total, width = rows.sizes
    i, j, k = loops(3)
    end = TypedScalar(as_value(width), INDEX).to(I64)
    differing = accumulate(  # The first column in which two rows differ.
        3,
        [2],
        [(rows, [i, k]), (rows, [j, k])],
        fill([total, total], I64, end),
        lambda found, a, b: choose(a.equals(b), found, least(found, index(2).to(I64))),
    )

    def same(a: TypedScalar, b: TypedScalar) -> TypedScalar:
        return extract(differing, [a, b]).equals(end)

    def less(a: TypedScalar, b: TypedScalar) -> TypedScalar:
        column = least(extract(differing, [a, b]), end - 1)
        return extract(rows, [a, column]) < extract(rows, [b, column])

    square = Value(BOOL, empty([total, total], BOOL))  # Of which only the sizes count.
    a, b = loops(2)

    def over(init: Value, body: Any) -> Value:
        return accumulate(2, [1], [(square, [a, b])], init, lambda found, _: body(found, index(0), index(1)))

    firsts = over(fill([total], BOOL, True), lambda found, p, q: found & ~((q < p) & same(p, q)))
    leaders = over(
        fill([total], I64, largest(I64)), lambda found, p, q: choose(same(p, q), least(found, q.to(I64)), found)
    )

    def before(p: TypedScalar, q: TypedScalar) -> TypedScalar:
        earlier = less(q, p) & ~same(q, p) if in_order else q.to(I64) < extract(leaders, [p])
        return extract(firsts, [q]) & earlier

    ranks = over(fill([total], I64, 0), lambda found, p, q: found + before(p, q).to(I64))
    count = accumulate(1, [0], [(firsts, loops(1))], fill([], I64, 0), lambda found, e: found + e.to(I64))
    return firsts, ranks, extract(count, []).to(INDEX).value


def _number(node: Node, at: int, default: float) -> TypedScalar:
    if not node.has(at):
        return constant(default, I64 if at == 2 else np.dtype(np.float32))
    value = node.input(at)
    return extract(reshape(value, []), [])


def _best(scores: Value, batch: TypedScalar, kind: TypedScalar, living: Value) -> TypedScalar:
    """The number of the box with the highest score of those that live; -1 if none does."""

    def better(found: TypedScalar, e: TypedScalar) -> TypedScalar:
        score, highest = (extract(scores, [batch, kind, at]) for at in (index(0), greatest(found, 0)))
        return choose(e & ((found < 0) | (score > highest)), index(0).to(I64), found)

    return extract(accumulate(1, [0], [(living, loops(1))], fill([], I64, -1), better), [])


def _left(
    boxes: Value, batch: TypedScalar, living: Value, place: TypedScalar, overlap: TypedScalar, *, centre: bool
) -> Value:
    """Which boxes live on when the one at `place` is chosen: those that hardly overlap with it."""

    def stays(i: list[TypedScalar]) -> TypedScalar:
        apart = _overlap(boxes, batch, i[0], place, centre=centre) <= overlap
        return extract(living, i) & ~i[0].equals(place) & apart

    return computed(living.sizes, BOOL, stays)


@lowers("NonMaxSuppression")
def _non_max_suppression(node: Node) -> Value:
    boxes, scores = node.input(0), node.input(1)
    most, overlap, threshold = _number(node, 2, 0), _number(node, 3, 0.0), _number(node, 4, 0.0)
    batches, classes, count = scores.sizes
    limit = least(most.to(INDEX), TypedScalar(as_value(count), INDEX))
    room = multiply(multiply(batches, classes), limit.value)
    zero = constant(0, INDEX).value
    centre = bool(node.attribute("center_point_box", 0))
    state: list[ir.Value] = [fill([room, 3], I64, 0).ssa, zero]

    def one(at: list[TypedScalar], carried: list[ir.Value]) -> list[ir.Value]:
        batch, kind = at
        alive = fill([count], BOOL, True)
        if node.has(4):
            alive = computed([count], BOOL, lambda i: extract(scores, [batch, kind, i[0]]) > threshold)

        def step(table: ir.Value, used: TypedScalar, living: Value) -> list[ir.Value]:
            chosen = _best(scores, batch, kind, living)
            place = greatest(chosen, 0).to(INDEX)
            branch = scf.IfOp((chosen >= 0).value, [table.type, used.value.type], has_else=True)
            with ir.InsertionPoint(branch.then_block):
                filled = table
                for number, e in enumerate((batch.to(I64), kind.to(I64), chosen)):
                    filled = store(filled, [used, constant(number, INDEX)], e)
                scf.YieldOp([filled, (used + 1).value])
            with ir.InsertionPoint(else_of(branch)):
                scf.YieldOp([table, used.value])
            left = _left(boxes, batch, living, place, overlap, centre=centre)
            return [*branch.results, left.ssa]

        loop = scf.ForOp(as_value(0), limit.value, as_value(1), [*carried, alive.ssa])
        with ir.InsertionPoint(loop.body):
            table, used, living = loop.inner_iter_args
            scf.YieldOp(step(table, TypedScalar(used, INDEX), Value(BOOL, living)))
        first, second, _ = loop.results
        return [first, second]

    table, used = _nested([batches, classes], state, one)
    return slice_of(Value(I64, table), [0, 0], [used, 3])


def _nested(
    sizes: list[Number], state: list[ir.Value], body: Any, at: list[TypedScalar] | None = None
) -> list[ir.Value]:
    at = at or []
    if not sizes:
        return body(at, state)
    loop = scf.ForOp(as_value(0), as_value(sizes[0]), as_value(1), state)
    with ir.InsertionPoint(loop.body):
        here = [*at, TypedScalar(loop.induction_variable, INDEX)]
        scf.YieldOp(_nested(sizes[1:], list(loop.inner_iter_args), body, here))
    results: list[ir.Value] = [*loop.results]
    return results


def _overlap(boxes: Value, batch: TypedScalar, first: TypedScalar, second: TypedScalar, *, centre: bool) -> TypedScalar:
    """The area that two boxes share, over the area of both."""

    def corners(box: TypedScalar) -> tuple[TypedScalar, TypedScalar, TypedScalar, TypedScalar]:
        a, b, c, d = (extract(boxes, [batch, box, n]) for n in range(4))
        if centre:  # x, y, width, height
            return b - d * 0.5, a - c * 0.5, b + d * 0.5, a + c * 0.5
        return least(a, c), least(b, d), greatest(a, c), greatest(b, d)

    y1, x1, y2, x2 = corners(first)
    v1, u1, v2, u2 = corners(second)
    height = greatest(least(y2, v2) - greatest(y1, v1), 0.0)
    width = greatest(least(x2, u2) - greatest(x1, u1), 0.0)
    shared = height * width
    both = (y2 - y1) * (x2 - x1) + (v2 - v1) * (u2 - u1) - shared
    return choose(both > 0, shared / both, 0.0)
