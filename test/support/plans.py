"""Bufferization plans of modules, for tests."""

from __future__ import annotations

from mlir import ir

from mlir_inplace.passes.analysis.dispatch.bufferization_plan import plan_of
from mlir_inplace.passes.analysis.dispatch.plan_data import BufferClass, FunctionPlan
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.whole_module.module import analyze_module


def plans_of(module: ir.Module, **options: bool) -> dict[str, FunctionPlan]:
    """The plans of the functions of a module, which must not be refused, by name."""
    with module.context:
        wanted = AnalysisOptions(boundaries=True, single_order=True, **options)
        analysis = analyze_module(module.operation, wanted)
        assert not analysis.refusals
        return {plan.name: plan for plan in plan_of(analysis)}


def class_of(plan: FunctionPlan, name: str) -> BufferClass:
    """The class that the value called `name` is in."""
    (found,) = (each for each in plan.classes if any(member.name == name for member in each.members))
    return found
