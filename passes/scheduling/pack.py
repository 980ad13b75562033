"""Copy slices that loops read many times into contiguous memory, once.

## Problem

A tile of a large matrix is scattered: each of its rows is a page away from the next, so that the rows compete for the
same sets of a cache and each costs an entry of the TLB. If the tile is read often, copying it once pays.

## Before and after

```text
scf.for %i = %c0 to %m step %c8 {
  scf.for %j = %c0 to %n step %c64 {
    %y = tensor.extract_slice %b[0, %j] [512, 64] [1, 1] : tensor<512x1024xf32> to tensor<512x64xf32>
    linalg.matmul ins(%x, %y : ...) ...
```

becomes

```text
%trips = arith.ceildivui %n, %c64 : index
%empty = tensor.empty(%trips) : tensor<?x512x64xf32>
%packed = scf.for %j = %c0 to %n step %c64 iter_args(%p = %empty) -> (tensor<?x512x64xf32>) { ... linalg.copy ... }
scf.for %i = %c0 to %m step %c8 {
  scf.for %j = %c0 to %n step %c64 {
    %y = tensor.extract_slice %packed[%number, 0, 0] [1, 512, 64] [1, 1, 1] : ... to tensor<512x64xf32>
    linalg.matmul ins(%x, %y : ...) ...
```

## Contract

In: a function; slices that are inputs of linalg ops inside `scf.for` loops, as `inplace-tile` makes them. Out: the same
values; slices that a loop around them reads again in each iteration are copied before it, each into a panel of its own.
Slices of a `linalg.transpose` with no other users are transposed by the copy, instead of it. Left alone: slices that no
such loop reads, contiguous slices, and slices whose offsets are computed from anything but induction variables. The
loops give the size of the packed tensor: that of all slices, with smaller ones at the end as large as the others.

Linear in the slices times the depth of their loops. Upstream counterpart: `transform.structured.hoist_pad`.
"""

from __future__ import annotations

from mlir import ir

from ..analysis.ir.traversal import find_ops
from ..analysis.schedule.packing import find_packings
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.packed_slices import pack


class PackPass(Pass[PassOptions]):
    """Pack slices that are read many times."""

    argument = "inplace-pack"
    summary = "copy slices that loops read many times into contiguous memory, once"
    anchor = "func.func"
    statistics = (Statistic("packed", "slices that are read from a packed tensor"),)

    def run(self, op: ir.Operation) -> None:
        packings = find_packings(find_ops(op, "tensor.extract_slice"))
        for packing in packings:
            pack(packing)
        self.count("packed", len(packings))
