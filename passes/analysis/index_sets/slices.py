"""Index sets of slices, and a quick comparison of two: equal, disjoint, contained or unknown.

A slice is a hyper-rectangle with strides, in each dimension of its tensor; an entry is an integer, a symbol (the number
of an SSA value in the snapshot) or a sum of these (``sums.py``). Symbols are compared by identity, so two slices may be
compared only where each symbol has the same value for both: the caller checks that no loop changes it in between (see
``Frames.apart`` in ``conflicts/frames.py``).
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import field

from mlir import ir

from ....dialects.bufferizable import Subset
from ....dialects.support.frozen_classes import frozen_slots
from .sums import Index, IndexSums, Symbol, add, difference, index_symbols

__all__ = ["Box", "Slice", "SliceRelation", "Symbol", "are_one_or_apart", "slice_of", "slice_relation"]


Box = tuple[tuple[int, int] | None, ...]
"""The first and the last index of each dimension; None where they are not constant."""


@frozen_slots
class Slice:
    """One hyper-rectangle: elements ``offset + k * stride`` for ``0 <= k < size`` in each dimension."""

    offsets: tuple[Index, ...]
    sizes: tuple[Index, ...]
    strides: tuple[Index, ...]
    box: Box | None = field(init=False, repr=False, compare=False)
    """The constant bounds, which follow from the others; None if no dimension has any."""

    def __post_init__(self) -> None:
        dimensions = zip(self.offsets, self.sizes, self.strides, strict=True)
        box = tuple([_constant_bounds(*dimension) for dimension in dimensions])
        object.__setattr__(self, "box", box if any(box) else None)

    @property
    def symbols(self) -> tuple[int, ...]:
        """The values that the slice depends on."""
        entries = (*self.offsets, *self.sizes, *self.strides)
        return tuple(value for entry in entries for value in index_symbols(entry))


def _constant_bounds(offset: Index, size: Index, stride: Index) -> tuple[int, int] | None:
    """Return the first and the last index, if they are constant."""
    if not (isinstance(offset, int) and isinstance(size, int) and isinstance(stride, int)):
        return None
    last = offset + max(size - 1, 0) * stride
    return (offset, last) if offset <= last else (last, offset)


class SliceRelation(enum.Enum):
    """The known relation of the elements of a first slice to those of a second one."""

    EQUAL = "equal"
    DISJOINT = "disjoint"
    CONTAINED = "contained"
    """Every element of the first is one of the second."""
    UNKNOWN = "unknown"


def slice_of(subset: Subset, sums: IndexSums) -> Slice:
    """Return ``subset`` over symbols and sums; indices defined by constants become integers.

    One element has any stride: it is 1 here, so that slices of one element are compared as intervals.
    """

    def entries(indices: Sequence[int | ir.Value]) -> tuple[Index, ...]:
        return tuple(index if isinstance(index, int) else sums.of(index) for index in indices)

    sizes = entries(subset.sizes)
    strides = (1 if size == 1 else stride for size, stride in zip(sizes, entries(subset.strides), strict=True))
    return Slice(entries(subset.offsets), sizes, tuple(strides))


def slice_relation(first: Slice, second: Slice) -> SliceRelation:
    """Compare two slices of one tensor. Linear in the rank.

    Disjoint as soon as one dimension is; equal or contained only if every dimension is. An empty slice is never
    called equal or contained on the strength of its size alone, which would be true but useless.
    """
    if len(first.offsets) != len(second.offsets):
        return SliceRelation.UNKNOWN
    relations = [
        _relation_1d(a, b)
        for a, b in zip(
            zip(first.offsets, first.sizes, first.strides, strict=True),
            zip(second.offsets, second.sizes, second.strides, strict=True),
            strict=True,
        )
    ]
    for relation in (SliceRelation.DISJOINT, SliceRelation.UNKNOWN, SliceRelation.CONTAINED):
        if relation in relations:
            return relation
    return SliceRelation.EQUAL


def are_one_or_apart(first: Slice, second: Slice) -> bool:
    """Whether two slices of one tensor are certainly the same or have no element in common, such as two of its rows.

    They are if in each dimension they are the same, or a single element each. Linear in the rank.
    """
    if len(first.offsets) != len(second.offsets) or first.sizes != second.sizes:
        return False
    return all(
        size == 1 or (a == b and stride_a == stride_b)
        for size, a, b, stride_a, stride_b in zip(
            first.sizes, first.offsets, second.offsets, first.strides, second.strides, strict=True
        )
    )


_Dimension = tuple[Index, Index, Index]


def _relation_1d(first: _Dimension, second: _Dimension) -> SliceRelation:
    if first == second:
        return SliceRelation.EQUAL
    (offset_a, size_a, stride_a), (offset_b, size_b, stride_b) = first, second
    apart = difference(offset_b, offset_a)
    numbers = [entry for entry in (size_a, stride_a, size_b, stride_b) if isinstance(entry, int)]
    if apart is not None and len(numbers) == 4:
        return _integer_relation(apart, *numbers)
    if stride_a == stride_b == 1:
        return _interval_relation(first, second)
    return SliceRelation.UNKNOWN


def _interval_relation(first: _Dimension, second: _Dimension) -> SliceRelation:
    """Compare two intervals by those of their ends whose order is known. Sizes are never negative."""
    end_a, end_b = add(first[0], first[1]), add(second[0], second[1])
    if _follows(second[0], end_a) or _follows(first[0], end_b):
        return SliceRelation.DISJOINT
    if _follows(first[0], second[0]) and _follows(end_b, end_a):
        return SliceRelation.CONTAINED
    return SliceRelation.UNKNOWN


def _follows(later: Index | None, earlier: Index | None) -> bool:
    distance = None if later is None or earlier is None else difference(later, earlier)
    return distance is not None and distance >= 0


def _integer_relation(offset_b: int, size_a: int, stride_a: int, size_b: int, stride_b: int) -> SliceRelation:
    """Compare two slices by numbers: the first begins at 0, the second at ``offset_b``."""
    if size_a <= 0 or size_b <= 0:
        return SliceRelation.DISJOINT
    if stride_a < 0 or stride_b < 0:
        return SliceRelation.UNKNOWN
    last_a, last_b = (size_a - 1) * stride_a, offset_b + (size_b - 1) * stride_b
    if last_a < offset_b or last_b < 0:
        return SliceRelation.DISJOINT
    if stride_a == stride_b and stride_a > 0 and offset_b % stride_a != 0:
        return SliceRelation.DISJOINT
    steps = stride_b > 0 and stride_a % stride_b == 0 and offset_b % stride_b == 0
    if steps and offset_b <= 0 and last_a <= last_b:
        return SliceRelation.CONTAINED
    return SliceRelation.UNKNOWN
