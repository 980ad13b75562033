"""Prefetch the rows, or the panel, that loops are going to read from a large buffer.

## Before and after

```text
scf.for %c = %c0 to %c512 step %c1 iter_args(...) {
  %v = vector.transfer_read %w[%f, %i, %j, %c, %c0] ... : memref<16x3x3x512x16xf32>, vector<16xf32>
  ... many products with %v ...
}
```

becomes

```text
%rows = memref.collapse_shape %w [[0, 1, 2, 3], [4]] : memref<16x3x3x512x16xf32> into memref<73728x16xf32>
%first = ((%f * 3 + %i) * 3 + %j) * 512
scf.for %c = %c0 to %c512 step %c1 iter_args(...) {
  %now = arith.addi %first, %c : index
  %ahead = arith.addi %now, %c64 : index
  %row = arith.minui %ahead, %c73727 : index
  memref.prefetch %rows[%row, %c0], read, locality<3>, data : memref<73728x16xf32>
  %v = vector.transfer_read %w[%f, %i, %j, %c, %c0] ...
  ...
}
```

If several register tiles read a panel, it is the next panel that is prefetched, a line in each iteration:

```text
scf.for %j = %c0 to %c8 step %c1 {
  scf.for %i = %c0 to %c126 step %c14 {
    scf.for %k = %c0 to %c784 step %c1 iter_args(...) {
      %v = vector.transfer_read %w[%j, %k, %c0] ... : memref<8x784x32xf32>, vector<16xf32>
```

becomes

```text
scf.for %j = %c0 to %c8 step %c1 {
  %elements = memref.collapse_shape %w [[0, 1, 2]] : memref<8x784x32xf32> into memref<200704xf32>
  %end = the last element of the next panel, or of the buffer
  scf.for %i = %c0 to %c126 step %c14 {
    %first = (%j + 1) * 784 * 32 + %i / 14 * 784 * 16
    scf.for %k = %c0 to %c784 step %c1 iter_args(...) {
      %wanted = %first + %k * 16
      %element = arith.minui %wanted, %end : index
      memref.prefetch %elements[%element], read, locality<3>, data : memref<200704xf32>
      %v = vector.transfer_read %w[%j, %k, %c0] ... : memref<8x784x32xf32>, vector<16xf32>
```

## Contract

In: a function on memrefs, vectorized. Out: the same with `memref.prefetch`, which changes no value; what is prefetched
is inside the buffer. That is what the loop reads 4 KB later, in the order of the buffer's rows. Prefetched are
row-major buffers of static shape, larger than the first cache, of which an innermost loop reads a row in each
iteration: one or two vectors, for four vector ops or more each. Or it is the next panel, for buffers that together are
larger than half of the second cache, if two register tiles or more read each panel.

`machine` overrides properties of the detected machine, `print-panels` reports the loops. Linear in the ops. No upstream
counterpart.
"""

from __future__ import annotations

from math import prod

from mlir import ir
from mlir.dialects import arith, memref

from ...dialects.support.frozen_classes import frozen
from ...dialects.support.index_math import Number, add, as_value, ceil_div, index_constant, multiply, subtract
from ..analysis.linalg.structured_op import type_bytes
from ..analysis.schedule.panel_streams import LINE, PanelStream, find_panel_streams
from ..analysis.schedule.row_streams import RowStream, find_row_streams
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from ..scheduling.rewriting.linalg_ops import read_machine

_AHEAD = 4096
"""How many bytes ahead: the last cache answers in less time than a loop takes for so many, if it computes with them."""
_ALL_CACHES = 3
"""The locality of data that is read soon."""


@frozen
class PrefetchPanelsOptions(PassOptions):
    """Options of `inplace-prefetch-panels`."""

    machine: str = option("", help="properties of the machine that differ from the detected ones: 'l1=49152'")
    print_panels: bool = option(False, help="emit a remark for every loop whose rows are prefetched")


