"""Put the buffers of a function into one arena, so that it allocates once.

In: functions on memrefs with deallocations. Out: the same functions, each with one `memref.alloc` of bytes, the arena,
and a `memref.view` of it in place of each `memref.alloc` that can lie there, one view for all of one type and offset.
Buffers that are live at the same time do not overlap; others share bytes. Left alone: buffers that are not freed
exactly once in the block that allocates them, those with a layout or a memory space, those in parallel loops and
between branches of blocks, and those whose dynamic sizes are not known where the arena is allocated, or might not be
needed. `print-kept` remarks each with the reason.

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
  %c64 = arith.constant 64 : index
  %view_0 = memref.view %alloc[%c64][] : memref<128xi8> to memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%view : memref<16xf32>)
  linalg.add ins(%a, %view : memref<16xf32>, memref<16xf32>) outs(%view_0 : memref<16xf32>)
  linalg.mul ins(%a, %view_0 : memref<16xf32>, memref<16xf32>) outs(%view : memref<16xf32>)
  memref.copy %view, %b : memref<16xf32> to memref<16xf32>
  memref.dealloc %alloc : memref<128xi8>
  func.return
}
```

Static sizes are placed by the best of several heuristics, exactly where there are few; dynamic sizes share bytes with
others of the same size times a constant, and their offsets are computed at run time. With `arena-argument` a function
that nothing in the module calls, and whose buffers have static sizes, takes the arena as its last argument, which is
marked `inplace.arena` with the alignment that the caller must keep. `print-plan` remarks how large each arena is, and
how many bytes are live at most, which no arena is below. With `called-functions`, callees first, each call of a private
function brings the arena of that, if its size is static, as a buffer that is live during the call: of `f` above, the
caller allocates once for all of its own buffers and those of its calls.

One walk, then quadratic in the buffers that are live together, a thousand in 0.3 s. Why it is legal:
docs/theory/after-bufferization.md. No upstream counterpart.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import func

from ...dialects.support.frozen_classes import frozen
from ..analysis.ir.symbols import is_public
from ..analysis.memory_plan.arena import ArenaPlan, plan_arena
from ..analysis.memory_plan.buffers import FunctionBuffers, read_buffers
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.option_limits import MAX_ALIGNMENT
from ..framework.options import PassOptions, option
from ..functions.rewriting.results import FunctionUses, callees_first, collect_functions
from .rewriting.arena import add_arena_argument, allocate_arena, bring_arena


@frozen
class PlanMemoryOptions(PassOptions):
    """Options of `inplace-plan-memory`."""

    alignment: int = option(64, help="the least alignment of each buffer, in bytes; a power of two")
    fewest: int = option(2, help="leave functions alone with fewer buffers for an arena; one in a loop counts twice")
    largest: int = option(0, help="leave buffers alone that have more bytes, or a dynamic size; 0 for no limit")
    arena_argument: bool = option(False, help="let the caller bring the arena, where its size is static")
    called_functions: bool = option(False, help="let calls of private functions bring their arenas, if of static size")
    print_plan: bool = option(False, help="emit a remark for each arena: its size, and what is live at most")
    print_kept: bool = option(False, help="emit a remark for every allocation that stays, with the reason")


@frozen
class ArenaOfFunction:
    """The buffers of a function and their arena, None if they are too few; whether its calls bring that."""

    uses: FunctionUses
    found: FunctionBuffers
    arena: ArenaPlan | None
    is_brought: bool


def analyze_memory(module: ir.Operation, options: PlanMemoryOptions) -> Iterator[ArenaOfFunction]:
    """Plan the arena of each function under `module`. Changes nothing.

    With `called_functions`, callees first: an arena may be carried out before the next one is asked for.
    """
    functions = collect_functions(module)
    components = callees_first(functions) if options.called_functions else [[name] for name in functions]
    for name, is_alone in ((name, len(component) == 1) for component in components for name in component):
        uses = functions[name]
        found = read_buffers(uses.function.operation, options.largest)
        arena = plan_arena(found.buffers, options.alignment) if found.buffers else None
        is_brought = options.called_functions and is_alone and _has_only_callers(uses)
        is_brought = is_brought and arena is not None and _is_small(arena, options.largest)
        if not is_brought and sum(1 + buffer.in_loop for buffer in found.buffers) < options.fewest:
            arena = None
        if arena is not None or found.kept:
            yield ArenaOfFunction(uses, found, arena, is_brought)


def _has_only_callers(uses: FunctionUses) -> bool:
    """Whether a function is used by calls only, none of which are its own."""
    function = uses.function.operation
    return (
        bool(uses.calls)
        and not is_public(function)
        and not uses.address_taken
        and not any(_function_around(call.operation) == function for call in uses.calls)
    )


def _function_around(op: ir.Operation) -> ir.Operation | None:
    while op.parent is not None and op.name != "func.func":
        op = op.parent.operation
    return op


def _is_small(arena: ArenaPlan, largest: int) -> bool:
    return arena.static_bytes is not None and (not largest or arena.static_bytes <= largest)


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
            for plan in analyze_memory(op, self.options):
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
        if plan.is_brought or (self.options.arena_argument and plan.uses.is_entry and arena.static_bytes is not None):
            add_arena_argument(arena, function, place)
            for call in plan.uses.calls:
                bring_arena(arena, function, call.operation)
        else:
            allocate_arena(arena, place, plan.found.last, plan.found.moves)


def _describe(function: func.FuncOp, arena: ArenaPlan) -> str:
    parts: list[str] = []
    for section in arena.sections:
        peak, live = (count * section.factor for count in (section.placement.peak, section.placement.max_live))
        unit = "bytes for each element of a dynamic size" if section.dynamic else "bytes"
        parts.append(f"{len(section.buffers)} in {peak} {unit}, of which at most {live} are live at once")
    return f"the arena of '{function.name.value}' has {arena.count} buffers: {'; '.join(parts)}"
