"""Offsets, sizes and strides of slice ops: mixed static and dynamic entries, and the subview they stand for."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from .bufferizable import Subset
from .memref_types import subview_type

__all__ = ["covers", "mixed_subset", "static_entries", "subview"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def mixed_subset(op: ir.Operation, first_segment: int) -> Subset:
    """Return the slice of ``op``, whose offsets are operand segment ``first_segment``; sizes and strides follow."""
    attributes = op.attributes
    segments = list(attributes["operandSegmentSizes"])
    # Most slices are static, and asking for operands is what costs.
    few = any(segments[first_segment : first_segment + 3])
    dynamic = iter(list(op.operands)[sum(segments[:first_segment]) :] if few else ())

    def entries(name: str) -> tuple[int | ir.Value, ...]:
        return tuple(next(dynamic) if entry == _DYNAMIC else entry for entry in attributes[name])

    return Subset(entries("static_offsets"), entries("static_sizes"), entries("static_strides"))


def covers(subset: Subset, type_: ir.Type) -> bool:
    """Whether ``subset`` is certainly all of a tensor of ``type_``, element for element."""
    shaped = ir.ShapedType(type_)
    return (
        all(offset == 0 for offset in subset.offsets)
        and all(stride == 1 for stride in subset.strides)
        and all(size == extent != _DYNAMIC for size, extent in zip(subset.sizes, shaped.shape, strict=True))
    )


def static_entries(entries: Sequence[int | ir.Value]) -> list[int]:
    """Return ``entries`` with MLIR's marker in the place of dynamic ones."""
    return [entry if isinstance(entry, int) else _DYNAMIC for entry in entries]


def subview(buffer: ir.Value, subset: Subset, shape: Sequence[int]) -> ir.Value:
    """Create ``memref.subview`` of ``buffer``; ``shape`` is that of the result, which may drop unit dimensions."""
    groups = (subset.offsets, subset.sizes, subset.strides)
    static = [static_entries(group) for group in groups]
    dynamic = [[entry for entry in group if not isinstance(entry, int)] for group in groups]
    offsets, sizes, strides = static
    result = subview_type(ir.MemRefType(buffer.type), offsets, sizes, strides, shape)
    attributes: dict[str, ir.Attribute] = {
        name: ir.DenseI64ArrayAttr.get(entries)
        for name, entries in zip(("static_offsets", "static_sizes", "static_strides"), static, strict=True)
    }
    attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([1, *map(len, dynamic)])
    operands = [buffer, *(value for group in dynamic for value in group)]
    return ir.Operation.create("memref.subview", results=[result], operands=operands, attributes=attributes).result
