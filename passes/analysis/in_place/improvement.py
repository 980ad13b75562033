"""Improves on the cheapest outcome of a few orders: with other operands refused from the start, if that costs less.

A change is tried by running the analysis again, so it is sound whatever is refused. What outcomes pay for, and why, is
described by clauses (``likely_clauses.py``): of the operands that bring a write and a read together one is refused, and
so on. The cheapest solution of the clauses (``cover.py``) says what to refuse in the next trial, which tells more
clauses. It ends when the cheapest outcome costs no more than the solution does.

The number of trials is bounded, as are the ops that they visit, and the nodes of each search for a solution. So this
takes a constant number of analyses; none if so much is paid for that a few trials would not do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field

from ....dialects.support.frozen_classes import frozen
from ..conflicts.decisions import Conflict, Rule, Strategy
from ..costs.price import Price
from ..effects.reader import TensorEffects
from .cost_model import CostModel
from .cover import Covers
from .decision_order import FIRST, PASSING_ON, UNROTATED, DecisionOrder
from .function_decisions import FunctionAnalysis, OneShotAnalyzer
from .likely_clauses import LikelyClauses

__all__ = ["MOST_PAID", "Improvement", "OrderOutcome", "conflicts", "orders_of_loops", "rank"]

_MOST_TRIALS = 24
_MOST_VISITS = 3000
"""Trials times ops of the function: what a large one pays for a search that seldom finds anything in it."""
_MOST_FAILURES = 2
"""How often another order is tried than that of the cheapest outcome, until one of these is cheaper."""
MOST_PAID = 96
"""Copies and allocations of a function in which so few trials would find what to refuse."""
_MOST_NODES = 200
"""How many nodes a search for a solution visits, in each group of clauses."""

_Refused = dict[int, Conflict]


@frozen
class OrderOutcome:
    """An outcome of ``order`` with ``refused`` operands; ``not_passed_on`` is by operand that a loop yields."""

    analysis: FunctionAnalysis
    cost: Price
    order: DecisionOrder
    not_passed_on: _Refused
    refused: _Refused = field(default_factory=dict)


class Improvement:
    """The cheapest outcome so far, at first ``best``; ``run`` begins another with operands refused.

    ``size`` is the number of ops of the function.
    """

    def __init__(
        self,
        effects: TensorEffects,
        costs: CostModel,
        best: OrderOutcome,
        others: Sequence[OrderOutcome],
        run: Callable[[DecisionOrder, _Refused], OneShotAnalyzer],
        size: int,
    ) -> None:
        self._effects = effects
        self._costs = costs
        self._best = best
        self._rank = rank(costs, best)
        self._others = others
        self._run = run
        self._seen = {(one.order, frozenset[int]()) for one in (best, *others)}
        self._failures = Counter[DecisionOrder]()
        """By order, how many trials of it in a row made nothing cheaper."""
        self._trials = 0
        self._most = min(_MOST_TRIALS, _MOST_VISITS // max(size, 1))

    def improve(self) -> FunctionAnalysis:
        """Return the cheapest outcome that is found."""
        if not self._most or self._best.cost == Price() or self._best.cost.ops > MOST_PAID:
            return self._best.analysis
        clauses, covers = LikelyClauses(self._effects, self._costs, self._best.analysis), Covers()
        for outcome in (self._best, *self._others):
            clauses.learn(outcome.analysis, frozenset(), outcome.not_passed_on)
        while self._trials < self._most:
            cover = covers.cheap(clauses.all, clauses.costs, _MOST_NODES)
            if cover.paid is None or cover.bound >= self._best.cost:
                break
            refused = frozenset(one.number for one in cover.paid if one.is_refusal and one.number in clauses.allowed)
            if not self._try_orders(refused, clauses) and not clauses.exclude(refused):
                break
        return self._best.analysis

    def _try_orders(self, refused: frozenset[int], clauses: LikelyClauses) -> bool:
        """Try ``refused``, in the cheapest outcome's order first; return whether that tells more."""
        orders, learned = [self._best.order], False
        reasons = {operand: clauses.reason(operand) for operand in sorted(refused)}
        rest = [FIRST, *(one.order for one in self._others)]
        while (orders or rest) and self._trials < self._most:
            order = orders.pop() if orders else rest.pop()
            is_other = order != self._best.order
            if (order, refused) in self._seen or (is_other and self._failures[order] >= _MOST_FAILURES):
                continue
            outcome = self._try(order, reasons)
            self._failures[order] = 0 if outcome is self._best else self._failures[order] + 1
            learned |= clauses.learn(outcome.analysis, refused, outcome.not_passed_on)
            orders += orders_of_loops(outcome.analysis)
        return learned

    def _try(self, order: DecisionOrder, refused: _Refused) -> OrderOutcome:
        """Return the outcome, and take it if it is cheaper, and that is sure.

        Sizes and trip counts are estimates, and clean-up may remove buffers: no copies are made to save allocations.
        """
        self._seen.add((order, frozenset(refused)))
        self._trials += 1
        analyzer = self._run(order, refused)
        analysis = analyzer.run()
        outcome = OrderOutcome(analysis, self._costs.cost(analysis), order, analyzer.not_passed_on, refused)
        new = rank(self._costs, outcome)
        if new < self._rank and _is_surely_less(new[0], self._rank[0]):
            self._rank, self._best = new, outcome
        return outcome


def _is_surely_less(new: Price, old: Price) -> bool:
    """Whether no more is copied, and more ops are in the text only if less than half as much is."""
    if new.refusals < old.refusals:
        return True
    return new.copied <= old.copied and (new.ops <= old.ops or 2 * new.copied < old.copied)


def rank(costs: CostModel, outcome: OrderOutcome) -> tuple[Price, float]:
    """Return what outcomes are compared by."""
    return outcome.cost, costs.likely(outcome.analysis)


def orders_of_loops(analysis: FunctionAnalysis) -> list[DecisionOrder]:
    """Return the orders in which loops do something else than what ``analysis`` pays for."""
    found = []
    if any(decision.strategy is Strategy.COPY_TO_CARRIED for decision in analysis.decisions.values()):
        found.append(PASSING_ON)
    if any(conflict.rule is Rule.ROTATION_SHARED for conflict in conflicts(analysis)):
        found.append(UNROTATED)
    return found


def conflicts(analysis: FunctionAnalysis) -> list[Conflict]:
    """Return the conflicts of the operands that are out-of-place."""
    return [decision.conflict for decision in analysis.decisions.values() if decision.conflict is not None]
