"""Use nontemporal stores for vectors where the buffer is too large for the caches and is not read again.

## Before and after

```text
scf.for %i = %c0 to %n step %c16 {
  vector.transfer_write %v, %result[%i] {in_bounds = [true]} : vector<16xf32>, memref<16777216xf32>
}
```

becomes, with the old loop in the other branch,

```text
%pointer = memref.extract_aligned_pointer_as_index %result : memref<16777216xf32> -> index
%rest = arith.remui %pointer, %c64 : index
%aligned = arith.cmpi eq, %rest, %c0 : index
scf.if %aligned {
  scf.for %i = %c0 to %n step %c16 {
    vector.store %v, %result[%i] {alignment = 64 : i64, nontemporal = true} : memref<16777216xf32>, vector<16xf32>
  }
} else { ... }
```

An ordinary store reads the cache line first, evicts another one, and the line is written to memory later all the same:
twice the traffic of a nontemporal store.

## Contract

In: a function on memrefs, vectorized. Out: the same, with two versions of loops. A buffer gets nontemporal stores if
its size is at least half of the last cache, which the program looks at where it is dynamic, and nothing in the
function reads it. A last cache of more than 96 MB is one of many cores: reading a line there takes about as long as
from memory, and neighbours share it, so 8 times the second cache is enough for vectors that are whole lines; parts of
lines, as those of transposes, would be sent one by one. Left alone: writes whose offset may be misaligned, masked
writes, and writes outside of loops and in loops with results.

Such stores may become visible to other threads after later ones, so a fence must follow. `inplace-fence-streams`
builds it, after the lowering of parallel loops, whose bodies do not admit it.

`machine` overrides properties of the detected machine, `print-streams` reports the stores. Linear in the uses of
buffers, and in the loops, which are copied once. No upstream counterpart. Why it is legal: docs/theory/optimizing.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from mlir import ir
from mlir.dialects import arith, memref, scf, vector

from ...dialects.structured import index_constant
from ...dialects.support.frozen_classes import frozen
from ..analysis.linalg.structured_op import type_bytes
from ..analysis.schedule.streamed_stores import Stream, StreamedBuffer, find_streams
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from ..scheduling.rewriting.linalg_ops import read_machine

_MOST_NEAR = 96 << 20
"""The largest last cache of a few cores, which is much faster than memory."""
_FAR = 8
"""From how many times the second cache on whole lines go past a larger last one."""


@frozen
class NontemporalStoresOptions(PassOptions):
    """Options of `inplace-nontemporal-stores`."""

    machine: str = option("", help="properties of the machine that differ from the detected ones: 'l3=1048576'")
    print_streams: bool = option(False, help="emit a remark for every loop that gets nontemporal stores")


class NontemporalStoresPass(Pass[NontemporalStoresOptions]):
    """Write large buffers by nontemporal stores."""

    argument = "inplace-nontemporal-stores"
    summary = "use nontemporal stores where the buffer is too large for the caches and is not read again"
    Options = NontemporalStoresOptions
    anchor = "func.func"
    statistics = (Statistic("nontemporal", "stores that became nontemporal"),)

    def run(self, op: ir.Operation) -> None:
        if not len(op.regions[0].blocks):
            return
        machine = read_machine(self.options.machine, op)
        half = machine.l3 // 2
        lines = min(half, _FAR * machine.l2) if machine.l3 > _MOST_NEAR else half
        for stream in find_streams(op, half, lines):
            if self.options.print_streams:
                self.remark(stream.loop.location, f"stores of this loop that are nontemporal: {len(stream.writes)}")
            with stream.loop.location:
                _split(stream)
            self.count("nontemporal", len(stream.writes))


def _split(stream: Stream) -> None:
    """Build a version of the loop for aligned buffers."""
    with ir.InsertionPoint(stream.loop):
        choice = scf.IfOp(_fits(stream.buffers), has_else=True)
    usual, fast = choice.operation.regions[1].blocks[0], choice.operation.regions[0].blocks[0]
    with ir.InsertionPoint(usual):
        stream.loop.clone(ir.InsertionPoint.current)
        scf.yield_([])
    with ir.InsertionPoint(fast):
        end = scf.YieldOp([])
    stream.loop.move_before(end)
    for write in stream.writes:
        _store(write)


def _fits(buffers: Mapping[ir.Value, StreamedBuffer]) -> ir.Value:
    """Build the checks of all buffers: their addresses are aligned, dynamic ones are large, and their rows aligned."""
    checks: list[ir.Value] = []
    for buffer, wanted in buffers.items():
        checks.append(_is_multiple(memref.extract_aligned_pointer_as_index(buffer), wanted.vector_bytes))
        if wanted.least:
            sizes = [memref.dim(buffer, index_constant(number)) for number in range(ir.MemRefType(buffer.type).rank)]
            elements = reduce(arith.muli, sizes)
            checks.append(arith.cmpi(arith.CmpIPredicate.uge, elements, index_constant(wanted.least)))
            if wanted.lanes > 1:
                checks.append(_is_multiple(sizes[-1], wanted.lanes))
    return reduce(arith.andi, checks)


def _is_multiple(number: ir.Value, of: int) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.eq, arith.remui(number, index_constant(of)), index_constant(0))


def _store(write: ir.Operation) -> None:
    """Replace `write` by a nontemporal store."""
    value, base, *indices = list(write.operands)
    type_ = ir.VectorType(value.type)
    with ir.InsertionPoint(write), write.location:
        vector.store(value, base, indices, nontemporal=True, alignment=type_bytes(type_))
    write.erase()
