"""memref ops that are no views: they allocate, free, read, write and copy memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder, Registers
from ..decoding.handlers import Handler
from ..decoding.steps import on_registers, on_values, plain
from ..values.attributes import integers, mixed
from ..values.elements import constant_array
from ..values.errors import EvaluationError
from ..values.memory import MemRef, allocate, wrap_array
from ..values.signature import Function
from ..values.state import EvaluationState
from ..values.undefined import UNDEFINED, assign
from .tensor import checked_index, dimension, rank

__all__ = ["OPS", "copy_into", "free"]


@on_values
def _alloc(decoder: Decoder, op: ir.Operation) -> Function:
    state, kind = decoder.machine.state, "heap" if op.name == "memref.alloc" else "stack"
    type_ = ir.MemRefType(op.results[0].type)
    if integers(op, "operandSegmentSizes")[1]:
        raise EvaluationError("memory with a layout that depends on symbols is not supported")
    shape, dtype, strided = mixed(type_.shape), decoder.element(type_).dtype, _static_layout(type_)

    def alloc(*sizes: Any) -> MemRef:
        value = allocate(shape(sizes), dtype, kind)
        if strided is not None:
            value = _with_layout(value, strided, kind)
        if kind == "heap":
            state.allocated(value.buffer)
        else:
            state.frames[-1].append(value.buffer)
        return value

    return alloc


def _static_layout(type_: ir.MemRefType) -> tuple[list[int], int] | None:
    """Strides and offset of a layout that is not the identity, all of which must be static."""
    if type_.affine_map == ir.AffineMap.get_identity(type_.rank):
        return None
    try:
        strides, offset = type_.get_strides_and_offset()
    except RuntimeError:
        raise EvaluationError(f"memory of type {type_} is not supported: its layout has no strides") from None
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    if offset == dynamic or dynamic in strides:
        raise EvaluationError(f"memory of type {type_} cannot be allocated: its layout is not static")
    return strides, offset


def _with_layout(value: MemRef, layout: tuple[list[int], int], kind: str) -> MemRef:
    strides, offset = layout
    extent = offset + 1 + sum((size - 1) * stride for size, stride in zip(value.shape, strides, strict=True))
    whole = allocate((max(extent, 0),), value.array.dtype, kind)
    return whole.reinterpreted(offset, value.shape, strides)


def free(state: EvaluationState, value: MemRef) -> None:
    """Free memory that memref.alloc has made."""
    buffer = value.buffer
    if buffer.kind != "heap":
        raise EvaluationError(f"memory of kind '{buffer.kind}' is freed; only memory of memref.alloc may be")
    if not buffer.live:
        raise EvaluationError("memory is freed twice")
    buffer.live = False
    state.frees += 1


@on_values
def _dealloc(decoder: Decoder, _op: ir.Operation) -> Function:
    state = decoder.machine.state
    return lambda memref: free(state, memref)


@on_values
def _load(decoder: Decoder, op: ir.Operation) -> Function:
    scalar = decoder.element(op.results[0].type).scalar

    def load(memref: MemRef, *indices: Any) -> Any:
        index = checked_index(indices, memref.array.shape)
        if not memref.buffer.live:
            memref.alive()
        if not memref.buffer.clean and memref.marks[index]:
            return UNDEFINED
        return scalar(memref.array[index])

    return load


def _store(value: Any, memref: MemRef, *indices: Any) -> None:
    index = checked_index(indices, memref.array.shape)
    memref.may_write()
    assign(memref.array, None, index, value)
    memref.written(index, value is UNDEFINED)


def copy_into(source: Any, target: MemRef) -> None:
    """Copy contents; the two must have the same sizes."""
    if source.shape != target.shape:
        raise EvaluationError(f"sizes {list(source.shape)} are copied to sizes {list(target.shape)}")
    target.write(source.read().copy() if isinstance(source, MemRef) else source)


@on_values
def _copy(decoder: Decoder, _op: ir.Operation) -> Function:
    state = decoder.machine.state

    def copy(source: MemRef, target: MemRef) -> None:
        state.copied(source)
        if source.buffer is target.buffer and source.overlaps(target):
            raise EvaluationError("memory is copied to memory that overlaps it and is not the same")
        copy_into(source, target)

    return copy


@on_values
def _get_global(decoder: Decoder, op: ir.Operation) -> Function:
    name, state = ir.FlatSymbolRefAttr(op.attributes["name"]).value, decoder.machine.state

    def get_global() -> MemRef:
        if name not in state.globals:
            state.globals[name] = _make_global(decoder, name)
        return state.globals[name]

    return get_global


def _make_global(decoder: Decoder, name: str) -> MemRef:
    op = decoder.machine.symbols.get(name)
    if op is None or op.name != "memref.global":
        raise EvaluationError(f"there is no memref.global @{name}")
    type_ = ir.MemRefType(ir.TypeAttr(op.attributes["type"]).value)
    element, attributes = decoder.element(type_), op.attributes
    if "initial_value" not in attributes or _is_unit(op):
        return allocate(type_.shape, element.dtype, "global")
    values = constant_array(op, "initial_value", type_.shape, element)
    return wrap_array(np.array(values), "global", readonly="constant" in attributes)


def _is_unit(op: ir.Operation) -> bool:
    try:
        return isinstance(op.attributes["initial_value"], ir.UnitAttr)
    except TypeError:
        return False


@on_registers
def _alloca_scope(decoder: Decoder, op: ir.Operation) -> Function:
    code, state = decoder.region(op.regions[0]), decoder.machine.state

    def run(registers: Registers) -> Sequence[Any]:
        state.frames.append([])
        try:
            return code.call(registers, ())
        finally:
            for buffer in state.frames.pop():
                buffer.live = False

    return run


@on_registers
def _atomic_rmw(decoder: Decoder, op: ir.Operation) -> Function:
    code, element = decoder.region(op.regions[0]), decoder.element(op.results[0].type)

    def update(registers: Registers, memref: MemRef, *indices: Any) -> list[Any]:
        index = checked_index(indices, memref.array.shape)
        changed = code.call(registers, (element.scalar(memref.read()[index]),))
        _store(changed[0], memref, *index)
        return changed

    return update


OPS: dict[str, Handler] = {
    "memref.alloc": _alloc,
    "memref.alloca": _alloc,
    "memref.dealloc": _dealloc,
    "memref.load": _load,
    "memref.store": plain(_store),
    "memref.copy": _copy,
    "memref.dim": plain(dimension),
    "memref.rank": plain(rank),
    "memref.get_global": _get_global,
    "memref.alloca_scope": _alloca_scope,
    "memref.generic_atomic_rmw": _atomic_rmw,
}
