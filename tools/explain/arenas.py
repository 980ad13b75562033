"""The arenas of a bufferized module as plain data: where `inplace-plan-memory` would put each buffer, and when."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from ...passes.analysis.memory_plan.arena import Section
from ...passes.analysis.memory_plan.buffers import ArenaBuffer, FunctionBuffers
from ...passes.buffers.plan_memory import PlanMemoryOptions, analyze_memory
from ...passes.framework.diagnostics import place_text
from ...passes.pipeline.pipeline import run_pipeline

__all__ = ["OutsideBuffer", "PlacedBuffer", "ReportedArena", "ReportedSection", "read_arenas"]


@dataclass(frozen=True)
class PlacedBuffer:
    """A buffer in a section: offset and size in its units, the ops and the places between which it is live."""

    type: str
    offset: int
    size: int
    begin: int
    end: int
    allocated: str
    freed: str


@dataclass(frozen=True)
class ReportedSection:
    """Buffers that share memory, `peak` units of `unit` bytes, of which at most `max_live` are live at a time.

    With `dynamic` a unit has `unit` bytes for each element of a size that is known at run time only.
    """

    unit: int
    dynamic: bool
    peak: int
    max_live: int
    buffers: tuple[PlacedBuffer, ...]

    def size(self, units: int) -> str:
        """So many units, in words."""
        number = units * self.unit
        return f"{number} × a dynamic size bytes" if self.dynamic else f"{number} bytes"


@dataclass(frozen=True)
class OutsideBuffer:
    """An allocation that cannot lie in the arena, and why."""

    type: str
    location: str
    reason: str


@dataclass(frozen=True)
class ReportedArena:
    """The arena of a function, and the buffers outside of it."""

    function: str
    sections: tuple[ReportedSection, ...]
    outside: tuple[OutsideBuffer, ...]


def read_arenas(module: ir.Operation) -> tuple[ReportedArena, ...]:
    """Free the buffers of ``module``, which is on memrefs, and plan the arena of each function.

    Raises `PassError` if they cannot be freed.
    """
    if not _frees(module):
        run_pipeline(module, "builtin.module(inplace-deallocate)")
    with module.context:
        return tuple(
            ReportedArena(
                plan.uses.function.name.value,
                () if plan.arena is None else tuple(map(_section, plan.arena.sections)),
                _outside(plan.found),
            )
            for plan in analyze_memory(module, PlanMemoryOptions(fewest=1))
        )


def _frees(module: ir.Operation) -> bool:
    found = False

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal found
        found = op.name == "memref.dealloc"
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    module.walk(visit)
    return found


def _section(section: Section) -> ReportedSection:
    placement = section.placement
    placed = zip(section.buffers, placement.offsets, strict=True)
    return ReportedSection(
        section.factor,
        bool(section.dynamic),
        placement.peak,
        placement.max_live,
        tuple(_placed(buffer, offset, section.factor) for buffer, offset in placed),
    )


def _placed(buffer: ArenaBuffer, offset: int, unit: int) -> PlacedBuffer:
    return PlacedBuffer(
        str(buffer.allocation.results[0].type),
        offset,
        -(-buffer.size // unit),
        buffer.begin,
        buffer.end,
        place_text(buffer.allocation.location),
        place_text(buffer.deallocation.location),
    )


def _outside(found: FunctionBuffers) -> tuple[OutsideBuffer, ...]:
    return tuple(
        OutsideBuffer(str(kept.allocation.results[0].type), place_text(kept.allocation.location), kept.reason)
        for kept in found.kept
    )
