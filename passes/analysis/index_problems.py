"""Questions about indices as linear constraints: unknowns, alternatives and products, decided lazily.

A :class:`Problem` is a conjunction of rows (``integer_systems.py``), of *alternatives* of which one has to hold (a
minimum is one of its entries; a point is outside of a slice on one side or the other), and of *products*.

:func:`decide` leaves alternatives out at first: if the rest has no solution, neither has the whole. If it has one that
happens to satisfy an alternative, that is kept out; else each case is tried. A product ``m = x * y`` is not linear. Of
two products with a common factor ``y`` it is known, whatever ``y`` is: if the ``x`` are equal, so are the ``m``; if one
``x`` is larger, by at least 1, its ``m`` is larger by at least ``y`` where ``y >= 0``, and smaller by at least ``-y``
where ``y < 0``. These alternatives are enough for tiles of a size that only the program's user knows. If a solution of
them all is none of the products, a few numbers are tried for the factors; if that does not help either, the answer is
"unknown".

Cost: bounded by ``_MOST_SYSTEMS`` systems for each question.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from .integer_systems import CONSTANT, Row, TooHard, combine, evaluate, solve

__all__ = ["Answer", "Case", "Outcome", "Problem", "ProductRows", "decide", "not_less"]

_MOST_SYSTEMS = 160
_TRIED_FACTORS = (1, 2, 3, 5)
_MOST_PRODUCTS = 24
"""More products than that are not compared with each other."""


class Answer(enum.Enum):
    """The answer to a question about all values of the symbols."""

    YES = "yes"
    """For all values."""
    NO = "no"
    """Not for some values, which are known."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Case:
    """Rows that are 0, and rows that are at least 0."""

    equations: tuple[Row, ...] = ()
    bounds: tuple[Row, ...] = ()

    def holds(self, values: dict[int, int]) -> bool:
        """Whether ``values`` satisfy all rows."""
        return all(evaluate(row, values) == 0 for row in self.equations) and all(
            evaluate(row, values) >= 0 for row in self.bounds
        )


