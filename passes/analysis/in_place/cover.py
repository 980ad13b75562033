"""The cheapest set of expenses that satisfies clauses: the master problem of the search for decisions (``optimal.py``).

A clause says what every outcome pays for: one of ``paid``, unless one of ``unless`` is not paid. The sums of a solution
are a lower bound on the cost of every outcome. Few decisions are solved here, by branch and bound; more by the CP-SAT
solver of OR-Tools, the optional dependencies `solver`.

Branch and bound takes the clause that leaves the fewest choices. It is cut by clauses that have nothing in common: the
cheapest expense of each must be paid. Exponential at worst, so bounded by :data:`_MOST_NODES`; CP-SAT by
:data:`_SECONDS` of deterministic time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from importlib import import_module
from typing import Any, NamedTuple

from ..costs.price import Price
from .cost_model import Expense

__all__ = ["Clause", "Cover", "Covers", "disjoint_bound"]

FEW = 24
"""More expenses than that in one group of clauses need OR-Tools."""

_MOST_NODES = 20_000
_SECONDS = 0.5
_MOST = 1 << 50
"""Larger costs are taken to be this, for CP-SAT: the bound stays one."""
_NOTHING = Price()

NO_SOLUTION = Price(refusals=1 << 30)
"""The bound where clauses have no solution: every outcome was looked at."""


class Clause(NamedTuple):
    """Every outcome pays for one of ``paid``, unless it does not pay for one of ``unless``."""

    paid: frozenset[Expense]
    unless: frozenset[Expense] = frozenset()

    def holds(self, paid: frozenset[Expense]) -> bool:
        """Whether it holds for an outcome, by what that pays for."""
        return not self.paid.isdisjoint(paid) or not self.unless <= paid


class Cover(NamedTuple):
    """The cheapest solution that was found; nothing that satisfies the clauses costs less than ``bound``.

    ``paid`` is None if there is no solution, or none was found.
    """

    paid: frozenset[Expense] | None
    bound: Price


def disjoint_bound(
    clauses: Sequence[Clause], costs: Mapping[Expense, Price], without: frozenset[Expense] = frozenset()
) -> Price:
    """Return the costs of clauses that have nothing in common, of which ``without`` are not paid."""
    return _bound_in_turn(sorted(clauses, key=_rank), costs, without)


def _rank(clause: Clause) -> tuple[int, list[Expense]]:
    return len(clause.paid), sorted(clause.paid)


def _bound_in_turn(
    clauses: Sequence[Clause], costs: Mapping[Expense, Price], without: frozenset[Expense] = frozenset()
) -> Price:
    """Return the costs of clauses that have nothing in common with those before them."""
    bound, taken = _NOTHING, set[Expense]()
    for clause in clauses:
        if taken.isdisjoint(clause.paid) and not clause.unless and (free := clause.paid - without):
            bound = bound.plus(min(map(costs.__getitem__, free)))
            taken |= clause.paid
    return bound


class Covers:
    """Solves clauses, each group of those that have expenses in common by itself, and only once."""

    def __init__(self) -> None:
        self._known: dict[tuple[frozenset[Clause], tuple[Price, ...]], Cover] = {}
        self._nodes_left = _MOST_NODES

    def cheapest(self, clauses: Sequence[Clause], costs: Mapping[Expense, Price]) -> Cover:
        """Return the cheapest solution. Raises `ModuleNotFoundError` if that needs OR-Tools, and it is missing."""
        covers = [self._of_group(group, costs) for group in _groups(clauses)]
        bound = reduce(Price.plus, (cover.bound for cover in covers), _NOTHING)
        parts = [cover.paid for cover in covers if cover.paid is not None]
        return Cover(frozenset[Expense]().union(*parts) if len(parts) == len(covers) else None, bound)

    def cheap(self, clauses: Sequence[Clause], costs: Mapping[Expense, Price], most: int) -> Cover:
        """Return a solution that ``most`` nodes of a search find in each group, the cheapest one where they suffice."""
        found, bound = frozenset[Expense](), _NOTHING
        for group in _groups(clauses):
            cover = _Search(group, costs, most).run()
            if cover.paid is None:
                return Cover(None, cover.bound)
            found, bound = found | cover.paid, bound.plus(cover.bound)
        return Cover(found, bound)

    def _of_group(self, group: Sequence[Clause], costs: Mapping[Expense, Price]) -> Cover:
        expenses = sorted({one for clause in group for one in (*clause.paid, *clause.unless)})
        key = frozenset(group), tuple(costs[one] for one in expenses)
        if key not in self._known and len(expenses) <= FEW:
            search = _Search(group, costs, self._nodes_left)
            self._known[key] = search.run()
            self._nodes_left -= search.nodes
        elif key not in self._known:
            self._known[key] = _Solver(group, costs).run()
        return self._known[key]


def _groups(clauses: Sequence[Clause]) -> list[list[Clause]]:
    """Return the clauses in groups: two that have an expense in common are in one."""
    groups: list[tuple[set[Expense], list[Clause]]] = []
    for clause in clauses:
        expenses = clause.paid | clause.unless
        joined = [group for group in groups if not group[0].isdisjoint(expenses)]
        groups = [group for group in groups if group[0].isdisjoint(expenses)]
        merged = set(expenses).union(*(group[0] for group in joined))
        groups.append((merged, [clause, *(one for group in joined for one in group[1])]))
    return [group for _, group in groups]


class _Search:
    """Branch and bound, of ``most`` nodes."""

    def __init__(self, clauses: Sequence[Clause], costs: Mapping[Expense, Price], most: int) -> None:
        self._clauses = clauses
        self._costs = costs
        self._most = most
        self._best: tuple[Price, frozenset[Expense]] | None = None
        self.nodes = 0

    def run(self) -> Cover:
        first = disjoint_bound(self._clauses, self._costs)
        open_ = sorted((clause for clause in self._clauses if not clause.unless), key=_rank)
        waiting = [clause for clause in self._clauses if clause.unless]
        self._visit(_Node(frozenset(), frozenset(), _NOTHING, open_, waiting))
        if self.nodes > self._most:
            return Cover(self._best[1] if self._best else None, first)
        if self._best is None:
            return Cover(None, NO_SOLUTION)
        return Cover(self._best[1], self._best[0])

    def _visit(self, node: _Node) -> None:
        self.nodes += 1
        if self.nodes > self._most:
            return
        least = node.cost.plus(_bound_in_turn(node.open, self._costs, node.without))
        if self._best is not None and least >= self._best[0]:
            return
        if not node.open:
            self._best = node.cost, node.paid
            return
        choices = min((clause.paid - node.without for clause in node.open), key=len)
        without = node.without
        for one in sorted(choices, key=lambda one: (self._costs[one], -one.number, one)):
            self._visit(node.paying(one, without, self._costs[one]))
            without |= {one}


class _Node(NamedTuple):
    """A part of a solution: what is paid, and what is not; clauses that are open, and those that wait to be."""

    paid: frozenset[Expense]
    without: frozenset[Expense]
    cost: Price
    open: Sequence[Clause]
    waiting: Sequence[Clause]

    def paying(self, one: Expense, without: frozenset[Expense], cost: Price) -> _Node:
        """Return the node in which ``one`` is paid too, and ``without`` are not."""
        paid = self.paid | {one}
        woken = [c for c in self.waiting if one in c.unless and c.unless <= paid]
        waiting = [c for c in self.waiting if not c.unless <= paid] if woken else self.waiting
        open_ = [c for c in self.open if one not in c.paid]
        open_ += [c for c in woken if c.paid.isdisjoint(paid)]
        return _Node(paid, without, self.cost.plus(cost), open_, waiting)


class _Solver:
    """CP-SAT: one part of the cost after the other, as what is least of one is a bound for the next."""

    def __init__(self, clauses: Sequence[Clause], costs: Mapping[Expense, Price]) -> None:
        self._clauses = clauses
        self._costs = costs
        self._expenses = sorted({one for clause in clauses for one in (*clause.paid, *clause.unless)})

    def run(self) -> Cover:
        cp_model: Any = import_module("ortools.sat.python.cp_model")
        model: Any = cp_model.CpModel()
        pays: dict[Expense, Any] = {one: model.new_bool_var(str(one)) for one in self._expenses}
        for clause in self._clauses:
            model.add_bool_or([*(pays[one] for one in clause.paid), *(pays[one].negated() for one in clause.unless)])
        solver: Any = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_deterministic_time = _SECONDS
        bound: list[int] = []
        paid: frozenset[Expense] | None = None
        for part in range(len(_NOTHING)):
            spent = sum(min(self._costs[one][part], _MOST) * pays[one] for one in self._expenses)
            model.minimize(spent)
            status = solver.solve(model)
            if status == cp_model.INFEASIBLE and not part:
                return Cover(None, NO_SOLUTION)
            if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
                break
            paid = frozenset(one for one in self._expenses if solver.boolean_value(pays[one]))
            if status != cp_model.OPTIMAL:
                bound.append(max(int(solver.best_objective_bound), 0))
                break
            bound.append(sum(min(self._costs[one][part], _MOST) for one in paid))
            model.add(spent <= bound[-1])
        return Cover(paid, Price(*bound))
