"""Turn the memory of dispatch bindings into tensor values, so that bufferization decides where everything lives.

In: functions with `dispatch.load` and `dispatch.store`. Out: the same functions, in which each binding that is loaded
or stored has a `dispatch.contents`, the tensor that its memory holds on entry. A load becomes a `tensor.extract_slice`
of the current content, a store a `tensor.insert_slice` into it, and a `dispatch.commit` before each return states
the final content.

```mlir
func.func @f() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  scf.for %i = %c0 to %c8 step %c1 {
    %v = dispatch.load %b[%i] [1] [1] : !dispatch.readwrite<tensor<8xf32>> -> tensor<1xf32>
    %w = linalg.exp ins(%v : tensor<1xf32>) outs(%v : tensor<1xf32>) -> tensor<1xf32>
    dispatch.store %w, %b[%i] [1] [1] : tensor<1xf32> -> !dispatch.readwrite<tensor<8xf32>>
  }
  func.return
}
```

becomes:

```mlir
func.func @f() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0 = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %1 = dispatch.contents %0 : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  %2 = scf.for %arg0 = %c0 to %c8 step %c1 iter_args(%arg1 = %1) -> (tensor<8xf32>) {
    %slice = tensor.extract_slice %arg1[%arg0] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %3 = linalg.exp ins(%slice : tensor<1xf32>) outs(%slice : tensor<1xf32>) -> tensor<1xf32>
    %inserted = tensor.insert_slice %3 into %arg1[%arg0] [1] [1] : tensor<1xf32> into tensor<8xf32>
    scf.yield %inserted : tensor<8xf32>
  }
  dispatch.commit %2, %1 : tensor<8xf32>
  func.return
}
```

`scf.for`, `scf.while`, `scf.if`, `scf.index_switch`, `scf.execute_region` and branches between blocks forward the
contents that are stored to inside of them, and no others. The threads of an `scf.forall` insert their slices at its
end. Left alone: functions without loads and stores. Refused, with nothing changed: bindings that may share memory, and
accesses that values cannot express; see docs/DISPATCH.md.

`inplace-one-shot-bufferize` does this itself. Linear in the ops. Why it is sound: docs/theory/bindings.md.

Upstream counterpart: none; it is what `mem2reg` does for scalars in memory slots. IREE's `LinalgBufferize`, which the
dialect is modelled on, decides about loads and stores in memory instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ..analysis.dispatch.binding_memories import BindingRefusal
from ..analysis.dispatch.promoted_contents import find_calls, find_misuse, function_around
from ..analysis.dispatch.promotion_plan import PromotionPlan, plan_promotion
from ..analysis.ir.snapshot import Snapshot
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions
from .rewriting.preparation import ACCESSES, dispatch_ops
from .rewriting.promoter import Promoter

__all__ = ["PromoteBindingsPass", "check_bindings", "promote_bindings"]


def _no(_op: ir.Operation, _name: str, _region: int) -> bool:
    return False


def _plan(snapshot: Snapshot) -> list[PromotionPlan]:
    """Plan each function that loads from bindings or stores to them."""
    s = snapshot
    functions: dict[int, None] = {}
    for op, name in enumerate(s.op_name):
        if name in ACCESSES:
            around = function_around(s, op)
            if around == 0:
                message = f"'{name}' outside of a func.func; only functions of func are dispatched"
                raise PassFailure(message, s.ops[op])
            functions[around] = None
    return [plan_promotion(s, function) for function in functions]


def _refuse(snapshot: Snapshot, problems: Sequence[BindingRefusal]) -> None:
    ops = snapshot.ops
    first, *others = sorted(problems, key=lambda problem: problem.op)
    notes = [(text, ops[op].location) for text, op in first.notes]
    raise PassFailure(first.message, ops[first.op], [*notes, *((o.message, ops[o.op].location) for o in others)])


def check_bindings(module: ir.Operation) -> None:
    """Raise ``PassFailure`` if functions that were promoted before are not as promotion makes them. Linear."""
    snapshot = Snapshot(module, _no)
    problems = [*find_calls(snapshot), *find_misuse(snapshot)]
    if problems:
        _refuse(snapshot, problems)


def promote_bindings(module: ir.Operation) -> dict[str, int]:
    """Promote the bindings of all functions in ``module``; raises ``PassFailure`` before it changes anything.

    Returns how many bindings, loads and stores became values. Linear in the ops.
    """
    snapshot = Snapshot(module, _no)
    plans = _plan(snapshot)
    problems = [*find_calls(snapshot), *(problem for plan in plans for problem in plan.problems)]
    if problems:
        _refuse(snapshot, problems)
    counts: dict[str, int] = dict.fromkeys(("promoted-bindings", "promoted-loads", "promoted-stores"), 0)
    for plan in plans:
        with module.context, snapshot.ops[plan.bindings.function].location:
            Promoter(snapshot, plan).run()
        counts["promoted-bindings"] += len(plan.places)
        counts["promoted-loads"] += sum(len(memory.loads) for memory in plan.bindings.memories)
        counts["promoted-stores"] += sum(len(memory.stores) for memory in plan.bindings.memories)
    return counts


class PromoteBindingsPass(Pass[PassOptions]):
    """See the module's documentation."""

    argument = "inplace-promote-bindings"
    summary = "turn the memory of dispatch bindings into tensor values"
    anchor = "builtin.module"
    statistics = (
        Statistic("promoted-bindings", "bindings whose content became a value"),
        Statistic("promoted-loads", "loads that became slices of a value"),
        Statistic("promoted-stores", "stores that became insertions into a value"),
    )

    def run(self, op: ir.Operation) -> None:
        """Promote every binding that is loaded or stored, or refuse."""
        if dispatch_ops(op).isdisjoint(ACCESSES):
            return
        for name, count in promote_bindings(op).items():
            self.count(name, count)
