"""Compute a tensor where it will be inserted, instead of in a buffer of its own.

Goes in: functions on tensors. Comes out: the same functions, in which a `tensor.empty` whose value ends up as the
source of an insertion (`tensor.insert_slice`, `tensor.parallel_insert_slice`,
`bufferization.materialize_in_destination`, of a tensor or into a memref) is replaced by that slice of the destination.
One-shot bufferization then finds that the insertion copies memory onto itself and drops it: one buffer and one copy
less.

    %e = tensor.empty() : tensor<5xf32>               %s = tensor.extract_slice %t[%o] [5] [1]
    %f = linalg.fill ins(%c) outs(%e)           ->    %f = linalg.fill ins(%c) outs(%s)
    %r = tensor.insert_slice %f into %t[%o] [5] [1]   %r = tensor.insert_slice %f into %t[%o] [5] [1]

The value is followed through everything that the op models know to stay in one buffer: destination-style ops, loops,
branches, calls, casts, reshapes. Index arithmetic and slices that the new slice needs move in front of it. Each use of
an empty tensor is treated for itself. Left alone: what would cost a copy or a buffer elsewhere (the analysis is run on
the outcome first, taking function boundaries to be bufferized), slices that may be out of bounds where the program may
end before it reaches the insertion, and a `bufferization.alloc_tensor`, which asks for a buffer. Why each was left
alone is told with `print-kept`.

Linear in the ops: at most eight sweeps of a few analyses each. Why it is legal: docs/THEORY.md, section 6.

Upstream counterpart: `eliminate-empty-tensors`. That one does not move what the slice needs, but for pure ops in front
of one use, knows nothing of loops and reshapes, and replaces without looking at what becomes of other values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import bufferization

from ..dialects.registry import find_model
from ..dialects.subsets import extract_slice
from .analysis.analysis_options import AnalysisOptions
from .analysis.empty_tensor_trial import TRIAL_INSERTION, TRIAL_SLICE, judge_eliminations
from .analysis.empty_tensors import EliminationPlan, KeptEmpty, plan_eliminations
from .analysis.module_analysis import ModuleAnalysis, analyze_module
from .base import Pass, Statistic
from .options import PassOptions, option

_SWEEPS = 8
_ROUNDS = 6
_INSERTIONS = frozenset(
    {"bufferization.materialize_in_destination", "tensor.insert_slice", "tensor.parallel_insert_slice"}
)

_EMPTIES = frozenset({"tensor.cast", "tensor.collapse_shape", "tensor.empty", "tensor.expand_shape"})


@dataclass(frozen=True)
class EliminateEmptyTensorsOptions(PassOptions):
    """Options of `inplace-eliminate-empty-tensors`."""

    print_kept: bool = option(False, help="emit a remark for every insertion of a tensor.empty that stays, with why")


def _analyze(module: ir.Operation) -> ModuleAnalysis:
    return analyze_module(module, AnalysisOptions(boundaries=True, allow_unknown=True))


def _all_ops(module: ir.Operation) -> list[ir.Operation]:
    """Everything in `module` in the order of a snapshot."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    module.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def _is_worth_a_look(module: ir.Operation) -> bool:
    names = {op.name for op in _all_ops(module)}
    return "tensor.empty" in names and not names.isdisjoint(_INSERTIONS)


def _take_back(value: ir.Value, views: Sequence[ir.Operation]) -> ir.Value:
    """Undo `views`, the last one first, on `value`."""
    for view in views:
        type_, name = view.operands[0].type, view.name
        attributes: dict[str, ir.Attribute] = {}
        if name != "tensor.cast":
            name = "tensor.collapse_shape" if name == "tensor.expand_shape" else "tensor.expand_shape"
            attributes["reassociation"] = view.attributes["reassociation"]
            if name == "tensor.expand_shape":
                attributes["static_output_shape"] = ir.DenseI64ArrayAttr.get(ir.ShapedType(type_).shape)
        with view.location:
            value = ir.Operation.create(name, results=[type_], operands=[value], attributes=attributes).result
    return value


def _destination(insertion: ir.Operation, operand: int, wanted: ir.Type) -> tuple[ir.Value, ir.Operation | None]:
    """Build the part of the destination that `insertion` writes, and return it with the op that makes it, if any."""
    destination = insertion.operands[operand]
    if isinstance(destination.type, ir.MemRefType):
        made = bufferization.to_tensor(wanted, destination, restrict=True, writable=True)
        return made, ir.OpResult(made).owner.operation
    model = find_model(insertion.name)
    subset = model.subset(insertion, operand) if model is not None else None
    if subset is not None:
        made = extract_slice(destination, subset, wanted)
        return made, ir.OpResult(made).owner.operation
    if destination.type == wanted:
        return destination, None
    return ir.Operation.create("tensor.cast", results=[wanted], operands=[destination]).result, None


