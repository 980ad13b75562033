"""The search for the cheapest decisions: against all sets of decisions, and on programs where greedy ones cost more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

import pytest
from fast_run import scaled
from generated import SUBJECTS, program
from mlir import ir

from mlir_inplace.passes.analysis.conflicts.decisions import Conflict, Rule
from mlir_inplace.passes.analysis.effects.reader import TensorEffects
from mlir_inplace.passes.analysis.in_place import cover
from mlir_inplace.passes.analysis.in_place.cost_model import CostModel
from mlir_inplace.passes.analysis.in_place.decision_order import DecisionOrder, Heuristic
from mlir_inplace.passes.analysis.in_place.function_decisions import FunctionAnalysis, OneShotAnalyzer
from mlir_inplace.passes.analysis.in_place.optimal import refusable
from mlir_inplace.passes.analysis.in_place.optimality import Cost
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.whole_module.module import ModuleAnalysis, analyze_module

_GREEDY = AnalysisOptions(boundaries=True)
_OPTIMAL = AnalysisOptions(boundaries=True, heuristic=Heuristic.OPTIMAL)
_ORDERS = [
    DecisionOrder(exits_first=True, postpone=True),
    DecisionOrder(exits_first=True),
    DecisionOrder(Heuristic.TOP_DOWN, exits_first=True),
    DecisionOrder(exits_first=True, postpone=True, pass_on=True),
    DecisionOrder(exits_first=True, postpone=True, pass_on=True, rotate=False),
]
_MOST = 7
"""How many operands may be refused in a function of which all decisions are tried."""


@pytest.fixture(autouse=True)
def without_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Branch and bound for all: OR-Tools may be missing, and has tests of its own."""
    monkeypatch.setattr(cover, "FEW", 10**6)


def _small_functions(count: int) -> Iterator[tuple[str, ModuleAnalysis, FunctionAnalysis]]:
    """Generated functions with few operands that may be refused, some of which are."""
    for seed in range(100_000):
        subject = list(SUBJECTS)[seed % len(SUBJECTS)]
        with ir.Context() as context:
            context.attach_diagnostic_handler(lambda _: True)
            module = ir.Module.parse(program(subject, seed, size=2).text)
            greedy = analyze_module(module.operation, _GREEDY)
            if any(len(refusable(greedy.effects, function)) > _MOST for function in greedy.functions):
                continue
            analysis = analyze_module(module.operation, _OPTIMAL)
            for function in analysis.functions:
                if not all(decision.in_place for decision in function.decisions.values()):
                    yield f"{subject} {seed}", analysis, function
                    count -= 1
                    if not count:
                        return


def _least(effects: TensorEffects, function: FunctionAnalysis) -> Cost:
    """The least cost of all sets of refused operands, in all orders."""
    operands, costs = sorted(refusable(effects, function)), CostModel(effects)
    sets = chain.from_iterable(combinations(operands, size) for size in range(len(operands) + 1))
    return min(
        costs.cost(OneShotAnalyzer(effects, function.function, _GREEDY, order, refused).run())
        for refused in ({o: Conflict(Rule.CHEAPER) for o in chosen} for chosen in sets)
        for order in _ORDERS
    )


def test_no_set_of_decisions_costs_less() -> None:
    proved, count = 0, scaled(200, least=10)
    for name, analysis, function in _small_functions(count):
        found, costs = function.optimality, CostModel(analysis.effects)
        assert found is not None
        assert costs.cost(function) == found.cost, name
        least = _least(analysis.effects, function)
        assert found.bound <= least <= found.cost, (name, least, str(found))
        assert found.is_proved, (name, least, str(found))
        proved += 1
    assert proved == count
