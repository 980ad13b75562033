"""The in-place analysis of one function: tries a few orders of decisions and takes the cheapest outcome.

Every order is sound (see ``function_decisions.py``), so they differ in cost only. An outcome without refusals cannot be
improved on; this is the usual case. Nor can one whose refusals are all proved necessary (``fewest_allocations.py``).
What is paid for may be caused by operands that are cheaper to refuse: these are tried last (``improvement.py``).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ..conflicts.decisions import Rule
from ..effects.reader import TensorEffects
from .cost_model import CostModel
from .decision_order import FIRST, PASSING_ON, TOP_DOWN, UNROTATED, DecisionOrder, Heuristic
from .fewest_allocations import has_fewest_allocations
from .function_decisions import FunctionAnalysis, OneShotAnalyzer
from .function_tables import FunctionTables
from .improvement import Improvement, OrderOutcome, conflicts, orders_of_loops, rank
from .optimal import search
from .options import AnalysisOptions
from .region_flow import carried_values

__all__ = ["analyze_function"]

_SMALL = 4096
"""The largest number of ops for which more than two orders are tried."""


def analyze_function(effects: TensorEffects, function: int, options: AnalysisOptions) -> FunctionAnalysis:
    """Decide every tied and forwarded operand of op number ``function``, whose effects were added before.

    With ``Heuristic.CHEAPEST``, if anything is refused, other orders of decisions are tried and the cheapest outcome is
    taken. With ``single_order`` they are tried only if the first order cannot bufferize the function.
    """
    if options.heuristic is Heuristic.OPTIMAL and options.order is None:
        return _optimal(effects, function, replace(options, heuristic=Heuristic.CHEAPEST))
    if options.order is not None or options.heuristic is not Heuristic.CHEAPEST:
        asked = OneShotAnalyzer(effects, function, options, _order(options)).run()
        if asked.refusals and effects.commits.get(function):
            # Memory visible outside must hold its content throughout. The first order achieves this if any order does.
            first = OneShotAnalyzer(effects, function, options, FIRST).run()
            return first if len(first.refusals) < len(asked.refusals) else asked
        return asked
    run = partial(OneShotAnalyzer, effects, function, options, tables=FunctionTables(effects, function))
    first, costs = run(FIRST), CostModel(effects)
    best = first.run()
    if options.copy_before_write or (options.single_order and not best.refusals):
        return best
    if any(conflict.rule is Rule.TOO_MANY_ACCESSES for conflict in conflicts(best)):
        return best
    outcomes = [OrderOutcome(best, costs.cost(best), FIRST, first.not_passed_on)]
    chosen = outcomes[0]
    size = len(effects.snapshot.nested_ops(function))
    small = size <= _SMALL
    orders = [*reversed(orders_of_loops(best)), TOP_DOWN]
    for order in orders if small else orders[:1]:
        if not conflicts(best):
            break
        if _is_cheapest(effects, costs, best):
            return best
        analyzer = run(order)
        other = analyzer.run()
        outcomes.append(OrderOutcome(other, costs.cost(other), order, analyzer.not_passed_on))
        if rank(costs, outcomes[-1]) < rank(costs, chosen):
            best, chosen = other, outcomes[-1]
        if UNROTATED not in orders and UNROTATED in orders_of_loops(other):
            orders.append(UNROTATED)
    if not small:
        return best
    others = [one for one in outcomes if one is not chosen]
    return Improvement(effects, costs, chosen, others, run, size).improve()


def _optimal(effects: TensorEffects, function: int, options: AnalysisOptions) -> FunctionAnalysis:
    """Return the cheapest decisions that a search finds, with the bound that it proves."""
    start = analyze_function(effects, function, options)
    if options.copy_before_write:
        return start
    orders = [FIRST, TOP_DOWN]
    if any(carried_values(effects, op) for op in effects.active_ops(function)):
        orders += [PASSING_ON, UNROTATED]
    best, optimality = search(effects, function, options, orders, start)
    return replace(best, optimality=optimality)


def _is_cheapest(effects: TensorEffects, costs: CostModel, analysis: FunctionAnalysis) -> bool:
    """Whether no other order can cost less; False where this cannot be proved without trying them."""
    if not conflicts(analysis):
        return True
    cost = costs.cost(analysis)
    return not cost.refusals and not cost.copied and has_fewest_allocations(effects, analysis)


def _order(options: AnalysisOptions) -> DecisionOrder:
    if options.order is not None:
        return options.order
    if options.heuristic is Heuristic.FUZZER:
        return DecisionOrder.fuzzer(options.fuzzer_seed)
    # Upstream takes branch yields as in place before anything else, in all of its orders.
    return DecisionOrder(options.heuristic, exits_first=True)
