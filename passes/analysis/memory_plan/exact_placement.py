"""The lowest arena for few buffers, by branch and bound.

Buffers are placed in the order of their offsets, so each lies on the highest of those that are placed and live with it:
there is a lowest arena of this form, as every buffer of any arena can be moved down until it lies on another one. A
branch ends where a buffer that is left would reach the best peak that is known, or lie below the last one, which
another order has tried.

Source: Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine Learning" (ASPLOS 2023).
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["EXACT_LIMIT", "place_exactly"]

EXACT_LIMIT = 24
"""For so many buffers the search is tried."""
_STEPS = 20_000
"""After so many buffers placed the search ends, with the best arena that it has found: about 50 ms."""


def place_exactly(ranges: Sequence[tuple[int, int, int]], bound: int, peak: int) -> list[int] | None:
    """Return offsets with the lowest peak below `peak`; None if there are none, or none is found in time.

    Args:
        ranges: begin, end and size of each buffer.
        bound: no arena is lower; the search ends when it is reached.
        peak: what is known.
    """
    search = _Search(ranges, bound, peak)
    search.extend([0] * len(ranges), frozenset(range(len(ranges))), 0, 0)
    return search.best


class _Search:
    """The lowest arena so far, and how many steps are left."""

    def __init__(self, ranges: Sequence[tuple[int, int, int]], bound: int, peak: int) -> None:
        self.sizes = [size for _, _, size in ranges]
        self.together = [
            [b for b, (begin, end, _) in enumerate(ranges) if b != a and begin < ends and begins < end]
            for a, (begins, ends, _) in enumerate(ranges)
        ]
        self.bound = bound
        self.peak = peak
        self.best: list[int] | None = None
        self.steps = _STEPS
        self.offsets = [0] * len(ranges)

    def extend(self, floors: list[int], left: frozenset[int], last: int, height: int) -> None:
        """Place each of `left` next. `floors` is where each would lie, `last` the last offset, `height` the peak."""
        if not left:
            self.peak, self.best = height, self.offsets.copy()
            return
        for number in sorted(left, key=lambda number: (floors[number], -self.sizes[number])):
            at = floors[number]
            if at < last:
                continue
            top = at + self.sizes[number]
            if top >= self.peak or self.steps <= 0:
                continue
            self.steps -= 1
            raised = floors.copy()
            for other in self.together[number]:
                if other in left and raised[other] < top:
                    raised[other] = top
            rest = left - {number}
            if all(max(raised[n], at) + self.sizes[n] < self.peak for n in rest):
                self.offsets[number] = at
                self.extend(raised, rest, at, max(height, top))
            if self.peak == self.bound:
                return
