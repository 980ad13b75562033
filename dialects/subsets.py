"""Offsets, sizes and strides of slice ops: mixed static and dynamic entries, and the subview that they describe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import memref

from .bufferizable import Subset
from .support.index_math import Number, as_value
from .support.memref_types import collapsed_type, subview_type

__all__ = [
    "collapse_shape",
    "covers",
    "dropped_dimensions",
    "elements",
    "extract_slice",
    "insert_slice",
    "mixed_subset",
    "overwrites",
    "parallel_insert_slice",
    "reinterpret_cast",
    "slice_entries",
    "static_entries",
    "strided_metadata",
    "subset_type",
    "subview",
]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def mixed_subset(op: ir.Operation, first_segment: int) -> Subset:
    """Return the slice of ``op``, whose offsets are operand segment ``first_segment``; sizes and strides follow."""
    attributes = op.attributes
    segments = elements(attributes["operandSegmentSizes"])
    # Most slices are static, and asking for operands is what costs.
    few = any(segments[first_segment : first_segment + 3])
    dynamic = iter(list(op.operands)[sum(segments[:first_segment]) :] if few else ())

    def entries(name: str) -> tuple[Number, ...]:
        return tuple(next(dynamic) if entry == _DYNAMIC else entry for entry in elements(attributes[name]))

    return Subset(entries("static_offsets"), entries("static_sizes"), entries("static_strides"))


def elements(array: Any) -> list[int]:
    """Return the elements of ``array``, a dense array attribute of integers."""
    # Five times as fast as iterating over it, which ends with an exception in native code.
    return [array[number] for number in range(len(array))]


def covers(subset: Subset, type_: ir.Type) -> bool:
    """Whether ``subset`` is certainly all of a tensor of ``type_``, element for element."""
    if not (all(offset == 0 for offset in subset.offsets) and all(stride == 1 for stride in subset.strides)):
        return False  # Most slices, and asking types is what costs.
    shaped = ir.ShapedType(type_)
    return all(size == extent != _DYNAMIC for size, extent in zip(subset.sizes, shaped.shape, strict=True))


def overwrites(subset: Subset, type_: ir.Type) -> bool:
    """Whether an insertion into ``subset`` overwrites all of a tensor of ``type_``.

    A dynamic offset of a slice that has all sizes of its tensor can only be 0: any other is out of bounds.
    """
    if all(isinstance(offset, int) for offset in subset.offsets):
        return covers(subset, type_)
    offsets = tuple(offset if isinstance(offset, int) else 0 for offset in subset.offsets)
    return covers(Subset(offsets, subset.sizes, subset.strides), type_)


def dropped_dimensions(sizes: Sequence[Number], shape: Sequence[int]) -> frozenset[int]:
    """Return the unit dimensions of a slice that a tensor of ``shape`` does not have."""
    left, dropped = list(shape), set[int]()
    for d, size in enumerate(sizes):
        if left and left[0] == (size if isinstance(size, int) else _DYNAMIC):
            left.pop(0)
        else:
            dropped.add(d)
    return frozenset(dropped)


def static_entries(entries: Sequence[Number]) -> list[int]:
    """Return ``entries`` with MLIR's marker in the place of dynamic ones."""
    return [entry if isinstance(entry, int) else _DYNAMIC for entry in entries]


def extract_slice(tensor: ir.Value, subset: Subset, type_: ir.Type) -> ir.Value:
    """Create ``tensor.extract_slice`` of ``tensor`` with result ``type_``, which may drop unit dimensions."""
    operands, attributes = _slice_operands(tensor, subset)
    return ir.Operation.create("tensor.extract_slice", results=[type_], operands=operands, attributes=attributes).result


def insert_slice(value: ir.Value, tensor: ir.Value, subset: Subset) -> ir.Value:
    """Create ``tensor.insert_slice`` of ``value`` into ``subset`` of ``tensor``."""
    operands, attributes = _insertion(value, tensor, subset)
    return ir.Operation.create(
        "tensor.insert_slice", results=[tensor.type], operands=operands, attributes=attributes
    ).result


