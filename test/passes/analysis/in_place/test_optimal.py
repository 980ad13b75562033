"""The search for the cheapest decisions: against all sets of decisions, and on programs where greedy ones cost more."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from functools import reduce
from itertools import chain, combinations

import pytest
from analysed import analyse_with, function
from fast_run import scaled
from generated import SUBJECTS, program
from mlir import ir

from mlir_inplace.passes.analysis.conflicts.decisions import Conflict, Rule
from mlir_inplace.passes.analysis.costs.price import Price
from mlir_inplace.passes.analysis.effects.reader import TensorEffects
from mlir_inplace.passes.analysis.in_place import cover, optimal
from mlir_inplace.passes.analysis.in_place.cost_model import CostModel, Expense
from mlir_inplace.passes.analysis.in_place.cover import Clause, Covers
from mlir_inplace.passes.analysis.in_place.decision_order import DecisionOrder, Heuristic
from mlir_inplace.passes.analysis.in_place.function_decisions import FunctionAnalysis, OneShotAnalyzer
from mlir_inplace.passes.analysis.in_place.function_tables import FunctionTables
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
_MOST = 6
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
            if any(
                len(FunctionTables(greedy.effects, function.function).refusable(function.decisions)) > _MOST
                for function in greedy.functions
            ):
                continue
            analysis = analyze_module(module.operation, _OPTIMAL)
            for function in analysis.functions:
                if not all(decision.in_place for decision in function.decisions.values()):
                    yield f"{subject} {seed}", analysis, function
                    count -= 1
                    if not count:
                        return


def _least(effects: TensorEffects, function: FunctionAnalysis) -> Price:
    """The least cost of all sets of refused operands, in all orders."""
    operands, costs = (
        sorted(FunctionTables(effects, function.function).refusable(function.decisions)),
        CostModel(effects),
    )
    sets = chain.from_iterable(combinations(operands, size) for size in range(len(operands) + 1))
    return min(
        costs.cost(OneShotAnalyzer(effects, function.function, _GREEDY, order, refused).run())
        for refused in ({o: Conflict(Rule.CHEAPER) for o in chosen} for chosen in sets)
        for order in _ORDERS
    )


def test_no_set_of_decisions_costs_less() -> None:
    proved, count = 0, scaled(200, least=10)
    for name, analysis, decided in _small_functions(count):
        found, costs = decided.optimality, CostModel(analysis.effects)
        assert found is not None
        assert costs.cost(decided) == found.cost, name
        least = _least(analysis.effects, decided)
        assert found.bound <= least <= found.cost, (name, least, str(found))
        assert found.is_proved, (name, least, str(found))
        proved += 1
    assert proved == count


_SLICES = """
  %a = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("a")
  %b = tensor.extract_slice %a[0] [2] [1] : !h to tensor<2xf32> loc("b")
  %w = tensor.insert %f into %b[%i] : tensor<2xf32> loc("w")
  %r = tensor.extract %t[%j] : !v loc("r")
  %s = tensor.extract %w[%j] : tensor<2xf32>
"""


def test_the_smallest_buffer_is_copied() -> None:
    """The first order copies the outer slice; of a slice of two elements less is copied."""
    for options in (_GREEDY, _OPTIMAL):
        a = analyse_with(function(_SLICES), options)
        found = CostModel(a.analysis.effects).cost(a.function())
        assert (found.copied, found.allocated) == (8, 8)


_LOOP = """
  %l = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %t) -> !v {
    %w = tensor.insert %f into %a[%k] : !v loc("w")
    scf.yield %w : !v
  }
  %r = tensor.extract %t[%i] : !v loc("r")
  return %l : !v
"""


def test_a_copy_in_front_of_a_loop_is_cheaper_than_one_in_it() -> None:
    a = analyse_with(function(_LOOP), _OPTIMAL)
    found, effects = a.function(), a.analysis.effects
    assert found.optimality is not None
    assert found.optimality.is_proved
    assert (found.optimality.cost.copied, found.optimality.cost.allocated) == (32, 32)
    (write,) = (o for o in found.decisions if a.place(o) == "w#1")
    refused = {write: Conflict(Rule.CHEAPER)}
    other = OneShotAnalyzer(effects, found.function, _GREEDY, _ORDERS[0], refused).run()
    # Four iterations, a copy in each.
    assert CostModel(effects).cost(other).copied >= 4 * 32


@pytest.mark.parametrize(("sizes", "copied"), [("8x?", 8 * 128 * 4), ("?x?", 128 * 128 * 4), ("2x3", 24)])
def test_a_dynamic_size_is_assumed(sizes: str, copied: int) -> None:
    type_ = f"tensor<{sizes}xf32>"
    text = f"""func.func @f(%t: {type_}, %f: f32, %i: index) -> ({type_}, f32) {{
      %r = tensor.insert %f into %t[%i, %i] : {type_}
      %x = tensor.extract %t[%i, %i] : {type_}
      return %r, %x : {type_}, f32
    }}"""
    a = analyse_with(text, _OPTIMAL)
    assert CostModel(a.analysis.effects).cost(a.function()) == Price.of(copied, copied)


def test_a_large_search_needs_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cover, "FEW", 1)
    monkeypatch.setitem(sys.modules, "ortools.sat.python.cp_model", None)
    a = analyse_with(function(_SLICES), _OPTIMAL)
    assert [refusal.message for refusal in a.function().refusals] == [
        "analysis-heuristic=optimal needs OR-Tools for more than 24 decisions that depend on each other; install it: "
        "pip install 'mlir-inplace[solver]'"
    ]


def _random_clauses(seed: int) -> tuple[list[Clause], dict[Expense, Price]]:
    draw = random.Random(seed)
    costs = {Expense(n): Price.of(draw.randrange(0, 9), draw.randrange(1, 9)) for n in range(9)}
    clauses: list[Clause] = []
    for _ in range(draw.randrange(2, 9)):
        chosen = draw.sample(sorted(costs), draw.randrange(1, 5))
        unless = draw.sample(chosen, draw.randrange(0, len(chosen))) if draw.random() < 0.4 else []
        clauses.append(Clause(frozenset(chosen) - frozenset(unless), frozenset(unless)))
    return clauses, costs


@pytest.mark.parametrize("few", [10**6, 0], ids=["branch and bound", "CP-SAT"])
def test_no_cover_costs_less(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if not few:
        pytest.importorskip("ortools")
    monkeypatch.setattr(cover, "FEW", few)
    for seed in range(scaled(200, least=40)):
        clauses, costs = _random_clauses(seed)
        subsets = (frozenset(s) for size in range(10) for s in combinations(sorted(costs), size))
        least = min(
            reduce(Price.plus, (costs[one] for one in paid), Price())
            for paid in subsets
            if all(clause.holds(paid) for clause in clauses)
        )
        found = Covers().cheapest(clauses, costs)
        assert found.bound == least, seed
        assert found.paid is not None
        assert all(clause.holds(found.paid) for clause in clauses)


def test_with_many_contested_operands_the_bound_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal, "MOST_CONTESTED", 1)
    cheaper = 0
    for name, analysis, found in _small_functions(scaled(60, least=10)):
        assert found.optimality is not None
        least = _least(analysis.effects, found)
        assert found.optimality.bound <= least <= found.optimality.cost, name
        cheaper += least == found.optimality.cost
    assert cheaper
