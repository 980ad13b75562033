"""Improves on the cheapest outcome of a few orders: with other operands refused from the start, if that costs less.

A change is tried by running the analysis again, so it is sound whatever is refused. What outcomes pay for, and why, is
described by clauses (``likely_clauses.py``): of the operands that bring a write and a read together one is refused, and
so on. The cheapest solution of the clauses (``cover.py``) says what to refuse in the next trial, which tells more
clauses. It ends when the cheapest outcome costs no more than the solution does. Then leads are followed:
what single outcomes say about themselves.

Each part of the function (``function_tables.py``) is searched by itself. In the end the function is analysed once more,
with all that was found to be refused.

The number of trials is bounded, as are the ops that they visit, and the nodes of each search for a solution. So this
takes a constant number of analyses; none of a part in which so much is paid for that a few trials would not do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from ..conflicts.decisions import Conflict, Strategy
from ..costs.price import Price
from ..effects.reader import TensorEffects
from .bonds import Bonds
from .cost_model import CostModel, OrderOutcome, conflicts, orders_of_loops
from .cover import Covers
from .decision_order import FIRST, TOP_DOWN, DecisionOrder
from .fewest_allocations import has_fewest_allocations
from .function_decisions import FunctionAnalysis, OneShotAnalyzer
from .function_tables import FunctionTables
from .likely_clauses import Leads, LikelyClauses
from .live_contents import least_allocations
from .region_flow import carried_values

__all__ = ["MOST_PAID", "Improvement", "is_cheapest", "rank"]

_MOST_TRIALS = 24
_MOST_VISITS = 3000
"""Trials times ops of their parts: what a large function pays for a search that seldom finds anything in it."""
_MOST_IN_VAIN = 400
"""How many ops trials of a part visit in a row without making anything cheaper."""
_LEAST_IN_VAIN = 2
"""How many such trials there are in large parts."""
_MOST_FOLLOWED = 300
"""How many ops trials of a part visit in a row that follow leads and make nothing cheaper."""
_MOST_SINGLY = 600
"""How many ops trials of a part visit in a row that refuse one operand more and make nothing cheaper."""
_MOST_LOOKS = 170
"""How many ops trials visit that follow leads where clauses seem to prove that nothing is cheaper."""
_MOST_EQUAL = 20
"""How many ops trials visit in a row that follow leads which seem to cost as much as the cheapest outcome."""
_MOST_DECIDED_FIRST = 60
"""How many ops are visited by trials that decide in front of the others what the best outcome of a part refuses."""
_MOST_FAILURES = 2
"""How often another order is tried than that of the cheapest outcome, until one of these is cheaper."""
MOST_PAID = 96
"""Copies and allocations of a part in which so few trials would find what to refuse."""
_MOST_NODES = 200
"""How many nodes a search for a solution visits, in each group of clauses."""

_Refused = dict[int, Conflict]


class Begin(Protocol):
    """Begins an analysis of some tables, in an order, with operands refused; loops may do what they do in another."""

    def __call__(
        self,
        of: FunctionTables,
        order: DecisionOrder,
        refused: _Refused,
        orders: Mapping[int, DecisionOrder] | None = None,
        /,
    ) -> OneShotAnalyzer: ...


class Improvement:
    """The cheapest outcome so far, at first ``best``; ``run`` begins another of some tables with operands refused."""

    def __init__(
        self,
        effects: TensorEffects,
        costs: CostModel,
        best: OrderOutcome,
        others: Sequence[OrderOutcome],
        tables: FunctionTables,
        run: Begin,
    ) -> None:
        self._effects = effects
        self._costs = costs
        self._best = best
        self._others = others
        self._tables = tables
        self._run = run
        self._bonds = Bonds(effects, best.analysis.function)
        self._visits = _MOST_VISITS

    def improve(self) -> FunctionAnalysis:
        """Return the cheapest outcome that is found."""
        best = self._best
        if best.cost.refusals:
            return self._search(self._tables, self._costs, [best, *self._others]).analysis
        found = [one for values in self._paid_for() if (one := self._search_part(values)) is not None]
        return self._joined(found).analysis if found else best.analysis

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
        other = _outcome(self._run(tables, order, {}), costs, order)
        return self._joined([other]).analysis if rank(costs, other) < rank(costs, known) else best.analysis

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

    def _search_part(self, values: list[int]) -> OrderOutcome | None:
        """Return an outcome of the part of ``values`` that is cheaper than what there is, if one is found."""
        costs = self._costs.of_part(self._best.analysis.function, frozenset(values))
        before = self._restricted(self._best, values, costs)
        if is_cheapest(self._effects, costs, before) or self._is_least(values, costs, before):
            return None
        known = [before, *(self._restricted(one, values, costs) for one in self._others)]
        found = self._search(self._tables.of_part(values), costs, known)
        return None if found is before else found

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
            downwards = _outcome(self._run(tables, TOP_DOWN, {}), costs, TOP_DOWN)
            known.insert(rank(costs, downwards) >= rank(costs, known[0]), downwards)
        refusable = self._tables.refusable(known[0].analysis.decisions)
        if known[0].cost.ops > MOST_PAID or (len(known) == 1 and _is_settled(costs, known[0], refusable)):
            return known[0]
        clauses = LikelyClauses(self._effects, costs, self._bonds, refusable)
        search = _Search(clauses, costs, known, partial(self._run, tables), tables, self._visits)
        found = search.run()
        self._visits -= search.trials * len(tables.ops)
        return found

    def _is_least(self, values: Sequence[int], costs: CostModel, outcome: OrderOutcome) -> bool:
        """Whether contents that are needed at once cost what ``outcome`` pays for."""
        cost = outcome.cost
        if cost.refusals or cost.copied or cost.ops > MOST_PAID:
            return False
        return least_allocations(self._effects, costs, outcome.analysis.function, values, cost) >= cost

    def _joined(self, found: Sequence[OrderOutcome]) -> OrderOutcome:
        """Return the cheapest outcome of the function that decides as those of parts that were ``found``, or nearly so.

        Parts may have been decided in different orders. What was out-of-place in one is refused from the start.
        """
        best = self._best
        decided = dict(best.analysis.decisions)
        for one in found:
            decided |= one.analysis.decisions
        decisions = decided.values()
        why = {d.operand: d.conflict for d in decisions if d.conflict and d.strategy is Strategy.OUT_OF_PLACE}
        refused = {operand: why[operand] for operand in sorted(self._tables.refusable(why))}
        loops = {op: carried[0].operand for op in self._tables.around if (carried := carried_values(self._effects, op))}
        orders = {op: one.order for one in found for op, yielded in loops.items() if yielded in one.analysis.decisions}
        for order in dict.fromkeys([self._best.order, *(one.order for one in found)]):
            outcome = _outcome(self._run(self._tables, order, refused, orders), self._costs, order)
            if rank(self._costs, outcome) < rank(self._costs, best):
                best = outcome
        return best


class _Search:
    """The search for a cheaper outcome of the part of ``tables``, by trials that visit ``visits`` ops at most."""

    def __init__(
        self,
        clauses: LikelyClauses,
        costs: CostModel,
        known: Sequence[OrderOutcome],
        run: Callable[[DecisionOrder, _Refused], OneShotAnalyzer],
        tables: FunctionTables,
        visits: int,
    ) -> None:
        self._orders = tables.orders()
        self._clauses = clauses
        self._costs = costs
        self._known = known
        self._best = known[0]
        self._rank = rank(costs, known[0])
        self._run = run
        self._outcomes = {(one.order, frozenset[int]()): one for one in known}
        self._failures = Counter[DecisionOrder]()
        """By order, how many trials of it in a row made nothing cheaper."""
        self._vain = 0
        """How many trials in a row made nothing cheaper."""
        self.trials = 0
        self._size = size = len(tables.ops)
        self._refused: _Refused = {}
        self._visits = visits
        self._most = min(_MOST_TRIALS, visits // max(size, 1))
        self._most_in_vain = max(_MOST_IN_VAIN // max(size, 1), _LEAST_IN_VAIN)

    def run(self) -> OrderOutcome:
        """Return the cheapest outcome that is found."""
        clauses, covers, is_proved = self._clauses, Covers(), not self._most
        for outcome in self._known if self._most else ():
            clauses.learn(outcome.analysis, frozenset(), outcome.not_passed_on)
        while not self._is_over:
            cover = covers.cheap(clauses.all, clauses.costs, _MOST_NODES)
            is_proved = cover.bound >= self._best.cost and cover.paid is not None
            if cover.paid is None or is_proved:
                break
            refused = frozenset(one.number for one in cover.paid if one.is_refusal and one.number in clauses.allowed)
            if not self._try_orders(refused) and not clauses.exclude(refused):
                break
        if self._most:
            self._follow_leads(_MOST_LOOKS if is_proved else _MOST_FOLLOWED)
            best = self._best
            self._decide_first()
            if self._best is not best:
                self._decide_first()
        if not is_proved:
            self._climb()
        return self._best

    def _follow_leads(self, most: int) -> None:
        """Try what outcomes suggest, until trials in a row visit ``most`` ops and make nothing cheaper."""
        leads, vain = Leads(self._clauses, self._orders), 0
        for (_, refused), outcome in self._outcomes.items():
            leads.add(outcome, {operand: self._clauses.reason(operand) for operand in sorted(refused)})
        while vain < most and self.trials * self._size < self._visits:
            lead, best = leads.pop(self._best.cost), self._best
            if lead is None or (lead.estimate == best.cost and vain >= _MOST_EQUAL):
                return
            if (lead.order, frozenset(lead.refused)) not in self._outcomes:
                outcome = self._try(lead.order, dict(lead.refused))
                leads.add(outcome, lead.refused)
                vain = vain + self._size if self._best is best else 0

    def _climb(self) -> None:
        """Refuse one operand more, in any order, as long as that makes it cheaper.

        Clauses tell neither why a loop copies or swaps buffers, nor what resolves a conflict in another order.
        """
        size, best = max(self._size, 1), None
        while self._best is not best:
            if best is not None:
                self._refuse_less()
            most = min(self.trials + _MOST_SINGLY // size, self._visits // size)
            self._decide_first()
            best, refused = self._best, self._refused
            for order, operand in self._singles(best, refused):
                if self.trials >= most:
                    return
                if (order, frozenset({*refused, operand})) not in self._outcomes:
                    self._try(order, {**refused, operand: self._clauses.reason(operand)})
                if self._best is not best:
                    break

    def _decide_first(self) -> None:
        """Decide each operand that the best outcome refuses, the cheapest first, in front of the others of these."""
        best, most = self._best, self.trials + min(_MOST_DECIDED_FIRST, self._visits) // max(self._size, 1)
        explained = self._clauses.explained(best.analysis, frozenset(self._refused), best.not_passed_on)
        paid = sorted((one.price, -one.expense.number, one.is_alone) for one in explained if one.expense.is_refusal)
        operands = [-number for _, number, _ in paid if -number in self._clauses.allowed]
        alone = {-number for _, number, is_alone in paid if is_alone}
        for operand in operands:
            refused = {one: self._clauses.reason(one) for one in sorted(operands) if one != operand}
            if self.trials >= most or self._best is not best:
                return
            if operand not in alone and (best.order, frozenset(refused)) not in self._outcomes:
                self._try(best.order, refused)

    def _refuse_less(self) -> None:
        """Refuse no operand without which the best outcome costs no more."""
        for operand in sorted(self._refused):
            refused, rank_before = {one: why for one, why in self._refused.items() if one != operand}, self._rank
            outcome = self._try(self._best.order, refused)
            if rank(self._costs, outcome) == rank_before:
                self._best, self._refused = outcome, refused

    def _singles(self, best: OrderOutcome, refused: _Refused) -> Iterator[tuple[DecisionOrder, int]]:
        """Yield operands to refuse beside those ``refused``, and in which order: that of the ``best`` outcome first."""
        for _, operand in sorted(self._estimates(best)):
            yield best.order, operand
        others: list[tuple[Price, int, int]] = []
        for index, order in enumerate(self._orders):
            if order != best.order:
                base = self._outcomes.get((order, frozenset(refused))) or self._try(order, refused)
                self._clauses.learn(base.analysis, frozenset(refused), base.not_passed_on)
                others += [(cost, index, operand) for cost, operand in self._estimates(base)]
        for _, index, operand in sorted(others):
            yield self._orders[index], operand

    def _estimates(self, base: OrderOutcome) -> Iterator[tuple[Price, int]]:
        """Yield what is in place in ``base`` and cheap to refuse, and what ``base`` would cost then, at best."""
        price, avoided = self._clauses.price, self._clauses.avoided(base.analysis)
        for operand, decision in base.analysis.decisions.items():
            if decision.in_place and operand in self._clauses.allowed and price(operand) < self._best.cost:
                yield base.cost.minus(avoided.get(operand, Price())).plus(price(operand)), operand

    @property
    def _is_over(self) -> bool:
        return self.trials >= self._most or self._vain >= self._most_in_vain

    def _try_orders(self, refused: frozenset[int]) -> bool:
        """Try ``refused``, in the cheapest outcome's order first; return whether that tells more."""
        orders, learned, clauses = [self._best.order], False, self._clauses
        reasons = {operand: clauses.reason(operand) for operand in sorted(refused)}
        rest = [FIRST, TOP_DOWN, *(one.order for one in self._known[1:])]
        while (orders or rest) and not self._is_over:
            order = orders.pop() if orders else rest.pop()
            is_other = order != self._best.order
            if (order, refused) in self._outcomes or (is_other and self._failures[order] >= _MOST_FAILURES):
                continue
            outcome = self._try(order, reasons)
            self._vain = 0 if outcome is self._best else self._vain + 1
            self._failures[order] = 0 if outcome is self._best else self._failures[order] + 1
            learned |= clauses.learn(outcome.analysis, refused, outcome.not_passed_on)
            orders += orders_of_loops(outcome.analysis)
        return learned

    def _try(self, order: DecisionOrder, refused: _Refused) -> OrderOutcome:
        """Return the outcome, and take it if it is cheaper, and that is sure."""
        self.trials += 1
        outcome = _outcome(self._run(order, refused), self._costs, order)
        self._outcomes[order, frozenset(refused)] = outcome
        new = rank(self._costs, outcome)
        if _is_better(new, self._rank):
            self._rank, self._best, self._refused = new, outcome, refused
        return outcome


def _outcome(analyzer: OneShotAnalyzer, costs: CostModel, order: DecisionOrder) -> OrderOutcome:
    """Run an analysis of ``order``."""
    analysis = analyzer.run()
    return OrderOutcome(analysis, costs.cost(analysis), order, analyzer.not_passed_on)


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


def _is_better(new: tuple[Price, float], old: tuple[Price, float]) -> bool:
    """Whether an outcome is cheaper, and copies nothing where nothing was copied.

    Sizes and trip counts are estimates, and clean-up may remove buffers: allocations are not saved by a first copy.
    """
    may_copy = new[0].copied == 0 or old[0].copied > 0 or new[0].refusals < old[0].refusals
    return new < old and may_copy


def rank(costs: CostModel, outcome: OrderOutcome) -> tuple[Price, float]:
    """Return what outcomes are compared by."""
    return outcome.cost, costs.likely(outcome.analysis)
