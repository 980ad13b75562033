"""Choose tiles for linalg ops on tensors, and pack the slices they read many times, for the machine's caches.

## Problem

What fits into the caches, and how many rows fit into the registers, depends on the op, its element types and the
machine. A schedule written by hand for one program is wrong for the next.

## Contract

In: a function; any linalg ops on tensors. Out: the same values. An op that reads an operand many times that does not
fit into the caches is tiled (`inplace-tile`) and its panels are packed (`inplace-pack`); the tiles match the registers
that `inplace-vectorize`, which is to run next, uses. Everything else stays as it is: a loop nest of vectors is best for
it. Each sum is computed in the order of the op.

`machine` overrides properties of the detected machine, `print-schedule` reports the choice, and the machine.

Linear in the ops. No upstream counterpart; the rules are in `passes/analysis/schedule/cache_tiling.py`.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.defining_ops import defining_op
from ...dialects.support.frozen_classes import frozen
from ..analysis.schedule.cache_tiling import CacheTiling, choose_tiling
from ..analysis.schedule.machine import Machine
from ..analysis.schedule.own_producers import find_fills
from ..analysis.schedule.packing import find_packings
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting.linalg_ops import find_linalg_ops, read_machine, replace_op
from .rewriting.packed_slices import pack
from .rewriting.tiled_nest import tile


@frozen
class ScheduleOptions(PassOptions):
    """Options of `inplace-schedule`."""

    machine: str = option("", help="properties of the machine that differ from the detected ones: 'l2=1048576 cores=4'")
    print_schedule: bool = option(False, help="emit a remark for the machine, and for every op that is tiled")


class SchedulePass(Pass[ScheduleOptions]):
    """Tile and pack linalg ops for the machine's caches."""

    argument = "inplace-schedule"
    summary = "choose tiles for linalg ops from their structure and the machine, and pack slices that are reread"
    Options = ScheduleOptions
    anchor = "func.func"
    statistics = (
        Statistic("tiled", "linalg ops that were tiled"),
        Statistic("packed", "slices that are read from a packed tensor"),
    )

    def run(self, op: ir.Operation) -> None:
        machine = read_machine(self.options.machine, op)
        if self.options.print_schedule:
            self.remark(op.location, f"scheduled for a machine with {machine}")
        tilings = [choose_tiling(one, machine) for one in find_linalg_ops(op)]
        chosen = [tiling for tiling in tilings if tiling is not None]
        tiled = [one for tiling in chosen for one in self._apply(tiling, machine)]
        slices = (defining_op(value, "tensor.extract_slice") for one in tiled for value in one.operands)
        packings = find_packings(op for op in slices if op is not None)
        for packing in packings:
            pack(packing)
        self.count("packed", len(packings))

    def _apply(self, tiling: CacheTiling, machine: Machine) -> list[ir.Operation]:
        """Tile an op, and its parts; return the smaller ops."""
        op = tiling.structured.op
        if self.options.print_schedule:
            tiles = ", ".join(map(str, tiling.loops))
            self.remark(op.location, f"'{op.name}' is tiled, outermost first: {tiles}")
        # A fill is best computed in the tile; but a tile must not be filled again for each part of a sum.
        whole = all(tiling.structured.parallel[one.loop] for one in tiling.loops)
        producers = [*(find_fills(tiling.structured) if whole else []), *tiling.producers]
        with ir.InsertionPoint(op), op.location:
            tiled = tile(tiling.structured, tiling.loops, producers)
        replace_op(op, tiled.results, [producer.op for producer in producers])
        self.count("tiled")
        if not tiling.parts:
            return tiled.ops
        # Producers in a part are erased when its op is tiled; and an op that is not tiled reads no slice many times.
        own = [choose_tiling(one, machine, part=True) for one in tiled.ops]
        return [one for tiling in own if tiling is not None for one in self._apply(tiling, machine)]
