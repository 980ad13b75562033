"""The main function of a program by many random orders of decisions, of which the rest is analysed once.

The functions that it calls are decided in one random order. Each outcome that differs becomes a copy of the main
function, and all copies are bufferized together.
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from ...passes.analysis.in_place.decision_order import Heuristic
from ...passes.analysis.in_place.options import AnalysisOptions
from ...passes.analysis.whole_module.module import analyze_module
from ...passes.bufferization.rewriting.bufferizer import raise_refusals
from ..decisions import analyses_by_name, bufferize_variants, find_outcomes

__all__ = ["bufferize_in_orders"]


def bufferize_in_orders(module: Any, function: str, seed: int, count: int) -> list[str]:
    """Bufferize `module` with a copy of `function` for each outcome of `count` random orders that differs.

    Returns the names of `function` and its copies. A recursive function has no copies: what is decided in it is a
    fixpoint of what its calls assume.

    Raises:
        PassError: the module cannot be bufferized.
    """
    options = AnalysisOptions(boundaries=True, skip_dead=True, heuristic=Heuristic.FUZZER, fuzzer_seed=seed)
    analysis = analyze_module(module, options)
    raise_refusals(analysis)
    start = analyses_by_name(analysis).get(function)
    orders = {}
    if start is not None and function not in analysis.recursive:
        found = find_outcomes(analysis.effects, start, options, count, seed=seed).orders[1:]
        orders = {f"{function}_order_{number}": order for number, order in enumerate(found) if order is not None}
    variants = {function: [function, *orders]} if start is not None else {}
    with module.context, ir.Location.unknown():
        bufferize_variants(module, variants, orders, options)
    return variants.get(function, [function])
