"""Offsets of buffers in one arena, so that buffers which are live at the same time do not overlap.

The problem is dynamic storage allocation: intervals of time with sizes are packed into the lowest height. It is
NP-hard; at every moment the arena must hold what is live then, so the maximum of that (`Placement.max_live`) is a lower
bound.

How it is solved
    Times when nothing is live cut the problem into parts that share all of the arena. In each part, buffers are placed
    one after the other, each at the lowest offset that is free while it lives, in several orders (`_ORDERS`), and by
    best fit, which an allocator would do that is told nothing of the future. The lowest arena wins; what reaches the
    lower bound ends the search. A part of few buffers is then solved exactly (`exact_placement.py`), a larger one is
    improved: the buffer at the top of the arena is placed first, and all others again, a bounded number of times.

Nothing here knows MLIR. Quadratic in the buffers of a part, as many times as there are orders and improvements; the
improvements are bounded by `_IMPROVEMENT_STEPS`.

Sources: Maas et al., "TelaMalloc: Efficient On-Chip Memory Allocation for Production Machine Learning Accelerators"
(ASPLOS 2022), and Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine Learning"
(ASPLOS 2023), for instances, and for placing in the order of offsets; Pisarchyk and Lee, "Efficient Memory Management
for Deep Neural Net Inference" (2020), for the orders.
"""

from __future__ import annotations

import random
from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from ....dialects.support.frozen_classes import frozen
from .exact_placement import EXACT_LIMIT, place_exactly
from .skyline import place_on_skyline

__all__ = ["LiveRange", "Placement", "best_fit", "find_overlap", "max_live", "place"]

_IMPROVEMENT_STEPS = 1_000_000
"""How many pairs of buffers are looked at while a part is improved: about 60 ms."""


@frozen
class LiveRange:
    """A buffer of `size` bytes that is live from `begin` until just before `end`, in any unit of time."""

    begin: int
    end: int
    size: int


@frozen
class Placement:
    """An offset for each buffer. `peak` is the size of the arena, `max_live` what is live at most at one time."""

    offsets: tuple[int, ...]
    peak: int
    max_live: int


def place(ranges: Sequence[LiveRange]) -> Placement:
    """Return offsets for `ranges` with a low peak: never above that of `best_fit`.

    Sizes are multiples of the alignment, or 1 is; so are the offsets then. Raises `ValueError` for a range that ends
    before it begins, or has a negative size.
    """
    for number, one in enumerate(ranges):
        if one.end < one.begin or one.size < 0:
            needed = "a range must not end before it begins, nor be negative"
            raise ValueError(f"live range {number} is {one}, but {needed}")
    offsets = [0] * len(ranges)
    for part in _parts(ranges):
        for number, offset in zip(part, _place_part([ranges[number] for number in part]), strict=True):
            offsets[number] = offset
    return Placement(tuple(offsets), _peak(ranges, offsets), max_live(ranges))


def max_live(ranges: Sequence[LiveRange]) -> int:
    """Return the largest sum of sizes that are live at one time. O(n log n)."""
    events = sorted((time, size) for one in ranges for time, size in ((one.begin, one.size), (one.end, -one.size)))
    live = most = 0
    for _, size in events:
        live += size
        most = max(most, live)
    return most


def find_overlap(ranges: Sequence[LiveRange], offsets: Sequence[int]) -> tuple[int, int] | None:
    """Return two buffers that share bytes at some time; None if there are none. Quadratic, for tests and checks."""
    for b, second in enumerate(ranges):
        for a, first in enumerate(ranges[:b]):
            in_time = first.begin < second.end and second.begin < first.end
            if in_time and offsets[a] < offsets[b] + second.size and offsets[b] < offsets[a] + first.size:
                return a, b
    return None


def best_fit(ranges: Sequence[LiveRange]) -> list[int]:
    """Return the offsets of an allocator that takes the smallest gap that is free when a buffer begins."""
    offsets = [0] * len(ranges)
    order = sorted(range(len(ranges)), key=lambda number: (ranges[number].begin, -ranges[number].size))
    if sum(one.size for one in ranges) == max_live(ranges):  # None ends before all have begun: there are no gaps.
        for before, number in pairwise(order):
            offsets[number] = offsets[before] + ranges[before].size
        return offsets
    live: list[tuple[int, int, int]] = []
    for number in order:
        one = ranges[number]
        live = [entry for entry in live if entry[2] > one.begin]
        gaps = list(_gaps(live))
        fitting = [(room, at) for at, room in gaps[:-1] if room >= one.size]
        offsets[number] = min(fitting)[1] if fitting else gaps[-1][0]
        insort(live, (offsets[number], offsets[number] + one.size, one.end))
    return offsets