@dataclass(frozen=True, slots=True)
class ProductRows:
    """``result = first * second``."""

    first: Row
    second: Row
    result: Row

    def holds(self, values: dict[int, int]) -> bool:
        """Whether ``values`` satisfy the equation."""
        return evaluate(self.first, values) * evaluate(self.second, values) == evaluate(self.result, values)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a problem has a solution (None if unknown), and one if it has."""

    is_feasible: bool | None
    solution: dict[int, int] = field(default_factory=dict[int, int])


@dataclass(slots=True)
class Problem:
    """A conjunction under construction."""

    equations: list[Row] = field(default_factory=list[Row])
    bounds: list[Row] = field(default_factory=list[Row])
    alternatives: list[tuple[Case, ...]] = field(default_factory=list[tuple[Case, ...]])
    products: list[ProductRows] = field(default_factory=list[ProductRows])
    count: int = 0

    def unknown(self) -> Row:
        """Return a new integer."""
        self.count += 1
        return {self.count - 1: 1}

    def at_least(self, larger: Row, smaller: Row, by: int = 0) -> None:
        """Demand ``larger >= smaller + by``."""
        self.bounds.append(not_less(larger, smaller, by))

    def equal(self, first: Row, second: Row) -> None:
        """Demand that two sums are equal."""
        self.equations.append(combine(first, second, -1))

    def copy(self) -> Problem:
        """Return a problem to which more can be added."""
        return Problem(
            list(self.equations), list(self.bounds), list(self.alternatives), list(self.products), self.count
        )

    def add(self, case: Case) -> None:
        """Demand one case."""
        self.equations.extend(case.equations)
        self.bounds.extend(case.bounds)


def not_less(larger: Row, smaller: Row, by: int = 0) -> Row:
    """Return the row that is at least 0 iff ``larger >= smaller + by``."""
    row = combine(larger, smaller, -1)
    return combine(row, {CONSTANT: -by}) if by else row


def decide(problem: Problem) -> Outcome:
    """Tell whether ``problem`` has a solution."""
    whole = problem.copy()
    whole.alternatives.extend(_product_rules(problem))
    try:
        return _Search().run(whole)
    except TooHard:
        return Outcome(None)


class _Search:
    def __init__(self) -> None:
        self._left = _MOST_SYSTEMS

    def run(self, problem: Problem) -> Outcome:
        self._left -= 1
        if self._left < 0:
            raise TooHard
        solution = solve(problem.equations, problem.bounds)
        if solution is None:
            return Outcome(is_feasible=False)
        open_ = [cases for cases in problem.alternatives if not any(case.holds(solution) for case in cases)]
        if open_:
            # One that cannot be avoided by going back to another solution is the one with the fewest cases.
            return self._split(problem, min(open_, key=len))
        if all(product.holds(solution) for product in problem.products):
            return Outcome(is_feasible=True, solution=solution)
        return self._with_numbers(problem, solution)

    def _split(self, problem: Problem, cases: tuple[Case, ...]) -> Outcome:
        failed = False
        rest = [other for other in problem.alternatives if other is not cases]
        for case in cases:
            part = problem.copy()
            part.alternatives = rest
            part.add(case)
            found = self.run(part)
            if found.is_feasible:
                return found
            failed = failed or found.is_feasible is None
        return Outcome(None if failed else False)

    def _with_numbers(self, problem: Problem, solution: dict[int, int]) -> Outcome:
        """Try numbers for a factor of each product, which makes it linear."""
        wrong = next(product for product in problem.products if not product.holds(solution))
        for row, other in ((wrong.second, wrong.first), (wrong.first, wrong.second)):
            for number in dict.fromkeys((evaluate(row, solution), *_TRIED_FACTORS)):
                part = problem.copy()
                part.products = [product for product in problem.products if product is not wrong]
                part.equations.append(combine(row, {CONSTANT: -number}))
                part.equal(wrong.result, combine({}, other, number))
                found = self.run(part)
                if found.is_feasible:
                    return found
        return Outcome(None)


_Multiple = tuple[Row, Row]
"""A sum, and its product with the factor that all of a family share."""


def _product_rules(problem: Problem) -> list[tuple[Case, ...]]:
    """Return what is known of the products by twos, and of each compared with 0 and 1 times its factor."""
    products = problem.products
    if len(products) > _MOST_PRODUCTS:
        return []
    rules: list[tuple[Case, ...]] = []
    families: list[tuple[Row, list[_Multiple]]] = []
    for product in products:
        for factor, shared in ((product.first, product.second), (product.second, product.first)):
            family: list[_Multiple] | None = next((members for row, members in families if row == shared), None)
            if family is None:
                family = [({}, {}), ({CONSTANT: 1}, shared)]
                families.append((shared, family))
            natural = shared in problem.bounds or combine(shared, {CONSTANT: -1}) in problem.bounds
            rules.extend(_monotone(first, (factor, product.result), shared, natural=natural) for first in family)
            family.append((factor, product.result))
    return rules


def _monotone(first: _Multiple, second: _Multiple, shared: Row, *, natural: bool) -> tuple[Case, ...]:
    """The cases for ``first[1] = first[0] * shared`` and the same for ``second``; ``natural``: ``shared >= 0``."""
    cases = [Case((combine(first[0], second[0], -1), combine(first[1], second[1], -1)))]
    for (small, small_result), (large, large_result) in ((first, second), (second, first)):
        order = not_less(large, small, 1)
        step = combine(small_result, shared)
        cases.append(Case(bounds=(order, shared, not_less(large_result, step))))
        if not natural:
            cases.append(Case(bounds=(order, not_less({}, shared, 1), not_less(step, large_result))))
    return tuple(cases)
