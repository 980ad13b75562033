"""Put the buffers of a function into one arena, so that it allocates once.

In: functions on memrefs with deallocations. Out: the same functions, each with one `memref.alloc` of bytes, the arena,
and a `memref.view` of it in place of each `memref.alloc` that can lie there. Buffers that are live at the same time do
not overlap; others share bytes. Left alone: buffers that are not freed exactly once in the block that allocates them,
those with a layout or a memory space, those in parallel loops and between branches of blocks, and those whose dynamic
sizes are not known where the arena is allocated, or might not be needed. `print-kept` remarks each with the reason.

```mlir
func.func @f(%a: memref<16xf32>, %b: memref<16xf32>) {
  %0 = memref.alloc() : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%0 : memref<16xf32>)
  %1 = memref.alloc() : memref<16xf32>
  linalg.add ins(%a, %0 : memref<16xf32>, memref<16xf32>) outs(%1 : memref<16xf32>)
  memref.dealloc %0 : memref<16xf32>
  %2 = memref.alloc() : memref<16xf32>
  linalg.mul ins(%a, %1 : memref<16xf32>, memref<16xf32>) outs(%2 : memref<16xf32>)
  memref.dealloc %1 : memref<16xf32>
  memref.copy %2, %b : memref<16xf32> to memref<16xf32>
  memref.dealloc %2 : memref<16xf32>
  func.return
}
```

becomes:

```mlir
func.func @f(%a: memref<16xf32>, %b: memref<16xf32>) {
  %alloc = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
  %c0 = arith.constant 0 : index
  %view = memref.view %alloc[%c0][] : memref<128xi8> to memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%view : memref<16xf32>)
  %c64 = arith.constant 64 : index
  %view_0 = memref.view %alloc[%c64][] : memref<128xi8> to memref<16xf32>
  linalg.add ins(%a, %view : memref<16xf32>, memref<16xf32>) outs(%view_0 : memref<16xf32>)
  %c0_1 = arith.constant 0 : index
  %view_2 = memref.view %alloc[%c0_1][] : memref<128xi8> to memref<16xf32>
  linalg.mul ins(%a, %view_0 : memref<16xf32>, memref<16xf32>) outs(%view_2 : memref<16xf32>)
  memref.copy %view_2, %b : memref<16xf32> to memref<16xf32>
  memref.dealloc %alloc : memref<128xi8>
  func.return
}
```

Static sizes are placed by the best of several heuristics, exactly where there are few; dynamic sizes share bytes with
others of the same size times a constant, and their offsets are computed at run time. With `arena-argument` a function
that nothing in the module calls, and whose buffers have static sizes, takes the arena as its last argument, which is
marked `inplace.arena` with the alignment that the caller must keep. `print-plan` remarks how large each arena is, and
how many bytes are live at most, which no arena is below.

One walk, then quadratic in the buffers that are live together, a thousand in 0.3 s. Why it is legal:
docs/theory/after-bufferization.md. No upstream counterpart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import func

from ..analysis.memory_plan.arena import ArenaPlan, plan_arena
from ..analysis.memory_plan.buffers import FunctionBuffers, read_buffers
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.option_limits import MAX_ALIGNMENT
from ..framework.options import PassOptions, option
from ..functions.rewriting.results import FunctionUses, collect_functions
from .rewriting.arena import add_arena_argument, allocate_arena


@dataclass(frozen=True)
class PlanMemoryOptions(PassOptions):
    """Options of `inplace-plan-memory`."""

    alignment: int = option(64, help="the least alignment of each buffer, in bytes; a power of two")
    fewest: int = option(2, help="leave functions alone that have fewer buffers to put into an arena")
    largest: int = option(0, help="leave buffers alone that have more bytes, or a dynamic size; 0 for no limit")
    arena_argument: bool = option(False, help="let the caller bring the arena, where its size is static")
    print_plan: bool = option(False, help="emit a remark for each arena: its size, and what is live at most")
    print_kept: bool = option(False, help="emit a remark for every allocation that stays, with the reason")


@dataclass(frozen=True)
class ArenaOfFunction:
    """The buffers of a function and their arena, None if they are too few."""

    uses: FunctionUses
    found: FunctionBuffers
    arena: ArenaPlan | None


def analyze_memory(module: ir.Operation, options: PlanMemoryOptions) -> Iterator[ArenaOfFunction]:
    """Plan the arena of each function under `module`. Changes nothing."""
    for uses in collect_functions(module).values():
        found = read_buffers(uses.function.operation, options.largest)
        if len(found.buffers) >= max(options.fewest, 1):
            yield ArenaOfFunction(uses, found, plan_arena(found.buffers, options.alignment))
        elif found.kept:
            yield ArenaOfFunction(uses, found, None)


class PlanMemoryPass(Pass[PlanMemoryOptions]):
    """Put the buffers of a function into one arena."""

    argument = "inplace-plan-memory"
    summary = "put the buffers of a function into one arena by their live ranges"
    anchor = "builtin.module"
    Options = PlanMemoryOptions
    statistics = (
        Statistic("planned", "buffers that lie in an arena"),
        Statistic("kept", "allocations that stay"),
        Statistic("static-bytes", "bytes of arenas of static size"),
    )

    def run(self, op: ir.Operation) -> None:
        alignment, largest = self.options.alignment, self.options.largest
        if largest < 0:
            raise PassFailure(f"option 'largest' of {self.argument} is {largest}, but 0 or more is needed", op)
        if not 1 <= alignment <= MAX_ALIGNMENT or alignment & (alignment - 1):
            needed = f"a power of two up to {MAX_ALIGNMENT} is needed"
            raise PassFailure(f"option 'alignment' of {self.argument} is {alignment}, but {needed}", op)
        with op.context:
            for plan in list(analyze_memory(op, self.options)):
                for kept in plan.found.kept if self.options.print_kept else ():
                    self.remark(kept.allocation.location, f"the allocation does not move into the arena: {kept.reason}")
                if plan.arena is not None and plan.arena.static_bytes != 0:
                    self._carry_out(plan, plan.arena)

    def _carry_out(self, plan: ArenaOfFunction, arena: ArenaPlan) -> None:
        place, function = plan.found.place, plan.uses.function
        assert place is not None
        if self.options.print_plan:
            self.remark(function.operation.location, _describe(function, arena))
        self.count("planned", arena.count)
        self.count("kept", len(plan.found.kept))
        self.count("static-bytes", arena.static_bytes or 0)
        if self.options.arena_argument and plan.uses.is_entry and arena.static_bytes is not None:
            add_arena_argument(arena, function, place)
        else:
            allocate_arena(arena, place, plan.found.last, plan.found.moves)


def _describe(function: func.FuncOp, arena: ArenaPlan) -> str:
    parts: list[str] = []
    for section in arena.sections:
        peak, live = (count * section.factor for count in (section.placement.peak, section.placement.max_live))
        unit = "bytes for each element of a dynamic size" if section.dynamic else "bytes"
        parts.append(f"{len(section.buffers)} in {peak} {unit}, of which at most {live} are live at once")
    return f"the arena of '{function.name.value}' has {arena.count} buffers: {'; '.join(parts)}"
