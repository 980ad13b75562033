"""Build fences after loops with nontemporal stores, so that other threads see the stores in order.

## Before and after

```mlir
func.func @f(%v: vector<16xf32>, %result: memref<16777216xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 16777216 : index
  scf.for %i = %c0 to %n step %c16 {
    vector.store %v, %result[%i] {alignment = 64 : i64, nontemporal = true} : memref<16777216xf32>, vector<16xf32>
  }
  func.return
}
```

becomes:

```mlir
func.func @f(%v: vector<16xf32>, %result: memref<16777216xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c16777216 = arith.constant 16777216 : index
  scf.for %arg2 = %c0 to %c16777216 step %c16 {
    vector.store %v, %result[%arg2] {alignment = 64 : i64, nontemporal = true}
        : memref<16777216xf32>, vector<16xf32>
  }
  llvm.fence seq_cst
  func.return
}
```

## Contract

In: functions with loops, sequential or of OpenMP. Out: the same, with a fence after the outermost sequential loop
around each nontemporal store that starts no threads and calls nothing; in the body of a parallel loop this is the end
of the thread's part. Everything that is ordered after the fence (the end of the parallel loop, the beginning of the
next one, the return to a caller that signals another thread) is then ordered after the stores.

`inplace-nontemporal-stores` leaves the fences to this pass, since OpenMP's lowering puts an `alloca_scope` around
bodies, which is removed only if everything inside is known not to allocate. So this pass runs after that lowering.

Linear in the ops. No upstream counterpart.
"""

from __future__ import annotations

from mlir import ir

from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions

_STORE = "vector.store"
_LOOPS = frozenset({"scf.for", "scf.while"})
_SEQUENTIAL = _LOOPS | {"scf.if"}
_OTHER_CODE = ("func.", "llvm.call", "omp.", "scf.forall", "scf.parallel")
"""Prefixes of the names of ops in which other threads may run."""
_SEQUENTIALLY_CONSISTENT = 7
"""The only ordering of a fence that x86 has an instruction for; it orders nontemporal stores as well."""


class FenceStreamsPass(Pass[PassOptions]):
    """Build the fences that loops with nontemporal stores need."""

    argument = "inplace-fence-streams"
    summary = "insert fences after loops with nontemporal stores"
    anchor = "func.func"
    statistics = (Statistic("fences", "fences after loops with nontemporal stores"),)

    def run(self, op: ir.Operation) -> None:
        if not find_ops(op, _STORE, where=_is_past_caches):
            return  # Most functions have none, which a walk tells sooner than what follows.
        for block in op.regions[0].blocks:
            for last in _due(block)[0]:
                with ir.InsertionPoint.after(last), last.location:
                    ordering = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _SEQUENTIALLY_CONSISTENT)
                    ir.Operation.create("llvm.fence", attributes={"ordering": ordering})
                self.count("fences")


def _due(block: ir.Block) -> tuple[list[ir.Operation], bool]:
    """Return the ops in `block`, also nested ones, that need a fence after them, and whether other threads may run."""
    due: list[ir.Operation] = []
    others = False
    for one in block.operations:
        op = one.operation
        inner, shared = _due_inside(op)
        if (op.name in _LOOPS and inner and not shared) or (op.name == _STORE and _is_past_caches(op)):
            inner = [op]
        due += inner
        others = others or shared
    return due, others


def _due_inside(op: ir.Operation) -> tuple[list[ir.Operation], bool]:
    """Return the same for the regions of `op`; fences do not leave regions of unknown ops."""
    due: list[ir.Operation] = []
    others = op.name.startswith(_OTHER_CODE)
    for region in op.regions:
        others = others or op.name not in _SEQUENTIAL
        for block in region.blocks:
            inner, shared = _due(block)
            due += inner
            others = others or shared
    return due, others


def _is_past_caches(store: ir.Operation) -> bool:
    attributes = store.attributes
    return "nontemporal" in attributes and ir.BoolAttr(attributes["nontemporal"]).value
