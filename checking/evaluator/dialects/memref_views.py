"""Views: subview, casts, reshapes and metadata of memrefs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import on_values, plain
from ..values.attributes import mixed_lists
from ..values.errors import EvaluationError
from ..values.memory import Beyond, MemRef, view
from ..values.shapes import require_static
from ..values.signature import Function
from ..values.slices import SliceReader
from .tensor import result_shape
from .tensor_shapes import collapse, expand, reshape

__all__ = ["OPS", "require_layout", "typed_view"]


def require_layout(type_: ir.Type, value: MemRef) -> None:
    """Raise an error if sizes, strides or offset of a memref do not match its type.

    Offsets are not compared in memory that an argument or `memref.view` begins somewhere in: they count from there.
    """
    if not isinstance(type_, ir.MemRefType) or isinstance(value, Beyond):
        return
    require_static(type_, value.shape)
    try:
        strides, offset = type_.get_strides_and_offset()
    except (ValueError, RuntimeError):
        return
    if 0 in value.shape:
        return
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    fits = all(
        wanted in (dynamic, found) or size == 1
        for wanted, found, size in zip(strides, value.strides, value.shape, strict=True)
    )
    is_counted = value.buffer.kind != "argument" and not value.buffer.mixed
    if not fits or (is_counted and offset not in (dynamic, value.offset)):
        raise EvaluationError(f"a memref of strides {list(value.strides)} and offset {value.offset} is not a {type_}")


@on_values
def _subview(_decoder: Decoder, op: ir.Operation) -> Function:
    type_ = op.results[0].type
    slice_ = SliceReader(op, 1, type_)

    def subview(*values: Any) -> MemRef:
        memref = values[0]
        memref.alive()
        part = memref.sliced(slice_.key(values, memref.array.shape))
        require_layout(type_, part)
        return part

    return subview


@on_values
def _cast(_decoder: Decoder, op: ir.Operation) -> Function:
    type_ = op.results[0].type

    def cast(memref: MemRef) -> MemRef:
        require_layout(type_, memref)
        return memref

    return cast


@on_values
def _reinterpret_cast(_decoder: Decoder, op: ir.Operation) -> Function:
    parts = mixed_lists(op, 1, "static_offsets", "static_sizes", "static_strides")

    def reinterpret(*values: Any) -> MemRef:
        (offset,), sizes, strides = (part(values) for part in parts)
        return values[0].reinterpreted(offset, sizes, strides)

    return reinterpret


@on_values
def _transpose(_decoder: Decoder, op: ir.Operation) -> Function:
    results = ir.AffineMapAttr(op.attributes["permutation"]).value.results
    order = [ir.AffineDimExpr(result).position for result in results]
    return lambda memref: memref.transpose(order)


def _metadata(memref: MemRef) -> tuple[Any, ...]:
    buffer, dtype = memref.buffer, memref.array.dtype
    sizes = () if buffer.raw.size else (0,)
    base = view(buffer, dtype, memref.base, sizes, sizes, memref.base)
    return base, memref.offset - memref.base // dtype.itemsize, *memref.shape, *memref.strides


@on_values
def _view(decoder: Decoder, op: ir.Operation) -> Function:
    shape, dtype = result_shape(op, 2), decoder.element(op.results[0].type).dtype
    return lambda *values: typed_view(values[0], dtype, values[1].__index__(), shape(values))


def _same(memref: MemRef, *others: MemRef) -> Any:
    return (memref, *others) if others else memref


def typed_view(memref: MemRef, dtype: np.dtype[Any], begin: int, sizes: Sequence[int]) -> MemRef:
    """Elements of another type in the bytes of `memref`, in row-major order from byte `begin` on."""
    strides = [dtype.itemsize] * len(sizes)
    for i in range(len(sizes) - 2, -1, -1):
        strides[i] = strides[i + 1] * sizes[i + 1]
    count = strides[0] * sizes[0] if sizes else dtype.itemsize
    if begin < 0 or begin + count > memref.array.nbytes:
        raise EvaluationError(f"bytes {begin} to {begin + count} are viewed of memory that has {memref.array.nbytes}")
    memref.buffer.mixed = True
    start = memref.offset * memref.array.itemsize + begin
    return view(memref.buffer, dtype, start, sizes, strides, start)


OPS: dict[str, Handler] = {
    "memref.subview": _subview,
    "memref.cast": _cast,
    "memref.memory_space_cast": plain(_same),
    "memref.assume_alignment": plain(_same),
    "memref.distinct_objects": plain(_same),
    "memref.reinterpret_cast": _reinterpret_cast,
    "memref.expand_shape": expand,
    "memref.collapse_shape": collapse,
    "memref.reshape": reshape,
    "memref.transpose": _transpose,
    "memref.extract_strided_metadata": plain(_metadata),
    "memref.extract_aligned_pointer_as_index": plain(lambda memref: memref.buffer.address + memref.base),
    "memref.view": _view,
}
