"""Replace the store of a tensor that loops update slice by slice by stores of the slices.

In: dispatch functions as tiling leaves them, in which loop nests carry a whole tensor, read slices of it, insert slices
into it, and store it to a binding at the end. Out: the same functions, in which each slice is stored where it was
inserted, loops carry nothing, and slices of whole loads are loads.

```mlir
func.func @f() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c4 iter_args(%a = %t) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %a[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %x = linalg.exp ins(%s : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
    %u = tensor.insert_slice %x into %a[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  func.return
}
```

becomes:

```mlir
func.func @f() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %0 = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %1 = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  scf.for %arg0 = %c0 to %c8 step %c4 {
    %2 = dispatch.load %0[%arg0] [4] [1] : !dispatch.readonly<tensor<8xf32>> -> tensor<4xf32>
    %3 = linalg.exp ins(%2 : tensor<4xf32>) outs(%2 : tensor<4xf32>) -> tensor<4xf32>
    dispatch.store %3, %1[%arg0] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<8xf32>>
  }
  func.return
}
```

`inplace-print-destructive-updates` describes destructive updates. A read loads from the source of the update if it is
proven that no element is read after its update. Otherwise it loads from the target, which must be readable. If it is
not proven that every element is updated, the source is stored to the target first. Other users of the result load it
from the target, behind the loop. If a linalg op computes the whole tensor, the whole tensor is stored, and loaded
before if the op reads its init. A vector is put into a tile that is stored.

A store to a part of a binding becomes stores to slices of that part. Tiles that are updated themselves are rewritten
next. A store of a value loaded from the same place is erased, if no store in between may touch that place. Producers
without users are erased.

With a grid, a workgroup computes what it would compute alone. An element that it stores in the end is stored by it or
by another workgroup that computed the same. So it suffices that all workgroups together update every element of a whole
binding. No workgroup may read elements of the target that another one stores. The same holds for the threads of an
`scf.forall`.

In functions without bindings the same is done for `bufferization.materialize_in_destination` into a memref: each slice
is materialized in a subview, and elements and vectors that are read again are loaded back. The result must have no
other users, and no op in between may use memory with unknown effects. A target that is a tensor (a writable argument,
or the destination of another materialization) is left alone: bufferization updates it in place, without carrying it.

Left alone, with a remark that gives the reason (`print-kept`): values that are not destructive updates; targets that
are used between the start of the loop and the store; updates by ops that are neither insertions nor linalg ops; masked
vector transfers; stores inside of an `scf.forall`, which promotion could not turn back into values; grids and threads
that would read or overwrite each other's elements; and functions whose bindings are not known. `print-rewritten`
reports what was proven.

Linear in the ops, for each level of tiles in tiles, and a bounded number of questions about the slices of each update.
Why it is sound: docs/theory/destructive-updates.md.

Upstream counterpart: none. IREE's `LinalgRewriteDestructiveUpdates` does this for nests of `scf.for` with one update,
and takes for granted that tiles cover the tensor, that none is updated twice, and that no memory is shared.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.destructive_updates.materializations import plan_materializations
from ..analysis.destructive_updates.outcomes import KeptStore, UpdateRewrite, has_updated_tiles
from ..analysis.destructive_updates.proofs import UpdateProofs
from ..analysis.destructive_updates.rewrites import plan_rewrites
from ..analysis.destructive_updates.text import Notes, describe_proof, describe_refusal, describe_update
from ..analysis.ir.snapshot import Snapshot
from ..analysis.whole_module.module import read_effects
from ..dispatch.rewriting.preparation import ACCESSES, PROMOTED
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting.stores import StoreRewriter, erase_dead


@frozen
class RewriteDestructiveUpdatesOptions(PassOptions):
    """Options of `inplace-rewrite-destructive-updates`."""

    print_rewritten: bool = option(False, help="emit a remark for every tensor that is stored slice by slice now")
    print_kept: bool = option(False, help="emit a remark for every store that stays, with why")


class RewriteDestructiveUpdatesPass(Pass[RewriteDestructiveUpdatesOptions]):
    """Store slices where they are inserted."""

    argument = "inplace-rewrite-destructive-updates"
    summary = "store tensors slice by slice where loops update them, instead of carrying them"
    Options = RewriteDestructiveUpdatesOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("rewritten", "stores of tensors that became stores of their slices"),
        Statistic("redundant", "stores of values loaded from the target, which are erased"),
        Statistic("kept", "stores of updated tensors that stay"),
    )

    def run(self, op: ir.Operation) -> None:
        with op.context:
            # What is stored tile by tile now may have tiles that are updated themselves.
            while self._rewrite(op):
                pass

    def _rewrite(self, module: ir.Operation) -> bool:
        """Rewrite all stores that can be; return whether there may be more. Reports the others if there are no more."""
        effects, functions = read_effects(module, unknown=ACCESSES)
        s, proofs = effects.snapshot, UpdateProofs(effects)
        left = [(r.op.location, f"the function stays as it is: {r.message}", []) for r in effects.refusals]
        kept = 0
        is_nested = False
        for function in functions:
            plan = plan_rewrites(effects, function, proofs)
            if plan.problem >= 0:
                left.append((s.ops[plan.problem].location, _describe_problem(s, plan.problem), []))
            materialized = plan_materializations(effects, function, proofs)
            rewrites = [*plan.accepted, *materialized[0]]
            left += [_describe_kept(s, one) for one in (*plan.kept, *materialized[1])]
            kept += len(plan.kept) + len(materialized[1])
            is_nested = is_nested or any(has_updated_tiles(s, rewrite.update) for rewrite in rewrites)
            for store in plan.redundant:
                self._tell_redundant(s.ops[store])
            for rewrite in rewrites:
                self._tell_rewritten(s, rewrite)
            if rewrites or plan.redundant:
                StoreRewriter(s).apply(rewrites, plan.tiles, plan.redundant)
                erase_dead(s.ops[function])
        if not is_nested:
            self.count("kept", kept)
            for location, message, notes in left if self.options.print_kept else ():
                self.remark(location, message, notes)
        return is_nested

    def _tell_rewritten(self, s: Snapshot, rewrite: UpdateRewrite) -> None:
        self.count("rewritten")
        if not self.options.print_rewritten:
            return
        update = rewrite.update
        text = f"{describe_update(s, update)}; {describe_proof(update, rewrite.proof)}"
        done = ["each slice is stored where it is inserted"]
        if update.reads:
            done.append(f"reads are from {rewrite.reads.value}")
        if rewrite.copies_source:
            done.append("the source is stored first")
        if rewrite.reloads:
            done.append("other users load it from the target")
        self.remark(s.ops[rewrite.store].location, f"{'; '.join(done)}", [(text, s.ops[rewrite.first].location)])

    def _tell_redundant(self, store: ir.Operation) -> None:
        self.count("redundant")
        if self.options.print_rewritten:
            self.remark(store.location, "the stored value was loaded from the target, and has not changed since")


_Remark = tuple[ir.Location, str, Notes]


def _describe_kept(s: Snapshot, one: KeptStore) -> _Remark:
    place = s.ops[one.culprit].location
    notes = [(f"because of this '{s.op_name[one.culprit]}'", place)] if one.culprit != one.store else []
    reason = one.rule.value if one.refused is None else describe_refusal(s, one.refused)
    return s.ops[one.store].location, f"'{s.op_name[one.store]}' stays as it is: {reason}", notes


def _describe_problem(s: Snapshot, op: int) -> str:
    name = s.op_name[op]
    if name in PROMOTED:
        return f"the stores of the function stay as they are: '{name}' has made values of its bindings"
    return f"the stores of the function stay as they are: '{name}' accesses a binding that is not known to be one"
