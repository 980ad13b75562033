"""Whether a problem has a solution: parts that share no unknown are decided one by one.

Alternatives are omitted at first: if the remaining rows have no solution, neither has the problem. An alternative that
the solution already satisfies stays omitted; otherwise each case is tried. If a solution of the rules for products
violates a product, a few numbers are tried for its factors; if that fails too, the answer is unknown.

The unknowns of a problem fall into parts that no row connects, mostly dimensions that different loops move. An
alternative whose cases are about several parts (an element is outside of a slice in one dimension or another) is split
first; then each part is decided by itself, so that the work of the parts adds up and does not multiply. Answers about
parts are memoized by shape, as many questions are about the same tile.

Cost: a bounded number of systems for each question; finding the parts is linear in the rows.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.union_find import UnionFind
from .omega_test import CONSTANT, Row, TooHard, combine, evaluate, solve
from .problems import Case, Problem, ProductRows, Solvability, product_rules

__all__ = ["Memory", "decide"]

_MOST_REMEMBERED = 20000
_TRIED_FACTORS = (1, 2, 3, 5)

Memory = dict[object, Solvability]
"""Answers about parts, by their shapes."""


def decide(problem: Problem, memory: Memory, effort: int) -> Solvability:
    """Decide whether ``problem`` has a solution, with at most ``effort`` systems; ``memory`` is read and extended."""
    whole = problem.copy()
    whole.alternatives.extend(product_rules(problem))
    try:
        return _Search(memory, effort).run(whole)
    except TooHard:
        return Solvability(None)


class _Search:
    def __init__(self, memory: Memory, effort: int) -> None:
        self._left = effort
        self._memory = memory

    def run(self, problem: Problem) -> Solvability:
        found = _parts(problem)
        if found is None:
            return Solvability(is_feasible=False)
        parts, bridges = found
        values: dict[int, int] = {}
        failed = False
        for part in parts:
            # With bridges, a part is only checked for having no solution. Bridges have many cases, most of which a
            # part's own alternatives (a size is the smaller of two) exclude.
            outcome = self._part(_without_products(part) if bridges else part)
            if outcome.is_feasible is False:
                return outcome
            failed = failed or outcome.is_feasible is None
            values |= outcome.solution
        if bridges:
            return self._split(problem, min(bridges, key=len), values)
        return Solvability(None) if failed else Solvability(is_feasible=True, solution=values)

    def _split(self, problem: Problem, cases: tuple[Case, ...], values: dict[int, int]) -> Solvability:
        """Try the cases, those first that already hold."""
        failed = False
        rest = [other for other in problem.alternatives if other is not cases]
        for case in sorted(cases, key=lambda case: not case.holds(values)):
            narrowed = problem.copy()
            # Slices that differ in one dimension have the same cases in all others.
            narrowed.alternatives = [other for other in rest if not any(_is_part_of(weaker, case) for weaker in other)]
            narrowed.add(case)
            found = self.run(narrowed)
            if found.is_feasible:
                return found
            failed = failed or found.is_feasible is None
        return Solvability(None if failed else False)

    def _part(self, part: Problem) -> Solvability:
        names: dict[int, int] = {CONSTANT: CONSTANT}
        shape = _shape(part, names)
        known = self._memory.get(shape)
        if known is None:
            known = self._decided(part)
            if len(self._memory) < _MOST_REMEMBERED:
                solution = {names[v]: value for v, value in known.solution.items() if v in names}
                self._memory[shape] = Solvability(known.is_feasible, solution)
            return known
        named = {name: variable for variable, name in names.items()}
        return Solvability(known.is_feasible, {named[name]: value for name, value in known.solution.items()})

    def _decided(self, part: Problem) -> Solvability:
        self._left -= 1
        if self._left < 0:
            raise TooHard
        solution = solve(part.equations, part.bounds)
        if solution is None:
            return Solvability(is_feasible=False)
        open_ = [cases for cases in part.alternatives if not any(case.holds(solution) for case in cases)]
        if open_:
            return self._split(part, min(open_, key=len), solution)
        if all(product.holds(solution) for product in part.products):
            return Solvability(is_feasible=True, solution=solution)
        return self._with_numbers(part, solution)

    def _with_numbers(self, problem: Problem, solution: dict[int, int]) -> Solvability:
        """Try numbers for a factor of a product, which make it linear."""
        wrong = next(product for product in problem.products if not product.holds(solution))
        for row, other in ((wrong.second, wrong.first), (wrong.first, wrong.second)):
            for number in dict.fromkeys((evaluate(row, solution), *_TRIED_FACTORS)):
                narrowed = problem.copy()
                narrowed.products = [product for product in problem.products if product is not wrong]
                narrowed.equations.append(combine(row, {CONSTANT: -number}))
                narrowed.equal(wrong.result, combine({}, other, number))
                found = self.run(narrowed)
                if found.is_feasible:
                    return found
        return Solvability(None)


def _is_part_of(weaker: Case, case: Case) -> bool:
    """Whether ``case`` has all rows of ``weaker``."""
    return all(row in case.bounds for row in weaker.bounds) and all(row in case.equations for row in weaker.equations)


# --- parts -------------------------------------------------------------------------------------------------------


def _without_products(part: Problem) -> Problem:
    return Problem(part.equations, part.bounds, count=part.count) if part.products else part


def _parts(problem: Problem) -> tuple[list[Problem], list[tuple[Case, ...]]] | None:
    """Return the parts, and the alternatives that are about several of them; None if a constant row cannot hold."""
    sets = UnionFind()
    equations = [(_connect(sets, row), row) for row in problem.equations]
    bounds = [(_connect(sets, row), row) for row in problem.bounds]
    products = [(_connect(sets, (*p.first, *p.second, *p.result)), p) for p in problem.products]
    parts: dict[int, Problem] = {}

    def part(variable: int) -> Problem:
        root = sets.find(variable)
        found = parts.get(root)
        if found is None:
            found = parts[root] = Problem(count=problem.count)
        return found

    for variable, row in equations:
        part(variable).equations.append(row)
    for variable, row in bounds:
        part(variable).bounds.append(row)
    for variable, product in products:
        part(variable).products.append(product)
    bridges: list[tuple[Case, ...]] = []
    for cases in problem.alternatives:
        variables = {v for case in cases for row in (*case.equations, *case.bounds) for v in row if v != CONSTANT}
        roots = {sets.find(v) for v in variables}
        if len(roots) > 1:
            bridges.append(cases)
        else:
            part(next(iter(roots), CONSTANT)).alternatives.append(cases)
    constant = parts.pop(CONSTANT, None)
    if constant is not None and not _holds(constant):
        return None
    return list(parts.values()), bridges


def _connect(sets: UnionFind, row: Iterable[int]) -> int:
    """Connect the variables of a row and return one of them, ``CONSTANT`` if it has none."""
    connected = CONSTANT
    for variable in row:
        if variable != CONSTANT:
            connected = variable if connected == CONSTANT else sets.union(connected, variable)
    return connected


def _holds(constant: Problem) -> bool:
    return Case(tuple(constant.equations), tuple(constant.bounds)).holds({}) and all(
        any(case.holds({}) for case in cases) for cases in constant.alternatives
    )


def _shape(part: Problem, names: dict[int, int]) -> object:
    """Return the part with its variables numbered as they come."""
    name = names.setdefault

    def rows(all_: Iterable[Row]) -> object:
        return tuple([tuple([(name(key, len(names)), row[key]) for key in row]) for row in all_])

    def product(factors: ProductRows) -> object:
        return rows((factors.first, factors.second, factors.result))

    return (
        rows(part.equations),
        rows(part.bounds),
        tuple(tuple((rows(case.equations), rows(case.bounds)) for case in cases) for cases in part.alternatives),
        tuple(product(factors) for factors in part.products),
    )
