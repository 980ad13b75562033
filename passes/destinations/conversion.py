"""Sweeps of planning, trial and rewriting until nothing more can be computed in its destination.

A sweep analyses the module, plans (``passes/analysis/empty_tensors.py``), tries the plan on a copy until the analysis
has nothing against it (``empty_tensor_trial.py``), and carries it out. The next one looks at what had to wait for
others, or failed together with others. Cost: a fixed number of analyses; two are the usual case.
"""

from __future__ import annotations

from mlir import ir

from ..analysis.analysis_options import AnalysisOptions
from ..analysis.empty_tensor_trial import judge_eliminations
from ..analysis.empty_tensors import EliminationPlan, KeptInsertion, has_empty, plan_eliminations
from ..analysis.insertion_trace import StartKind
from ..analysis.module_analysis import ModuleAnalysis, analyze_module
from .report import Change, DestinationReport, describe_elimination, describe_kept
from .rewriting import all_ops, apply_plan, erase_unused

__all__ = ["convert_to_destination_style"]

_SMALL = 4096
"""Up to how many ops a module may be analysed more often."""

_TRIALS = (48, 12)
"""How many plans may be tried: in a small module, in a larger one."""

_INSERTIONS = frozenset(
    {"bufferization.materialize_in_destination", "tensor.insert_slice", "tensor.parallel_insert_slice"}
)

_PARTS = frozenset({"tensor.cast", "tensor.collapse_shape", "tensor.expand_shape", "tensor.extract_slice"})
"""Ops that take a part of a tensor, or all of it in another shape."""


def convert_to_destination_style(module: ir.Operation, *, only_empties: bool = False) -> DestinationReport:
    """Compute tensors in the destinations that they are inserted into, where that costs nothing elsewhere.

    With ``only_empties`` only tensors that are computed in a ``tensor.empty`` are looked at.
    """
    if not _is_worth_a_look(module, only_empties=only_empties):
        return DestinationReport()
    changes: list[Change] = []
    with module.context:
        trials = _Trials(analysis := _analyze(module), inits=not only_empties)
        while True:
            plan = trials.plan(analysis)
            changes += [describe_elimination(analysis.snapshot, e) for e in plan.eliminations]
            kept = sorted(plan.kept, key=lambda kept: kept.write)
            again = plan.eliminations and (kept or _copies_what_is_computed(analysis, plan))
            left = () if again else tuple(describe_kept(analysis.snapshot, k) for k in kept)
            apply_plan(analysis, plan, analysis.snapshot.ops, tag=False)
            if not again:
                break
            analysis = _analyze(module)
    if changes:
        erase_unused(module)
    return DestinationReport(tuple(changes), left)


def _copies_what_is_computed(analysis: ModuleAnalysis, plan: EliminationPlan) -> bool:
    """Whether ``plan`` copies a value into a slice, which may be computed there in turn."""
    s, sources = analysis.snapshot, analysis.effects.sources
    for start in (start for e in plan.eliminations for start in e.starts if start.kind is StartKind.COPIED):
        value = s.operand_value[start.operand]
        while s.op_name[s.value_op[value]] in _PARTS and value in sources:
            value = s.operand_value[sources[value][0]]
        if value in sources:
            return True
    return False


def _is_worth_a_look(module: ir.Operation, *, only_empties: bool) -> bool:
    names = {op.name for op in all_ops(module)}
    return not names.isdisjoint(_INSERTIONS) and (not only_empties or "tensor.empty" in names)


def _analyze(module: ir.Operation) -> ModuleAnalysis:
    return analyze_module(module, AnalysisOptions(boundaries=True, allow_unknown=True))


class _Trials:
    """Plans for one module that the analysis has nothing against, as long as there are trials left."""

    def __init__(self, analysis: ModuleAnalysis, *, inits: bool) -> None:
        self._inits = inits
        self._left = _TRIALS[len(analysis.snapshot.ops) > _SMALL]

    def plan(self, analysis: ModuleAnalysis) -> EliminationPlan:
        """Return the eliminations that stand when the analysis is asked about all of them together; keep the rest."""
        failed: dict[int, KeptInsertion] = {}
        plan = plan_eliminations(analysis, frozenset(), inits=self._inits)
        while plan.eliminations and self._left:
            objections = self._objections(analysis, plan)
            if not objections:
                return EliminationPlan(plan.eliminations, (*plan.kept, *failed.values()))
            failed |= {kept.write: kept for kept in objections}
            plan = plan_eliminations(analysis, frozenset(failed), inits=self._inits)
        reason = "too many rounds of analysis would be needed to tell whether it pays"
        undecided = [KeptInsertion(e.write, reason, e.before, is_empty=has_empty(e.starts)) for e in plan.eliminations]
        return EliminationPlan((), (*plan.kept, *failed.values(), *undecided))

    def _objections(self, analysis: ModuleAnalysis, plan: EliminationPlan) -> list[KeptInsertion]:
        """Return what the analysis of a copy of the module, changed as planned, has against the plan."""
        self._left -= 1
        copy = analysis.snapshot.root.clone()
        apply_plan(analysis, plan, all_ops(copy.operation), tag=True)
        return judge_eliminations(analysis, plan, _analyze(copy.operation))
