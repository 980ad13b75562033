"""Indices as sums: ``constant + Σ factor * symbol``, so that ``iv * 4 + 2`` can be compared with ``iv * 4``.

A symbol is an SSA value that is not itself a sum: an argument, a load, a product of two values. Sums are followed
through ``arith.constant``, ``addi``, ``subi``, ``muli`` with a constant, and ``affine.apply`` without divisions.
Divisions, remainders, minima and maxima of constants are constants too, and so is the variable of a loop that runs at
most once.

Index arithmetic wraps around at 64 bits, and so do sums: two of them that have the same symbols differ by a constant
modulo 2**64. Offsets that are in bounds lie between 0 and 2**63, so between two of these the difference is exact.

Cost: each value once; a sum of more than a few symbols is a symbol itself, so each step is O(1).
Counterpart upstream: ``ValueBoundsConstraintSet``, which builds a system of constraints for each question.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from mlir import ir

from ....dialects.scf.trip_counts import only_index
from ....dialects.support.constants import constant_integer
from ....dialects.support.frozen_classes import frozen_slots
from ..ir.snapshot import Snapshot

__all__ = ["Index", "IndexSums", "Sum", "Symbol", "add", "affine_value", "difference", "index_symbols", "index_terms"]

_MOST_SYMBOLS = 6
_DEEPEST_EXPRESSION = 64
_WORD = 1 << 64


@frozen_slots
class Symbol:
    """An index that is known only at run time: the snapshot's number of its SSA value."""

    value: int


@frozen_slots
class Sum:
    """``constant`` plus each value times its factor; sorted by value, without zero factors, and not just a symbol."""

    terms: tuple[tuple[int, int], ...]
    constant: int


Index = int | Symbol | Sum


def index_symbols(index: Index) -> tuple[int, ...]:
    """Return the values that ``index`` depends on."""
    return tuple(value for value, _ in index_terms(index))


def difference(first: Index, second: Index) -> int | None:
    """Return ``first - second`` if that does not depend on symbols; None otherwise."""
    if isinstance(first, int) and isinstance(second, int):
        return first - second
    if index_terms(first) != index_terms(second):
        return None
    return _signed(_constant(first) - _constant(second))


def add(first: Index, second: Index, factor: int = 1) -> Index | None:
    """Return ``first + factor * second``; None if that has too many symbols."""
    terms = dict(index_terms(first))
    for value, count in index_terms(second):
        terms[value] = terms.get(value, 0) + factor * count
    left = tuple(sorted((value, count) for value, count in terms.items() if count))
    constant = _signed(_constant(first) + factor * _constant(second))
    if not left:
        return constant
    if len(left) == 1 and left[0][1] == 1 and constant == 0:
        return Symbol(left[0][0])
    return Sum(left, constant) if len(left) <= _MOST_SYMBOLS else None


def index_terms(index: Index) -> tuple[tuple[int, int], ...]:
    """Return the values that ``index`` is a sum of, each with its factor."""
    if isinstance(index, Symbol):
        return ((index.value, 1),)
    return index.terms if isinstance(index, Sum) else ()


def _constant(index: Index) -> int:
    if isinstance(index, Symbol):
        return 0
    return index.constant if isinstance(index, Sum) else index


