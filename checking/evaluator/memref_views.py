"""Views: subview, casts, reshapes and metadata of memrefs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, Step, integers, mixed, transfer
from .errors import EvaluationError
from .handlers import Handler
from .memory import Beyond, MemRef, view
from .shapes import expanded_shape, groups_of, require_static
from .slices import SliceReader
from .tensor_shapes import collapsed, requested_shape

__all__ = ["OPS", "require_layout"]


def require_layout(type_: ir.Type, value: MemRef) -> None:
    """Refuse a memref whose sizes, strides or offset are not those of a static type."""
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
    if not fits or (offset not in (dynamic, value.offset) and value.buffer.kind != "argument"):
        raise EvaluationError(f"a memref of strides {list(value.strides)} and offset {value.offset} is not a {type_}")


def _subview(decoder: Decoder, op: ir.Operation) -> Step:
    source, result, type_ = decoder.slot(op.operands[0]), decoder.slot(op.results[0]), op.results[0].type
    reader = SliceReader(decoder, op, 1)
    kept = reader.kept(type_)

    def step(registers: Registers) -> None:
        memref = registers[source]
        memref.alive()
        key, _ = reader.key(registers, memref.array.shape)
        if kept is not None:
            key = tuple(entry if i in kept else entry.start for i, entry in enumerate(key))
        registers[result] = memref.sliced((*key, ...) if kept == [] or not key else key)
        require_layout(type_, registers[result])

    return step


def _cast(decoder: Decoder, op: ir.Operation) -> Step:
    source, result, type_ = decoder.slot(op.operands[0]), decoder.slot(op.results[0]), op.results[0].type

    def step(registers: Registers) -> None:
        require_layout(type_, registers[source])
        registers[result] = registers[source]

    return step


def _forward(decoder: Decoder, op: ir.Operation) -> Step:
    """The same memref, as another memory space or with a promise about its alignment."""
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        registers[result] = registers[source]

    return step


def _reinterpret_cast(decoder: Decoder, op: ir.Operation) -> Step:
    segments, operands = integers(op, "operandSegmentSizes"), list(op.operands)
    ends = [sum(segments[:i]) for i in range(1, 5)]
    parts = [
        mixed(decoder, integers(op, f"static_{name}"), operands[ends[i] : ends[i + 1]])
        for i, name in enumerate(("offsets", "sizes", "strides"))
    ]
    source, result = decoder.slot(operands[0]), decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        (offset,), sizes, strides = (part(registers) for part in parts)
        registers[result] = registers[source].reinterpreted(offset, sizes, strides)

    return step


def _reshaped(value: MemRef, shape: Sequence[int]) -> MemRef:
    """The same memory in another shape, which must be possible without a copy."""
    value.alive()
    array, marks = value.array.reshape(tuple(shape)), value.marks.reshape(tuple(shape))
    if array.size and not np.may_share_memory(array, value.array):
        raise EvaluationError(f"memory of strides {list(value.strides)} has no view of sizes {list(shape)}")
    return MemRef(value.buffer, array, marks)


def _expand(decoder: Decoder, op: ir.Operation) -> Step:
    source, result, groups = decoder.slot(op.operands[0]), decoder.slot(op.results[0]), groups_of(op)
    sizes = mixed(decoder, integers(op, "static_output_shape"), list(op.operands)[1:])

    def step(registers: Registers) -> None:
        memref, shape = registers[source], sizes(registers)
        expanded_shape(memref.shape, groups, shape)
        registers[result] = _reshaped(memref, shape)

    return step


def _collapse(decoder: Decoder, op: ir.Operation) -> Step:
    source, result, groups = decoder.slot(op.operands[0]), decoder.slot(op.results[0]), groups_of(op)

    def step(registers: Registers) -> None:
        memref = registers[source]
        registers[result] = _reshaped(memref, collapsed(memref.shape, groups))

    return step


def _reshape(decoder: Decoder, op: ir.Operation) -> Step:
    source, shape = decoder.all(list(op.operands))
    result, type_ = decoder.slot(op.results[0]), op.results[0].type

    def step(registers: Registers) -> None:
        memref = registers[source]
        sizes = requested_shape(memref.array, registers[shape].read(), type_)
        if not memref.array.flags.c_contiguous:
            raise EvaluationError(f"memory of strides {list(memref.strides)} is reshaped; it must be contiguous")
        registers[result] = _reshaped(memref, sizes)

    return step


def _transpose(decoder: Decoder, op: ir.Operation) -> Step:
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])
    order = [
        ir.AffineDimExpr(result_).position for result_ in ir.AffineMapAttr(op.attributes["permutation"]).value.results
    ]

    def step(registers: Registers) -> None:
        memref = registers[source]
        registers[result] = MemRef(memref.buffer, memref.array.transpose(order), memref.marks.transpose(order))

    return step


def _metadata(decoder: Decoder, op: ir.Operation) -> Step:
    source, results = decoder.slot(op.operands[0]), decoder.all(list(op.results))

    def step(registers: Registers) -> None:
        memref = registers[source]
        buffer, dtype = memref.buffer, memref.array.dtype
        base = (
            MemRef(buffer, np.ndarray((), dtype, buffer.raw), np.ndarray((), np.bool_, buffer.marks))
            if (buffer.raw.size)
            else view(buffer, dtype, 0, (0,), (0,))
        )
        transfer(registers, results, (base, memref.offset, *memref.shape, *memref.strides))

    return step


def _view(decoder: Decoder, op: ir.Operation) -> Step:
    source, shift, *sizes = list(op.operands)
    shape = mixed(decoder, ir.ShapedType(op.results[0].type).shape, sizes)
    (bytes_, offset), result = decoder.all([source, shift]), decoder.slot(op.results[0])
    dtype = decoder.element(op.results[0].type).dtype

    def step(registers: Registers) -> None:
        memref, begin, sizes = registers[bytes_], registers[offset].__index__(), shape(registers)
        registers[result] = typed_view(memref, dtype, begin, sizes)

    return step


def typed_view(memref: MemRef, dtype: np.dtype[Any], begin: int, sizes: Sequence[int]) -> MemRef:
    """Elements of another type in the bytes of `memref`, in row-major order from byte `begin` on."""
    strides = [dtype.itemsize] * len(sizes)
    for i in range(len(sizes) - 2, -1, -1):
        strides[i] = strides[i + 1] * sizes[i + 1]
    count = strides[0] * sizes[0] if sizes else dtype.itemsize
    if begin < 0 or begin + count > memref.array.nbytes:
        raise EvaluationError(f"bytes {begin} to {begin + count} are viewed of memory that has {memref.array.nbytes}")
    memref.buffer.mixed = True
    return view(memref.buffer, dtype, memref.offset * memref.array.itemsize + begin, sizes, strides)


def _address(decoder: Decoder, op: ir.Operation) -> Step:
    """A number that is different for memory that does not begin at the same place."""
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        registers[result] = registers[source].buffer.address

    return step


def _forward_all(decoder: Decoder, op: ir.Operation) -> Step:
    sources, results = decoder.all(list(op.operands)), decoder.all(list(op.results))
    return lambda registers: transfer(registers, results, [registers[slot] for slot in sources])


OPS: dict[str, Handler] = {
    "memref.subview": _subview,
    "memref.cast": _cast,
    "memref.memory_space_cast": _forward,
    "memref.assume_alignment": _forward,
    "memref.distinct_objects": _forward_all,
    "memref.reinterpret_cast": _reinterpret_cast,
    "memref.expand_shape": _expand,
    "memref.collapse_shape": _collapse,
    "memref.reshape": _reshape,
    "memref.transpose": _transpose,
    "memref.extract_strided_metadata": _metadata,
    "memref.extract_aligned_pointer_as_index": _address,
    "memref.view": _view,
}
