"""Sweeps of planning, trial and rewriting until no more tensor can be computed in its destination.

A sweep analyses the module, plans (``passes/analysis/destinations/init_reuse.py``, ``destinations/empty_tensors.py``),
tries the plan on a copy until the analysis has nothing against it (``destinations/empty_tensor_trial.py``), and carries
it out. The next one looks at what had to wait for others, or failed together with others. Cost: a fixed number of
analyses; two are the usual case.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence, Set

from mlir import ir

from ...analysis.destinations.costs import LIVE_OPTIONS, TRIAL_OPTIONS
from ...analysis.destinations.empty_tensor_trial import TRIAL_INSERTION, TRIAL_SLICE, judge_eliminations
from ...analysis.destinations.empty_tensors import EliminationPlan, KeptInsertion, plan_eliminations
from ...analysis.destinations.init_reuse import Reuse, judge_reuses, plan_reuses, splat_inits
from ...analysis.destinations.initless_sources import plan_inits
from ...analysis.destinations.insertion_trace import StartKind
from ...analysis.ir.snapshot import Snapshot
from ...analysis.ir.twins import move_to_twin
from ...analysis.whole_module.module import ModuleAnalysis, analyze_module
from ...framework.attribute_checks import refuse_marks
from .early import analyze_early
from .insertions import all_ops, apply_plan, erase_unused, fill_constants, replace_operands
from .new_inits import TRIAL_INIT, assemble, give_inits
from .report import (
    DestinationEntry,
    DestinationReport,
    describe_elimination,
    describe_fill,
    describe_init,
    describe_kept,
    describe_reuse,
)

__all__ = ["convert_and_analyse", "convert_to_destination_style"]

_SMALL = 4096
"""Up to how many ops a module may be analysed more often."""

_TRIALS = (48, 12)
"""How many plans may be tried: in a small module, in a larger one."""

_INSERTIONS = frozenset(
    {"bufferization.materialize_in_destination", "tensor.insert_slice", "tensor.parallel_insert_slice"}
)

_ASSEMBLIES = frozenset({"tensor.concat", "tensor.pad"})

_BEGINNINGS = frozenset({"arith.constant", "tensor.empty"})

_MARKS = (TRIAL_INIT, TRIAL_INSERTION, TRIAL_SLICE)

_PARTS = frozenset({"tensor.cast", "tensor.collapse_shape", "tensor.expand_shape", "tensor.extract_slice"})
"""Ops that take a part of a tensor, or all of it in another shape."""


def convert_to_destination_style(module: ir.Operation, *, only_empties: bool = False) -> DestinationReport:
    """Compute tensors in the destinations that they are inserted into, where that costs nothing elsewhere.

    Constants that are written become fills, and dead inputs replace other empty inits. With ``only_empties``
    only insertions of tensors that are computed in a ``tensor.empty`` are looked at.
    """
    return convert_and_analyse(module, only_empties=only_empties)[0]


def convert_and_analyse(
    module: ir.Operation, *, only_empties: bool = False
) -> tuple[DestinationReport, ModuleAnalysis | None]:
    """Do the same, and return besides the analysis of the module as it is now, if one was made.

    What is erased in the end was not used, so the decisions hold (``ModuleAnalysis.erased``).
    """
    ops = all_ops(module)
    names = {op.name for op in ops}
    assembled = [] if only_empties or names.isdisjoint(_ASSEMBLIES) else _assemble(module, ops)
    if assembled:
        ops = all_ops(module)
        names = {op.name for op in ops}
    if not _is_worth_a_look(names, only_empties=only_empties):
        return DestinationReport(), None
    refuse_marks(ops, _MARKS)
    with module.context:
        conversion = _Conversion(module, len(ops), only_empties=only_empties)
        conversion.changes += assembled
        if not only_empties and names.isdisjoint(_INSERTIONS):
            conversion.begin_with_reuses()
        while conversion.sweep():
            pass
    report, current = DestinationReport(tuple(conversion.changes), conversion.kept), conversion.current
    if not conversion.changes:
        return report, current
    # Asked while all ops exist.
    left = current.after_erasing(LIVE_OPTIONS) if current and current.answers(module, LIVE_OPTIONS) else None
    erased = erase_unused(module, current.snapshot.ops if current is not None else None)
    return report, left if erased else current


def _assemble(module: ir.Operation, ops: Sequence[ir.Operation]) -> list[DestinationEntry]:
    """Insert the parts of pads and concatenations into empty tensors where a part is computed for that."""
    found: list[DestinationEntry] = []
    assemblies = [op for op in ops if op.name in _ASSEMBLIES]
    with module.context:
        pads = Counter(op.results[0].type for op in assemblies if op.name == "tensor.pad")
        for op in assemblies:
            entry = DestinationEntry(op.name, op.location, f"the parts of '{op.name}' are inserted into its result")
            found += [entry] if assemble(op, alike=pads[op.results[0].type] > 1) else []
    return found


class _Conversion:
    """The state of a conversion: its changes, the insertions kept by the last sweep, and the number of trials left."""

    def __init__(self, module: ir.Operation, size: int, *, only_empties: bool) -> None:
        self._module = module
        self._only_empties = only_empties
        self.current: ModuleAnalysis | None = None
        self._trial: ModuleAnalysis | None = None
        """The analysis of the copy in which the last plan was tried, and stands."""
        self._left = _TRIALS[size > _SMALL]
        self.changes: list[DestinationEntry] = []
        self.kept: tuple[DestinationEntry, ...] = ()
        self._reused: dict[tuple[int, int], DestinationEntry] = {}
        """The entries of the reuses of a sweep, by function (callees first), then in program order."""

    @property
    def _analysis(self) -> ModuleAnalysis:
        """The analysis of the current module, made on demand: after the last change none is needed."""
        if self.current is None:
            self.current = _analyze(self._module)
        return self.current

    def begin_with_reuses(self) -> None:
        """Reuse dead inputs instead of empty inits, where no other change has to come first."""
        self.current, reuses = analyze_early(self._module)
        self._describe(self.current, reuses)

    def sweep(self) -> bool:
        """Make all changes that are possible now; return whether another sweep may make more."""
        done = len(self.changes)
        initless = False
        if not self._only_empties:
            self._fill()
            initless = self._give_inits()
        analysis, plan = self._analysis, self._plan(self._analysis)
        s, kept = analysis.snapshot, sorted(plan.kept, key=lambda kept: kept.write)
        self.kept = tuple(describe_kept(s, k) for k in kept)
        self.changes += [describe_elimination(s, e) for e in plan.eliminations]
        pending = initless or bool(kept) or _copies_what_is_computed(analysis, plan)
        taken = {start.operand for e in plan.eliminations for start in e.starts}
        dead = not self._only_empties and any(r.init not in taken for r in plan_reuses(analysis, ()))
        apply_plan(analysis, plan, s.ops, tag=False)
        if plan.eliminations:
            self.current = self._after_trial()
        pending = (dead and self._reuse()) or pending
        self.changes += [self._reused[place] for place in sorted(self._reused)]
        self._reused.clear()
        return len(self.changes) > done and pending

    def _fill(self) -> None:
        """Replace copies of splat constants by fills."""
        analysis, operands = self._analysis, splat_inits(self._analysis)
        if operands:
            self.changes += [describe_fill(analysis.snapshot, operand) for operand in operands]
            fill_constants(analysis, operands)
            self.current = None

    def _give_inits(self) -> bool:
        """Give inits to inserted tensors without one, if the destination replaces these inits.

        Returns whether there was such a tensor: tensors inserted into a part of it may be next.
        """
        analysis, plan = self._analysis, plan_inits(self._analysis)
        if not plan or not self._left:
            return False
        copy = self._copy(analysis)
        give_inits(analysis, plan, all_ops(copy.operation), tag=True)
        trial = _analyze(copy.operation)
        useful = [plan[index] for index in sorted(_replaced_inits(trial, self._plan(trial)))]
        if useful:
            self.changes += [describe_init(analysis.snapshot, one) for one in useful]
            give_inits(analysis, useful, analysis.snapshot.ops, tag=False)
            self.current = None
        return True

    def _reuse(self) -> bool:
        """Replace empty inits by dead inputs; return whether some could not be replaced."""
        analysis, failed = self._analysis, set[Reuse]()
        while self._left and (reuses := plan_reuses(analysis, failed)):
            self._left -= 1
            s, objections = analysis.snapshot, reuses
            changes = {reuse.init: s.operand_value[reuse.source] for reuse in reuses}
            replace_operands(s, changes)
            try:
                # Only operands change, so ops, operands and values of the outcome have the numbers that they have here.
                outcome = _analyze(self._module, s.with_operands(changes))
                objections = judge_reuses(analysis, reuses, outcome)
            finally:
                if objections:
                    replace_operands(s, {reuse.init: s.operand_value[reuse.init] for reuse in reuses})
            if not objections:
                self._describe(outcome, reuses)
                self.current = outcome
                break
            failed.update(objections)
        return bool(failed)

    def _describe(self, analysis: ModuleAnalysis, reuses: Sequence[Reuse]) -> None:
        """Record ``reuses`` for the report at the end of the sweep."""
        s = analysis.snapshot
        turns = {function.function: turn for turn, function in enumerate(analysis.functions)}
        functions = sorted(turns)
        for reuse in reuses:
            function = functions[bisect_right(functions, s.operand_op[reuse.init]) - 1]
            self._reused[turns[function], reuse.init] = describe_reuse(s, reuse)

    def _after_trial(self) -> ModuleAnalysis | None:
        """Return the analysis of the module, in which what was tried in a copy has been done, if that is known."""
        trial = self._trial
        known = trial is not None and move_to_twin(trial.snapshot, self._module, all_ops(self._module))
        return trial if known else None

    def _plan(self, analysis: ModuleAnalysis) -> EliminationPlan:
        """Return the eliminations that the analysis of all of them together accepts; keep the rest."""
        inits, self._trial = not self._only_empties, None
        failed: dict[int, KeptInsertion] = {}
        plan = plan_eliminations(analysis, frozenset(), inits=inits)
        while plan.eliminations and self._left:
            copy = self._copy(analysis)
            ops = all_ops(copy.operation)
            apply_plan(analysis, plan, ops, tag=True)
            trial = _analyze(copy.operation)
            objections = judge_eliminations(analysis, plan, trial, ops)
            if not objections:
                self._trial = trial
                return EliminationPlan(plan.eliminations, (*plan.kept, *failed.values()))
            failed |= {kept.write: kept for kept in objections}
            plan = plan_eliminations(analysis, frozenset(failed), inits=inits)
        reason = "deciding whether it pays would take too many rounds of analysis"
        undecided = [KeptInsertion(e.write, reason, e.before) for e in plan.eliminations]
        return EliminationPlan((), (*plan.kept, *failed.values(), *undecided))

    def _copy(self, analysis: ModuleAnalysis) -> ir.Operation:
        """Return a copy of the analysed module, for a trial."""
        self._left -= 1
        return analysis.snapshot.root.clone()


def _replaced_inits(analysis: ModuleAnalysis, plan: EliminationPlan) -> set[int]:
    """Return the numbers of the tagged empty tensors that ``plan`` replaces."""
    s = analysis.snapshot
    values = (s.operand_value[start.operand] for e in plan.eliminations for start in e.starts)
    makers = (s.ops[s.value_op[value]] for value in values if s.value_op[value] >= 0)
    return {ir.IntegerAttr(op.attributes[TRIAL_INIT]).value for op in makers if TRIAL_INIT in op.attributes}


def _copies_what_is_computed(analysis: ModuleAnalysis, plan: EliminationPlan) -> bool:
    """Whether ``plan`` copies a value into a slice, which may be computed there in turn."""
    s, sources = analysis.snapshot, analysis.effects.sources
    for start in (start for e in plan.eliminations for start in e.starts if start.kind is StartKind.COPIED):
        value = s.operand_value[start.operand]
        while s.value_op[value] >= 0 and s.op_name[s.value_op[value]] in _PARTS and value in sources:
            value = s.operand_value[sources[value][0]]
        if value in sources:
            return True
    return False


def _is_worth_a_look(names: Set[str], *, only_empties: bool) -> bool:
    if only_empties:
        return "tensor.empty" in names and not names.isdisjoint(_INSERTIONS)
    return not names.isdisjoint(_INSERTIONS | _BEGINNINGS)


def _analyze(module: ir.Operation, snapshot: Snapshot | None = None) -> ModuleAnalysis:
    return analyze_module(module, TRIAL_OPTIONS, snapshot)
