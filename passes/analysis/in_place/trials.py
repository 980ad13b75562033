"""Trials: the analysis run with some operands refused from the start, in a few orders, and what each outcome pays for.

Linear in the function for each trial; their number is bounded by the ops that are visited.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects.support.frozen_classes import frozen
from ..conflicts.decisions import Conflict, Rule
from ..costs.price import Price
from ..effects.reader import TensorEffects
from .cost_model import CostModel, Expense
from .decision_order import DecisionOrder
from .function_decisions import FunctionAnalysis, OneShotAnalyzer
from .function_tables import FunctionTables
from .options import AnalysisOptions

__all__ = ["TrialOutcome", "Trials"]

_MOST_VISITS = 25_000
"""How many ops are visited at most, by all trials of a function."""

_LEAST_TRIALS = 100

_UNKNOWN = Conflict(Rule.CHEAPER)

_REFUSALS = Expense(-1)
"""Paid by an outcome that refuses the program."""


@frozen
class TrialOutcome:
    """The outcome of a trial: what it pays for, and in all; ``conflicts`` are why, by operand."""

    analysis: FunctionAnalysis
    paid: frozenset[Expense]
    cost: Price
    conflicts: dict[int, Conflict]


class Trials:
    """The trials of op number ``function``, and the best outcome so far, at first ``start``."""

    def __init__(
        self,
        effects: TensorEffects,
        function: int,
        options: AnalysisOptions,
        orders: Sequence[DecisionOrder],
        start: FunctionAnalysis,
    ) -> None:
        self.effects = effects
        self.orders = orders
        self.count = 0
        self.costs: dict[Expense, Price] = {}
        """What each expense costs that some outcome paid for, or that may be paid for by refusing."""
        self.seen: list[frozenset[Expense]] = []
        """What the outcomes so far paid for."""
        self.conflicts: dict[int, Conflict] = {}
        """By operand that some outcome refused, why."""
        self._function = function
        self._options = options
        self.tables = FunctionTables(effects, function)
        self._model = CostModel(effects)
        self._known: dict[tuple[DecisionOrder, frozenset[int]], TrialOutcome] = {}
        size = len(effects.active_ops(function)) + 1
        self._most = max(_MOST_VISITS // size, _LEAST_TRIALS)
        self.best = self._outcome(start, {})

    @property
    def is_exhausted(self) -> bool:
        """Whether no more trials should be made."""
        return self.count >= self._most

    @property
    def is_half_spent(self) -> bool:
        """Whether half of all trials were made."""
        return 2 * self.count >= self._most

    def outcomes(self, refused: frozenset[int]) -> list[TrialOutcome]:
        """Return the outcomes of all orders with ``refused`` operands."""
        return [self.outcome(order, refused) for order in self.orders]

    def outcome(self, order: DecisionOrder, refused: frozenset[int]) -> TrialOutcome:
        """Return the outcome of ``order`` with ``refused`` operands."""
        key = order, refused
        found = self._known.get(key)
        if found is None:
            analyzer = self._analyzer(order, refused, lenient=False)
            found = self._known[key] = self._outcome(analyzer.run(), analyzer.not_passed_on)
            if found.cost < self.best.cost:
                self.best = found
        return found

    def lenient(self, order: DecisionOrder, refused: frozenset[int]) -> tuple[OneShotAnalyzer, frozenset[Expense]]:
        """Return an analysis that ignores conflicts, and what it pays for."""
        analyzer = self._analyzer(order, refused, lenient=True)
        return analyzer, self._outcome(analyzer.run(), {}, counts=False).paid

    def _analyzer(self, order: DecisionOrder, refused: frozenset[int], *, lenient: bool) -> OneShotAnalyzer:
        self.count += 1
        reasons = {operand: self.conflicts.get(operand, _UNKNOWN) for operand in sorted(refused)}
        return OneShotAnalyzer(
            self.effects, self._function, self._options, order, reasons, lenient=lenient, tables=self.tables
        )

    def _outcome(
        self, analysis: FunctionAnalysis, not_passed_on: dict[int, Conflict], *, counts: bool = True
    ) -> TrialOutcome:
        expenses = list(self._model.expenses(analysis))
        if analysis.refusals:
            expenses.append((_REFUSALS, Price(refusals=1)))
        for one, cost in expenses:
            self.costs[one] = min(cost, self.costs.get(one, cost))
        paid = frozenset(one for one, _ in expenses)
        found = {o: d.conflict for o, d in analysis.decisions.items() if d.conflict is not None} | not_passed_on
        if counts:
            self.seen.append(paid)
            for operand, conflict in found.items():
                if conflict.rule is not Rule.CHEAPER:
                    self.conflicts.setdefault(operand, conflict)
        return TrialOutcome(analysis, paid, self._model.cost(analysis), found)

    def refusal_cost(self, operand: int) -> Price:
        """Return what refusing ``operand`` costs."""
        return self._model.of_refusal(operand)
