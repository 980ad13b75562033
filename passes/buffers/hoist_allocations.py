"""Hoist allocations out of loops, so that iterations share one buffer.

In: functions on memrefs, with or without deallocations. Out: the same functions, in which a `memref.alloc` in the body
of a sequential loop (`scf.for`, `scf.while`, `affine.for`) stands in front of the outermost loop that it can leave, and
its `memref.dealloc`, if there is one, behind it. Left alone: buffers that may outlive an iteration, sizes that change
in the loop, allocations in branches, and all beyond the body of a parallel loop or an op that is not known: each of its
runs needs a buffer of its own. `print-kept` remarks each with the reason.

```mlir
func.func @f(%n: index, %c: f32, %i: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<64xf32>
    linalg.fill ins(%c : f32) outs(%b : memref<64xf32>)
    %x = memref.load %b[%i] : memref<64xf32>
    memref.store %x, %out[%j] : memref<?xf32>
    memref.dealloc %b : memref<64xf32>
  }
  func.return
}
```

becomes:

```mlir
func.func @f(%n: index, %c: f32, %i: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %alloc = memref.alloc() : memref<64xf32>
  scf.for %arg4 = %c0 to %n step %c1 {
    linalg.fill ins(%c : f32) outs(%alloc : memref<64xf32>)
    %0 = memref.load %alloc[%i] : memref<64xf32>
    memref.store %0, %out[%arg4] : memref<?xf32>
  }
  memref.dealloc %alloc : memref<64xf32>
  func.return
}
```

What computes the sizes moves, too, if it has no effect and cannot fail. A loop that runs no iteration now allocates
all the same; a dynamic size that might be negative then is raised to 0.

It trades memory for time: buffers with disjoint lifetimes in the body are all live during the loop. So `mi.compile`
runs it only with `optimize=True`. Linear in ops and uses, times the loop nesting. Why it is legal:
docs/theory/after-bufferization.md.

Upstream counterpart: `buffer-loop-hoisting`. That one must run before deallocation, moves no computation of sizes, and
does not think of sizes that are valid in the loop only.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.lifetimes.hoisting import HoistingPlan, plan_hoisting
from ..bufferization.rewriting.hoisting import hoist
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option


@frozen
class HoistAllocationsOptions(PassOptions):
    """Options of `inplace-hoist-allocations`."""

    print_kept: bool = option(False, help="emit a remark for every allocation that stays in its loop, with the reason")


class HoistAllocationsPass(Pass[HoistAllocationsOptions]):
    """Hoist allocations out of loops."""

    argument = "inplace-hoist-allocations"
    summary = "hoist allocations out of sequential loops"
    Options = HoistAllocationsOptions
    statistics = (
        Statistic("hoisted", "allocations moved out of loops"),
        Statistic("kept", "allocations in the body of a loop that stay there"),
    )

    def run(self, op: ir.Operation) -> None:
        plan = plan_hoisting(op)
        self._tell(plan)
        with op.context:
            for found in plan.hoistable:
                hoist(found)
        self.count("hoisted", len(plan.hoistable))
        self.count("kept", len(plan.kept))

    def _tell(self, plan: HoistingPlan) -> None:
        if not self.options.print_kept:
            return
        for kept in plan.kept:
            notes = [] if kept.op == kept.allocation else [(f"this is '{kept.op.name}'", kept.op.location)]
            self.remark(kept.allocation.location, f"the allocation stays in its loop: {kept.reason}", notes)
