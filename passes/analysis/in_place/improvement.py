"""Improves on the cheapest outcome of a few orders: with other operands refused from the start, if that costs less.

A change is tried by running the analysis again, so it is sound whatever is refused. First come causes of what is paid
for that cost no copy (``cheap_causes.py``), and those of what that leaves. Then comes a best-first search: each
outcome, the cheapest one and others, suggests moves; the next one to be tried is that with the least estimated cost, if
that is below the cheapest outcome's. A move refuses a cause that saves more than it costs (``saving_causes.py``), no
longer refuses an operand, or takes an order in which loops do something else. So two or three moves are found of which
the first ones alone do not help.

The number of trials is bounded, so this takes a constant number of analyses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace

from ....dialects.support.frozen_classes import frozen
from ..conflicts.decisions import Conflict, Decision, Rule, Strategy
from ..costs.price import Price
from ..effects.reader import TensorEffects
from .cheap_causes import cheap_causes
from .cost_model import CostModel
from .decision_order import PASSING_ON, UNROTATED, DecisionOrder
from .function_decisions import FunctionAnalysis, OneShotAnalyzer
from .optimal import refusable
from .saving_causes import saving_causes

__all__ = ["Improvement", "OrderOutcome", "conflicts", "orders_of_loops", "rank"]

_MOST_TRIALS = 9
_MOST_VISITS = 1500
"""Trials times ops of the function: what a large one pays for a search that seldom finds anything in it."""
_MOST_CAUSES = 5
"""How many causes are tried, of those that save the most."""
_MOST_OF_OTHERS = 2
"""How many moves are tried from an outcome that is not the cheapest."""
_MOST_ROUNDS = 3
"""How often what is cheap is refused."""
_FARTHEST = 2
"""How many moves from an outcome that was the cheapest."""

_Refused = dict[int, Conflict]


@frozen
class OrderOutcome:
    """An outcome of ``order`` with ``refused`` operands; ``not_passed_on`` is by operand that a loop yields."""

    analysis: FunctionAnalysis
    cost: Price
    order: DecisionOrder
    not_passed_on: _Refused
    refused: _Refused = field(default_factory=dict)
    moves: int = 0
    """How many moves it is from an outcome that was the cheapest."""
    estimate: int | None = None
    """What it would have cost by estimate."""


@frozen
class _Move:
    """What to try, and what it would cost by estimate."""

    estimate: int
    order: DecisionOrder
    refused: _Refused
    number: int
    """How many moves it is from an outcome that was the cheapest."""
    operand: int = -1
    """What is refused that was not before; or no longer is, by its complement."""
    is_sure: bool = False

    @property
    def change(self) -> tuple[int, int]:
        """What tells it from other moves, whatever the order."""
        return self.operand, len(self.refused)


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
        self._trials = 0
        self._most = min(_MOST_TRIALS, _MOST_VISITS // max(size, 1))
        self._moves: list[_Move] = []
        """Those that are open."""
        self._failures = Counter[tuple[int, int]]()
        """By operand, how often its refusal made nothing cheaper."""
        self._known = set[frozenset[tuple[int, Strategy]]]()
        """What the outcomes pay for from which moves were looked for."""

    def improve(self) -> FunctionAnalysis:
        """Return the cheapest outcome that is found."""
        if self._rank[0] == Price():
            return self._best.analysis
        self._begin()
        self._suggest(self._best, _MOST_CAUSES)
        known = {move.operand for move in self._moves}
        for other in self._others:
            moves = [move for move in self._of(other) if move.operand not in known and move.operand >= 0]
            self._add(moves, _MOST_OF_OTHERS)
        while self._trials < self._most and (move := self._next()) is not None:
            outcome = self._try(move.order, move.refused, move.number, move.estimate)
            if outcome is None:
                continue
            self._failures[move.change] += outcome.moves > 0
            self._suggest(outcome, _MOST_OF_OTHERS if outcome.moves else _MOST_CAUSES)
        return self._best.analysis

    def _next(self) -> _Move | None:
        """Return the move that is tried next."""
        self._moves = [move for move in self._moves if move.estimate < self._rank[0].weighed]
        if not self._moves:
            return None
        found = min(self._moves, key=lambda move: (self._failures[move.change], not move.is_sure, move.estimate))
        self._moves.remove(found)
        return found

    def _begin(self) -> None:
        """Refuse what is cheap, all at once; then what is in the way still, as each conflict names one write only."""
        outcome, refused = self._best, _Refused()
        for _ in range(_MOST_ROUNDS):
            found = cheap_causes(self._effects, outcome.analysis)
            if found.keys() <= refused.keys() or (refused and self._trials >= self._most):
                return
            refused = found | refused
            outcome = self._refuse_at_once(refused) or outcome

    def _refuse_at_once(self, refused: _Refused) -> OrderOutcome | None:
        """Try an outcome with ``refused``, in the orders that this leads to until one is cheaper; return the last."""
        last, orders = None, [self._best.order, *orders_of_loops(self._best.analysis)]
        for order in orders:
            outcome = self._try(order, refused, only_fewer=False)
            if outcome is None:
                continue
            last = outcome
            if not outcome.moves:
                break
            orders += [one for one in orders_of_loops(outcome.analysis) if one not in orders]
        return last

    def _suggest(self, outcome: OrderOutcome, most: int) -> None:
        """Add the moves from ``outcome`` that may lead to a cheaper one."""
        if outcome.moves >= _FARTHEST:
            return
        self._add(self._of(outcome), most)

    def _add(self, moves: Iterable[_Move], most: int) -> None:
        """Add ``most`` of the ``moves`` that may lead to a cheaper outcome."""
        found = [
            move
            for move in moves
            if move.estimate < self._rank[0].weighed and (move.order, frozenset(move.refused)) not in self._seen
        ]
        self._moves += sorted(found, key=lambda move: (not move.is_sure, move.estimate))[:most]

    def _of(self, outcome: OrderOutcome) -> Iterator[_Move]:
        """Yield the moves from ``outcome``."""
        analysis, order, refused = outcome.analysis, outcome.order, outcome.refused
        cost, number = outcome.cost.weighed, outcome.moves + 1
        for operand in refused:
            saved = self._paid(analysis, lambda decision, operand=operand: decision.operand == operand)
            kept = {other: why for other, why in refused.items() if other != operand}
            # What was refused all at once may be more than is needed.
            is_sure = not outcome.moves and len(refused) > 1
            yield _Move(cost - saved, order, kept, number, ~operand, is_sure=is_sure)
        for other in orders_of_loops(analysis):
            if other != order:
                saved = self._paid(analysis, lambda decision, other=other: _is_avoided(decision, other))
                # The estimate of a move that did not help may come true in this order.
                estimate = cost - saved if outcome.estimate is None else min(cost - saved, outcome.estimate)
                yield from (_Move(estimate, other, refused | kept, number) for kept in self._kept(analysis))
        paid = _paid_for(analysis)
        if paid in self._known and outcome is not self._best:
            return
        self._known.add(paid)
        for cause in saving_causes(self._costs, self._effects, analysis, outcome.not_passed_on):
            kept = {operand: why for operand, why in refused.items() if operand not in cause.paid}
            found = {cause.operand: cause.conflict}
            yield _Move(cost - cause.saved, order, kept | found, number, cause.operand, cause.is_sure)
            if len(kept) < len(refused):
                saved = cause.saved - self._paid(analysis, lambda one, kept=kept: one.operand in refused.keys() - kept)
                yield _Move(cost - saved, order, refused | found, number, cause.operand, cause.is_sure)

    def _kept(self, analysis: FunctionAnalysis) -> Iterator[_Refused]:
        """Yield what stays refused in another order: nothing, all but what is forwarded, as that may change, or all."""
        allowed = refusable(self._effects, analysis)
        refused = {o: d.conflict for o, d in analysis.decisions.items() if d.conflict is not None and o in allowed}
        yield {}
        yield {operand: why for operand, why in refused.items() if operand not in self._effects.forwards}
        yield refused

    def _paid(self, analysis: FunctionAnalysis, counts: Callable[[Decision], bool]) -> int:
        """Return what ``analysis`` pays for the decisions that count."""
        decisions = [decision for decision in analysis.decisions.values() if counts(decision)]
        paid = (price for one in decisions for _, price in self._costs.of_operand(analysis, one.operand))
        return sum(price.weighed for price in paid)

    def _try(
        self,
        order: DecisionOrder,
        refused: _Refused,
        moves: int = 1,
        estimate: int | None = None,
        *,
        only_fewer: bool = True,
    ) -> OrderOutcome | None:
        """Return the outcome, and take it if it is cheaper; None if it was tried before.

        ``only_fewer``: if that is sure. Sizes and trip counts are estimates, and clean-up may remove buffers: no copies
        are made to save allocations.
        """
        change = order, frozenset(refused)
        if change in self._seen:
            return None
        self._seen.add(change)
        self._trials += 1
        analyzer = self._run(order, refused)
        analysis = analyzer.run()
        not_passed_on = self._best.not_passed_on | analyzer.not_passed_on
        outcome = OrderOutcome(analysis, self._costs.cost(analysis), order, not_passed_on, refused, moves, estimate)
        new, old = rank(self._costs, outcome), self._rank
        if new < old and (not only_fewer or _is_surely_less(new[0], old[0])):
            self._rank = new
            self._best = outcome = replace(outcome, moves=0)
        return outcome


def _paid_for(analysis: FunctionAnalysis) -> frozenset[tuple[int, Strategy]]:
    return frozenset((one.operand, one.strategy) for one in analysis.decisions.values() if not one.in_place)


def _is_surely_less(new: Price, old: Price) -> bool:
    """Whether no more is copied, and more ops are in the text only if less than half as much is."""
    return new.copied <= old.copied and (new.ops <= old.ops or 2 * new.copied < old.copied)


def _is_avoided(decision: Decision, order: DecisionOrder) -> bool:
    """Whether loops decide something else in ``order``, so that ``decision`` may not be paid for."""
    if order == UNROTATED:
        return decision.conflict is not None and decision.conflict.rule is Rule.ROTATION_SHARED
    return decision.strategy is Strategy.COPY_TO_CARRIED


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
