"""Replace empty tensors by the slice of the destination that their value is inserted into.

In: functions on tensors. Out: the same functions, in which a `tensor.empty` whose value ends up as the source of an
insertion (`tensor.insert_slice`, `tensor.parallel_insert_slice`, `bufferization.materialize_in_destination`, of a
tensor or into a memref) is replaced by that slice of the destination. One-shot bufferization then finds that the
insertion copies memory onto itself and drops it: one buffer and one copy less.

```mlir
func.func @f(%t: tensor<8xf32>, %c: f32, %i: index) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %x = linalg.fill ins(%c : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %r = tensor.insert_slice %x into %t[%i] [5] [1] : tensor<5xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}
```

becomes:

```mlir
func.func @f(%t: tensor<8xf32>, %c: f32, %i: index) -> tensor<8xf32> {
  %slice = tensor.extract_slice %t[%i] [5] [1] : tensor<8xf32> to tensor<5xf32>
  %0 = linalg.fill ins(%c : f32) outs(%slice : tensor<5xf32>) -> tensor<5xf32>
  %inserted = tensor.insert_slice %0 into %t[%i] [5] [1] : tensor<5xf32> into tensor<8xf32>
  return %inserted : tensor<8xf32>
}
```

The value is followed through everything that the op models know to stay in one buffer: destination-style ops, loops,
branches, calls, casts, reshapes. Index arithmetic and slices that the new slice needs move in front of it. Each use of
an empty tensor is treated for itself. Left alone: what would cost a copy or a buffer elsewhere (the analysis is run on
the outcome first, taking function boundaries to be bufferized), slices that may be out of bounds where the program may
end before it reaches the insertion, and a `bufferization.alloc_tensor`, which asks for a buffer. `print-kept` remarks
each with the reason.

Linear in the ops: a bounded number of analyses, mostly two. Why it is legal: docs/theory/destinations.md.

A part of `inplace-convert-to-destination-style`, which does the same for inits that have content.

Upstream counterpart: `eliminate-empty-tensors`. That one moves only pure ops in front of one use, does not follow loops
and reshapes, and replaces without checking whether other values get copied.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting import convert_to_destination_style


@frozen
class EliminateEmptyTensorsOptions(PassOptions):
    """Options of `inplace-eliminate-empty-tensors`."""

    print_kept: bool = option(False, help="emit a remark for every insertion of a tensor.empty that stays, with why")


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
        report = convert_to_destination_style(op, only_empties=True)
        self.count("eliminated", len(report.changes))
        self.count("kept", len(report.kept))
        for kept in report.kept if self.options.print_kept else ():
            message = f"the empty tensor whose value is inserted by '{kept.op}' stays: {kept.message}"
            self.remark(kept.location, message, kept.notes)
