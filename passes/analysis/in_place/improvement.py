"""Improves on the cheapest outcome of a few orders: with other operands refused from the start, if that costs less.

A change is tried by running the analysis again, so it is sound whatever is refused. What outcomes pay for, and why, is
described by clauses (``likely_clauses.py``): of the operands that bring a write and a read together one is refused, and
so on. The cheapest solution of the clauses (``cover.py``) says what to refuse in the next trial, which tells more
clauses. It ends when the cheapest outcome costs no more than the solution does. Then leads are followed:
what single outcomes say about themselves.

Each part of the function (``function_tables.py``) is searched by itself (``part_search.py``). In the end the function
is analysed once more, with all that was found to be refused.

The number of trials is bounded, as are the ops that they visit, and the nodes of each search for a solution. So this
takes a constant number of analyses; none of a part in which so much is paid for that a few trials would not do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from ..conflicts.decisions import Strategy
from ..costs.price import Price
from ..effects.reader import TensorEffects
from .bonds import Bonds
from .cost_model import CostModel, OrderOutcome, conflicts
from .decision_order import TOP_DOWN, DecisionOrder
from .fewest_allocations import has_fewest_allocations
from .function_decisions import FunctionAnalysis, OneShotAnalyzer
from .function_tables import FunctionTables
from .likely_clauses import LikelyClauses
from .live_contents import least_allocations
from .part_search import PartSearch, Refused, outcome_of, rank

__all__ = ["MOST_PAID", "Improvement", "is_cheapest"]

_MOST_VISITS = 3000
"""Trials times ops of their parts: what a large function pays for a search that seldom finds anything in it."""
MOST_PAID = 96
"""Copies and allocations of a part in which so few trials would find what to refuse."""


class Begin(Protocol):
    """Begins an analysis of some tables, in an order, with operands refused; loops may do what they do in another."""

    def __call__(
        self,
        of: FunctionTables,
        order: DecisionOrder,
        refused: Refused,
        orders: Mapping[int, DecisionOrder] | None = None,
        /,
    ) -> OneShotAnalyzer: ...


class Improvement:
    """The cheapest outcome so far, at first ``best``; ``run`` begins another of some tables with operands refused.

    ``is_called``: whether the function is called, so that others depend on its summary.
    """

    def __init__(
        self,
        effects: TensorEffects,
        costs: CostModel,
        best: OrderOutcome,
        others: Sequence[OrderOutcome],
        tables: FunctionTables,
        run: Begin,
        *,
        is_called: bool = False,
    ) -> None:
        self._effects = effects
        self._costs = costs
        self._best = best
        self._others = others
        self._tables = tables
        self._run = run
        self._is_called = is_called
        self._bonds = Bonds(effects, best.analysis.function)
        self._visits = _MOST_VISITS

    def improve(self) -> FunctionAnalysis:
        """Return the cheapest outcome that is found."""
        best = self._best
        if best.cost.refusals:
            return self._search(self._tables, self._costs, [best, *self._others]).analysis
        found, least = list[OrderOutcome](), best.cost
        for values in self._paid_for():
            part = self._search_part(values)
            if part is not None:
                before, after = part
                found.append(after)
                least = least.minus(before.cost).plus(after.cost)
        return self._joined(found, least).analysis if found else best.analysis

    def improve_in_order(self, order: DecisionOrder) -> FunctionAnalysis:
        """Return the cheapest outcome if what is in conflict with something is decided in another order.

        For functions in which a search would take too long: all parts with conflicts are analysed once, as one.
        """
        best, find, s = self._best, self._tables.parts.find, self._effects.snapshot
        operands = [one.operand for one in best.analysis.decisions.values() if one.conflict is not None]
        roots = {find(s.operand_value[operand]) for operand in operands}
        values = [value for value in self._tables.values if find(value) in roots]
        tables = self._tables.of_part(values)
        costs = self._costs.of_part(best.analysis.function, frozenset(values))
        known = self._restricted(best, values, costs)
        if is_cheapest(self._effects, costs, known):
            return best.analysis
        other = outcome_of(self._run(tables, order, {}), costs, order)
        if rank(costs, other) >= rank(costs, known):
            return best.analysis
        return self._joined([other], best.cost.minus(known.cost).plus(other.cost)).analysis

    def _paid_for(self) -> list[list[int]]:
        """Return the values of each part in which anything is paid for that need not be, small parts first."""
        s = self._effects.snapshot
        paid = [one for one, _ in self._costs.expenses(self._best.analysis)]
        if all(one.moves for one in paid):
            return []  # With everything in place nothing else could be.
        find = self._tables.parts.find
        roots = {find(one.number if one.makes else s.operand_value[one.number]) for one in paid}
        parts: dict[int, list[int]] = {}
        for value in self._tables.values:
            if (root := find(value)) in roots:
                parts.setdefault(root, []).append(value)
        return sorted(parts.values(), key=len)

    def _search_part(self, values: list[int]) -> tuple[OrderOutcome, OrderOutcome] | None:
        """Return the outcome of the part of ``values`` that there is, and one that is cheaper, if one is found."""
        costs = self._costs.of_part(self._best.analysis.function, frozenset(values))
        before = self._restricted(self._best, values, costs)
        if is_cheapest(self._effects, costs, before) or self._is_least(values, costs, before):
            return None
        known = [before, *(self._restricted(one, values, costs) for one in self._others)]
        best = min(known, key=partial(rank, costs))  # What is cheapest for the function may be dearer for a part.
        known.remove(best)
        found = self._search(self._tables.of_part(values), costs, [best, *known])
        return None if found is before else (before, found)

    def _restricted(self, outcome: OrderOutcome, values: Sequence[int], costs: CostModel) -> OrderOutcome:
        """Return what ``outcome`` decides about a part."""
        s, decisions = self._effects.snapshot, outcome.analysis.decisions
        operands = sorted(operand for value in values for operand in s.value_uses[value])
        own = {operand: decisions[operand] for operand in operands if operand in decisions}
        analysis = replace(outcome.analysis, decisions=own)
        return replace(outcome, analysis=analysis, cost=costs.cost(analysis))

    def _search(self, tables: FunctionTables, costs: CostModel, known: list[OrderOutcome]) -> OrderOutcome:
        """Return the cheapest outcome of a part, of those that are ``known``, the best first, and of new ones."""
        if conflicts(known[0].analysis):
            downwards = outcome_of(self._run(tables, TOP_DOWN, {}), costs, TOP_DOWN)
            known.insert(rank(costs, downwards) >= rank(costs, known[0]), downwards)
        refusable = self._tables.refusable(known[0].analysis.decisions)
        if known[0].cost.ops > MOST_PAID or (len(known) == 1 and _is_settled(costs, known[0], refusable)):
            return known[0]
        clauses = LikelyClauses(self._effects, costs, self._bonds, refusable)
        run = partial(self._run, tables)
        search = PartSearch(clauses, costs, known, run, tables, self._visits, is_called=self._is_called)
        found = search.run()
        self._visits -= search.trials * len(tables.ops)
        return found

    def _is_least(self, values: Sequence[int], costs: CostModel, outcome: OrderOutcome) -> bool:
        """Whether contents that are needed at once cost what ``outcome`` pays for."""
        cost = outcome.cost
        if cost.refusals or cost.copied or cost.ops > MOST_PAID:
            return False
        return least_allocations(self._effects, costs, outcome.analysis.function, values, cost) >= cost

    def _joined(self, found: Sequence[OrderOutcome], least: Price) -> OrderOutcome:
        """Return the cheapest outcome of the function that decides as those of parts that were ``found``, or nearly so.

        Parts may have been decided in different orders. What was out-of-place in one is refused from the start, and
        loops do what they do in the order of their part. In all this costs ``least``, if nothing else is decided.
        """
        best = self._best
        decided = dict(best.analysis.decisions)
        for one in found:
            decided |= one.analysis.decisions
        decisions = decided.values()
        why = {d.operand: d.conflict for d in decisions if d.conflict and d.strategy is Strategy.OUT_OF_PLACE}
        refused = {operand: why[operand] for operand in sorted(self._tables.refusable(why))}
        orders = dict.fromkeys(best.analysis.decisions, best.order)
        for one in found:
            orders |= dict.fromkeys(one.analysis.decisions, one.order)
        for order in dict.fromkeys([best.order, *(one.order for one in found)]):
            if best is not self._best and best.cost <= least:
                break
            outcome = outcome_of(self._run(self._tables, order, refused, orders), self._costs, order)
            if rank(self._costs, outcome) < rank(self._costs, best):
                best = outcome
        return best


def is_cheapest(effects: TensorEffects, costs: CostModel, outcome: OrderOutcome) -> bool:
    """Whether no other decisions can cost less; False where this cannot be proved without trying any."""
    if outcome.cost == Price():
        return True
    if outcome.cost.refusals or not conflicts(outcome.analysis):
        return False
    if outcome.cost.copied and not all(one.is_refusal for one, _ in costs.expenses(outcome.analysis)):
        return False
    return has_fewest_allocations(effects, outcome.analysis)


def _is_settled(costs: CostModel, outcome: OrderOutcome, refusable: Collection[int]) -> bool:
    """Whether everything is in place, and refusing any one operand costs as much as all that is paid for now."""
    if conflicts(outcome.analysis) or any(one.is_refusal for one, _ in costs.expenses(outcome.analysis)):
        return False
    return all(costs.of_refusal(operand) >= outcome.cost for operand in refusable)
