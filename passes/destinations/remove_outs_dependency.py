"""Replace inits that are not read by the destination that they were computed in, to remove the dependence.

In: functions on tensors. Out: the same functions, in which an op whose init is not read, and is the result of a
destination-style op, takes the init of that op instead, and so on up to the top destination. Dead ops are erased.

```mlir
func.func @f(%x: tensor<4xf32>, %dest: tensor<4xf32>, %c: f32) -> tensor<4xf32> {
  %0 = linalg.fill ins(%c : f32) outs(%dest : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
```

becomes:

```mlir
func.func @f(%x: tensor<4xf32>, %dest: tensor<4xf32>, %c: f32) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%dest : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
```

An init is replaced if the op writes all of it and its payload does not use it: the output map reaches every element,
and no loop besides the output's may be empty. Ties are followed through all ops that have a model: linalg ops, inserts,
`vector.transfer_write`, results of `scf.for`, `scf.forall` and `scf.if` by what they yield, and casts back to the same
type. They end at block arguments, and at ops that make a tensor of their own. A destination that may not be written,
such as a constant, is replaced by a `tensor.empty`.

With `mode=empty` every init that is not read becomes a `tensor.empty`, as upstream has it, also where that costs a
buffer; sizes come from the top destination, so that no `tensor.dim` keeps a producer alive.

Left alone: ops that depend on the value anyway, because it is an input as well (unless the change enables elementwise
fusion); inits that are slices or reshapes of the computed tensor; and changes that would cost a copy or an allocation,
by the in-place analysis of the outcome (function boundaries are taken to be bufferized; `mode=empty` counts copies
only). `print-kept` remarks each with the reason, `print-replaced` what each change allows.

Linear in the ops: usually three analyses, and a few more if there are changes that do not pay. Why it is legal:
docs/theory/destinations.md.

Upstream counterpart: the pattern `RemoveOutsDependency` of `linalg-fuse-elementwise-ops`. That one knows
`linalg.generic` only, looks neither at the output map nor at empty loops, and always takes a `tensor.empty`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.destinations.costs import LIVE_OPTIONS, Cost, by_name, cost
from ..analysis.destinations.outs_blame import align, blame
from ..analysis.destinations.outs_dependency import KeptInit, Mode, OutsRule, Retie, is_fusible, plan_reties
from ..analysis.destinations.outs_profit import OutsChanges, TrialCosts, choose_reties
from ..analysis.ir.snapshot import Snapshot
from ..analysis.whole_module.module import ModuleAnalysis, analyze_module
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting.outs import Erased, apply_reties

_SWEEPS = 8
_MAY_CHANGE = frozenset({OutsRule.COST, OutsRule.DEPENDS})


@frozen
class RemoveOutsDependencyOptions(PassOptions):
    """Options of `inplace-remove-outs-dependency`."""

    mode: Mode = option(Mode.PRESERVE_DESTINATION, help="the replacement of an init that is not read")
    print_replaced: bool = option(False, help="emit a remark for every init that is replaced, with what that allows")
    print_kept: bool = option(False, help="emit a remark for every init that has a producer and stays, with why")


class RemoveOutsDependencyPass(Pass[RemoveOutsDependencyOptions]):
    """Replace inits that are not read by the destinations that they were computed in."""

    argument = "inplace-remove-outs-dependency"
    summary = "replace inits that are not read by the destination that they were computed in"
    Options = RemoveOutsDependencyOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("replaced", "inits that were not read and were replaced"),
        Statistic("erased", "dead ops that were erased"),
        Statistic("buffers-saved", "buffers that bufferization no longer makes"),
        Statistic("fusions", "producers whose only user is a linalg.generic now, which they can be fused with"),
        Statistic("kept", "inits with a producer that stay"),
    )

    def run(self, op: ir.Operation) -> None:
        with op.context:
            for sweep in range(_SWEEPS):
                analysis = analyze_module(op, LIVE_OPTIONS)
                reties, stays = plan_reties(analysis, self.options.mode)
                outcome = self._choose(analysis, reties) if reties else OutsChanges()
                kept = (*stays, *outcome.rejected)
                again = bool(outcome.accepted) and any(one.rule in _MAY_CHANGE for one in kept)
                if not again or sweep == _SWEEPS - 1:
                    self._tell_kept(analysis, kept)
                self._replace(analysis, outcome)
                if not again:
                    break

    def _choose(self, analysis: ModuleAnalysis, reties: dict[str, list[Retie]]) -> OutsChanges:
        """Ask the in-place analysis, on copies of the module, which of `reties` pay."""
        before = self._costs(analysis)

        def evaluate(some: Sequence[Retie]) -> TrialCosts:
            copy = analysis.snapshot.root.clone()
            # Which regions repeat is not asked: only the numbers count.
            changes = apply_reties(Snapshot(copy.operation, lambda _op, _name, _region: False), some)
            after = analyze_module(copy.operation, LIVE_OPTIONS)
            costs = self._costs(after)
            if not any(name in costs and costs[name].exceeds(old) for name, old in before.items()):
                return TrialCosts(costs)
            return TrialCosts(costs, self._blamed(analysis, after, changes, some))

        return choose_reties(reties, before, evaluate, len(analysis.snapshot.ops))

    def _blamed(
        self, before: ModuleAnalysis, after: ModuleAnalysis, changes: Erased, reties: Sequence[Retie]
    ) -> set[int]:
        """Return the operands that are to blame in any function."""
        s = before.snapshot
        origin = align(s, changes.ops, changes.made, after.snapshot)
        blamed = set[int]()
        if origin is None:
            return blamed
        changed = {origin[function.function]: function for function in after.functions}
        owner = {op: f.function for f in before.functions for op in s.nested_ops(f.function)}
        mine: dict[int, list[Retie]] = {}
        for retie in reties:
            mine.setdefault(owner[s.operand_op[retie.operand]], []).append(retie)
        for function in before.functions:
            if function.function in mine and function.function in changed:
                pair = (before, function), (after, changed[function.function])
                buffers = self.options.mode is not Mode.EMPTY
                blamed |= blame(*pair, origin, mine[function.function], buffers=buffers)
        return blamed

    def _costs(self, analysis: ModuleAnalysis) -> dict[str, Cost]:
        copies_only = self.options.mode is Mode.EMPTY
        return {
            name: cost(analysis, function, new_tensors=True, copies_only=copies_only)
            for name, function in by_name(analysis).items()
        }

    def _replace(self, analysis: ModuleAnalysis, outcome: OutsChanges) -> None:
        """Carry out the accepted changes; count them, and report their effect if asked."""
        s = analysis.snapshot
        if not outcome.accepted:
            return
        self._tell_buffers(analysis, outcome)
        # Read before ops are erased.
        notes = {retie.operand: _notes(s, retie) for retie in outcome.accepted}
        erased = apply_reties(s, outcome.accepted)
        left = [retie for retie in outcome.accepted if s.operand_op[retie.operand] not in erased.ops]
        self.count("replaced", len(left))
        self.count("erased", erased.count)
        olds = {retie.old for retie in left if s.value_op[retie.old] not in erased.ops}
        fusible = {old for old in olds if _opens_fusion(s, old)}
        self.count("fusions", len(fusible))
        if self.options.print_replaced:
            for retie in left:
                dead = s.value_op[retie.old] in erased.ops
                message = _replacement(s, retie, dead=dead, fusible=retie.old in fusible)
                self.remark(s.ops[s.operand_op[retie.operand]].location, message, notes[retie.operand])

    def _tell_buffers(self, analysis: ModuleAnalysis, outcome: OutsChanges) -> None:
        """Count the buffers that are saved, and report them at the functions that had them."""
        before = self._costs(analysis)
        for name, function in by_name(analysis).items():
            saved = before[name].buffers - outcome.costs[name].buffers
            self.count("buffers-saved", saved)
            if saved and self.options.print_replaced:
                location = analysis.snapshot.ops[function.function].location
                self.remark(location, f"the function needs {saved} buffer{'s' if saved > 1 else ''} less")

    def _tell_kept(self, analysis: ModuleAnalysis, kept: Sequence[KeptInit]) -> None:
        s = analysis.snapshot
        self.count("kept", len(kept))
        if not self.options.print_kept:
            return
        for refusal in (*analysis.effects.refusals, *(r for f in analysis.functions for r in f.refusals)):
            self.remark(refusal.op.location, f"no init of the function is replaced: {refusal.message}")
        for one in sorted(kept, key=lambda one: one.operand):
            location = s.ops[s.operand_op[one.operand]].location
            self.remark(location, f"{_init(s, one.operand)}, an init, stays: {one.reason}")


def _notes(s: Snapshot, retie: Retie) -> list[tuple[str, ir.Location]]:
    """Where the init was computed that `retie` takes away."""
    producer = s.value_op[retie.old]
    return [(f"this is '{s.op_name[producer]}'", s.ops[producer].location)] if producer >= 0 else []


def _replacement(s: Snapshot, retie: Retie, *, dead: bool, fusible: bool) -> str:
    """What `retie` did and what that allows."""
    allowed = ["that stays an input" if retie.stays_input else "it no longer depends on that"]
    producer = f"'{s.op_name[s.value_op[retie.old]]}'"
    if dead:
        allowed.append(f"{producer} is dead")
    if fusible:
        allowed.append(f"{producer} can be fused with its only user")
    target = "a new tensor.empty" if retie.is_empty else _describe(s, retie.target)
    return f"{_init(s, retie.operand)} takes {target} instead of {_describe(s, retie.old)}: {'; '.join(allowed)}"


def _init(s: Snapshot, operand: int) -> str:
    return f"operand #{s.operand_index(operand)} of '{s.op_name[s.operand_op[operand]]}'"


def _describe(s: Snapshot, value: int) -> str:
    """What `value` is: a block argument or the result of an op."""
    op = s.value_op[value]
    if op < 0:
        return f"block argument #{s.value_index[value]}"
    return f"result #{s.value_index[value]} of '{s.op_name[op]}'"


def _opens_fusion(s: Snapshot, value: int) -> bool:
    """Whether elementwise fusion finds one user of `value`, which had more."""
    if s.value_op[value] < 0:
        return False
    uses = list(s.values[value].uses)
    return len(uses) == 1 and is_fusible(s.ops[s.value_op[value]], uses[0].owner.operation)
