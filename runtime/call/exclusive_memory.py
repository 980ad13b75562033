"""Arguments that are written and may not share memory with others, compared by their addresses in each call.

Comparing all pairs would take longer than many programs run. Here the bounds of all arrays are sorted once; only where
some meet are the arrays themselves compared, which may still be disjoint (as the columns of a matrix).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..interface.memrefs import Array, data_address

__all__ = ["Bounds", "bounds_of", "may_meet"]


class Bounds(NamedTuple):
    """Where the memory of an array argument starts and ends, from the address that is the value number `place`."""

    place: int
    low: int
    high: int
    exclusive: bool


def bounds_of(place: int, array: Array, address: int, *, exclusive: bool) -> Bounds:
    """The bounds of arrays like `array`, for which native code gets an `address` like this one."""
    if not array.size:
        return Bounds(place, 0, 0, exclusive)
    start = data_address(array) - address
    steps = [stride * (size - 1) for stride, size in zip(array.strides, array.shape, strict=True)]
    low, high = sum(min(step, 0) for step in steps), sum(max(step, 0) for step in steps)
    return Bounds(place, start + low, start + high + array.itemsize, exclusive)


def may_meet(arrays: Sequence[Bounds], values: Sequence[Any]) -> bool:
    """Whether the bounds of two arrays overlap of which one is exclusive."""
    spans = sorted([(values[place] + low, values[place] + high, alone) for place, low, high, alone in arrays])
    end = exclusive_end = 0
    for start, stop, exclusive in spans:
        if start < (end if exclusive else exclusive_end):
            return True
        end = max(end, stop)
        if exclusive:
            exclusive_end = max(exclusive_end, stop)
    return False
