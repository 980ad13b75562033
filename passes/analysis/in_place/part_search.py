"""The search for a cheaper outcome of one part of a function, by trials: analyses with operands refused from the start.

First the cheapest solutions of clauses are tried, until these prove the best outcome. Then leads are followed, what is
paid is decided first, and operands are refused singly. What clauses and leads are says ``likely_clauses.py``.

A trial says which refused operands it *needs*: those that would be in place otherwise. Without the others each decision
is the same, as they are refused in their turns. So it is if operands are refused that are out-of-place there anyway.
The outcome of such a set is known without a trial, and what is needed is all that an outcome is said to refuse.

A constant number of trials, by the ops that they visit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..conflicts.decisions import Conflict, Strategy
from ..costs.price import Price
from .cost_model import CostModel, OrderOutcome, orders_of_loops
from .cover import Covers
from .decision_order import FIRST, TOP_DOWN, DecisionOrder
from .function_decisions import OneShotAnalyzer
from .function_tables import FunctionTables
from .likely_clauses import Leads, LikelyClauses

__all__ = ["PartSearch", "Refused", "is_better", "outcome_of", "rank"]

_MOST_TRIALS = 24
_MOST_IN_VAIN = 400
"""How many ops trials of a part visit in a row without making anything cheaper."""
_LEAST_IN_VAIN = 2
"""How many such trials there are in large parts."""
_MOST_FOLLOWED = 1000
"""How many ops trials of a part visit in a row that follow leads and make nothing cheaper."""
_MOST_SINGLY = 200
"""How many ops trials of a part visit in a row that refuse one operand more and make nothing cheaper."""
_MOST_LOOKS = 170
"""How many ops trials visit that follow leads where clauses seem to prove that nothing is cheaper."""
_MOST_EQUAL = 60
"""How many ops trials visit in a row that follow leads which seem to cost as much as the cheapest outcome."""
_MOST_ABOVE = 40
"""The same of leads that seem to cost more than the cheapest outcome: an estimate is no bound."""
_MOST_DECIDED_FIRST = 60
"""How many ops are visited by trials that decide in front of the others what the best outcome of a part refuses."""
_MOST_FAILURES = 2
"""How often another order is tried than that of the cheapest outcome, until one of these is cheaper."""
_MOST_NODES = 200
"""How many nodes a search for a solution visits, in each group of clauses."""

Refused = dict[int, Conflict]
"""Operands that are refused from the start, and why."""


class _Known(NamedTuple):
    """An outcome, and all that is ``refused`` there, from the start or in its turn."""

    outcome: OrderOutcome
    refused: frozenset[int]


class PartSearch:
    """The search for a cheaper outcome of the part of ``tables``, by trials that visit ``visits`` ops at most.

    ``is_called``: whether the function is called, so that others depend on its summary.
    """

    def __init__(
        self,
        clauses: LikelyClauses,
        costs: CostModel,
        known: Sequence[OrderOutcome],
        run: Callable[[DecisionOrder, Refused], OneShotAnalyzer],
        tables: FunctionTables,
        visits: int,
        *,
        is_called: bool = False,
    ) -> None:
        self._orders = tables.orders()
        self._clauses = clauses
        self._costs = costs
        self._known = known
        self._best = known[0]
        self._rank = rank(costs, known[0])
        self._run = run
        self._is_called = is_called
        self._outcomes: dict[DecisionOrder, list[_Known]] = {}
        """By order, the outcomes so far."""
        for one in known:
            self._enter(one, frozenset())
        self._failures = Counter[DecisionOrder]()
        """By order, how many trials of it in a row made nothing cheaper."""
        self._vain = 0
        """How many trials in a row made nothing cheaper."""
        self.trials = 0
        self._size = size = len(tables.ops)
        self._refused: Refused = {}
        self._visits = visits
        self._most = min(_MOST_TRIALS, visits // max(size, 1))
        self._most_in_vain = max(_MOST_IN_VAIN // max(size, 1), _LEAST_IN_VAIN)

    def run(self) -> OrderOutcome:
        """Return the cheapest outcome that is found."""
        clauses, covers, is_proved = self._clauses, Covers(), not self._most
        for outcome in self._known if self._most else ():
            clauses.learn(outcome)
        while not self._is_over:
            cover = covers.cheap(clauses.all, clauses.costs, _MOST_NODES)
            is_proved = cover.bound >= self._best.cost and cover.paid is not None
            if cover.paid is None or is_proved:
                break
            refused = frozenset(one.number for one in cover.paid if one.is_refusal and one.number in clauses.allowed)
            if not self._try_orders(refused) and not self._exclude(refused):
                break
        if self._most:
            self._follow_leads(_MOST_LOOKS if is_proved else _MOST_FOLLOWED)
            best = self._best
            self._decide_first()
            if self._best.cost < best.cost:
                self._decide_first()
        if not is_proved:
            self._climb()
        return self._best

    def _follow_leads(self, most: int) -> None:
        """Try what outcomes suggest, until trials in a row visit ``most`` ops and make nothing cheaper."""
        leads, vain = Leads(self._clauses, self._orders), 0
        for known in self._outcomes.values():
            for one in known:
                leads.add(one.outcome, self._reasons(one.outcome.needed))
        while vain < most and self.trials * self._size < self._visits:
            lead, best = leads.pop(self._best.cost), self._best
            if lead is None or vain >= self._most_followed(lead.estimate, most):
                return
            if self._known_outcome(lead.order, frozenset(lead.refused)) is None:
                takes_equal = not self._is_called or lead.estimate < best.cost
                outcome = self._try(lead.order, dict(lead.refused), takes_equal=takes_equal)
                leads.add(outcome, self._reasons(outcome.needed))
                is_cheaper = self._best.cost < best.cost
                vain = 0 if is_cheaper else vain + self._size
                for other in self._in_other_orders() if is_cheaper else ():
                    leads.add(other, self._reasons(other.needed))

    def _most_followed(self, estimate: Price, most: int) -> int:
        """Return how many ops trials in a row may visit in vain that follow a lead of this ``estimate``."""
        if estimate < self._best.cost:
            return most
        return _MOST_EQUAL if estimate == self._best.cost else _MOST_ABOVE

    def _in_other_orders(self) -> Iterator[OrderOutcome]:
        """Try what the best outcome refuses in the orders in which that is not known."""
        refused = self._refused
        for order in self._orders:
            if self._known_outcome(order, frozenset(refused)) is None:
                yield self._try(order, refused)

    def _climb(self) -> None:
        """Refuse one operand more, in any order, as long as that makes it cheaper.

        Clauses tell neither why a loop copies or swaps buffers, nor what resolves a conflict in another order.
        """
        size, best = max(self._size, 1), None
        while best is None or self._best.cost < best.cost:
            if best is not None:
                self._refuse_less()
            most = min(self.trials + _MOST_SINGLY // size, self._visits // size)
            self._decide_first()
            best, refused = self._best, self._refused
            for order, operand in self._singles(best, refused):
                if self.trials >= most:
                    return
                if self._known_outcome(order, frozenset({*refused, operand})) is None:
                    self._try(order, {**refused, operand: self._clauses.reason(operand)})
                if self._best.cost < best.cost:
                    break

    def _decide_first(self) -> None:
        """Decide each operand that the best outcome refuses, the cheapest first, in front of the others of these."""
        best, most = self._best, self.trials + min(_MOST_DECIDED_FIRST, self._visits) // max(self._size, 1)
        explained = self._clauses.explained(best)
        paid = sorted((one.price, -one.expense.number, one.is_alone) for one in explained if one.expense.is_refusal)
        operands = [-number for _, number, _ in paid if -number in self._clauses.allowed]
        alone = {-number for _, number, is_alone in paid if is_alone}
        for operand in operands:
            refused = {one: self._clauses.reason(one) for one in sorted(operands) if one != operand}
            if self.trials >= most or self._best is not best:
                return
            if operand not in alone and self._known_outcome(best.order, frozenset(refused)) is None:
                self._try(best.order, refused)

    def _refuse_less(self) -> None:
        """Refuse no operand without which the best outcome costs no more."""
        for operand in sorted(self._refused):
            refused, rank_before = {one: why for one, why in self._refused.items() if one != operand}, self._rank
            outcome = self._try(self._best.order, refused)
            if rank(self._costs, outcome) == rank_before:
                self._best, self._refused = outcome, refused

    def _singles(self, best: OrderOutcome, refused: Refused) -> Iterator[tuple[DecisionOrder, int]]:
        """Yield operands to refuse beside those ``refused``, and in which order: that of the ``best`` outcome first."""
        for _, operand in sorted(self._estimates(best)):
            yield best.order, operand
        others: list[tuple[Price, int, int]] = []
        for index, order in enumerate(self._orders):
            if order != best.order:
                base = self._known_outcome(order, frozenset(refused)) or self._try(order, refused)
                self._clauses.learn(base)
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
        reasons = self._reasons(refused)
        rest = [FIRST, TOP_DOWN, *(one.order for one in self._known[1:])]
        while (orders or rest) and not self._is_over:
            order = orders.pop() if orders else rest.pop()
            is_other = order != self._best.order
            if is_other and self._failures[order] >= _MOST_FAILURES:
                continue
            if self._known_outcome(order, refused) is not None:
                continue
            cost = self._best.cost
            outcome = self._try(order, reasons)
            is_cheaper = self._best.cost < cost
            self._vain = 0 if is_cheaper else self._vain + 1
            self._failures[order] = 0 if is_cheaper else self._failures[order] + 1
            learned |= clauses.learn(outcome)
            orders += orders_of_loops(outcome.analysis)
        return learned

    def _try(self, order: DecisionOrder, refused: Refused, *, takes_equal: bool = True) -> OrderOutcome:
        """Return the outcome, and take it if it is cheaper, and that is sure; or as cheap with fewer likely buffers."""
        self.trials += 1
        outcome = outcome_of(self._run(order, refused), self._costs, order)
        self._enter(outcome, frozenset(refused))
        new = rank(self._costs, outcome)
        if is_better(new, self._rank) and (takes_equal or outcome.cost < self._best.cost):
            self._rank, self._best, self._refused = new, outcome, self._reasons(outcome.needed)
        return outcome

    def _enter(self, outcome: OrderOutcome, refused: frozenset[int]) -> None:
        """Enter the outcome of a trial with ``refused`` operands."""
        out = (one.operand for one in outcome.analysis.decisions.values() if one.strategy is Strategy.OUT_OF_PLACE)
        self._outcomes.setdefault(outcome.order, []).append(_Known(outcome, refused.union(out)))

    def _known_outcome(self, order: DecisionOrder, refused: frozenset[int]) -> OrderOutcome | None:
        """Return the outcome with ``refused`` operands, if it is that of another trial: what that needs is refused.

        Beside it only what was out-of-place there anyway, in its turn, so each decision is the same.
        """
        known = self._outcomes.get(order, ())
        return next((one.outcome for one in known if one.outcome.needed <= refused <= one.refused), None)

    def _exclude(self, refused: frozenset[int]) -> bool:
        """Exclude what is known to be the outcome with ``refused`` operands; return whether it was not."""
        for one in self._outcomes.get(self._best.order, ()):
            if one.outcome.needed <= refused <= one.refused:
                return self._clauses.exclude(one.outcome.needed, one.refused)
        return self._clauses.exclude(refused, refused)

    def _reasons(self, refused: frozenset[int]) -> Refused:
        """Return why operands are refused, in the order of their numbers."""
        return {operand: self._clauses.reason(operand) for operand in sorted(refused)}


def outcome_of(analyzer: OneShotAnalyzer, costs: CostModel, order: DecisionOrder) -> OrderOutcome:
    """Run an analysis of ``order``."""
    analysis = analyzer.run()
    return OrderOutcome(analysis, costs.cost(analysis), order, analyzer.not_passed_on, frozenset(analyzer.needed))


def is_better(new: tuple[Price, float], old: tuple[Price, float]) -> bool:
    """Whether an outcome is cheaper, and copies nothing where nothing was copied.

    Sizes and trip counts are estimates, and clean-up may remove buffers: allocations are not saved by a first copy.
    """
    may_copy = new[0].copied == 0 or old[0].copied > 0 or new[0].refusals < old[0].refusals
    return new < old and may_copy


def rank(costs: CostModel, outcome: OrderOutcome) -> tuple[Price, float]:
    """Return what outcomes are compared by."""
    return outcome.cost, costs.likely(outcome.analysis)
