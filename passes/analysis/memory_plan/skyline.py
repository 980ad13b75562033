"""Buffers placed from the bottom of the arena up: always where it is lowest, the one that lives longest there.

The skyline says for each moment how far up the arena is used. Its lowest stretch of time takes the buffer, among those
that live within it, that fills most of it; where none fits, the stretch is raised to its lower neighbour.

Source: Burke, Kendall and Whitwell, "A New Placement Heuristic for the Orthogonal Stock-Cutting Problem" (2004), which
Sekiyama et al., "Profile-guided memory optimization for deep neural networks" (2018), use for buffers.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["place_on_skyline"]

Stretch = tuple[int, int, int]


def place_on_skyline(ranges: Sequence[tuple[int, int, int]]) -> list[int]:
    """Return offsets for ranges of begin, end and size, which all end after they begin. Quadratic at most."""
    offsets = [0] * len(ranges)
    left = sorted(range(len(ranges)), key=lambda number: (ranges[number][0] - ranges[number][1], -ranges[number][2]))
    skyline: list[Stretch] = [(min(one[0] for one in ranges), max(one[1] for one in ranges), 0)]
    while left:
        lowest = min(range(len(skyline)), key=lambda number: skyline[number][2])
        begin, end, height = skyline[lowest]
        found = next((n for n in left if begin <= ranges[n][0] and ranges[n][1] <= end), None)
        if found is None:
            _raise(skyline, lowest)
            continue
        left.remove(found)
        offsets[found] = height
        first, last, size = ranges[found]
        pieces = ((begin, first, height), (first, last, height + size), (last, end, height))
        skyline[lowest : lowest + 1] = [piece for piece in pieces if piece[0] < piece[1]]
    return offsets


def _raise(skyline: list[Stretch], lowest: int) -> None:
    """Raise a stretch, which is not all of the time, to its lower neighbour, and join stretches of one height."""
    around = [skyline[number][2] for number in (lowest - 1, lowest + 1) if 0 <= number < len(skyline)]
    begin, end, _ = skyline[lowest]
    height = min(around)
    first = lowest
    if lowest and skyline[lowest - 1][2] == height:
        first, begin = lowest - 1, skyline[lowest - 1][0]
    last = lowest
    if lowest + 1 < len(skyline) and skyline[lowest + 1][2] == height:
        last, end = lowest + 1, skyline[lowest + 1][1]
    skyline[first : last + 1] = [(begin, end, height)]