def _signed(number: int) -> int:
    return (number + _WORD // 2) % _WORD - _WORD // 2


class IndexSums:
    """The sums of one snapshot's values, each computed on first use."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._known: dict[int, Index] = {}

    def of(self, value: ir.Value) -> Index:
        """Return ``value`` as a constant, a symbol or a sum."""
        number = self._snapshot.value_id(value)
        assert number >= 0, "modules and functions are isolated from above, so the snapshot of one has every value"
        # A stack instead of recursion: a chain of additions may be as long as the program.
        stack = [number]
        while stack:
            wanted = next((v for v in self._parts(stack[-1]) if v not in self._known), None)
            if wanted is None:
                last = stack.pop()
                self._known[last] = self._sum(last)
            else:
                stack.append(wanted)
        return self._known[number]

    def _parts(self, value: int) -> list[int]:
        """The values that ``value`` is a sum of, if it is one."""
        s = self._snapshot
        op = s.value_op[value]
        if value in self._known or op < 0 or (s.op_name[op] not in _SUMS and s.op_name[op] not in _OF_CONSTANTS):
            return []
        return [s.operand_value[operand] for operand in s.operands(op)]

    def _sum(self, value: int) -> Index:
        s = self._snapshot
        op = s.value_op[value]
        if value in self._known:
            return self._known[value]
        if op < 0:
            only = self._only(value)
            return Symbol(value) if only is None else only
        name, parts = s.op_name[op], self._parts(value)
        found: Index | None = None
        if name == "arith.constant":
            found = constant_integer(s.values[value])
        elif parts:
            terms = [self._known[part] for part in parts]
            if name == "affine.apply":
                found = affine_value(ir.AffineMapAttr(s.ops[op].attributes["map"]).value, 0, terms)
            elif name == "arith.muli":
                found = _product(*terms)
            elif name in _OF_CONSTANTS:
                found = _of_constants(name, *terms)
            else:
                found = add(*terms, factor=-1 if name == "arith.subi" else 1)
        return Symbol(value) if found is None else found

    def _only(self, argument: int) -> int | None:
        """Return the number that a loop's variable is in the only iteration; None for other arguments of blocks."""
        s = self._snapshot
        block = s.value_block[argument]
        op = s.block_op[block]
        if s.op_name[op] not in _LOOPS or s.block_loop[block] == block:
            return None  # The snapshot knows of most loops that they repeat.
        return only_index(s.ops[op], s.value_index[argument])


_LOOPS = frozenset(("scf.for", "scf.forall", "scf.parallel"))
_SUMS = frozenset(("affine.apply", "arith.addi", "arith.muli", "arith.subi"))
_OF_CONSTANTS: dict[str, Callable[[int, int], int]] = {
    "arith.ceildivsi": lambda a, b: -(-a // b),
    "arith.ceildivui": lambda a, b: -(-a // b),
    "arith.divsi": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "arith.divui": operator.floordiv,
    "arith.floordivsi": operator.floordiv,
    "arith.maxsi": max,
    "arith.maxui": max,
    "arith.minsi": min,
    "arith.minui": min,
    "arith.remsi": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
    "arith.remui": operator.mod,
}


def _of_constants(name: str, first: Index, second: Index) -> int | None:
    """Evaluate an op of ``_OF_CONSTANTS``; None where an operand is no constant, or the result is not defined."""
    if not isinstance(first, int) or not isinstance(second, int):
        return None
    if name.endswith("ui") and min(first, second) < 0:
        return None
    if second == 0 and not name.startswith(("arith.max", "arith.min")):
        return None
    found = _OF_CONSTANTS[name](first, second)
    return found if found == _signed(found) else None


def _product(first: Index, second: Index) -> Index | None:
    if isinstance(second, int):
        return add(0, first, second)
    return add(0, second, first) if isinstance(first, int) else None


NonLinear = Callable[[ir.AffineExpr, Index, Index], Index | None]
"""Evaluates an affine expression that is no sum from its two operands."""


def affine_value(
    map_: ir.AffineMap, result: int, operands: Sequence[Index], non_linear: NonLinear = lambda kind, lhs, rhs: None
) -> Index | None:
    """Return a result of ``map_`` for ``operands``; None if it is not known as a sum, or nested too deep."""

    def value(expression: ir.AffineExpr, depth: int) -> Index | None:
        if isinstance(expression, ir.AffineConstantExpr):
            return expression.value
        if isinstance(expression, ir.AffineDimExpr):
            return operands[expression.position]
        if isinstance(expression, ir.AffineSymbolExpr):
            return operands[map_.n_dims + expression.position]
        if depth == 0 or not isinstance(expression, ir.AffineBinaryExpr):
            return None
        first, second = value(expression.lhs, depth - 1), value(expression.rhs, depth - 1)
        if first is None or second is None:
            return None
        if isinstance(expression, ir.AffineAddExpr):
            return add(first, second)
        product = _product(first, second) if isinstance(expression, ir.AffineMulExpr) else None
        return non_linear(expression, first, second) if product is None else product

    return value(map_.results[result], _DEEPEST_EXPRESSION)
