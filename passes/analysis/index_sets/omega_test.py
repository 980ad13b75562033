"""Whether linear constraints have a solution in integers, and one if they have: the Omega test.

A row is a sum ``constant + Σ factor * variable``; variables are integers from 0 on, the constant is kept under
``CONSTANT``. A system is a conjunction of rows that are 0 and rows that are at least 0, over unbounded integers.

* An equation is solved for a variable with factor 1 or -1; without one, Euclid's steps make one: a change of variables
  by ``x_k = y - Σ (a_i // a_k) x_i`` keeps integers integers and makes the factors smaller.
* A variable is projected out by adding each lower bound to each upper one. Over integers that is exact if all lower or
  all upper factors are 1. Else the *dark shadow* is tried, in which the interval always contains an integer. If it is
  empty but the *real shadow* is not, any solution is close to a lower bound: these cases (*splinters*) are equations.

Every step is an equivalence, so "no" is a proof, and "yes" comes with a solution. The work is bounded: a system
that needs more rows than the budget raises :class:`TooHard`.

Cost: small systems with small factors take some tens of microseconds to a millisecond. Source: W. Pugh, *The Omega
Test*, 1991. Counterparts upstream: ``presburger::IntegerPolyhedron``, and ``FlatLinearConstraints`` over rationals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import gcd

__all__ = ["CONSTANT", "Row", "TooHard", "combine", "evaluate", "solve"]

CONSTANT = -1
"""The key of a row's constant."""

_BUDGET = 4000
"""How many rows may be made for one system."""

Row = Mapping[int, int]


class TooHard(Exception):
    """A system exceeds the budget of work."""


def solve(equations: Iterable[Row], bounds: Iterable[Row], budget: int = _BUDGET) -> dict[int, int] | None:
    """Return integers for which all ``equations`` are 0 and all ``bounds`` at least 0; None if there are none.

    A variable that is not in the answer may be anything. Raises :class:`TooHard` if ``budget`` rows are not enough.
    """
    solution = _Omega(budget).solve(_without_zeros(equations), _without_zeros(bounds))
    return None if solution is None else {variable: value for variable, value in solution.items() if variable >= 0}


def _without_zeros(rows: Iterable[Row]) -> list[Row]:
    return [{k: v for k, v in row.items() if v} if 0 in row.values() else row for row in rows]


def combine(first: Row, second: Row, factor: int = 1, scale: int = 1) -> dict[int, int]:
    """Return ``scale * first + factor * second`` without entries that are 0."""
    result = dict(first) if scale == 1 else {key: scale * value for key, value in first.items()}
    if not factor:
        return result
    for key, value in second.items():
        if key in result:
            total = result[key] + factor * value
            if total:
                result[key] = total
            else:
                del result[key]
        else:
            result[key] = factor * value
    return result


def evaluate(row: Row, values: Mapping[int, int]) -> int:
    """Return the sum, with 0 for variables that have no value."""
    return sum(factor * (1 if key == CONSTANT else values.get(key, 0)) for key, factor in row.items())


def _substitute(row: Row, variable: int, value: Row) -> Row:
    factor = row.get(variable)
    if not factor:
        return row
    rest = {key: number for key, number in row.items() if key != variable}
    return combine(rest, value, factor)


