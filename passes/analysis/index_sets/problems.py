"""Questions about indices as linear constraints: unknowns, alternatives and products.

A :class:`Problem` is a conjunction of rows (``omega_test.py``), of *alternatives*, of which one has to hold (a minimum
is one of its entries; a point is outside of a slice on one side or the other), and of *products*. ``search.py`` decides
whether it has a solution.

A product ``m = x * y`` is not linear. Of two products with a common factor ``y`` it is known, whatever ``y`` is: if the
``x`` are equal, so are the ``m``; if one ``x`` is larger, by at least 1, its ``m`` is larger by at least ``y`` where
``y >= 0``, and smaller by at least ``-y`` where ``y < 0``. These alternatives are enough for tiles of a size that only
the program's user knows.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from ....dialects.support.frozen_classes import frozen_slots
from .omega_test import CONSTANT, Row, combine, evaluate

__all__ = ["Answer", "Case", "Problem", "ProductRows", "Solvability", "not_less", "product_rules"]

_MOST_PRODUCTS = 24
"""Products are compared with each other up to this number."""


class Answer(enum.Enum):
    """The answer to a question about all values of the symbols."""

    YES = "yes"
    """For all values."""
    NO = "no"
    """Not for all values; a counterexample is known."""
    UNKNOWN = "unknown"


@frozen_slots
class Case:
    """Rows that are 0, and rows that are at least 0."""

    equations: tuple[Row, ...] = ()
    bounds: tuple[Row, ...] = ()

    def holds(self, values: dict[int, int]) -> bool:
        """Whether ``values`` satisfy all rows."""
        return all(evaluate(row, values) == 0 for row in self.equations) and all(
            evaluate(row, values) >= 0 for row in self.bounds
        )


@frozen_slots
class ProductRows:
    """``result = first * second``."""

    first: Row
    second: Row
    result: Row

    def holds(self, values: dict[int, int]) -> bool:
        """Whether ``values`` satisfy the equation."""
        return evaluate(self.first, values) * evaluate(self.second, values) == evaluate(self.result, values)


@frozen_slots
class Solvability:
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


_Multiple = tuple[Row, Row]
"""A sum, and its product with the factor that all of a family share."""


def product_rules(problem: Problem) -> list[tuple[Case, ...]]:
    """Return what is known of pairs of products, and of each product and 0 or 1 times its factor."""
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
    """Return the cases for ``first[1] = first[0] * shared``, the same for ``second``; ``natural``: ``shared >= 0``."""
    cases = [Case((combine(first[0], second[0], -1), combine(first[1], second[1], -1)))]
    for (small, small_result), (large, large_result) in ((first, second), (second, first)):
        order = not_less(large, small, 1)
        step = combine(small_result, shared)
        cases.append(Case(bounds=(order, shared, not_less(large_result, step))))
        if not natural:
            cases.append(Case(bounds=(order, not_less({}, shared, 1), not_less(step, large_result))))
    return tuple(cases)
