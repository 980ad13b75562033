"""The cheapest decisions: which operands to refuse so that everything else is in place without a conflict.

A *trial* runs the analysis with some operands refused from the start, in one of a few orders. Any trial is an outcome
that is right, so the search is about cost only. What outcomes pay for is described by clauses, whose cheapest solution
(``cover.py``) says which operands to refuse in the next trial, and what no outcome is below. Clauses are found when
they are needed: a trial that pays for more than the solution is explained (``clauses.py``), or excluded by itself. The
search ends when the best outcome costs what the solution does.

Operands are *contested* if the values they may share memory with have anything to pay for. With more than
:data:`MOST_CONTESTED`, operands are refused and accepted one at a time instead, as long as that makes it cheaper; the
bound is then that of clauses which have nothing in common.

Every step is bounded by a number of visited ops. See docs/theory/foundations.md. No upstream counterpart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..costs.optimality import Optimality
from ..costs.price import Price
from ..effects.reader import TensorEffects
from ..effects.tables import Refusal
from .clauses import Clauses
from .cost_model import Expense
from .cover import FEW, Covers, disjoint_bound
from .decision_order import DecisionOrder
from .function_decisions import FunctionAnalysis
from .options import AnalysisOptions
from .trials import TrialOutcome, Trials

__all__ = ["MOST_CONTESTED", "search"]

MOST_CONTESTED = 60
"""Up to so many contested operands the search is exact."""


def search(
    effects: TensorEffects,
    function: int,
    options: AnalysisOptions,
    orders: Sequence[DecisionOrder],
    start: FunctionAnalysis,
) -> tuple[FunctionAnalysis, Optimality]:
    """Return the cheapest outcome that is found for op number ``function``, beginning with ``start``.

    If so many decisions depend on each other that OR-Tools is needed, and it is not installed, that is a refusal.
    """
    trials = Trials(effects, function, options, orders, start)
    contested = _contested(effects, trials)
    if len(contested) > MOST_CONTESTED:
        bound = _Search(trials, contested).climb()
    elif not contested:
        bound = trials.best.cost
    else:
        try:
            bound = _Search(trials, contested).run()
        except ModuleNotFoundError:
            message = (
                f"analysis-heuristic=optimal needs OR-Tools for more than {FEW} decisions that depend on each other; "
                "install it: pip install 'mlir-inplace[solver]'"
            )
            refusal = Refusal(effects.snapshot.ops[function], message)
            start, bound = replace(start, refusals=(*start.refusals, refusal)), Price()
            return start, Optimality(trials.best.cost, bound, len(contested), trials.count)
    best = trials.best
    return best.analysis, Optimality(best.cost, min(bound, best.cost), len(contested), trials.count)


class _Search:
    """The search among sets of refused ``contested`` operands."""

    def __init__(self, trials: Trials, contested: frozenset[int]) -> None:
        self._trials = trials
        self._contested = contested
        self._clauses = Clauses(trials, contested)

    def run(self) -> Price:
        """Try the cheapest solutions of the clauses, until one is an outcome; return the bound."""
        trials, bound, covers = self._trials, Price(), Covers()
        while bound < trials.best.cost and not trials.is_half_spent:
            cover = covers.cheapest(self._clauses.all, trials.costs)
            bound = max(bound, cover.bound)
            if bound >= trials.best.cost or cover.paid is None:
                break
            refused = frozenset(one.number for one in cover.paid if one.is_refusal and one.number in self._contested)
            self._learn(refused, cover.paid, trials.outcomes(refused))
        return bound if bound >= trials.best.cost else max(bound, self.climb())

    def _learn(self, refused: frozenset[int], paid: frozenset[Expense], outcomes: Sequence[TrialOutcome]) -> None:
        """Add clauses that say why every one of ``outcomes`` pays for more than ``paid``."""
        more = frozenset.intersection(*(outcome.paid for outcome in outcomes)) - paid
        found = [clause for one in sorted(more) if (clause := self._clauses.explain(one, refused)) is not None]
        if not found:
            self._clauses.exclude(refused)

    def climb(self) -> Price:
        """Refuse and accept single operands as long as that makes the outcome cheaper; return a bound."""
        trials = self._trials
        refused = frozenset(one.number for one in trials.best.paid if one.is_refusal) & self._contested
        for one in sorted(trials.best.paid):
            self._clauses.explain(one, refused)
        bound = disjoint_bound(self._clauses.all, trials.costs)
        refused, improves = frozenset[int](), True
        while improves and bound < trials.best.cost:
            improves = False
            for operand in self._neighbours():
                if trials.is_exhausted:
                    return bound
                before = trials.best.cost
                trials.outcomes(refused ^ {operand})
                if trials.best.cost < before:
                    refused, improves = refused ^ {operand}, True
        return bound

    def _neighbours(self) -> Iterable[int]:
        """The contested operands, first those in clauses: they are known to matter."""
        counted = [one.number for clause in self._clauses.all for one in clause.paid if one.is_refusal]
        return dict.fromkeys([*counted, *sorted(self._contested)])


def _contested(effects: TensorEffects, trials: Trials) -> frozenset[int]:
    """Return the operands that may be refused, and may share memory with something that is paid for."""
    s, best, sharing = effects.snapshot, trials.best, trials.tables.sharing()
    paid_for = (one.number if one.makes else s.operand_value[one.number] for one in best.paid if one.number >= 0)
    paid = set(map(sharing.find, paid_for))
    allowed = trials.tables.refusable(best.analysis.decisions)
    return frozenset(operand for operand in allowed if sharing.find(s.operand_value[operand]) in paid)
