"""Memref types for tensors and their views, with every stride and offset static that is known.

Strides and offsets are in elements. Nothing here creates ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mlir import ir

__all__ = [
    "collapsed_type",
    "dynamic_layout_type",
    "expanded_type",
    "has_identity_layout",
    "has_strides",
    "have_same_memory_space",
    "identity_type",
    "is_castable",
    "is_row_major",
    "is_strided_layout",
    "joint_type",
    "memory_space_of",
    "reshaped_type",
    "subview_type",
]

_DYNAMIC = ir.ShapedType.get_dynamic_stride_or_offset()
_DYNAMIC_SIZE = ir.ShapedType.get_dynamic_size()
_HALF = 1 << 63


def identity_type(tensor: ir.Type, memory_space: ir.Attribute | None = None) -> ir.Type:
    """Return the memref type of a contiguous row-major buffer for ``tensor`` (ranked or unranked).

    If no space is given it is in the space that the encoding of the tensor names: other encodings are refused before.
    """
    if isinstance(tensor, ir.UnrankedTensorType):
        return ir.UnrankedMemRefType.get(tensor.element_type, memory_space)
    shaped = ir.ShapedType(tensor)
    encoded = tensor.encoding if isinstance(tensor, ir.RankedTensorType) else None
    return ir.MemRefType.get(shaped.shape, shaped.element_type, memory_space=memory_space or encoded)


def dynamic_layout_type(tensor: ir.Type, memory_space: ir.Attribute | None = None) -> ir.Type:
    """Return the memref type that every strided buffer for ``tensor`` in its memory space can be cast to."""
    type_ = identity_type(tensor, memory_space)
    if not isinstance(type_, ir.MemRefType):
        return type_
    layout = ir.StridedLayoutAttr.get_fully_dynamic(type_.rank)
    return ir.MemRefType.get(type_.shape, type_.element_type, layout, type_.memory_space)


def joint_type(tensor: ir.Type, types: Sequence[ir.Type]) -> ir.Type:
    """Return the smallest memref type for ``tensor`` that buffers of all ``types`` can be cast to.

    Strides and offsets on which all agree stay static. Buffers in different memory spaces have no such type; the result
    is then in the default space, and copies are needed.
    """
    first = types[0]
    others = [type_ for type_ in types if type_ != first]
    if not others or not isinstance(first, ir.MemRefType):
        return first
    strides, offset = first.get_strides_and_offset()
    for other in others:
        if not isinstance(other, ir.MemRefType) or not have_same_memory_space(first, other):
            return dynamic_layout_type(tensor)
        wanted, wanted_offset = other.get_strides_and_offset()
        strides = [a if a == b else _DYNAMIC for a, b in zip(strides, wanted, strict=True)]
        offset = offset if offset == wanted_offset else _DYNAMIC
    return _strided(ir.ShapedType(tensor).shape, strides, offset, first)


def has_identity_layout(type_: ir.Type) -> bool:
    """Whether elements of ``type_`` lie contiguously, row-major, from the start of the buffer."""
    return isinstance(type_, ir.MemRefType) and type_.affine_map == ir.AffineMap.get_identity(type_.rank)


def is_row_major(type_: ir.MemRefType) -> bool:
    """Whether the elements of such memrefs certainly lie one after the other."""
    if has_identity_layout(type_):
        return True
    strides, _ = type_.get_strides_and_offset()
    expected = 1
    for dimension in reversed(range(type_.rank)):
        if type_.shape[dimension] == 1:
            continue
        if strides[dimension] != expected:
            return False
        if type_.is_dynamic_dim(dimension):
            return all(size == 1 for size in type_.shape[:dimension])
        expected *= type_.shape[dimension]
    return True


def _strided(shape: Sequence[int], strides: Sequence[int], offset: int, like: ir.MemRefType) -> ir.MemRefType:
    """Return a memref type with this layout, written as no layout at all where that says the same.

    Two strides that are only known at run time are not the same because neither is known.
    """
    if offset == 0 and _DYNAMIC not in strides and list(strides) == _row_major(shape):
        return ir.MemRefType.get(shape, like.element_type, memory_space=like.memory_space)
    return ir.MemRefType.get(shape, like.element_type, _layout(strides, offset), like.memory_space)


def _layout(strides: Sequence[int], offset: int) -> ir.StridedLayoutAttr:
    """Return a layout, in which numbers that do not fit wrap around, as in the types that MLIR infers.

    A memory that large cannot be; places are computed modulo 2^64 all the same.
    """
    offset, *wrapped = ((number + _HALF) % (2 * _HALF) - _HALF for number in (offset, *strides))
    return ir.StridedLayoutAttr.get(offset, wrapped)


def _row_major(shape: Sequence[int]) -> list[int]:
    strides = [1]
    for size in reversed(shape[1:]):
        strides.append(_times(strides[-1], size))
    return strides[::-1] if shape else []


def _times(stride: int, count: int) -> int:
    return _DYNAMIC if _DYNAMIC in (stride, count) else stride * count


def subview_type(
    source: ir.MemRefType,
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    shape: Sequence[int],
) -> ir.MemRefType:
    """Return the type of a subview; dynamic entries hold MLIR's marker for "dynamic".

    ``shape`` is the shape of the result, which may lack dimensions of size one (rank reduction): the ones to drop are
    found as MLIR does, from the left.
    """
    source_strides, offset = source.get_strides_and_offset()
    for start, stride in zip(offsets, source_strides, strict=True):
        step = 0 if start == 0 else _times(stride, start)
        offset = _DYNAMIC if _DYNAMIC in (offset, step) else offset + step
    kept: list[int] = []
    for size, step, stride in zip(sizes, strides, source_strides, strict=True):
        if len(kept) < len(shape) and shape[len(kept)] == size:
            kept.append(_times(stride, step))
    return _strided(shape, kept, offset, source)


def reshaped_type(source: ir.MemRefType, shape: Sequence[int]) -> ir.MemRefType:
    """Return ``source`` with another, compatible static or dynamic ``shape``, for a cast of the shape only."""
    if has_identity_layout(source):
        return ir.MemRefType.get(shape, source.element_type, memory_space=source.memory_space)
    strides, offset = source.get_strides_and_offset()
    return _strided(shape, strides, offset, source)


def expanded_type(source: ir.MemRefType, shape: Sequence[int], reassociation: Sequence[Sequence[int]]) -> ir.MemRefType:
    """Return the type of ``memref.expand_shape`` of ``source`` to ``shape``; always a view."""
    if has_identity_layout(source):
        return ir.MemRefType.get(shape, source.element_type, memory_space=source.memory_space)
    strides, offset = source.get_strides_and_offset()
    result: list[int] = []
    for stride, group in zip(strides, reassociation, strict=True):
        inner = [stride]
        for dimension in reversed(group[1:]):
            inner.append(_times(inner[-1], shape[dimension]))
        result.extend(reversed(inner))
    if not reassociation:
        result = [1] * len(shape)
    return ir.MemRefType.get(shape, source.element_type, _layout(result, offset), source.memory_space)


def collapsed_type(
    source: ir.MemRefType, shape: Sequence[int], reassociation: Sequence[Sequence[int]]
) -> ir.MemRefType | None:
    """Return the type of ``memref.collapse_shape`` of ``source`` to ``shape``.

    None when the dimensions of a group are not known to lie contiguously, so that collapsing needs a copy.
    """
    if has_identity_layout(source):
        return ir.MemRefType.get(shape, source.element_type, memory_space=source.memory_space)
    strides, offset = source.get_strides_and_offset()
    sizes = source.shape
    result: list[int] = []
    for group in reassociation:
        if not _is_contiguous([(sizes[d], strides[d]) for d in group if sizes[d] != 1]):
            return None
        last = next((d for d in reversed(group) if sizes[d] != 1), group[0])
        # A dynamic size may turn out to be one; then the stride is that of a dimension in front of it.
        result.append(_DYNAMIC if sizes[last] == _DYNAMIC_SIZE and last != group[0] else strides[last])
    return ir.MemRefType.get(shape, source.element_type, _layout(result, offset), source.memory_space)


def _is_contiguous(dimensions: Sequence[tuple[int, int]]) -> bool:
    """Whether each dimension's stride is the extent of the next: (size, stride) pairs, outermost first."""
    for (_, outer), (size, stride) in pairwise(dimensions):
        if _DYNAMIC in (outer, stride) or size == _DYNAMIC_SIZE or outer != stride * size:
            return False
    return True


