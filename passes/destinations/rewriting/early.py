"""The first analysis of a module, with dead inputs in the places of empty inits where that is plain.

What is plain (``passes/analysis/destinations/early_reuse.py``) is made in each function before anything is decided in
it. If it does not stand in the end, all of it is taken back, and what counts is the analysis of the module as it was.

Cost: one analysis, or two, as for any other trial.
"""

from __future__ import annotations

from mlir import ir

from ...analysis.destinations.costs import TRIAL_OPTIONS
from ...analysis.destinations.early_reuse import needed_no_less, plain_reuses
from ...analysis.destinations.init_reuse import Reuse, judge_reuses, stand_by_themselves
from ...analysis.effects.reader import TensorEffects
from ...analysis.ir.snapshot import Snapshot
from ...analysis.whole_module.module import ModuleAnalysis, analyze_module
from .insertions import replace_operands

__all__ = ["analyze_early"]


def analyze_early(module: ir.Operation) -> tuple[ModuleAnalysis, list[Reuse]]:
    """Make the plain reuses of ``module``; return the analysis of it as it is then, and what was made."""
    early = _Early()
    try:
        after = analyze_module(module, TRIAL_OPTIONS, prepare=early.make)
        before = after.snapshot.with_operands(early.inits)
        early.stand = stand_by_themselves(early.reuses, after) and needed_no_less(before, early.reuses, after)
    finally:
        if not early.stand:
            early.take_back()
    if early.stand:
        return after, early.reuses
    unchanged = analyze_module(module, TRIAL_OPTIONS, before)
    if judge_reuses(unchanged, early.reuses, after):
        return unchanged, []
    replace_operands(after.snapshot, {reuse.init: after.snapshot.operand_value[reuse.init] for reuse in early.reuses})
    return after, early.reuses


class _Early:
    """Reuses that are made function by function, and taken back unless somebody says that they ``stand``."""

    def __init__(self) -> None:
        self.reuses: list[Reuse] = []
        self.inits: dict[int, int] = {}
        """What the inits were before, by operand."""
        self.stand = False
        self._snapshot: Snapshot | None = None

    def make(self, effects: TensorEffects, function: int) -> None:
        """Make the plain reuses of op number ``function``."""
        s = self._snapshot = effects.snapshot
        reuses = plain_reuses(effects, function)
        self.reuses += reuses
        self.inits |= {reuse.init: s.operand_value[reuse.init] for reuse in reuses}
        changes = {reuse.init: s.operand_value[reuse.source] for reuse in reuses}
        replace_operands(s, changes)
        s.change_operands(changes)

    def take_back(self) -> None:
        """Give the ops what they had."""
        if self._snapshot is not None:
            replace_operands(self._snapshot, self.inits)
