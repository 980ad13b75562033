"""Compute each tensor in its destination: the slice that it is inserted into.

In: functions on tensors. Out: the same functions, in which an inserted tensor (`tensor.insert_slice`,
`tensor.parallel_insert_slice`, `bufferization.materialize_in_destination` into a tensor or a memref) is computed in the
slice of its destination, so that one-shot bufferization drops the insertion. What the computation begins with is

* a tensor without content (`tensor.empty`): the slice takes its place, as by `inplace-eliminate-empty-tensors`;
* a tensor that is read and must not be overwritten (it is read-only, or needed later): it is copied into the slice
  instead of a new buffer, which is one buffer and one copy less;
* a tensor whose content the op does not need: the slice takes its place.

An op without an init (`tensor.pad`, `generate`, `from_elements`, `splat`, `concat`, elementwise ops on tensors), or a
splat constant that is inserted as it is, becomes ops that have one if the slice takes its place then. So does a
`tensor.pad` or `tensor.concat` of static sizes of which a part is computed for it alone: the part is computed there.

```mlir
func.func @f(%t: tensor<8x8xf32>, %x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %in: tensor<4x4xf32>, %i: index)
    -> (tensor<8x8xf32>, tensor<4x4xf32>) {
  %m = linalg.matmul ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%in : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = tensor.insert_slice %m into %t[0, %i] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x8xf32>
  return %r, %in : tensor<8x8xf32>, tensor<4x4xf32>
}
```

becomes:

```mlir
func.func @f(%t: tensor<8x8xf32>, %x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %in: tensor<4x4xf32>, %i: index)
    -> (tensor<8x8xf32>, tensor<4x4xf32>) {
  %slice = tensor.extract_slice %t[0, %i] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  %0 = bufferization.materialize_in_destination %in in %slice : (tensor<4x4xf32>, tensor<4x4xf32>)
      -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %inserted = tensor.insert_slice %1 into %t[0, %i] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x8xf32>
  return %inserted, %in : tensor<8x8xf32>, tensor<4x4xf32>
}
```

Besides

* a splat constant, or the result of a fill, that is written and would be copied first becomes a fill of an empty
  tensor;
* an elementwise op with an empty init, whose result goes to no destination, overwrites an input of the same type and
  map that is not used afterwards, if the function allocated its memory itself or may write it
  (`bufferization.writable = true`).

The value is followed through everything that the op models know to stay in one buffer: destination-style ops, vector
transfers, loops, branches, calls, casts, reshapes. Left alone: what would cost a copy or a buffer elsewhere (the
analysis is run on the outcome first, taking function boundaries to be bufferized), and slices that may be out of
bounds where the program may end before it reaches the insertion. `print-decisions` remarks every change, and every
insertion that copies with the reason. A second run changes nothing.

Linear in the ops: a bounded number of analyses, mostly two. Why it is legal: docs/theory/destinations.md.

Upstream has no counterpart: `eliminate-empty-tensors` is the first case, without loops and reshapes;
`transform.structured.rewrite_in_destination_passing_style` gives some of the ops without an init one, always.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting import convert_and_analyse


@frozen
class ConvertToDestinationStyleOptions(PassOptions):
    """Options of `inplace-convert-to-destination-style`."""

    print_decisions: bool = option(False, help="emit a remark for every change, and for every insertion that copies")


class ConvertToDestinationStylePass(Pass[ConvertToDestinationStyleOptions]):
    """Compute tensors in their destinations."""

    argument = "inplace-convert-to-destination-style"
    summary = "compute tensors in the destination that they are inserted into, also those that start from a copy"
    Options = ConvertToDestinationStyleOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("changes", "insertions that copy no more, inputs that are written over, constants that are filled"),
        Statistic("kept", "insertions that still copy"),
    )

    def run(self, op: ir.Operation) -> None:
        report, self.preserved = convert_and_analyse(op)
        self.count("changes", len(report.changes))
        self.count("kept", len(report.kept))
        if not self.options.print_decisions:
            return
        for change in report.changes:
            self.remark(change.location, change.message, change.notes)
        for kept in report.kept:
            self.remark(kept.location, f"'{kept.op}' still copies: {kept.message}", kept.notes)
