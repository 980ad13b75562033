"""The parts of a function: what is decided in one does not depend on the others."""

from __future__ import annotations

from itertools import islice

from analysed import Analysed, analyse, loop
from fast_run import scaled
from generated import SUBJECTS, program
from mlir import ir

from mlir_inplace.passes.analysis.in_place.decision_order import FIRST, PASSING_ON, TOP_DOWN, UNROTATED, DecisionOrder
from mlir_inplace.passes.analysis.in_place.function_decisions import OneShotAnalyzer
from mlir_inplace.passes.analysis.in_place.function_tables import FunctionTables
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.whole_module.module import ModuleAnalysis, analyze_module

_OPTIONS = AnalysisOptions(boundaries=True, skip_dead=True)
_ORDERS = (FIRST, TOP_DOWN, PASSING_ON, UNROTATED)


def _part_of(a: Analysed, name: str) -> int:
    return FunctionTables(a.analysis.effects, a.function().function).parts.find(a.value(name))


def test_ties_join_values_and_reads_do_not() -> None:
    a = analyse("""
      %a = tensor.insert %f into %t[%i] : !v loc("a")
      %b = tensor.extract_slice %a[0] [4] [1] : !v to !h loc("b")
      %x = tensor.extract %t[%i] : !v
      %c = tensor.insert %x into %u[%i] : !v loc("c")
      return %a, %b, %c : !v, !h, !v
    """)
    assert _part_of(a, "t") == _part_of(a, "a") == _part_of(a, "b")
    assert _part_of(a, "u") == _part_of(a, "c") != _part_of(a, "t")


def test_an_insertion_joins_what_it_inserts() -> None:
    """It is redundant or not by what is decided about its source."""
    a = analyse("""
      %a = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("a")
      %b = tensor.insert_slice %a into %u[4] [4] [1] : !h into !v loc("b")
      return %b : !v
    """)
    assert _part_of(a, "a") == _part_of(a, "b")


def test_what_a_loop_carries_is_one_part() -> None:
    """It may swap the buffers, so none of them can be decided without the others."""
    a = analyse(loop("%a = %t, %b = %u", "scf.yield %b, %a : !v, !v") + "return %l#0 : !v")
    assert _part_of(a, "t") == _part_of(a, "u")


def _differences(analysis: ModuleAnalysis, function: int, order: DecisionOrder) -> list[int]:
    """Decide each part by itself; return operands that are decided in another way with the others."""
    effects, s, tables = analysis.effects, analysis.snapshot, FunctionTables(analysis.effects, function)
    whole = OneShotAnalyzer(effects, function, _OPTIONS, order, tables=tables).run()
    parts: dict[int, list[int]] = {}
    for value in tables.values:
        parts.setdefault(tables.parts.find(value), []).append(value)
    alone = {}
    for values in parts.values():
        decided = OneShotAnalyzer(effects, function, _OPTIONS, order, tables=tables.of_part(values)).run().decisions
        assert {s.operand_value[operand] for operand in decided} <= set(values)
        alone |= decided
    assert alone.keys() == whole.decisions.keys()
    return [
        operand
        for operand, one in whole.decisions.items()
        if (one.strategy, one.copies) != (alone[operand].strategy, alone[operand].copies)
    ]


def test_a_part_is_decided_alone_as_with_the_others() -> None:
    tried = 0
    for seed in islice(range(700, 1000), scaled(60, least=6)):
        for subject in SUBJECTS:
            with ir.Context() as context:
                context.attach_diagnostic_handler(lambda _: True)
                module = ir.Module.parse(program(subject, seed, 3).text)
                analysis = analyze_module(module.operation, _OPTIONS)
                for function in analysis.functions:
                    for order in _ORDERS:
                        assert not _differences(analysis, function.function, order), (subject, seed, order)
                        tried += 1
    assert tried
