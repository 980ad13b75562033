"""Functions bufferized by several outcomes of their decisions, as copies in one module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mlir import ir

from ...passes.analysis.in_place.decision_order import DecisionOrder
from ...passes.analysis.in_place.function_decisions import FunctionAnalysis
from ...passes.analysis.in_place.options import AnalysisOptions
from ...passes.analysis.whole_module.module import ModuleAnalysis, analyze_module
from ...passes.bufferization.rewriting.bufferizer import Bufferizer, raise_refusals
from ...passes.bufferization.rewriting.trace import BufferTrace
from .orders import decisions_of

__all__ = ["analyses_by_name", "bufferize_variants", "functions_by_name"]


def functions_by_name(module: Any) -> dict[str, Any]:
    """Return the symbols of a module: functions, in modules of functions."""
    ops = module.regions[0].blocks[0].operations
    return {ir.StringAttr(op.attributes["sym_name"]).value: op for op in ops if "sym_name" in op.attributes}


def analyses_by_name(analysis: ModuleAnalysis) -> dict[str, FunctionAnalysis]:
    """Return what was decided in each function."""
    ops = analysis.snapshot.ops
    found = ((ir.StringAttr(ops[one.function].attributes["sym_name"]).value, one) for one in analysis.functions)
    return dict(found)


def bufferize_variants(
    module: Any, variants: Mapping[str, Sequence[str]], orders: Mapping[str, DecisionOrder], options: AnalysisOptions
) -> None:
    """Add the variants of functions to the module, and bufferize it, each by its order.

    `variants` has the names of all variants by the name of a function, which is the first one; `orders` those of the
    other ones.

    Raises:
        PassError: a function cannot be bufferized.
    """
    functions, block = functions_by_name(module), module.regions[0].blocks[0]
    for name, (_, *others) in variants.items():
        for variant in others:
            copy = functions[name].operation.clone()
            copy.attributes["sym_name"] = ir.StringAttr.get(variant)
            block.append(copy)
    analysis = analyze_module(module, replace(options, orders=orders))
    raise_refusals(analysis)
    _check_outcomes(analysis, variants)
    Bufferizer(64).run(analysis, BufferTrace())
    if not module.verify():
        raise AssertionError("the bufferized module does not verify")


def _check_outcomes(analysis: ModuleAnalysis, variants: Mapping[str, Sequence[str]]) -> None:
    """The outcomes of one program differ here too: an analysis does not depend on what else is in a module."""
    names = analyses_by_name(analysis)
    for name, all_ in variants.items():
        outcomes = {decisions_of(analysis.effects, names[variant]) for variant in all_}
        if len(outcomes) < len(all_):
            raise AssertionError(f"the decisions of {name} depend on the other functions of its module")