class PrefetchPanelsPass(Pass[PrefetchPanelsOptions]):
    """Prefetch rows and panels that are read one after the other."""

    argument = "inplace-prefetch-panels"
    summary = "prefetch the rows, or the panel, that loops are going to read from a large buffer"
    Options = PrefetchPanelsOptions
    anchor = "func.func"
    statistics = (
        Statistic("streams", "loops and buffers whose rows are prefetched"),
        Statistic("panels", "loops that prefetch the next panel"),
    )

    def run(self, op: ir.Operation) -> None:
        machine = read_machine(self.options.machine, op)
        panels = find_panel_streams(op, machine)
        rows = find_row_streams(op, machine, apart={panel.loop for panel in panels})
        for stream in rows:
            self._count("streams", stream.loop, "rows that this loop is going to read are prefetched")
            with stream.loop.location:
                _fetch(stream)
        for panel in panels:
            if panel.before is None:
                continue
            self._count("panels", panel.loop, "the panel behind the one that this loop reads is prefetched")
            with panel.loop.location:
                _fetch_next(panel)

    def _count(self, statistic: str, loop: ir.Operation, remark: str) -> None:
        self.count(statistic)
        if self.options.print_panels:
            self.remark(loop.location, remark)


def _fetch(stream: RowStream) -> None:
    """Build a view of all rows, the number of the first one, and a prefetch for each read."""
    buffer = stream.reads[0].operands[0]
    type_ = ir.MemRefType(buffer.type)
    *outer, length = type_.shape
    *indices, row, _ = list(stream.reads[0].operands)[1 : 1 + type_.rank]
    with ir.InsertionPoint(stream.loop):
        groups = [list(range(len(outer))), [len(outer)]]
        flat = ir.MemRefType.get([prod(outer), length], type_.element_type, memory_space=type_.memory_space)
        rows = buffer if type_.rank == len(groups) else memref.collapse_shape(flat, buffer, groups)
        first: Number = 0
        for index, size in zip(indices, outer, strict=False):
            first = add(multiply(first, size), index)
        first = multiply(first, outer[-1])
    ahead = max(1, _AHEAD // (length * type_bytes(type_.element_type)))
    with ir.InsertionPoint(stream.reads[0]):
        wanted = add(add(first, row), ahead)
        inside = arith.minui(as_value(wanted), index_constant(prod(outer) - 1))
        for read in stream.reads:
            memref.prefetch(rows, [inside, read.operands[type_.rank]], False, _ALL_CACHES, True)


def _fetch_next(stream: PanelStream) -> None:
    """Build a prefetch of a line of the next panel: the lines of it are numbered through all register tiles."""
    whole, loop = ir.MemRefType(stream.buffer.type), stream.loop
    count, size = prod(whole.shape), stream.rows * whole.shape[-1]
    line = max(1, LINE // type_bytes(whole.element_type))
    flat = ir.MemRefType.get([count], whole.element_type, memory_space=whole.memory_space)
    with ir.InsertionPoint(stream.tiles[0] if stream.tiles else loop):
        elements = memref.collapse_shape(flat, stream.buffer, [list(range(whole.rank))])
        start: Number = 0
        for offset, length in zip(stream.offsets, whole.shape, strict=True):
            start = add(multiply(start, length), offset)
        end = arith.minui(as_value(add(start, 2 * size - 1)), index_constant(count - 1))
        start = add(start, size)
    with ir.InsertionPoint(loop):
        tile: Number = 0
        for outer in stream.tiles:
            lower, upper, step = list(outer.operands)[:3]
            number = arith.divui(arith.subi(outer.regions[0].blocks[0].arguments[0], lower), step)
            tile = add(multiply(tile, ceil_div(subtract(upper, lower), step)), number)
        start = add(start, multiply(add(tile, stream.before or 0), line * stream.rows))
    with ir.InsertionPoint(stream.reads[0]):
        wanted = add(start, multiply(loop.regions[0].blocks[0].arguments[0], line))
        memref.prefetch(elements, [arith.minui(as_value(wanted), end)], False, _ALL_CACHES, True)
