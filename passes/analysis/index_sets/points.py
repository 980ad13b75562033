"""Indices and slices at one or two points of an iteration space, written as rows of a problem.

A question about two accesses is about two points, the *sides* ``FIRST`` and ``SECOND``: two iterations of some loops,
and the same one of the loops around these. A symbol that varies with one of the former has a value for each side, any
other one has one value for both. The constraints of a symbol's definition (``symbols.py``) are added when it first
occurs.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable

from .omega_test import CONSTANT, Row, combine
from .problems import Case, Problem, ProductRows, Solvability, not_less
from .search import decide
from .slices import Slice
from .sums import Index, Symbol
from .symbols import Extremum, IndexTerms, InductionVariable, Product, Quotient, Range

__all__ = ["FIRST", "SECOND", "Direction", "Points", "number"]

FIRST, SECOND = 1, 2
_BOTH = 0

_DEEPEST = 48
"""The depth to which definitions of symbols are expanded; deeper ones are arbitrary."""


class Direction(enum.Enum):
    """The order of the iterations of a loop at the two points, as in a direction vector."""

    SAME = "="
    LATER = "<"
    """The first point's iteration comes before the second one's."""
    EARLIER = ">"
    ANY = "*"


def number(value: int) -> Row:
    """Return a constant as a row."""
    return {CONSTANT: value} if value else {}


class Points:
    """Rows for the indices of one question; ``varied`` are the loops whose iterations differ between the sides."""

    def __init__(self, terms: IndexTerms, varied: Collection[int] = ()) -> None:
        self.problem = Problem()
        self.is_exact = True
        """False once a constraint was left out, so that a solution of the problem proves nothing."""
        self.symbols: dict[tuple[int, int], Row] = {}
        self._terms = terms
        self._varied = frozenset(varied)

    def copy(self) -> Points:
        """Return a copy to which demands can be added."""
        other = Points(self._terms, self._varied)
        other.problem, other.is_exact, other.symbols = self.problem.copy(), self.is_exact, dict(self.symbols)
        return other

    def decide(self) -> Solvability:
        """Decide whether the problem has a solution."""
        return decide(self.problem, self._terms.memory, self._terms.effort)

    def row(self, index: Index, side: int, depth: int = 0) -> Row:
        """Return ``index`` at one of the points."""
        if isinstance(index, int):
            return number(index)
        if isinstance(index, Symbol):
            return self._symbol(index.value, side, depth)
        row: Row = number(index.constant)
        for symbol, factor in index.terms:
            row = combine(row, self._symbol(symbol, side, depth), factor)
        return row

    def exist(self, loops: Iterable[InductionVariable]) -> None:
        """Demand that the points lie inside of ``loops``."""
        for loop in loops:
            for side in (FIRST, SECOND) if self._varied else (FIRST,):
                self._symbol(loop.variable, side, 0)

    def relate(self, loop: InductionVariable, direction: Direction) -> None:
        """Demand ``direction`` of the iterations of ``loop`` at the points; a SAME loop is not among the varied."""
        first, second = self._symbol(loop.variable, FIRST, 0), self._symbol(loop.variable, SECOND, 0)
        before, after = not_less(second, first, 1), not_less(first, second, 1)
        if direction is Direction.SAME:
            self.problem.equal(first, second)
        elif direction is Direction.LATER:
            self.problem.bounds.append(before)
        elif direction is Direction.EARLIER:
            self.problem.bounds.append(after)

    def _symbol(self, symbol: int, side: int, depth: int) -> Row:
        key = (symbol, side if self._varied & self._terms.varies_with(symbol) else _BOTH)
        row = self.symbols.get(key)
        if row is None:
            definition = self._terms.definitions.get(symbol)
            if depth > _DEEPEST:
                self.is_exact = False
                definition = None
            row = self._defined(definition, side, depth + 1)
            self.symbols[key] = row
        return row

    def _defined(self, definition: object, side: int, depth: int) -> Row:
        problem = self.problem
        if isinstance(definition, InductionVariable):
            return self.iteration(definition, side, depth)
        if isinstance(definition, Product):
            return self.multiplied(self.row(definition.first, side, depth), self.row(definition.second, side, depth))
        row = problem.unknown()
        if isinstance(definition, Extremum):
            entries = [self.row(entry, side, depth) for entry in definition.entries]
            for entry in entries:
                problem.bounds.append(not_less(row, entry) if definition.is_largest else not_less(entry, row))
            problem.alternatives.append(tuple(Case((combine(row, entry, -1),)) for entry in entries))
        elif isinstance(definition, Quotient):
            rest = combine(self.row(definition.numerator, side, depth), row, -definition.divisor)
            problem.at_least(rest, {})
            problem.at_least(number(definition.divisor - 1), rest)
        elif isinstance(definition, Range):
            if definition.least is not None:
                problem.at_least(row, self.row(definition.least, side, depth))
            if definition.bound is not None:
                problem.at_least(self.row(definition.bound, side, depth), row, 1)
        return row

    def iteration(self, loop: InductionVariable, side: int, depth: int = 0) -> Row:
        """Return the induction variable in some iteration of ``loop``, which is demanded to exist."""
        problem = self.problem
        lower, step = self.row(loop.lower, side, depth), self.row(loop.step, side, depth)
        count = problem.unknown()
        problem.at_least(count, {})
        if isinstance(loop.step, int):
            row: Row = combine(lower, count, loop.step)
        else:
            problem.at_least(step, {}, 1)
            row = combine(lower, self.multiplied(count, step))
            problem.at_least(row, lower)
        if loop.upper is not None:
            problem.at_least(self.row(loop.upper, side, depth), row, 1)
        return row

    def multiplied(self, first: Row, second: Row) -> Row:
        """Return the product of two sums."""
        for factor, other in ((first, second), (second, first)):
            if all(key == CONSTANT for key in factor):
                return combine({}, other, factor.get(CONSTANT, 0))
        result = self.problem.unknown()
        self.problem.products.append(ProductRows(first, second, result))
        return result

    # --- slices ------------------------------------------------------------------------------------------------

    def inside(self, slice_: Slice, dimension: int, side: int, point: Row) -> None:
        """Demand that ``point`` is an index of ``slice_`` in one dimension."""
        problem = self.problem
        offset, stride = self.row(slice_.offsets[dimension], side), slice_.strides[dimension]
        size = self.row(slice_.sizes[dimension], side)
        if stride == 1:
            problem.at_least(point, offset)
            problem.at_least(combine(offset, size), point, 1)
            return
        count = problem.unknown()
        problem.at_least(count, {})
        problem.at_least(size, count, 1)
        distance = self.multiplied(self.row(stride, side), count)
        problem.equal(point, combine(offset, distance))

    def outside(self, slice_: Slice, dimension: int, point: Row) -> tuple[Case, ...] | None:
        """Return the cases in which ``point`` is outside ``slice_`` at the first point; None if that is not linear.

        Unknowns that the cases need are added, with demands that can always be met.
        """
        stride = slice_.strides[dimension]
        if not isinstance(stride, int):
            return None
        offset, size = self.row(slice_.offsets[dimension], FIRST), self.row(slice_.sizes[dimension], FIRST)
        distance = combine(point, offset, -1) if stride >= 0 else combine(offset, point, -1)
        if abs(stride) == 1:
            return Case(bounds=(not_less({}, distance, 1),)), Case(bounds=(not_less(distance, size),))
        if stride == 0:
            empty = Case(bounds=(not_less({}, size),))
            return Case(bounds=(not_less(distance, {}, 1),)), Case(bounds=(not_less({}, distance, 1),)), empty
        count, rest = self.problem.unknown(), self.problem.unknown()
        self.problem.equal(distance, combine(rest, count, abs(stride)))
        self.problem.at_least(rest, {})
        self.problem.at_least(number(abs(stride) - 1), rest)
        return (
            Case(bounds=(not_less(rest, {}, 1),)),
            Case(bounds=(not_less({}, count, 1),)),
            Case(bounds=(not_less(count, size),)),
        )

    def overlap(self, first: Slice, second: Slice) -> None:
        """Demand that the slice at the first point and that at the second one have an element in common."""
        problem = self.problem
        for d in range(len(first.offsets)):
            if first.strides[d] == second.strides[d] == 1:
                begins: list[Row] = []
                ends: list[Row] = []
                for slice_, side in ((first, FIRST), (second, SECOND)):
                    begins.append(self.row(slice_.offsets[d], side))
                    ends.append(combine(begins[-1], self.row(slice_.sizes[d], side)))
                for end in ends:
                    for begin in begins:
                        problem.at_least(end, begin, 1)
            else:
                point = problem.unknown()
                self.inside(first, d, FIRST, point)
                self.inside(second, d, SECOND, point)
