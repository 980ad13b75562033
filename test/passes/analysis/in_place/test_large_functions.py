"""Functions too large for a search: what is in conflict is decided in a second order, and nothing else."""

from __future__ import annotations

from itertools import islice
from unittest import mock

from fast_run import scaled
from generated import SUBJECTS, program
from mlir import ir

from mlir_inplace.passes.analysis.in_place import function as function_module
from mlir_inplace.passes.analysis.in_place.cost_model import CostModel, orders_of_loops
from mlir_inplace.passes.analysis.in_place.decision_order import FIRST, TOP_DOWN
from mlir_inplace.passes.analysis.in_place.function import analyze_function
from mlir_inplace.passes.analysis.in_place.function_decisions import OneShotAnalyzer
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.whole_module.module import analyze_module

_OPTIONS = AnalysisOptions(boundaries=True, skip_dead=True)


def test_the_second_order_costs_no_more_than_either() -> None:
    cheaper = 0
    for seed in islice(range(2000, 2400), scaled(60, least=12)):
        for subject in SUBJECTS:
            with ir.Context() as context:
                context.attach_diagnostic_handler(lambda _: True)
                module = ir.Module.parse(program(subject, seed, 3).text)
                found = analyze_module(module.operation, _OPTIONS)
                effects, costs = found.effects, CostModel(found.effects)
                for one in found.functions:
                    with mock.patch.object(function_module, "_SMALL", -1):
                        large = costs.cost(analyze_function(effects, one.function, _OPTIONS))
                    first, second = (
                        OneShotAnalyzer(effects, one.function, _OPTIONS, order).run() for order in (FIRST, TOP_DOWN)
                    )
                    assert large <= costs.cost(first), (subject, seed)
                    if not orders_of_loops(first):
                        assert large <= costs.cost(second), (subject, seed)
                    cheaper += large < costs.cost(first)
    assert cheaper
