"""The in-place analysis of one function: a few orders of decisions, of which the cheapest outcome counts.

Every order is sound (see ``one_shot.py``), so only cost tells them apart. An order whose outcome has no refusal cannot
be improved on, and is the usual case.
"""

from __future__ import annotations

from .decisions import Rule, Strategy
from .one_shot import FunctionAnalysis, OneShotAnalyzer
from .tensor_effects import TensorEffects

__all__ = ["analyze_function"]


def analyze_function(effects: TensorEffects, function: int, *, copy_before_write: bool = False) -> FunctionAnalysis:
    """Decide every tied and forwarded operand of op number ``function``, whose effects were added before.

    When something is refused the other order of decisions is tried too, and the cheaper outcome is taken.
    """
    best = OneShotAnalyzer(effects, function, copy_before_write, postpone=True).run()
    conflicts = [decision.conflict for decision in best.decisions.values() if decision.conflict is not None]
    if copy_before_write or not conflicts or any(c.rule is Rule.TOO_MANY_ACCESSES for c in conflicts):
        return best
    other = OneShotAnalyzer(effects, function, copy_before_write, postpone=False).run()
    return min(best, other, key=lambda analysis: _cost(effects, analysis))


def _cost(effects: TensorEffects, analysis: FunctionAnalysis) -> tuple[int, int, int]:
    """Return how many refusals, copies and allocations the decisions lead to; the first is fatal."""
    refused = [decision for decision in analysis.decisions.values() if not decision.in_place]
    copies = sum(decision.copies for decision in refused)
    inserts = [write for write in analysis.decisions if write in effects.redundant_source]
    copies += sum(write not in analysis.redundant_writes for write in inserts)
    allocations = sum(decision.strategy is Strategy.OUT_OF_PLACE for decision in refused)
    return len(analysis.refusals), copies, allocations
