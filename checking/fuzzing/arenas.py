"""Whether buffers that are live at the same time overlap in a planned arena."""

from __future__ import annotations

from typing import Any

from ...passes.analysis.memory_plan.placement import LiveRange, find_overlap
from ...passes.buffers.plan_memory import PlanMemoryOptions, analyze_memory

__all__ = ["check_arenas"]


def check_arenas(module: Any) -> None:
    """Plan the arena of each function of ``module``, which has deallocations, without changing it.

    Raises:
        RuntimeError: two buffers overlap that are live at the same time.
    """
    for plan in analyze_memory(module.operation, PlanMemoryOptions()):
        for section in () if plan.arena is None else plan.arena.sections:
            ranges = [LiveRange(one.begin, one.end, -(-one.size // section.factor)) for one in section.buffers]
            found = find_overlap(ranges, section.placement.offsets)
            if found is not None:
                first, second = (section.buffers[number].allocation for number in found)
                raise RuntimeError(f"{first} at {first.location} overlaps {second} at {second.location} in the arena")