def parallel_insert_slice(value: ir.Value, tensor: ir.Value, subset: Subset) -> None:
    """Create ``tensor.parallel_insert_slice`` of ``value`` into ``subset`` of ``tensor``, a shared output."""
    operands, attributes = _insertion(value, tensor, subset)
    ir.Operation.create("tensor.parallel_insert_slice", operands=operands, attributes=attributes)


def _insertion(value: ir.Value, tensor: ir.Value, subset: Subset) -> tuple[list[ir.Value], dict[str, ir.Attribute]]:
    operands, attributes = _slice_operands(tensor, subset)
    segments = ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"])
    attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([1, *segments])
    return [value, *operands], attributes


def _slice_operands(source: ir.Value, subset: Subset) -> tuple[list[ir.Value], dict[str, ir.Attribute]]:
    """Return the operands and attributes of an op that takes ``subset`` of ``source``."""
    dynamic, attributes = slice_entries(subset)
    attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([1, *map(len, dynamic)])
    return [source, *(value for group in dynamic for value in group)], attributes


def slice_entries(subset: Subset) -> tuple[list[list[ir.Value]], dict[str, ir.Attribute]]:
    """Return the dynamic offsets, sizes and strides of ``subset``, and the attributes with the static ones."""
    groups = (subset.offsets, subset.sizes, subset.strides)
    dynamic = [[entry for entry in group if not isinstance(entry, int)] for group in groups]
    return dynamic, {
        name: ir.DenseI64ArrayAttr.get(static_entries(group))
        for name, group in zip(("static_offsets", "static_sizes", "static_strides"), groups, strict=True)
    }


def subset_type(source: ir.MemRefType, subset: Subset, shape: Sequence[int]) -> ir.MemRefType:
    """Return the type of :func:`subview`."""
    offsets, sizes, strides = (static_entries(group) for group in (subset.offsets, subset.sizes, subset.strides))
    return subview_type(source, offsets, sizes, strides, shape)


def subview(buffer: ir.Value, subset: Subset, shape: Sequence[int]) -> ir.Value:
    """Create ``memref.subview`` of ``buffer``; ``shape`` is that of the result, which may drop unit dimensions.

    Upstream finds out from sizes and strides which dimensions a subview drops, each time anew. It may find others than
    the first ones that a tensor may drop, or none: then it refuses the op or crashes (LLVM 22). Where that can be,
    dimensions are dropped by an op of its own.
    """
    source = ir.MemRefType(buffer.type)
    whole = result = subset_type(source, subset, shape)
    operands, attributes = _slice_operands(buffer, subset)
    if not _is_clear_what_drops(source, subset, shape):
        whole = subset_type(source, subset, static_entries(subset.sizes))
    view = ir.Operation.create("memref.subview", results=[whole], operands=operands, attributes=attributes).result
    return view if whole == result else _drop_dimensions(view, subset, result)


def reinterpret_cast(
    buffer: ir.Value, type_: ir.MemRefType, offset: Number, sizes: Sequence[Number], strides: Sequence[Number]
) -> ir.Value:
    """Create ``memref.reinterpret_cast`` of ``buffer`` to ``type_``, which says what is static: the rest is given."""
    known_strides, known_offset = type_.get_strides_and_offset()

    def entries(known: Sequence[int], given: Sequence[Number]) -> tuple[Number, ...]:
        pairs = zip(known, given, strict=True)
        return tuple(as_value(entry) if static == _DYNAMIC else static for static, entry in pairs)

    subset = Subset(entries([known_offset], [offset]), entries(type_.shape, sizes), entries(known_strides, strides))
    operands, attributes = _slice_operands(buffer, subset)
    return ir.Operation.create(
        "memref.reinterpret_cast", results=[type_], operands=operands, attributes=attributes
    ).result


