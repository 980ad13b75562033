"""The layout of a function's arena: buffers of static sizes first, then one section for each dynamic size.

Buffers of static sizes have constant offsets. Of the others, those whose sizes are one product of values times a
constant form a section: they are placed as if the greatest common divisor of the constants were the unit, and the unit
is a number of bytes at run time, rounded up to the alignment. Sections lie one behind the other, as it is not known
which is larger; so only buffers of one section share bytes. Nothing is changed here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from .buffers import ArenaBuffer
from .placement import LiveRange, Placement, place

__all__ = ["ArenaPlan", "Section", "plan_arena"]


@frozen
class Section:
    """Buffers that are placed together. Offsets and sizes are multiples of a unit.

    The unit is `factor` bytes times the product of `dynamic`, rounded up to the alignment: where there is nothing
    dynamic, the alignment itself.
    """

    dynamic: tuple[ir.Value, ...]
    factor: int
    buffers: tuple[ArenaBuffer, ...]
    placement: Placement


@frozen
class ArenaPlan:
    """An arena: its sections, one behind the other, that of static sizes first if there is one."""

    sections: tuple[Section, ...]
    alignment: int

    @property
    def count(self) -> int:
        """How many buffers lie in it."""
        return sum(len(section.buffers) for section in self.sections)

    @property
    def static_bytes(self) -> int | None:
        """The size of the arena; None if that is not known before run time."""
        if any(section.dynamic for section in self.sections):
            return None
        return sum(section.placement.peak * section.factor for section in self.sections)


def plan_arena(buffers: Sequence[ArenaBuffer], alignment: int) -> ArenaPlan:
    """Return the arena of `buffers`. Quadratic in those that are live together (`placement.py`)."""
    alignment = max([alignment, *(buffer.alignment for buffer in buffers)])
    numbers: dict[ir.Value, int] = {}
    groups: dict[tuple[int, ...], list[ArenaBuffer]] = {(): []}
    for buffer in buffers:
        key = tuple(sorted(numbers.setdefault(value, len(numbers)) for value in buffer.dynamic))
        groups.setdefault(key, []).append(buffer)
    return ArenaPlan(tuple(_section(group, alignment) for group in groups.values() if group), alignment)


def _section(buffers: Sequence[ArenaBuffer], alignment: int) -> Section:
    dynamic = buffers[0].dynamic
    factor = math.gcd(*(buffer.size for buffer in buffers)) or 1 if dynamic else alignment
    ranges = [LiveRange(buffer.begin, buffer.end, -(-buffer.size // factor)) for buffer in buffers]
    return Section(dynamic, factor, tuple(buffers), place(ranges))
