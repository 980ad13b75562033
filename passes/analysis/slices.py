"""Index sets of slices and what is known about two of them: equal, disjoint, contained or unknown.

Every analysis shares this module. A slice is a hyper-rectangle with strides, given per dimension of the tensor it
cuts; an entry is an integer or a symbol (the number of an SSA value in the snapshot). Symbols are compared by
identity, so two slices may be compared only where each symbol has the same value for both: the caller checks that no
loop changes it in between (see ``InterferenceCheck`` in ``interference.py``).
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir

from ...dialects.bufferizable import Subset
from .snapshot import Snapshot

__all__ = ["Slice", "SliceRelation", "slice_of", "slice_relation"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """An index that is known only at run time: the snapshot's number of its SSA value, -1 if not in the snapshot."""

    value: int


Index = int | Symbol


@dataclass(frozen=True, slots=True)
class Slice:
    """One hyper-rectangle: elements ``offset + k * stride`` for ``0 <= k < size`` in each dimension."""

    offsets: tuple[Index, ...]
    sizes: tuple[Index, ...]
    strides: tuple[Index, ...]

    @property
    def symbols(self) -> tuple[int, ...]:
        """The values that the slice depends on."""
        entries = (*self.offsets, *self.sizes, *self.strides)
        return tuple(entry.value for entry in entries if isinstance(entry, Symbol))


class SliceRelation(enum.Enum):
    """What is known about the elements of a first slice compared with those of a second one."""

    EQUAL = "equal"
    DISJOINT = "disjoint"
    CONTAINED = "contained"
    """Every element of the first is one of the second."""
    UNKNOWN = "unknown"


def slice_of(subset: Subset, snapshot: Snapshot) -> Slice:
    """Return ``subset`` over symbols; indices defined by constants become integers."""

    def entry(index: int | ir.Value) -> Index:
        if isinstance(index, int):
            return index
        constant = _constant(index)
        return Symbol(snapshot.value_id(index)) if constant is None else constant

    def entries(indices: Sequence[int | ir.Value]) -> tuple[Index, ...]:
        return tuple(entry(index) for index in indices)

    return Slice(entries(subset.offsets), entries(subset.sizes), entries(subset.strides))


def _constant(value: ir.Value) -> int | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    attribute = owner.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


def slice_relation(first: Slice, second: Slice) -> SliceRelation:
    """Compare two slices of one tensor. Linear in the rank.

    Disjoint as soon as one dimension is; equal or contained only if every dimension is. An empty slice is never
    called equal or contained on the strength of its size alone, which would be true but useless.
    """
    if len(first.offsets) != len(second.offsets) or any(symbol < 0 for symbol in (*first.symbols, *second.symbols)):
        return SliceRelation.UNKNOWN
    relations = [
        _relation_1d(a, b)
        for a, b in zip(
            zip(first.offsets, first.sizes, first.strides, strict=True),
            zip(second.offsets, second.sizes, second.strides, strict=True),
            strict=True,
        )
    ]
    if SliceRelation.DISJOINT in relations:
        return SliceRelation.DISJOINT
    if SliceRelation.UNKNOWN in relations:
        return SliceRelation.UNKNOWN
    if SliceRelation.CONTAINED in relations:
        return SliceRelation.CONTAINED
    return SliceRelation.EQUAL


_Dimension = tuple[Index, Index, Index]


def _relation_1d(first: _Dimension, second: _Dimension) -> SliceRelation:
    if first == second:
        return SliceRelation.EQUAL
    (offset_a, size_a, stride_a), (offset_b, size_b, stride_b) = first, second
    if not all(isinstance(entry, int) for entry in (*first, *second)):
        return SliceRelation.UNKNOWN
    assert isinstance(offset_a, int) and isinstance(size_a, int) and isinstance(stride_a, int)
    assert isinstance(offset_b, int) and isinstance(size_b, int) and isinstance(stride_b, int)
    if size_a <= 0 or size_b <= 0:
        return SliceRelation.DISJOINT
    if stride_a < 0 or stride_b < 0:
        return SliceRelation.UNKNOWN
    last_a, last_b = offset_a + (size_a - 1) * stride_a, offset_b + (size_b - 1) * stride_b
    if last_a < offset_b or last_b < offset_a:
        return SliceRelation.DISJOINT
    if stride_a == stride_b and stride_a > 0 and (offset_a - offset_b) % stride_a != 0:
        return SliceRelation.DISJOINT
    steps = stride_b > 0 and stride_a % stride_b == 0 and (offset_a - offset_b) % stride_b == 0
    if steps and offset_b <= offset_a and last_a <= last_b:
        return SliceRelation.CONTAINED
    return SliceRelation.UNKNOWN
