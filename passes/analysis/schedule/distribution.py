"""Which parallel loop of an op, or of a group of ops, is distributed over threads.

The outermost loop with enough iterations for each thread: consecutive rows are consecutive in memory, and each thread
reads its own rows. For a contraction it is the lane loop instead if that is long enough: then each thread packs panels
of its own, and all threads read the rows. Parts are multiples of the register tile, so that only the last one has a
remainder tile. There are up to four for each thread, if they are long enough: threads take them as they get free, so a
thread that another process delays takes fewer. If the thread with the most has more than an eighth above an equal
share, as for three heads of attention on two threads, the loop with the most equal shares is taken. Windows are
distributed in parts of one size, if any loop has such: those of a size that only the run tells take twice as long. An
op with less work than it costs to wake threads stays on one.

Linear in the op; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from ....dialects.support.frozen_classes import frozen
from ..linalg.structured_op import Structured
from .machine import Machine
from .vector_plan import find_plan

__all__ = ["Distribution", "choose_distribution"]

_LEAST_WORK = 1 << 16
"""How many payload iterations amortize waking a thread."""

_LEAST_PART, _LEAST_PRODUCT = 1 << 18, 1 << 22
"""How many payload iterations amortize a part of its own, without reductions and with: ten microseconds and more."""
_MOST_PARTS = 4
"""Parts for each thread: more are as even, and read the operands that all parts share more often."""
_LEAST_UNITS = 2
"""The least register tiles of a part, where a thread has several parts."""

_MOST_EXCESS = 9 / 8
"""If a thread has at most this many times an equal share, no other loop is considered."""


@frozen
class Distribution:
    """How the iterations of a parallel loop are distributed over threads: in equal parts, multiples of `unit`."""

    loop: int
    parts: int
    unit: int = 1


def choose_distribution(root: Structured, loops: Iterable[int], threads: int, machine: Machine) -> Distribution | None:
    """Return how one of the parallel `loops` of `root` is given to `threads`; None if there is too little work."""
    sizes = [root.size(loop) for loop in root.loops]
    if threads < 2 or prod(sizes) < _LEAST_WORK * threads:
        return None
    candidates = sorted(set(loops) - root.falling)
    units: dict[int, int] = {}
    plan = find_plan(root.op, machine)
    if plan is not None:
        units = dict(plan.tile)
        units[plan.lane_loop] = plan.tile[plan.lane_loop] * plan.lanes
        rows = [loop for loop in plan.tile if loop != plan.lane_loop]
        if plan.reductions and rows and plan.lane_loop in candidates:
            candidates.insert(0, plan.lane_loop)
    least = _LEAST_PRODUCT if plan is not None and plan.reductions else _LEAST_PART
    most = min(_MOST_PARTS, max(1, prod(sizes) // (least * threads)))
    found = [
        Distribution(loop, threads * parts, unit)
        for loop in candidates
        for unit in (units.get(loop, 1),)
        for parts in range(most, 0, -1)
        if sizes[loop] >= threads * parts * unit * (_LEAST_UNITS if parts > 1 else 1)
    ]

    def excess(how: Distribution) -> float:
        return _excess(how, sizes[how.loop], threads)

    equal = [one for one in found if excess(one) <= _MOST_EXCESS]
    if root.has_windows:
        equal = [one for one in equal if sizes[one.loop] % (one.parts * one.unit) == 0] or equal
    return equal[0] if equal else min(found, key=excess, default=None)


def _excess(how: Distribution, size: int, threads: int) -> float:
    """Return the ratio of what the busiest thread has of a loop of `size` iterations to an equal share."""
    part = -(-size // (how.parts * how.unit)) * how.unit
    parts = -(-size // part)
    return -(-parts // threads) * part * threads / size
