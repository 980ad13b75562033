"""Double-buffer tensors that each iteration of a loop computes from their neighbours, without a copy.

## Problem

A stencil that is applied repeatedly reads the neighbours of each element, so it cannot overwrite what it reads: in
place, each iteration needs a buffer for the new elements, and a copy of them.

## Before and after

```mlir
func.func @f(%start: tensor<64xf32>, %n: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<62xf32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%u = %start) -> (tensor<64xf32>) {
    %left = tensor.extract_slice %u[0] [62] [1] : tensor<64xf32> to tensor<62xf32>
    %right = tensor.extract_slice %u[2] [62] [1] : tensor<64xf32> to tensor<62xf32>
    %sum = linalg.add ins(%left, %right : tensor<62xf32>, tensor<62xf32>) outs(%e : tensor<62xf32>) -> tensor<62xf32>
    %new = tensor.insert_slice %sum into %u[1] [62] [1] : tensor<62xf32> into tensor<64xf32>
    scf.yield %new : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
```

becomes:

```mlir
func.func @f(%start: tensor<64xf32>, %n: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.empty() : tensor<62xf32>
  %1 = tensor.empty() : tensor<64xf32>
  %slice = tensor.extract_slice %start[0] [1] [1] : tensor<64xf32> to tensor<1xf32>
  %inserted = tensor.insert_slice %slice into %1[0] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %slice_0 = tensor.extract_slice %start[63] [1] [1] : tensor<64xf32> to tensor<1xf32>
  %inserted_1 = tensor.insert_slice %slice_0 into %inserted[63] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %2:2 = scf.for %arg2 = %c0 to %n step %c1 iter_args(%arg3 = %start, %arg4 = %inserted_1)
      -> (tensor<64xf32>, tensor<64xf32>) {
    %slice_2 = tensor.extract_slice %arg3[0] [62] [1] : tensor<64xf32> to tensor<62xf32>
    %slice_3 = tensor.extract_slice %arg3[2] [62] [1] : tensor<64xf32> to tensor<62xf32>
    %3 = linalg.add ins(%slice_2, %slice_3 : tensor<62xf32>, tensor<62xf32>) outs(%0 : tensor<62xf32>)
        -> tensor<62xf32>
    %inserted_4 = tensor.insert_slice %3 into %arg4[1] [62] [1] : tensor<62xf32> into tensor<64xf32>
    scf.yield %inserted_4, %arg3 : tensor<64xf32>, tensor<64xf32>
  }
  return %2#0 : tensor<64xf32>
}
```

## Contract

In: a function; loops (`scf.for`) on tensors. Out: the same values. A carried tensor gets a second one if its new
version is inserted into it in slices that are the same in each iteration, at least half of it, or if the new version
starts from a `tensor.empty`; in either case only if the old one is still read when the new one is begun. Otherwise one
buffer is enough, and the new version starts from the old one. Bufferization then swaps two buffers;
`inplace-convert-to-destination-style` runs before it, so that elements are computed where they are inserted. Left
alone: sweeps that read what they have already written, which insert element by element in a loop of their own, and
tensors that are yielded twice.

Why it is right: docs/theory/sweeps.md. Linear in the ops and uses. No upstream counterpart.
"""

from __future__ import annotations

from itertools import groupby

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.schedule.double_buffering import find_double_buffering
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting.carried import alternate


@frozen
class PingPongOptions(PassOptions):
    """Options of `inplace-ping-pong`."""

    new_tensors: bool = option(
        True, help="also where the new version starts from an empty tensor, and needs an allocation in each iteration"
    )
    print_decisions: bool = option(
        False, help="emit a remark for every carried tensor whose new version starts from another tensor"
    )


class PingPongPass(Pass[PingPongOptions]):
    """Double-buffer carried tensors."""

    argument = "inplace-ping-pong"
    summary = "double-buffer tensors that each iteration of a loop computes from their neighbours"
    Options = PingPongOptions
    anchor = "func.func"
    statistics = (
        Statistic("alternating", "carried tensors that take turns with a second one"),
        Statistic("updated", "carried tensors whose new version starts from the old one"),
    )

    def run(self, op: ir.Operation) -> None:
        found = find_double_buffering(op)
        if not self.options.new_tensors:
            found = [one for one in found if one.written or not one.alternates]
        # Nested loops come later: their ops stay valid when the body moves into another loop.
        for _, group in groupby(found, key=lambda one: id(one.loop)):
            tensors = list(group)
            for one in tensors if self.options.print_decisions else ():
                how = "takes turns with a second one" if one.alternates else "is updated in place"
                self.remark(one.loop.location, f"carried tensor #{one.number} {how}")
            alternate(tensors[0].loop, tensors)
        alternating = sum(one.alternates for one in found)
        self.count("alternating", alternating)
        self.count("updated", len(found) - alternating)
