"""The in-place analysis of one function: tries a few orders of decisions and takes the cheapest outcome.

Every order is sound (see ``function_decisions.py``), so they differ in cost only. An outcome without refusals cannot be
improved on; this is the usual case. Nor can one whose refusals are all proved necessary (``fewest_allocations.py``).
What is paid for may be caused by operands that are cheaper to refuse: these are tried last (``improvement.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..conflicts.decisions import Conflict, Rule
from ..costs.price import Price
from ..effects.reader import TensorEffects
from .cost_model import CostModel, OrderOutcome, conflicts, moves_alone, orders_of_loops
from .decision_order import FIRST, PASSING_ON, TOP_DOWN, UNROTATED, DecisionOrder, Heuristic
from .function_decisions import FunctionAnalysis, OneShotAnalyzer
from .function_tables import FunctionTables
from .improvement import Improvement, is_cheapest
from .optimal import search
from .options import AnalysisOptions
from .part_search import rank
from .region_flow import carried_values

__all__ = ["analyze_function"]

_SMALL = 4096
"""The largest number of ops for which more than two orders are tried; in larger functions one is tried in parts."""


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
    tables = FunctionTables(effects, function)

    def begin(
        of: FunctionTables,
        order: DecisionOrder,
        refused: dict[int, Conflict],
        orders: Mapping[int, DecisionOrder] | None = None,
    ) -> OneShotAnalyzer:
        return OneShotAnalyzer(effects, function, options, order, refused, tables=of, orders=orders)

    first = begin(tables, FIRST, {})
    best = first.run()
    is_enough = not best.refusals and (options.single_order or moves_alone(effects, best))
    is_too_large = any(conflict.rule is Rule.TOO_MANY_ACCESSES for conflict in conflicts(best))
    if is_enough or is_too_large or options.copy_before_write:
        return best
    costs = CostModel(effects)
    chosen = OrderOutcome(best, costs.cost(best), FIRST, first.not_passed_on)
    if chosen.cost == Price():
        return best
    others: list[OrderOutcome] = []
    small = len(effects.snapshot.nested_ops(function)) <= _SMALL
    orders = list(reversed(orders_of_loops(best)))
    if not small and not orders and not best.refusals and conflicts(best):
        return Improvement(effects, costs, chosen, [], tables, begin).improve_in_order(TOP_DOWN)
    orders = orders if small else [*orders, TOP_DOWN][:1]
    for order in orders:
        if is_cheapest(effects, costs, chosen) or not conflicts(chosen.analysis):
            break
        analyzer = begin(tables, order, {})
        other = analyzer.run()
        outcome = OrderOutcome(other, costs.cost(other), order, analyzer.not_passed_on)
        if rank(costs, outcome) < rank(costs, chosen):
            chosen, outcome = outcome, chosen
        others.append(outcome)
        if small and UNROTATED not in orders and UNROTATED in orders_of_loops(other):
            orders.append(UNROTATED)
    if not small or is_cheapest(effects, costs, chosen):
        return chosen.analysis
    return Improvement(effects, costs, chosen, others, tables, begin, is_called=options.is_called).improve()


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


def _order(options: AnalysisOptions) -> DecisionOrder:
    if options.order is not None:
        return options.order
    if options.heuristic is Heuristic.FUZZER:
        return DecisionOrder.fuzzer(options.fuzzer_seed)
    # Upstream takes branch yields as in place before anything else, in all of its orders.
    return DecisionOrder(options.heuristic, exits_first=True)