def _gaps(live: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """The free room below, between and above `live`, sorted by offset: where it begins, and its size; 0 for endless."""
    top = 0
    for offset, end, _ in live:
        if offset > top:
            yield top, offset - top
        top = max(top, end)
    yield top, 0


def _parts(ranges: Sequence[LiveRange]) -> Iterator[list[int]]:
    """The numbers of ranges that hang together in time. What takes no room is in none."""
    part: list[int] = []
    end = 0
    numbers = (number for number, one in enumerate(ranges) if one.size and one.end > one.begin)
    for number in sorted(numbers, key=lambda number: ranges[number].begin):
        if part and ranges[number].begin >= end:
            yield part
            part = []
        end = max(end, ranges[number].end) if part else ranges[number].end
        part.append(number)
    if part:
        yield part


def _peak(ranges: Sequence[LiveRange], offsets: Sequence[int]) -> int:
    pairs = zip(ranges, offsets, strict=True)
    return max((offset + one.size for one, offset in pairs if one.end > one.begin), default=0)


_Attempt = Callable[[Sequence[LiveRange], Sequence[tuple[int, int, int]], int], list[int] | None]

_ORDERS: tuple[tuple[str, Callable[[LiveRange], tuple[int, ...]]], ...] = (
    ("large first", lambda one: (-one.size, one.begin)),
    ("long first", lambda one: (one.begin - one.end, -one.size)),
    ("most bytes and time first", lambda one: (one.size * (one.begin - one.end), one.begin)),
    ("as they begin", lambda one: (one.begin, -one.size)),
    ("as they end, last first", lambda one: (-one.end, -one.size)),
)
"""Orders in which buffers are placed, by name."""


def _place_part(part: Sequence[LiveRange]) -> list[int]:
    """Offsets of buffers that hang together in time."""
    bound, best = max_live(part), best_fit(part)
    peak, order = _peak(part, best), list(range(len(part)))
    triples = [(one.begin, one.end, one.size) for one in part]
    for attempt in _ATTEMPTS:
        if peak == bound:
            return best
        offsets = attempt(part, triples, peak)
        if offsets is not None and (height := _peak(part, offsets)) < peak:
            best, peak = offsets, height
            order = sorted(range(len(part)), key=lambda number: best[number])
    if len(part) <= EXACT_LIMIT:
        return place_exactly(triples, bound, peak) or best
    return _improved(part, order, best, bound)


def _in_order(key: Callable[[LiveRange], tuple[int, ...]]) -> _Attempt:
    """Return the heuristic that places buffers in an order."""

    def attempt(part: Sequence[LiveRange], _: Sequence[tuple[int, int, int]], below: int) -> list[int] | None:
        return _first_fit(part, sorted(range(len(part)), key=lambda number: key(part[number])), below)

    return attempt


def _on_skyline(_: Sequence[LiveRange], triples: Sequence[tuple[int, int, int]], __: int) -> list[int]:
    return place_on_skyline(triples)


_ATTEMPTS: tuple[_Attempt, ...] = (_on_skyline, *(_in_order(key) for _, key in _ORDERS))
"""The heuristics, each of a part, the same as triples, and a peak: None if the arena would not be below that."""


def _first_fit(part: Sequence[LiveRange], order: Sequence[int], below: int | None = None) -> list[int] | None:
    """Place each buffer at the lowest offset that is free while it lives, one after the other.

    Returns None if one would not lie ``below`` that.
    """
    offsets = [0] * len(part)
    placed: list[tuple[int, int, int, int]] = []
    for number in order:
        one = part[number]
        begin, end, size, at = one.begin, one.end, one.size, 0
        for offset, top, first, last in placed:
            if first < end and begin < last:
                if offset - at >= size:
                    break
                at = max(at, top)
        if below is not None and at + size >= below:
            return None
        offsets[number] = at
        insort(placed, (at, at + size, begin, end))
    return offsets


def _improved(part: Sequence[LiveRange], order: list[int], best: list[int], bound: int) -> list[int]:
    """Place what is at the top of the arena first, again and again; where that is not new, any other first as well."""
    peak = _peak(part, best)
    tried, offsets, draw = order, best, random.Random(len(part))
    seen: set[tuple[int, ...]] = set()
    for _ in range(_IMPROVEMENT_STEPS // len(part) ** 2):
        height = _peak(part, offsets)
        reaches = [offset + one.size == height for offset, one in zip(offsets, part, strict=True)]
        tried = [n for n in tried if reaches[n]] + [n for n in tried if not reaches[n]]
        while tuple(tried) in seen:
            tried.insert(0, tried.pop(draw.randrange(len(tried))))
        seen.add(tuple(tried))
        offsets = _first_fit(part, tried) or best
        if (height := _peak(part, offsets)) < peak:
            best, peak = offsets, height
        if peak == bound:
            break
    return best