def has_strides(type_: ir.MemRefType) -> bool:
    """Whether the layout of ``type_`` is strides and an offset, not another affine map."""
    try:
        type_.get_strides_and_offset()
    except RuntimeError:
        return False
    return True


def is_strided_layout(layout: ir.Attribute, tensor: ir.Type) -> bool:
    """Whether ``layout`` can be that of a buffer for ``tensor``, by strides and an offset."""
    if not isinstance(tensor, ir.RankedTensorType):
        return False
    if isinstance(layout, ir.StridedLayoutAttr):
        return len(layout.strides) == tensor.rank
    if not isinstance(layout, ir.AffineMapAttr) or layout.value.n_dims != tensor.rank:
        return False
    with ir.Location.unknown(tensor.context):
        return has_strides(ir.MemRefType.get(tensor.shape, tensor.element_type, layout))


def memory_space_of(type_: ir.Type) -> ir.Attribute | None:
    """Return the memory space of a memref type; None for the default one, and for any other type."""
    return type_.memory_space if isinstance(type_, ir.MemRefType | ir.UnrankedMemRefType) else None


def have_same_memory_space(first: ir.MemRefType, second: ir.MemRefType) -> bool:
    """Whether two buffers live in one memory space; the bindings cannot compare a space with its absence."""
    a, b = first.memory_space, second.memory_space
    if a is None or b is None:
        return a is b
    return a == b


def _is_fully_dynamic(type_: ir.MemRefType) -> bool:
    strides, offset = type_.get_strides_and_offset()
    return all(entry == _DYNAMIC for entry in (*strides, offset))


def is_castable(source: ir.Type, target: ir.Type) -> bool:
    """Whether ``memref.cast`` from ``source`` to ``target`` is right whatever the sizes and strides turn out to be.

    A cast that makes a dynamic stride or offset static may be wrong; such a buffer has to be copied.
    Sizes may become static: that is what the tensor program promised.
    """
    if source == target:
        return True
    if not isinstance(source, ir.MemRefType) or not isinstance(target, ir.MemRefType):
        # Nothing is known about the layout behind an unranked memref.
        knows = not isinstance(target, ir.MemRefType) or _is_fully_dynamic(target)
        return knows and source.element_type == target.element_type  # type: ignore[attr-defined]
    if not have_same_memory_space(source, target) or source.rank != target.rank:
        return False
    if has_identity_layout(source) and has_identity_layout(target):
        return True
    if not has_strides(source) or not has_strides(target):
        return False
    strides, offset = source.get_strides_and_offset()
    wanted, wanted_offset = target.get_strides_and_offset()
    if has_identity_layout(target) and _DYNAMIC in wanted:
        # The target's strides follow from its sizes; the source's do not.
        return False
    pairs = zip((*strides, offset), (*wanted, wanted_offset), strict=True)
    return all(want in (_DYNAMIC, have) for have, want in pairs)
