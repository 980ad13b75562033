"""The first analysis of a module, with plain reuses of dead inputs as inits made before it.

Plain reuses (``passes/analysis/destinations/early_reuse.py``) are made in each function before its in-place analysis.
If they do not stand in the end, all of them are undone, and the module is analysed as it was.

Cost: one analysis, or two, as for any other trial.
"""

from __future__ import annotations

from contextlib import ExitStack

from mlir import ir

from ...analysis.destinations.costs import TRIAL_OPTIONS
from ...analysis.destinations.early_reuse import needed_no_less, plain_reuses
from ...analysis.destinations.init_reuse import Reuse, judge_reuses, stand_by_themselves
from ...analysis.effects.reader import TensorEffects
from ...analysis.whole_module.module import ModuleAnalysis, analyze_module
from .insertions import replace_operands

__all__ = ["analyze_early"]


def analyze_early(module: ir.Operation) -> tuple[ModuleAnalysis, list[Reuse]]:
    """Make the plain reuses of ``module``; return the analysis of the changed module, and the reuses."""
    reuses: list[Reuse] = []
    inits: dict[int, int] = {}
    with ExitStack() as undo:

        def make(effects: TensorEffects, function: int) -> None:
            """Make the plain reuses of op number ``function``, until they are undone."""
            s, found = effects.snapshot, plain_reuses(effects, function)
            before = {reuse.init: s.operand_value[reuse.init] for reuse in found}
            changes = {reuse.init: s.operand_value[reuse.source] for reuse in found}
            reuses.extend(found)
            inits.update(before)
            undo.callback(replace_operands, s, before)
            replace_operands(s, changes)
            s.change_operands(changes)

        after = analyze_module(module, TRIAL_OPTIONS, prepare=make)
        before = after.snapshot.with_operands(inits)
        if stand_by_themselves(reuses, after) and needed_no_less(before, reuses, after):
            undo.pop_all()
            return after, reuses
    unchanged = analyze_module(module, TRIAL_OPTIONS, before)
    if judge_reuses(unchanged, reuses, after):
        return unchanged, []
    replace_operands(after.snapshot, {reuse.init: after.snapshot.operand_value[reuse.init] for reuse in reuses})
    return after, reuses
