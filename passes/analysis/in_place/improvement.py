"""Improves on the cheapest outcome of a few orders: with other operands refused from the start, if that costs less.

A change is tried by running the analysis again, so it is sound whatever is refused. The changes are: causes of what is
paid for that cost no copy (``cheap_causes.py``); then one cause that saves more than it costs, or two that do so
together (``saving_causes.py``); all that is refused, in an order in which loops do something else; or an operand that
was refused before no longer is. The first one that helps is kept, and others are looked for from there.

The number of trials is bounded, so this takes a constant number of analyses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..conflicts.decisions import Conflict, Rule, Strategy
from ..costs.price import Price
from ..effects.reader import TensorEffects
from .cheap_causes import cheap_causes
from .cost_model import CostModel
from .decision_order import PASSING_ON, UNROTATED, DecisionOrder
from .function_decisions import FunctionAnalysis, OneShotAnalyzer
from .optimal import refusable
from .saving_causes import Cause, saving_causes

__all__ = ["Improvement", "conflicts", "orders_of_loops", "rank"]

_MOST_TRIALS = 8
_MOST_CAUSES = 5
"""How many causes are tried, of those that save the most."""

_Refused = dict[int, Conflict]


class Improvement:
    """The cheapest outcome so far, at first the one of ``order``; ``run`` begins another with operands refused."""

    def __init__(
        self,
        effects: TensorEffects,
        costs: CostModel,
        best: FunctionAnalysis,
        order: DecisionOrder,
        run: Callable[[DecisionOrder, _Refused], OneShotAnalyzer],
        not_passed_on: _Refused,
    ) -> None:
        self.best = best
        self._effects = effects
        self._costs = costs
        self._rank = rank(costs, best)
        self._order = order
        self._run = run
        self._not_passed_on = not_passed_on
        self._refused = _Refused()
        self._seen = {(order, frozenset[int]())}
        self._tried = best
        """The last outcome, cheaper or not."""

    def improve(self) -> FunctionAnalysis:
        """Return the cheapest outcome that is found."""
        cheap = cheap_causes(self._effects, self.best)
        self._is_improved(cheap, (self._order, *orders_of_loops(self.best)), only_fewer=False)
        while any(self._is_improved(refused, orders) for refused, orders in self._changes()):
            pass
        return self.best

    def _changes(self) -> Iterator[tuple[_Refused, Sequence[DecisionOrder]]]:
        """Yield what may be refused instead, with the orders for that."""
        best, others = self.best, orders_of_loops(self.best)
        if others:
            allowed = refusable(self._effects, best)
            kept = {o: d.conflict for o, d in best.decisions.items() if d.conflict is not None and o in allowed}
            yield self._refused | kept, [order for order in others if order != self._order]
        orders = (self._order, *others)
        for cause in self._causes(best):
            refused = self._refused | {cause.operand: cause.conflict}
            yield refused, orders
            tried = self._tried
            enough = self._costs.cost(tried).weighed - self._rank[0].weighed
            for other in self._causes(tried)[:1]:
                # What is paid for is so because of both.
                if other.saved > enough and other.operand not in refused:
                    yield refused | {other.operand: other.conflict}, orders
        for operand in self._refused:
            yield {other: why for other, why in self._refused.items() if other != operand}, orders

    def _causes(self, analysis: FunctionAnalysis) -> list[Cause]:
        return saving_causes(self._costs, self._effects, analysis, self._not_passed_on)[:_MOST_CAUSES]

    def _is_improved(self, refused: _Refused, orders: Sequence[DecisionOrder], *, only_fewer: bool = True) -> bool:
        """Take the outcome of one of ``orders`` if it is cheaper; ``only_fewer``: with no more copies or allocations.

        Sizes and trip counts are estimates, and clean-up may remove buffers: no copies are made to save allocations.
        """
        work = list(orders)
        for order in work:
            change = order, frozenset(refused)
            if change in self._seen or len(self._seen) > _MOST_TRIALS:
                continue
            self._seen.add(change)
            analyzer = self._run(order, refused)
            other = self._tried = analyzer.run()
            new, old = rank(self._costs, other), self._rank
            if new < old and (not only_fewer or (new[0].copied <= old[0].copied and new[0].ops <= old[0].ops)):
                self.best, self._rank, self._order, self._refused = other, new, order, refused
                self._not_passed_on |= analyzer.not_passed_on
                return True
            work += [one for one in orders_of_loops(other) if one not in work]
        return False


def rank(costs: CostModel, analysis: FunctionAnalysis) -> tuple[Price, float]:
    """Return what outcomes are compared by."""
    return costs.cost(analysis), costs.likely(analysis)


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