class _Omega:
    """One run of the test; variables that it introduces are smaller than ``CONSTANT``."""

    def __init__(self, budget: int) -> None:
        self._left = budget
        self._last = CONSTANT

    def solve(self, equations: list[Row], bounds: Sequence[Row]) -> dict[int, int] | None:
        steps: list[tuple[int, Row]] = []
        rows = bounds
        while True:
            while equations:
                found = self._isolate(equations.pop())
                if found is None:
                    return None
                variable, value, rest = found
                if variable == CONSTANT:
                    continue
                self._spend(len(rows) + len(equations))
                equations = [_substitute(row, variable, value) for row in equations]
                if rest is not None:
                    equations.append(rest)
                rows = [_substitute(row, variable, value) for row in rows]
                steps.append((variable, value))
            tight = _tightest(rows)
            if tight is None:
                return None
            rows, equations = tight
            if not equations:
                break
        solution = self._project(rows)
        if solution is None:
            return None
        for variable, value in reversed(steps):
            for key in value:
                solution.setdefault(key, 0)
            solution[variable] = evaluate(value, solution)
        return solution

    def _spend(self, rows: int) -> None:
        self._left -= rows
        if self._left < 0:
            raise TooHard

    def _isolate(self, row: Row) -> tuple[int, Row, Row | None] | None:
        """Solve an equation for a variable: the variable, its value, and the remaining equation if there is one.

        The variable is ``CONSTANT`` if the equation is trivial; None if it has no solution.
        """
        factors = {key: value for key, value in row.items() if key != CONSTANT}
        constant = row.get(CONSTANT, 0)
        if not factors:
            return (CONSTANT, {}, None) if constant == 0 else None
        common = gcd(*factors.values())
        if constant % common:
            return None
        variable = min(factors, key=lambda key: abs(factors[key]))
        sign = 1 if factors[variable] > 0 else -1
        pivot = abs(factors[variable]) // common
        scaled = {key: sign * value // common for key, value in factors.items() if key != variable}
        if constant:
            scaled[CONSTANT] = sign * constant // common
        if pivot == 1:
            return variable, {key: -value for key, value in scaled.items()}, None
        self._last -= 1
        value = {key: -(number // pivot) for key, number in scaled.items() if number // pivot}
        rest = {key: number % pivot for key, number in scaled.items() if number % pivot}
        return variable, {**value, self._last: 1}, {**rest, self._last: pivot}

    def _project(self, rows: Sequence[Row]) -> dict[int, int] | None:
        if not rows:
            return {}
        variable, lower, upper, others = _choose(rows)
        exact = all(row[variable] == 1 for row in lower) or all(row[variable] == -1 for row in upper)
        self._spend(len(lower) * len(upper) + 1)
        shadow = [_shadow(a, b, variable, dark=True) for a in lower for b in upper]
        solution = self.solve([], [*others, *shadow])
        if solution is not None:
            solution[variable] = _between(lower, upper, variable, solution)
            return solution
        if exact:
            return None
        self._spend(len(lower) * len(upper))
        if self.solve([], [*others, *(_shadow(a, b, variable, dark=False) for a in lower for b in upper)]) is None:
            return None
        return self._splinters(rows, lower, variable, max(-row[variable] for row in upper))

    def _splinters(self, rows: Sequence[Row], lower: Sequence[Row], variable: int, most: int) -> dict[int, int] | None:
        """Look for the solutions outside of the dark shadow: they are close to a lower bound."""
        for row in lower:
            factor = row[variable]
            for distance in range((most * factor - most - factor) // most + 1):
                self._spend(1)
                solution = self.solve([combine(row, {CONSTANT: -distance})], rows)
                if solution is not None:
                    return solution
        return None


def _tightest(rows: Iterable[Row]) -> tuple[list[Row], list[Row]] | None:
    """Return the tightest of parallel rows, each divided by its factors' gcd, and new equations.

    Opposite rows that leave one value become equations. None if two contradict each other.
    """
    found: dict[tuple[tuple[int, int], ...], int] = {}
    for row in rows:
        constant = row.get(CONSTANT, 0)
        factors = sorted(item for item in row.items() if item[0] != CONSTANT)
        if not factors:
            if constant < 0:
                return None
            continue
        common = gcd(*(value for _, value in factors))
        if common > 1:
            factors, constant = [(key, value // common) for key, value in factors], constant // common
        key = tuple(factors)
        found[key] = min(found.get(key, constant), constant)
    kept: list[Row] = []
    equations: list[Row] = []
    for key, constant in found.items():
        opposite = found.get(tuple((variable, -factor) for variable, factor in key))
        if opposite is not None and constant + opposite <= 0:
            if constant + opposite < 0:
                return None
            if key[0][1] > 0:
                equations.append({**dict(key), CONSTANT: constant})
        else:
            kept.append({**dict(key), CONSTANT: constant} if constant else dict(key))
    return kept, equations


def _choose(rows: Sequence[Row]) -> tuple[int, list[Row], list[Row], list[Row]]:
    """Choose the variable that is cheapest to project out; return it, its lower and upper bounds, and other rows."""
    counts: dict[int, list[int]] = {}
    for row in rows:
        for key, factor in row.items():
            if key != CONSTANT:
                entry = counts.setdefault(key, [0, 0, 1, 1])
                side = factor < 0
                entry[side] += 1
                entry[2 + side] = max(entry[2 + side], abs(factor))

    def cost(key: int) -> tuple[bool, int]:
        lower, upper, most_lower, most_upper = counts[key]
        exact = not (lower and upper) or most_lower == 1 or most_upper == 1
        return not exact, lower * upper - lower - upper

    variable = min(counts, key=cost)
    lower = [row for row in rows if row.get(variable, 0) > 0]
    upper = [row for row in rows if row.get(variable, 0) < 0]
    return variable, lower, upper, [row for row in rows if variable not in row]


def _shadow(lower: Row, upper: Row, variable: int, *, dark: bool) -> Row:
    a, b = lower[variable], -upper[variable]
    shadow = combine(upper, lower, b, scale=a)
    room = (a - 1) * (b - 1)
    return combine(shadow, {CONSTANT: -room}) if dark and room else shadow


def _between(lower: Iterable[Row], upper: Iterable[Row], variable: int, values: dict[int, int]) -> int:
    """Return the integer closest to 0 that satisfies all bounds; values that are still open become 0."""
    least: int | None = None
    most: int | None = None
    for is_upper, rows in ((False, lower), (True, upper)):
        for row in rows:
            factor = abs(row[variable])
            rest = 0
            for key, number in row.items():
                if key != variable:
                    rest += number if key == CONSTANT else number * values.setdefault(key, 0)
            if is_upper:
                most = rest // factor if most is None else min(most, rest // factor)
            else:
                least = -(rest // factor) if least is None else max(least, -(rest // factor))
    value = 0 if most is None else min(0, most)
    return value if least is None else max(value, least)
