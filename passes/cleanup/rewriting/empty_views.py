"""Empty subviews left by upstream's folding: MLIR refuses a `memref.subview` whose static offset is out of bounds.

Once a size turns out to be 0, a subview of it states offset 0 of 0, and any static offset is out of bounds for the
verifier (LLVM 22). Such an empty view becomes a `memref.reinterpret_cast`, whose bounds are not checked:

    memref.subview %m[0] [0] [1] : memref<0xf32> to memref<0xf32>
    memref.reinterpret_cast %m to offset: [0], sizes: [0], strides: [1] : memref<0xf32> to memref<0xf32>

Sizes, strides and offset are those of the subview. If the offset is out of bounds, a dynamic size can only be 0, so it
becomes 0: nothing can be accessed. A subview with static elements out of bounds stays, and the verifier refuses it.
"""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir

from ....dialects.bufferizable import Subset
from ....dialects.subsets import (
    dropped_dimensions,
    elements,
    mixed_subset,
    reinterpret_cast,
    static_entries,
    strided_metadata,
)
from ....dialects.support.index_math import Number, add, multiply

__all__ = ["rewrite_empty_views"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def rewrite_empty_views(subviews: Iterable[ir.Operation]) -> int:
    """Replace subviews without elements that the verifier refuses; return how many there were. Linear."""
    count = 0
    for op in subviews:
        refused = _refused_dimensions(op)
        sizes = static_entries(mixed_subset(op, 1).sizes) if refused else []
        if 0 in sizes or any(sizes[d] == _DYNAMIC for d in refused):
            with ir.InsertionPoint(op), op.location:
                op.results[0].replace_all_uses_with(_reinterpreted(op, refused))
            op.erase()
            count += 1
    return count


def _refused_dimensions(op: ir.Operation) -> set[int]:
    """Return where a static offset is not below a static size of the source."""
    offsets, shape = elements(op.attributes["static_offsets"]), ir.MemRefType(op.operands[0].type).shape
    pairs = zip(offsets, shape, strict=True)
    return {d for d, (offset, size) in enumerate(pairs) if _DYNAMIC not in (offset, size) and offset >= size}


def _reinterpreted(op: ir.Operation, refused: set[int]) -> ir.Value:
    source, subset, result = op.operands[0], mixed_subset(op, 1), ir.MemRefType(op.results[0].type)
    strides, offset = result.get_strides_and_offset()
    dropped = dropped_dimensions(subset.sizes, result.shape)
    left = [(d, size) for d, size in enumerate(subset.sizes) if d not in dropped]
    sizes = [0 if d in refused and not isinstance(size, int) else size for d, size in left]
    begin, steps = offset, strides
    if _DYNAMIC in (offset, *strides):
        begin, steps = _layout(source, subset)
        steps = [step for d, step in enumerate(steps) if d not in dropped]
    return reinterpret_cast(source, result, begin, sizes, steps)


def _layout(source: ir.Value, subset: Subset) -> tuple[Number, list[Number]]:
    """Create what computes the offset of ``subset`` of ``source`` and all of its strides."""
    offset, strides = strided_metadata(source)
    start: Number = offset
    for index, stride in zip(subset.offsets, strides, strict=True):
        start = add(start, multiply(index, stride))
    return start, [multiply(step, stride) for step, stride in zip(subset.strides, strides, strict=True)]
