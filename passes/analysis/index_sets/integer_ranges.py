"""Intervals that hold integers and indices: of constants, counters of loops and what is computed from them.

Signed intervals, one for each value, found from its operands; a value of an unknown op, and a sum that may wrap around,
may be any number of its type. What an iteration carries into the next is not followed, so that each value is looked at
once.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from mlir import ir

from ....dialects.support.constants import constant_integer
from ....dialects.support.defining_ops import defining_op

__all__ = ["IntegerRanges", "Interval"]

Interval = tuple[int, int]
"""The least and the greatest number."""

_INDEX_WIDTH = 64
_EQUAL, _DIFFERENT, _LESS, _GREATER, _FIRST_UNSIGNED = 0, 1, 2, (4, 5), 6
"""Predicates of `arith.cmpi`: eq, ne, slt, sle, sgt, sge, and from 6 on the last four for numbers without a sign."""
_PRODUCTS: dict[str, Callable[[int, int], int]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.maxsi": max,
    "arith.minsi": min,
}
"""Ops that are monotone in each operand, for which the bounds of the result are among the results of the bounds."""
_SIGNED_CASTS = frozenset({"arith.extsi", "arith.index_cast", "arith.trunci"})
_UNSIGNED_CASTS = frozenset({"arith.extui", "arith.index_castui"})


def _whole(type_: ir.Type) -> Interval:
    width = ir.IntegerType(type_).width if isinstance(type_, ir.IntegerType) else _INDEX_WIDTH
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def _fits(interval: Interval, type_: ir.Type) -> Interval | None:
    """Return `interval` if `type_` holds all of it."""
    low, high = _whole(type_)
    return interval if low <= interval[0] and interval[1] <= high else None


def _combined(name: str, left: Interval, right: Interval, type_: ir.Type) -> Interval | None:
    """Return the interval of an op of `_PRODUCTS`, if it is in `type_`."""
    results = [_PRODUCTS[name](a, b) for a in left for b in right]
    return _fits((min(results), max(results)), type_)


class IntegerRanges:
    """The intervals of the values of one program, which must not change while they are asked for."""

    def __init__(self) -> None:
        self._known: dict[ir.Value, Interval] = {}

    def of(self, value: ir.Value) -> Interval:
        """Return an interval that holds `value`, a signless integer or an index, as a number with a sign."""
        pending = [value]
        while pending:  # no recursion: chains may be long
            last = pending[-1]
            missing = [operand for operand in self._needed(last) if operand not in self._known]
            if missing and last not in self._known:
                pending += missing
                continue
            pending.pop()
            if last not in self._known:
                found = self._computed(last)
                self._known[last] = _whole(last.type) if found is None else found
        return self._known[value]

    def comparison(self, op: ir.Operation) -> bool | None:
        """Return what an `arith.cmpi` of integers returns; None if that depends on the numbers."""
        left, right = (self.of(operand) for operand in op.operands)
        predicate = ir.IntegerAttr(op.attributes["predicate"]).value
        if predicate >= _FIRST_UNSIGNED:
            if left[0] < 0 or right[0] < 0:
                return None
            predicate -= 4
        if predicate in (_EQUAL, _DIFFERENT):
            apart = left[1] < right[0] or right[1] < left[0]
            same = left == right and left[0] == left[1]
            return (predicate == _DIFFERENT) == apart if apart or same else None
        if predicate in _GREATER:  # a > b is b < a
            left, right, predicate = right, left, predicate - 2
        margin = 0 if predicate == _LESS else 1
        if left[1] < right[0] + margin:
            return True
        return False if left[0] >= right[1] + margin else None

    def is_exact(self, op: ir.Operation) -> bool:
        """Whether a sum, difference or product does not wrap around."""
        left, right = (self.of(operand) for operand in op.operands)
        return _combined(op.name, left, right, op.results[0].type) is not None

    def _needed(self, value: ir.Value) -> list[ir.Value]:
        """Return the values whose intervals give that of `value`."""
        owner = value.owner
        if isinstance(owner, ir.Block):
            loop = self._counted_loop(value)
            return list(loop.operands)[:2] if loop is not None else []
        op = owner.operation
        if op.name == "arith.select":
            compare = defining_op(op.operands[0], "arith.cmpi")
            return [*list(op.operands)[1:], *(compare.operands if compare is not None else ())]
        return list(op.operands) if op.name in _PRODUCTS or op.name in _SIGNED_CASTS | _UNSIGNED_CASTS else []

    def _counted_loop(self, value: ir.Value) -> ir.Operation | None:
        """Return the loop that `value` is the counter of."""
        block = value.owner
        op = block.owner.operation if isinstance(block, ir.Block) else None
        is_counter = op is not None and op.name == "scf.for" and "unsignedCmp" not in op.attributes
        return op if is_counter and ir.BlockArgument(value).arg_number == 0 else None

    def _computed(self, value: ir.Value) -> Interval | None:
        constant = constant_integer(value)
        if constant is not None:
            return _fits((constant, constant), value.type)
        op = defining_op(value)
        if op is None:
            return self._of_counter(value)
        intervals = [self._known[operand] for operand in self._needed(value)]
        if op.name in _PRODUCTS:
            return _combined(op.name, intervals[0], intervals[1], value.type)
        if op.name == "arith.select":
            compare = defining_op(op.operands[0], "arith.cmpi")
            truth = self.comparison(compare) if compare is not None else None
            if truth is not None:
                return intervals[0 if truth else 1]
            return min(low for low, _ in intervals[:2]), max(high for _, high in intervals[:2])
        if op.name in _SIGNED_CASTS or (op.name in _UNSIGNED_CASTS and intervals[0][0] >= 0):
            return _fits(intervals[0], value.type)
        return None

    def _of_counter(self, value: ir.Value) -> Interval | None:
        """Return the interval of a counter; in an iteration it is not below the first, and below the end."""
        loop = self._counted_loop(value)
        if loop is None:
            return None
        first, end = (self._known[bound] for bound in list(loop.operands)[:2])
        step = constant_integer(loop.operands[2])
        if step is None or step <= 0:
            return None
        return first[0], max(first[0], end[1] - 1)
