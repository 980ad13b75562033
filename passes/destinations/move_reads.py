"""Move reads of an old content in front of the write that destroys it, so that nothing has to keep a copy of it.

Bufferization keeps the order of ops. A tensor that is read after an op that could update it in place is copied as a
whole before, even for one element. On tensors, pure ops may change places.

```mlir
func.func @f(%t: tensor<1024xf32>, %x: f32, %i: index, %j: index) -> (tensor<1024xf32>, f32) {
  %r = tensor.insert %x into %t[%i] : tensor<1024xf32>
  %o = tensor.extract %t[%j] : tensor<1024xf32>
  return %r, %o : tensor<1024xf32>, f32
}
```

becomes, and copies nothing then:

```mlir
func.func @f(%t: tensor<1024xf32>, %x: f32, %i: index, %j: index) -> (tensor<1024xf32>, f32) {
  %o = tensor.extract %t[%j] : tensor<1024xf32>
  %r = tensor.insert %x into %t[%i] : tensor<1024xf32>
  return %r, %o : tensor<1024xf32>, f32
}
```

In: functions on tensors. Out: the same, in which, for each operand that bufferization would copy because its content is
read later,

* the read, with what it needs, stands in front of the write; or
* the write, with what needs it, stands behind the read; or
* if only a slice of known size is read, that slice is taken, or copied, in front of the write.

Reads and writes may be whole loops, branches and calls (calls do not move themselves). Only pure ops move, within their
block, and what may be undefined never in front of an op that may not return. Left alone: what would not make the
module's decisions cheaper, in bytes, with loops taken to run often (the analysis is run on the outcome, taking function
boundaries to be bufferized). A second run changes nothing. `print-decisions` remarks every move.

Cost: one analysis, which the next pass gets, and a few more if something can move. Why it is legal:
docs/theory/destinations.md. Upstream has no counterpart.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.destinations.costs import LIVE_OPTIONS
from ..analysis.destinations.read_moves import MoveKind
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting.read_moves import move_reads

_COUNTED = {MoveKind.READ: "reads", MoveKind.WRITE: "writes", MoveKind.SLICE: "slices"}


@frozen
class MoveReadsOptions(PassOptions):
    """Options of `inplace-move-reads`."""

    print_decisions: bool = option(False, help="emit a remark for every move")


class MoveReadsPass(Pass[MoveReadsOptions]):
    """Move reads in front of writes."""

    argument = "inplace-move-reads"
    summary = "read an old content before the write that destroys it, instead of keeping a copy"
    Options = MoveReadsOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("reads", "reads that stand in front of a write now"),
        Statistic("writes", "writes that stand behind a read now"),
        Statistic("slices", "slices that are copied instead of the whole tensor"),
    )

    def run(self, op: ir.Operation) -> None:
        known = self.inherited
        if known is not None and not known.decides(op, LIVE_OPTIONS):
            known = None
        moved, self.preserved = move_reads(op, known)
        for one in moved:
            self.count(_COUNTED[one.kind])
            if self.options.print_decisions:
                self.remark(one.location, one.message)
