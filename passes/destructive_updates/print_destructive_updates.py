"""Report destructive updates: tensors that loops update slice by slice, and properties proven of the slices.

Emits a remark for each result of a loop or a branch, and for each insertion of a slice, that is a destructive update of
an earlier tensor. The remark names the source of the update, and how many loops and branches forward it, update it and
read it. It gives four properties: whether every element is updated, whether one is updated twice, whether one is read
after its update, and whether one is updated after it was read. Each is proven, disproven, or possible. Notes name the
ops. Any other result of a loop or a branch gets a remark with the rule that it violates, and a note at the op that
violates it:

```text
%r = scf.for %i = %c0 to %n step %c8 iter_args(%t = %init) -> (tensor<?xf32>) {     // forwarded
  %w = affine.min #rest(%i)[%n]
  %s = tensor.extract_slice %t[%i] [%w] [1]                                         // read
  %x = linalg.exp ins(%s) outs(%s)
  %u = tensor.insert_slice %x into %t[%i] [%w] [1]                                  // updated
  scf.yield %u
}
```

Functions with ops that no analysis can follow are left out, with a remark. Nothing is changed. With `annotate` the same
is attached to the ops, for tests: `__destructive_updates_attr__` to those with updated results,
`__destructive_roles_attr__` to those that forward, update, read, or violate a rule. Linear in the ops, and a bounded
number of questions about the slices of each update. See docs/theory/destructive-updates.md.

Upstream counterpart: none. IREE's `LinalgRewriteDestructiveUpdates` looks for nests of `scf.for` with one update, and
takes for granted what is proven here.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.destructive_updates.chains import DestructiveUpdate, DestructiveUpdates
from ..analysis.destructive_updates.proofs import UpdateProof, UpdateProofs
from ..analysis.destructive_updates.text import describe_proof, describe_refusal, describe_update, notes_of
from ..analysis.ir.snapshot import Snapshot
from ..analysis.whole_module.module import read_effects
from ..dispatch.rewriting.preparation import ACCESSES
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting.annotations import UpdateAnnotations


@frozen
class PrintDestructiveUpdatesOptions(PassOptions):
    """Options of `inplace-print-destructive-updates`."""

    annotate: bool = option(False, help="attach the results to the ops, for tests, instead of emitting remarks")


class PrintDestructiveUpdatesPass(Pass[PrintDestructiveUpdatesOptions]):
    """Report destructive updates."""

    argument = "inplace-print-destructive-updates"
    summary = "report tensors that loops update slice by slice, and properties proven of the slices"
    Options = PrintDestructiveUpdatesOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("updates", "destructive updates"),
        Statistic("refused", "results of loops and branches that are no destructive updates"),
    )

    def run(self, op: ir.Operation) -> None:
        with op.context:
            effects, functions = read_effects(op, unknown=ACCESSES)
            s = effects.snapshot
            for refusal in effects.refusals:
                self.remark(refusal.op.location, f"the function is left out: {refusal.message}")
            proofs = UpdateProofs(effects)
            for function in functions:
                accepted, refused = DestructiveUpdates(effects).of_function(function)
                self.count("updates", len(accepted))
                self.count("refused", len(refused))
                if self.options.annotate:
                    annotations = UpdateAnnotations(s)
                    for update in accepted:
                        annotations.accept(update, proofs.prove(update, function))
                    for one in refused:
                        annotations.refuse(one)
                    annotations.attach()
                    continue
                for update in accepted:
                    self._tell(s, update, proofs.prove(update, function))
                for one in refused:
                    notes = [(f"because of this '{s.op_name[one.culprit]}'", s.ops[one.culprit].location)]
                    self.remark(s.ops[one.op].location, describe_refusal(s, one), notes)

    def _tell(self, s: Snapshot, update: DestructiveUpdate, proof: UpdateProof) -> None:
        text = f"{describe_update(s, update)}; {describe_proof(update, proof)}"
        self.remark(s.values[update.value].location, text, notes_of(s, update))
