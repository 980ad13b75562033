"""Memory made, freed, read, written and copied: the memref ops that are not views."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, Step, integers, mixed, transfer
from .elements import constant_array
from .errors import EvaluationError
from .handlers import Handler
from .memory import MemRef, allocate, wrap_array
from .tensor import checked_index, dimension, rank
from .undefined import UNDEFINED, assign

__all__ = ["OPS", "copy_into", "free"]


def _alloc(decoder: Decoder, op: ir.Operation) -> Step:
    state, kind = decoder.machine.state, "heap" if op.name == "memref.alloc" else "stack"
    type_ = ir.MemRefType(op.results[0].type)
    dynamic = integers(op, "operandSegmentSizes")[0]
    shape = mixed(decoder, type_.shape, list(op.operands)[:dynamic])
    symbols = decoder.all(list(op.operands)[dynamic:])
    dtype, result = decoder.element(type_).dtype, decoder.slot(op.results[0])
    strided = _static_layout(type_)

    def step(registers: Registers) -> None:
        if symbols:
            raise EvaluationError("memory with a layout that depends on symbols is not supported")
        value = allocate(shape(registers), dtype, kind)
        if strided is not None:
            value = _with_layout(value, strided, kind)
        registers[result] = value
        if kind == "heap":
            state.allocated(value.buffer)
        else:
            state.frames[-1].append(value.buffer)

    return step


def _static_layout(type_: ir.MemRefType) -> tuple[list[int], int] | None:
    """Strides and offset of a layout that is not the identity, all of which must be static."""
    if type_.affine_map == ir.AffineMap.get_identity(type_.rank):
        return None
    strides, offset = type_.get_strides_and_offset()
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    if offset == dynamic or dynamic in strides:
        raise EvaluationError(f"memory of type {type_} cannot be allocated: its layout is not static")
    return strides, offset


def _with_layout(value: MemRef, layout: tuple[list[int], int], kind: str) -> MemRef:
    strides, offset = layout
    extent = offset + 1 + sum((size - 1) * stride for size, stride in zip(value.shape, strides, strict=True))
    whole = allocate((max(extent, 0),), value.array.dtype, kind)
    return whole.reinterpreted(offset, value.shape, strides)


def free(decoder: Decoder, value: MemRef) -> None:
    """Free memory that memref.alloc has made."""
    buffer = value.buffer
    if buffer.kind != "heap":
        raise EvaluationError(f"memory of kind '{buffer.kind}' is freed; only memory of memref.alloc may be")
    if not buffer.live:
        raise EvaluationError("memory is freed twice")
    buffer.live = False
    decoder.machine.state.frees += 1


def _dealloc(decoder: Decoder, op: ir.Operation) -> Step:
    source = decoder.slot(op.operands[0])
    return lambda registers: free(decoder, registers[source])


def _load(decoder: Decoder, op: ir.Operation) -> Step:
    source, *indices = decoder.all(list(op.operands))
    result, scalar = decoder.slot(op.results[0]), decoder.element(op.results[0].type).scalar

    def step(registers: Registers) -> None:
        memref = registers[source]
        index = checked_index(registers, indices, memref.array.shape)
        if not memref.buffer.live:
            memref.alive()
        if not memref.buffer.clean and memref.marks[index]:
            registers[result] = UNDEFINED
        else:
            registers[result] = scalar(memref.array[index])

    return step


def _store(decoder: Decoder, op: ir.Operation) -> Step:
    source, target, *indices = decoder.all(list(op.operands))

    def step(registers: Registers) -> None:
        memref, value = registers[target], registers[source]
        index = checked_index(registers, indices, memref.array.shape)
        memref.may_write()
        assign(memref.array, None, index, value)
        memref.written(index, value is UNDEFINED)

    return step


def copy_into(source: Any, target: MemRef) -> None:
    """Copy contents; the two must have the same sizes."""
    if source.shape != target.shape:
        raise EvaluationError(f"sizes {list(source.shape)} are copied to sizes {list(target.shape)}")
    target.write(source.read().copy() if isinstance(source, MemRef) else source)


def _copy(decoder: Decoder, op: ir.Operation) -> Step:
    source, target = decoder.all(list(op.operands))
    state = decoder.machine.state

    def step(registers: Registers) -> None:
        state.copies += 1
        copy_into(registers[source], registers[target])

    return step


def _get_global(decoder: Decoder, op: ir.Operation) -> Step:
    name, result = ir.FlatSymbolRefAttr(op.attributes["name"]).value, decoder.slot(op.results[0])
    machine = decoder.machine

    def step(registers: Registers) -> None:
        found = machine.state.globals
        if name not in found:
            found[name] = _make_global(decoder, name)
        registers[result] = found[name]

    return step


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


def _alloca_scope(decoder: Decoder, op: ir.Operation) -> Step:
    results, code = decoder.all(list(op.results)), decoder.region(op.regions[0])
    state = decoder.machine.state

    def step(registers: Registers) -> None:
        state.frames.append([])
        try:
            values = code.call(registers, ())
        finally:
            for buffer in state.frames.pop():
                buffer.live = False
        transfer(registers, results, values)

    return step


def _atomic_rmw(decoder: Decoder, op: ir.Operation) -> Step:
    target, *indices = decoder.all(list(op.operands))
    result, code = decoder.slot(op.results[0]), decoder.region(op.regions[0])
    element = decoder.element(op.results[0].type)

    def step(registers: Registers) -> None:
        memref = registers[target]
        index = checked_index(registers, indices, memref.array.shape)
        value = memref.read()[index]
        (changed,) = code.call(registers, (element.scalar(value),))
        memref.may_write()
        assign(memref.array, None, index, changed)
        memref.written(index, changed is UNDEFINED)
        registers[result] = changed

    return step


OPS: dict[str, Handler] = {
    "memref.alloc": _alloc,
    "memref.alloca": _alloc,
    "memref.dealloc": _dealloc,
    "memref.load": _load,
    "memref.store": _store,
    "memref.copy": _copy,
    "memref.dim": dimension,
    "memref.rank": rank,
    "memref.get_global": _get_global,
    "memref.alloca_scope": _alloca_scope,
    "memref.generic_atomic_rmw": _atomic_rmw,
}
