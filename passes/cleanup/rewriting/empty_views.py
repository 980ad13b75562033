"""Views of no elements, after upstream's folding: MLIR refuses a `memref.subview` where there is nothing to start from.

Once a size turns out to be 0, a subview of it states offset 0 of 0, and any static offset is out of bounds for the
verifier (LLVM 22). Such a view of nothing is written as `memref.reinterpret_cast`, whose places nobody checks:

    memref.subview %m[0] [0] [1] : memref<0xf32> to memref<0xf32>
    memref.reinterpret_cast %m to offset: [0], sizes: [0], strides: [1] : memref<0xf32> to memref<0xf32>

Sizes, strides and offset are those of the subview. A size that comes with the call can only be 0 where the offset is
out of bounds already, so 0 is what it becomes: nothing can be accessed. A subview that states elements out of bounds
stays, and is refused as ever.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ....dialects.bufferizable import Subset
from ....dialects.subsets import dropped_dimensions, elements, mixed_subset, static_entries
from ....dialects.support.index_math import Number, add, as_value, multiply
from ...analysis.ir.traversal import find_ops

__all__ = ["rewrite_empty_views"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def rewrite_empty_views(root: ir.Operation) -> int:
    """Replace subviews without elements that the verifier refuses; return how many there were. Linear."""
    count = 0
    for op in find_ops(root, "memref.subview"):
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
    sizes = [
        as_value(0) if d in refused and not isinstance(size, int) else size
        for d, size in enumerate(subset.sizes)
        if d not in dropped
    ]
    entries: list[Sequence[int | ir.Value]] = [[offset], sizes, strides]
    if _DYNAMIC in (offset, *strides):
        start, steps = _layout(source, subset)
        kept = [step for d, step in enumerate(steps) if d not in dropped]
        entries[0] = [as_value(start) if offset == _DYNAMIC else offset]
        entries[2] = [
            as_value(step) if stride == _DYNAMIC else stride for step, stride in zip(kept, strides, strict=True)
        ]
    groups = [[entry for entry in group if not isinstance(entry, int)] for group in entries]
    attributes: dict[str, ir.Attribute] = {
        name: ir.DenseI64ArrayAttr.get(static_entries(group))
        for name, group in zip(("static_offsets", "static_sizes", "static_strides"), entries, strict=True)
    }
    attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([1, *map(len, groups)])
    operands = [source, *(value for group in groups for value in group)]
    return ir.Operation.create(
        "memref.reinterpret_cast", results=[result], operands=operands, attributes=attributes
    ).result


def _layout(source: ir.Value, subset: Subset) -> tuple[Number, list[Number]]:
    """Create what computes the offset of ``subset`` of ``source`` and all of its strides."""
    type_ = ir.MemRefType(source.type)
    base = ir.MemRefType.get([], type_.element_type, memory_space=type_.memory_space)
    numbers = [ir.IndexType.get()] * (1 + 2 * type_.rank)
    metadata = ir.Operation.create("memref.extract_strided_metadata", results=[base, *numbers], operands=[source])
    start: Number = metadata.results[1]
    strides = list(metadata.results)[2 + type_.rank :]
    for offset, stride in zip(subset.offsets, strides, strict=True):
        start = add(start, multiply(offset, stride))
    return start, [multiply(step, stride) for step, stride in zip(subset.strides, strides, strict=True)]