def strided_metadata(buffer: ir.Value) -> tuple[ir.Value, Sequence[ir.Value]]:
    """Create ``memref.extract_strided_metadata`` of ``buffer``; return its offset and its strides."""
    type_ = ir.MemRefType(buffer.type)
    base = ir.MemRefType.get([], type_.element_type, memory_space=type_.memory_space)
    numbers = [ir.IndexType.get()] * (1 + 2 * type_.rank)
    new = ir.Operation.create("memref.extract_strided_metadata", results=[base, *numbers], operands=[buffer])
    return new.results[1], list(new.results)[2 + type_.rank :]


def _is_clear_what_drops(source: ir.MemRefType, subset: Subset, shape: Sequence[int]) -> bool:
    """Whether upstream drops the right dimensions of a subview, whatever it learns about dynamic sizes."""
    if len(shape) == len(subset.sizes):
        return True
    if not _drops_by_strides(source, subset, shape):
        return False
    if _DYNAMIC not in shape:
        return True
    strides, _ = source.get_strides_and_offset()
    if _DYNAMIC not in strides:  # Dimensions are told apart by their strides.
        return all(step == 1 for step in subset.strides)
    # Where two sizes are dynamic, one of them may be known before the other.
    return all(stride == _DYNAMIC for stride in strides) and 1 not in shape and list(shape).count(_DYNAMIC) == 1


def _drops_by_strides(source: ir.MemRefType, subset: Subset, shape: Sequence[int]) -> bool:
    """Whether the right dimensions are left if, of those of size one with equal strides, the first ones are dropped.

    Upstream goes by strides where some are known in front of the last one, and by sizes else. A stride that is dynamic
    may become known.
    """
    sizes, dropped = static_entries(subset.sizes), dropped_dimensions(subset.sizes, shape)
    if sizes.count(1) == len(dropped):
        return True
    if _DYNAMIC in static_entries(subset.strides):  # It may become equal to another one.
        return False
    strides, _ = subset_type(source, subset, sizes).get_strides_and_offset()
    if _DYNAMIC in strides:
        return False
    too_many = Counter(strides[d] for d in dropped)
    wanted = [(size, stride) for d, (size, stride) in enumerate(zip(sizes, strides, strict=True)) if d not in dropped]
    left: list[tuple[int, int]] = []
    for size, stride in zip(sizes, strides, strict=True):
        if size == 1 and too_many[stride]:
            too_many[stride] -= 1
        else:
            left.append((size, stride))
    return left == wanted


def _drop_dimensions(view: ir.Value, subset: Subset, type_: ir.MemRefType) -> ir.Value:
    """Create the ops that make ``type_`` of a subview by dropping dimensions."""
    dropped = dropped_dimensions(subset.sizes, type_.shape)
    groups: list[list[int]] = []
    for dimension in range(len(subset.sizes)):
        # Behind a dimension rather than before it: its stride stays known then.
        if not groups or (dimension not in dropped and not dropped.issuperset(groups[-1])):
            groups.append([])
        groups[-1].append(dimension)
    collapsed = collapsed_type(ir.MemRefType(view.type), type_.shape, groups)
    assert collapsed is not None, "dropped dimensions have a single index"
    view = collapse_shape(view, collapsed, groups)
    return view if collapsed == type_ else memref.cast(type_, view)


def collapse_shape(buffer: ir.Value, type_: ir.MemRefType, groups: Sequence[Sequence[int]]) -> ir.Value:
    """Create ``memref.collapse_shape`` of ``buffer`` to ``type_``; ``groups`` of dimensions become one each."""
    attributes = {"reassociation": ir.Attribute.parse(str(groups))}
    return ir.Operation.create(
        "memref.collapse_shape", results=[type_], operands=[buffer], attributes=attributes
    ).result
