"""Byte ranges of the memories of one slot, and whether they are certainly disjoint.

Exact for static sizes and offsets that differ by constants; an element counts with its size in a memref. Other ranges
are not known to be disjoint. Sorts the ranges: n log n.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ....dialects.support.element_sizes import buffer_bytes
from ..index_sets.sums import Index, difference

__all__ = ["overlapping"]


def overlapping(ranges: Sequence[tuple[Index, ir.RankedTensorType]]) -> tuple[int, int, str] | None:
    """Return the numbers of two ``ranges`` that may overlap, with the relation; None if all are disjoint.

    A range is a byte offset and the type of the memory there.
    """
    if len(ranges) < 2:
        return None
    placed: list[tuple[int, int, int]] = []
    for number, (offset, type_) in enumerate(ranges):
        begin, size = difference(offset, ranges[0][0]), buffer_bytes(type_)
        if begin is None or size is None:
            return (0, max(number, 1), "with a byte range that cannot be shown to be disjoint")
        placed.append((begin, number, size))
    placed.sort()
    _, last, size = placed[0]
    end = placed[0][0] + size
    for begin, number, size in placed[1:]:
        if begin < end and size:
            first, second = sorted((last, number))
            return first, second, f"with bytes that overlap by {min(end, begin + size) - begin}"
        if begin + size > end:
            end, last = begin + size, number
    return None
