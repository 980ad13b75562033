"""Of operands refused from the start, which are needed for an outcome: without the others it is the same."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from generated import program
from mlir import ir

from mlir_inplace.passes.analysis.conflicts.decisions import Conflict, Rule, Strategy
from mlir_inplace.passes.analysis.in_place.decision_order import FIRST, PASSING_ON, TOP_DOWN, UNROTATED, DecisionOrder
from mlir_inplace.passes.analysis.in_place.function_decisions import FunctionAnalysis, OneShotAnalyzer
from mlir_inplace.passes.analysis.in_place.function_tables import FunctionTables
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.whole_module.module import ModuleAnalysis, analyze_module

_OPTIONS = AnalysisOptions(boundaries=True, skip_dead=True)
_WHY = Conflict(Rule.CHEAPER)

_WRITTEN = """
func.func @f(%t: tensor<4xf32>, %f: f32, %i: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %x = tensor.insert %f into %t[%i] : tensor<4xf32>
  %y = tensor.insert %f into %t[%i] : tensor<4xf32>
  return %x, %y : tensor<4xf32>, tensor<4xf32>
}
"""


def _analyzer(analysis: ModuleAnalysis, function: int, order: DecisionOrder, refused: Sequence[int]) -> OneShotAnalyzer:
    return OneShotAnalyzer(analysis.effects, function, _OPTIONS, order, dict.fromkeys(refused, _WHY))


def _decided(analysis: FunctionAnalysis) -> list[tuple[int, Strategy, bool]]:
    return [(one.operand, one.strategy, one.copies) for one in analysis.decisions.values()]


def test_what_is_in_conflict_anyway_is_not_needed() -> None:
    with ir.Context():
        found = analyze_module(ir.Module.parse(_WRITTEN).operation, _OPTIONS)
        function = found.functions[0].function
        (out,) = [one.operand for one in found.functions[0].decisions.values() if not one.in_place]
        (kept,) = [one.operand for one in found.functions[0].decisions.values() if one.in_place]
        analyzer = _analyzer(found, function, FIRST, [out])
        decision = analyzer.run().decisions[out]
        assert (decision.in_place, analyzer.needed) == (False, set())
        assert decision.conflict is not None and decision.conflict.rule is Rule.READ_AFTER_WRITE
        analyzer = _analyzer(found, function, FIRST, [kept])
        decision = analyzer.run().decisions[kept]
        assert (decision.conflict, analyzer.needed) == (_WHY, {kept})


@pytest.mark.parametrize("order", [FIRST, TOP_DOWN, PASSING_ON, UNROTATED])
@pytest.mark.parametrize("subject", ["loops", "buffers", "blocks", "views"])
def test_only_what_is_needed_changes_decisions(subject: str, order: DecisionOrder) -> None:
    """Of random refusals those that are not needed may be left out, and others that are out-of-place added."""
    draw = random.Random(f"{subject} {order}")
    with ir.Context() as context:
        context.attach_diagnostic_handler(lambda _: True)
        for seed in range(8):
            found = analyze_module(ir.Module.parse(program(subject, seed, 4).text).operation, _OPTIONS)
            for function in (one.function for one in found.functions):
                tables = FunctionTables(found.effects, function)
                first = _analyzer(found, function, order, []).run()
                allowed = sorted(tables.refusable(first.decisions))
                analyzer = _analyzer(found, function, order, draw.sample(allowed, len(allowed) // 3))
                outcome, needed = analyzer.run(), analyzer.needed
                out = [o for o in allowed if outcome.decisions[o].strategy is Strategy.OUT_OF_PLACE]
                for refused in (sorted(needed), sorted(needed | set(draw.sample(out, len(out) // 2)))):
                    again = _analyzer(found, function, order, refused).run()
                    assert _decided(again) == _decided(outcome)
                if needed:
                    without = _analyzer(found, function, order, sorted(needed)[1:]).run()
                    assert _decided(without) != _decided(outcome)
