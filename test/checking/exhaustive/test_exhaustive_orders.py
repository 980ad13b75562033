"""All orders of decisions: what differs between them, against random orders and by hand."""

from __future__ import annotations

import functools
import itertools

import pytest
from fast_run import is_full, scaled
from mlir import ir

from mlir_inplace.checking.decisions.orders import Turns, decisions_of, find_outcomes
from mlir_inplace.checking.exhaustive.batch import try_programs
from mlir_inplace.checking.exhaustive.enumeration import Enumeration
from mlir_inplace.checking.exhaustive.programs import SmallProgram
from mlir_inplace.checking.exhaustive.text import module_text
from mlir_inplace.passes.analysis.conflicts import accesses, storage_set
from mlir_inplace.passes.analysis.in_place.decision_order import DecisionOrder
from mlir_inplace.passes.analysis.in_place.function_decisions import OneShotAnalyzer
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.whole_module.module import analyze_module

OPTIONS = AnalysisOptions(boundaries=True, skip_dead=True)
STRAIGHT = ("extract", "insert", "extract_slice", "insert_slice", "map")

TWO_UPDATES = """
func.func @main(%a: tensor<4xi32>, %k: i32, %i: index) -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = tensor.insert %k into %a[%i] : tensor<4xi32>
  %1 = tensor.insert %k into %a[%i] : tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}
"""


def test_either_of_two_updates_may_be_in_place() -> None:
    with ir.Context(), ir.Location.unknown():
        analysis = analyze_module(ir.Module.parse(TWO_UPDATES).operation, OPTIONS)
        outcomes = find_outcomes(analysis.effects, analysis.functions[0], OPTIONS, 10)
        assert (outcomes.tried, outcomes.is_complete, len(outcomes.orders)) == (2, True, 2)
        first, order = outcomes.orders
        assert first is None and isinstance(order, Turns)
        function = analysis.functions[0].function
        found = OneShotAnalyzer(analysis.effects, function, OPTIONS, order).run()
        in_place = {one.in_place for one in found.decisions.values()}
        assert in_place == {True, False}
        assert decisions_of(analysis.effects, found) != decisions_of(analysis.effects, analysis.functions[0])


def test_a_limit_is_stated() -> None:
    with ir.Context(), ir.Location.unknown():
        analysis = analyze_module(ir.Module.parse(TWO_UPDATES).operation, OPTIONS)
        assert not find_outcomes(analysis.effects, analysis.functions[0], OPTIONS, 1).is_complete


PARTS = 10


@functools.cache
def some_programs() -> list[SmallProgram]:
    """Programs of two ops with all ops, and of three without regions."""
    share = 1 if is_full() else 4
    programs = [*itertools.islice(Enumeration().candidates(2), 5, None, 700 * share)]
    return [*programs, *itertools.islice(Enumeration(STRAIGHT).candidates(3), 3, None, 1300 * share)]


@pytest.mark.parametrize("part", range(PARTS))
def test_no_random_order_has_another_outcome(part: int) -> None:
    programs = some_programs()[part::PARTS]
    assert programs
    for program in programs:
        decide_in_all_orders(module_text(program))


def decide_in_all_orders(text: str) -> None:
    with ir.Context(), ir.Location.unknown():
        analysis = analyze_module(ir.Module.parse(text).operation, OPTIONS)
        effects, start = analysis.effects, analysis.functions[-1]
        outcomes = find_outcomes(effects, start, OPTIONS, 1000)
        assert outcomes.is_complete

        def decide(order: DecisionOrder) -> object:
            return decisions_of(effects, OneShotAnalyzer(effects, start.function, OPTIONS, order).run())

        known = {decide(order) for order in outcomes.orders if order is not None} | {decisions_of(effects, start)}
        assert len(known) == len(outcomes.orders)
        assert {decide(DecisionOrder.fuzzer(seed)) for seed in range(scaled(200))} <= known


@pytest.mark.full
def test_few_accesses_with_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of up to 16 accesses have no index, so small programs say nothing of it unless all sets have one."""
    programs = some_programs()
    usual = try_programs(programs)
    monkeypatch.setattr(storage_set, "_SMALL", 0)
    monkeypatch.setattr(accesses, "_FEW", 0)
    indexed = try_programs(programs)
    assert indexed == usual
    assert not indexed.failures


def test_a_batch_decides_as_single_programs_do() -> None:
    """`try_programs` checks for each program that its variants differ in the module of all of them too."""
    programs = some_programs()
    together = try_programs(programs)
    alone = [try_programs([program]) for program in programs]
    for name in ("orders", "variants", "copies", "meaningless"):
        assert getattr(together, name) == sum(getattr(one, name) for one in alone)
    assert together.variants > len(programs)
    assert not together.failures
