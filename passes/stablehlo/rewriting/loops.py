"""Nests of `scf.for` around a body that updates tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import scf

from ....dialects.support.index_math import Number, as_value, index_constant

__all__ = ["Body", "branch", "loop", "loop_nest"]

Values = Sequence[ir.Value]
Body = Callable[[list[ir.Value], list[ir.Value]], Values]
"""Builds what an iteration computes, of its indices and the carried values; returns the new carried values."""


def loop(first: Number, end: Number, carried: Values, body: Callable[[ir.Value, list[ir.Value]], Values]) -> Values:
    """Build a loop from `first` to below `end` and return what it carries at the end."""
    new = scf.ForOp(as_value(first), as_value(end), index_constant(1), list(carried))
    with ir.InsertionPoint(new.body):
        scf.YieldOp(list(body(new.induction_variable, list(new.inner_iter_args))))
    return list(new.results)


def loop_nest(sizes: Sequence[Number], carried: Values, body: Body) -> Values:
    """Build a nest of loops from 0 to below `sizes`, outermost first; sizes of 1 need no loop."""

    def build(indices: list[ir.Value], values: Values) -> Values:
        if len(indices) == len(sizes):
            return body(indices, list(values))
        size = sizes[len(indices)]
        if isinstance(size, int) and size == 1:
            return build([*indices, index_constant(0)], values)
        return loop(0, size, values, lambda index, inner: build([*indices, index], inner))

    return build([], carried)


def branch(condition: ir.Value, values: Values, then: Callable[[], Values]) -> Values:
    """Build an `scf.if` that returns what `then` computes of `values`, or `values` as they are."""
    new = scf.IfOp(condition, [value.type for value in values], has_else=True)
    with ir.InsertionPoint(new.then_block):
        scf.YieldOp(list(then()))
    with ir.InsertionPoint(new.regions[1].blocks[0]):
        scf.YieldOp(list(values))
    return list(new.results)
