"""Prefetch the next row while the last of the loops over the current one computes.

## Before and after

```text
scf.for %i = %c0 to %m step %c1 {
  %row = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<1024x4096xf32> to memref<1x4096xf32, ...>
  %largest = scf.for %j = ... { vector.transfer_read %row[%c0, %j] ... }
  %sum = scf.for %j = %c0 to %n step %c16 ... {
    %v = vector.transfer_read %row[%c0, %j] ...
  }
}
```

becomes

```text
scf.for %i = %c0 to %m step %c1 {
  %row = memref.subview ...
  %largest = scf.for %j = ... { ... }
  %following = arith.addi %i, %c1 : index
  %inside = arith.cmpi slt, %following, %m : index
  %next = arith.select %inside, %following, %i : index
  %coming = memref.subview %x[%next, 0] [1, 4096] [1, 1] : memref<1024x4096xf32> to memref<1x4096xf32, ...>
  %sum = scf.for %j = %c0 to %n step %c16 ... {
    %v = vector.transfer_read %row[%c0, %j] ...
    memref.prefetch %coming[%c0, %j], read, locality<3>, data : memref<1x4096xf32, ...>
  }
}
```

The first loop over a row waits for memory, and memory is idle while the others compute: hardware prefetches along a
row only, and the next one is needed much later. In the last iteration the last row is prefetched again.

## Contract

In: a function on memrefs, vectorized. Out: the same with `memref.prefetch`, which changes no value. Rows are prefetched
if their size is static, one fits into a quarter of the second cache, and all of them do not fit into it; and if at
least two of the loops in the body read vectors of them, the last one each element once, with ten ops or more on each
vector: a loop that computes less keeps memory busy by itself.

`machine` overrides properties of the detected machine, `print-rows` reports the loops. Linear in the ops, times the
nesting of loops. No upstream counterpart.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, memref

from ...dialects.support.frozen_classes import frozen
from ..analysis.schedule.reused_rows import ReusedRow, find_reused_rows
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from ..scheduling.rewriting.linalg_ops import read_machine

_ALL_CACHES = 3
"""The locality of data that is read soon, and more than once."""


@frozen
class PrefetchRowsOptions(PassOptions):
    """Options of `inplace-prefetch-rows`."""

    machine: str = option("", help="properties of the machine that differ from the detected ones: 'l2=1048576'")
    print_rows: bool = option(False, help="emit a remark for every loop whose next row is prefetched")


class PrefetchRowsPass(Pass[PrefetchRowsOptions]):
    """Prefetch rows that are read several times."""

    argument = "inplace-prefetch-rows"
    summary = "prefetch the next row while the last of the loops over the current one computes"
    Options = PrefetchRowsOptions
    anchor = "func.func"
    statistics = (Statistic("rows", "views of rows that are prefetched"),)

    def run(self, op: ir.Operation) -> None:
        for row in find_reused_rows(op, read_machine(self.options.machine, op)):
            if self.options.print_rows:
                self.remark(row.loop.location, "the next row is prefetched while this one is read for the last time")
            with row.view.location:
                _fetch_next(row)
            self.count("rows")


def _fetch_next(row: ReusedRow) -> None:
    """Build the view of the next row, and a prefetch from it for each read of the last loop."""
    coming = _next_view(row)
    rank = ir.MemRefType(coming.type).rank
    for read in row.reads:
        indices = list(read.operands)[1 : 1 + rank]
        with ir.InsertionPoint(read), read.location:
            memref.prefetch(coming, indices, False, _ALL_CACHES, True)


def _next_view(row: ReusedRow) -> ir.Value:
    """Build the view of the next iteration, or of this one if it is the last."""
    index = row.loop.regions[0].blocks[0].arguments[0]
    _, upper, step = list(row.loop.operands)[:3]
    with ir.InsertionPoint.after(row.view):
        advanced = arith.addi(index, step)
        inside = arith.cmpi(arith.CmpIPredicate.slt, advanced, upper)
        advanced = arith.select(inside, advanced, index)
        copy = row.view.clone()
    for number, operand in enumerate(row.view.operands):
        if operand == index:
            copy.operation.operands[number] = advanced
    return copy.operation.results[0]
