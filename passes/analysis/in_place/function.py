"""The in-place analysis of one function: tries a few orders of decisions and takes the cheapest outcome.

Every order is sound (see ``function_decisions.py``), so they differ in cost only. An outcome without refusals cannot be
improved on; this is the usual case. Nor can one whose refusals are all proved necessary (``fewest_allocations.py``).
What is paid for may be caused by operands that are cheaper to refuse (``cheap_causes.py``, ``saving_causes.py``): these
are tried last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ..conflicts.decisions import Conflict, Rule, Strategy
from ..effects.reader import TensorEffects
from .cheap_causes import cheap_causes
from .cost_model import CostModel
from .decision_order import DecisionOrder, Heuristic
from .fewest_allocations import has_fewest_allocations
from .function_decisions import FunctionAnalysis, OneShotAnalyzer
from .optimal import search
from .optimality import Price
from .options import AnalysisOptions
from .region_flow import carried_values
from .saving_causes import saving_causes

__all__ = ["analyze_function"]

_FIRST = DecisionOrder(exits_first=True, postpone=True)
_SECOND = DecisionOrder(exits_first=True)
_THIRD = DecisionOrder(Heuristic.TOP_DOWN, exits_first=True)
_PASSING_ON = DecisionOrder(exits_first=True, postpone=True, pass_on=True)
_UNROTATED = DecisionOrder(exits_first=True, postpone=True, pass_on=True, rotate=False)
_ROUNDS = 2
"""How often cheaper causes of what is paid for are looked for."""
_SMALL = 4096
"""The largest number of ops for which more than two orders are tried."""


def analyze_function(effects: TensorEffects, function: int, options: AnalysisOptions) -> FunctionAnalysis:
    """Decide every tied and forwarded operand of op number ``function``, whose effects were added before.

    With ``Heuristic.CHEAPEST``, if anything is refused, other orders of decisions are tried and the cheapest outcome is
    taken. With ``single_order`` they are tried only if the first order cannot bufferize the function.
    """
    if options.heuristic is Heuristic.OPTIMAL:
        return _optimal(effects, function, replace(options, heuristic=Heuristic.CHEAPEST))
    if options.heuristic is not Heuristic.CHEAPEST:
        asked = OneShotAnalyzer(effects, function, options, _order(options)).run()
        if asked.refusals and effects.commits.get(function):
            # Memory visible outside must hold its content throughout. The first order achieves this if any order does.
            first = OneShotAnalyzer(effects, function, options, _FIRST).run()
            return first if len(first.refusals) < len(asked.refusals) else asked
        return asked
    run = partial(OneShotAnalyzer, effects, function, options)
    first, costs = run(_FIRST), CostModel(effects)
    best = first.run()
    if options.copy_before_write or (options.single_order and not best.refusals):
        return best
    if any(conflict.rule is Rule.TOO_MANY_ACCESSES for conflict in _conflicts(best)):
        return best
    small = len(effects.snapshot.nested_ops(function)) <= _SMALL
    orders = [_SECOND, _THIRD] if first.is_postponing else [_THIRD]
    if _copies_to_carried(best):
        orders.insert(0, _PASSING_ON)
    if any(conflict.rule is Rule.ROTATION_SHARED for conflict in _conflicts(best)):
        orders.insert(0, _UNROTATED)
    chosen = _FIRST
    for order in orders if small else orders[:1]:
        if not _conflicts(best):
            break
        if _is_cheapest(effects, costs, best):
            return best
        other = run(order).run()
        if _rank(costs, other) < _rank(costs, best):
            best, chosen = other, order
    return _without_causes(effects, costs, best, chosen, run) if small else best


def _without_causes(
    effects: TensorEffects,
    costs: CostModel,
    best: FunctionAnalysis,
    order: DecisionOrder,
    run: Callable[[DecisionOrder, dict[int, Conflict]], OneShotAnalyzer],
) -> FunctionAnalysis:
    """Return the cheapest of ``best`` and outcomes in which causes of what it pays for are refused from the start.

    Those that may cost a copy have to copy fewer bytes, with no more copies and allocations in the text: sizes and trip
    counts are estimates, and clean-up may remove buffers.
    """
    refused, last = dict[int, Conflict](), dict[int, Conflict]()
    for causes in (cheap_causes, *[partial(saving_causes, costs)] * _ROUNDS):
        found = causes(effects, best)
        if found == last:
            continue
        last = found
        for tried in (order, _PASSING_ON):
            other = run(tried, refused | found).run()
            found_cost, known = costs.cost(other), costs.cost(best)
            saves = found_cost.copied < known.copied and found_cost.ops <= known.ops
            if found_cost < known and (saves or causes is cheap_causes):
                best, refused = other, refused | found
                break
            if not _copies_to_carried(other):
                break
    return best


def _rank(costs: CostModel, analysis: FunctionAnalysis) -> tuple[Price, float]:
    return costs.cost(analysis), costs.likely(analysis)


def _optimal(effects: TensorEffects, function: int, options: AnalysisOptions) -> FunctionAnalysis:
    """Return the cheapest decisions that a search finds, with the bound that it proves."""
    start = analyze_function(effects, function, options)
    if options.copy_before_write:
        return start
    orders = [_FIRST, _THIRD]
    if any(carried_values(effects, op) for op in effects.active_ops(function)):
        orders += [_PASSING_ON, _UNROTATED]
    best, optimality = search(effects, function, options, orders, start)
    return replace(best, optimality=optimality)


def _is_cheapest(effects: TensorEffects, costs: CostModel, analysis: FunctionAnalysis) -> bool:
    """Whether no other order can cost less; False where this cannot be proved without trying them."""
    if not _conflicts(analysis):
        return True
    cost = costs.cost(analysis)
    return not cost.refusals and not cost.copied and has_fewest_allocations(effects, analysis)


def _copies_to_carried(analysis: FunctionAnalysis) -> bool:
    return any(decision.strategy is Strategy.COPY_TO_CARRIED for decision in analysis.decisions.values())


def _conflicts(analysis: FunctionAnalysis) -> list[Conflict]:
    return [decision.conflict for decision in analysis.decisions.values() if decision.conflict is not None]


def _order(options: AnalysisOptions) -> DecisionOrder:
    if options.heuristic is Heuristic.FUZZER:
        return DecisionOrder.fuzzer(options.fuzzer_seed)
    # Upstream takes branch yields as in place before anything else, in all of its orders.
    return DecisionOrder(options.heuristic, exits_first=True)