def _tag(op: ir.Operation, attribute: str, index: int) -> None:
    op.attributes[attribute] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), index)


def _apply(analysis: ModuleAnalysis, plan: EliminationPlan, ops: Sequence[ir.Operation], *, tag: bool) -> None:
    """Carry out `plan` on `ops`: those it was made for, or those of a copy, where `tag` marks what belongs to it."""
    s = analysis.snapshot
    for index, elimination in enumerate(plan.eliminations):
        place = ops[elimination.before]
        for op in elimination.moves:
            ops[op].move_before(place)
        insertion = ops[s.operand_op[elimination.write]]
        source = analysis.effects.redundant_source.get(elimination.write)
        number = 0 if source is None else s.operand_index(source)
        with ir.InsertionPoint(place), insertion.location:
            value, maker = _destination(insertion, s.operand_index(elimination.write), insertion.operands[number].type)
            for start in elimination.starts:
                taken = _take_back(value, [ops[view] for view in start.views])
                ops[s.operand_op[start.operand]].operands[s.operand_index(start.operand)] = taken
        if tag:
            _tag(insertion, TRIAL_INSERTION, index)
            if maker is not None:
                _tag(maker, TRIAL_SLICE, index)


def _plan(analysis: ModuleAnalysis) -> EliminationPlan:
    """The eliminations that stand when the analysis is asked about all of them together, and what is kept."""
    failed: dict[int, KeptEmpty] = {}
    plan = plan_eliminations(analysis, frozenset())
    for _ in range(_ROUNDS):
        objections = _objections(analysis, plan)
        if not objections:
            return EliminationPlan(plan.eliminations, (*plan.kept, *failed.values()))
        failed |= {kept.write: kept for kept in objections}
        plan = plan_eliminations(analysis, frozenset(failed))
    reason = "too many rounds of analysis would be needed to tell whether it pays"
    undecided = [KeptEmpty(e.write, reason, e.before) for e in plan.eliminations]
    return EliminationPlan((), (*plan.kept, *failed.values(), *undecided))


def _objections(analysis: ModuleAnalysis, plan: EliminationPlan) -> list[KeptEmpty]:
    """What the analysis of a copy of the module, changed as planned, has against the plan."""
    if not plan.eliminations:
        return []
    copy = analysis.snapshot.root.clone()
    _apply(analysis, plan, _all_ops(copy.operation), tag=True)
    return judge_eliminations(analysis, plan, _analyze(copy.operation))


def _erase_unused(module: ir.Operation) -> None:
    """Erase the empty tensors, and views of them, that nothing uses any more."""
    for op in reversed(_all_ops(module)):
        unused = all(next(iter(result.uses), None) is None for result in op.results)
        if op.name in _EMPTIES and len(op.results) and unused:
            op.erase()


class EliminateEmptyTensorsPass(Pass[EliminateEmptyTensorsOptions]):
    """Replace empty tensors by slices of the destinations of their values."""

    argument = "inplace-eliminate-empty-tensors"
    summary = "compute tensors in the slice of the destination that they are inserted into"
    Options = EliminateEmptyTensorsOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("eliminated", "insertions whose source is computed in place now"),
        Statistic("kept", "insertions of an empty tensor that stays"),
    )

    def run(self, op: ir.Operation) -> None:
        if not _is_worth_a_look(op):
            return
        with op.context:
            for sweep in range(_SWEEPS):
                analysis = _analyze(op)
                plan = _plan(analysis)
                _apply(analysis, plan, analysis.snapshot.ops, tag=False)
                self.count("eliminated", len(plan.eliminations))
                again = plan.eliminations and any(kept.passing for kept in plan.kept)
                if not again or sweep == _SWEEPS - 1:
                    self._tell(analysis, plan)
                    break
        if self.statistic_values["eliminated"]:
            _erase_unused(op)

    def _tell(self, analysis: ModuleAnalysis, plan: EliminationPlan) -> None:
        """Count, and report if asked, what is left after the last sweep."""
        s = analysis.snapshot
        self.count("kept", len(plan.kept))
        if not self.options.print_kept:
            return
        for kept in sorted(plan.kept, key=lambda kept: kept.write):
            insertion = s.operand_op[kept.write]
            notes = [] if kept.op == insertion else [(f"this is '{s.op_name[kept.op]}'", s.ops[kept.op].location)]
            message = f"the empty tensor whose value is inserted by '{s.op_name[insertion]}' stays: {kept.reason}"
            self.remark(s.ops[insertion].location, message, notes)
