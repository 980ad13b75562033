"""Whether a slice of a tensor may be a slice of the memory that the tensor is stored to or was loaded from.

A tensor slice may be out of bounds, or have non-positive strides, if it is never executed: in a loop that does not run
for this size. A load or store with such constants is an invalid op. Constant time for each slice.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ....dialects import dispatch
from ....dialects.subsets import dropped_dimensions
from ..index_sets.slices import Slice
from ..index_sets.sums import Index

__all__ = ["may_be_inside"]


def may_be_inside(slice_: Slice | None, access: ir.Operation) -> bool:
    """Whether ``slice_`` of the tensor that ``access`` loads or stores may be a slice of its memory; None is all."""
    if slice_ is None:
        return True
    is_load = access.name == "dispatch.load"
    target = access.operands[0 if is_load else 1].type
    tensor = ir.ShapedType((access.results if is_load else access.operands)[0].type)
    is_memref = isinstance(target, ir.MemRefType)
    extents: Sequence[int] = (ir.ShapedType(target) if is_memref else dispatch.tensor_type_of(target)).shape
    part = None if is_memref else dispatch.subset_of(access)
    places = [(0, 1)] * len(extents)
    if part is not None:
        dropped = dropped_dimensions(part.sizes, tensor.shape)
        kept = [d for d in range(len(extents)) if d not in dropped]
        extents = [extents[d] for d in kept]
        places = [(_least(part.offsets[d], 0), _least(part.strides[d], 1)) for d in kept]
    entries = zip(slice_.offsets, slice_.sizes, slice_.strides, strict=True)
    return all(_may_fit(*of, extent, *place) for of, extent, place in zip(entries, extents, places, strict=True))


def _may_fit(offset: Index, size: Index, stride: Index, extent: int, begin: int, step: int) -> bool:
    """Whether a dimension may fit into ``extent`` elements from ``begin``, ``step`` apart, as dispatch ops require."""
    if _least(offset, 0) < 0 or _least(size, 0) < 0 or _least(stride, 1) < 1:
        return False
    if extent == ir.ShapedType.get_dynamic_size():
        return True
    first = begin + step * _least(offset, 0)
    last = first + step * _least(stride, 1) * max(_least(size, 0) - 1, 0)
    return first <= extent and (last < extent or _least(size, 0) == 0)


def _least(entry: object, least: int) -> int:
    """Return ``entry`` if it is a constant, otherwise its lower bound ``least``."""
    return entry if isinstance(entry, int) else least
