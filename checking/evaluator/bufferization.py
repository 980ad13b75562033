"""bufferization: allocation and copies of tensors, the two ways between tensors and memrefs, clones, deallocation."""

from __future__ import annotations

from typing import Any

from mlir import ir

from .decoder import Decoder, Registers, Step, integers, mixed, transfer
from .errors import EvaluationError
from .handlers import Handler
from .memory import MemRef, allocate
from .memref import copy_into, free
from .memref_views import require_layout
from .undefined import empty, split

__all__ = ["OPS"]


def _alloc_tensor(decoder: Decoder, op: ir.Operation) -> Step:
    dynamic, copies, _ = integers(op, "operandSegmentSizes")
    operands, result = list(op.operands), decoder.slot(op.results[0])
    if copies:
        source = decoder.slot(operands[dynamic])

        def copy(registers: Registers) -> None:
            registers[result] = registers[source]

        return copy
    shape = mixed(decoder, ir.ShapedType(op.results[0].type).shape, operands[:dynamic])
    dtype = decoder.element(op.results[0].type).dtype

    def step(registers: Registers) -> None:
        registers[result] = empty(shape(registers), dtype)

    return step


def _materialize(decoder: Decoder, op: ir.Operation) -> Step:
    source, target = decoder.all(list(op.operands))
    result = decoder.slot(op.results[0]) if len(op.results) else None

    def step(registers: Registers) -> None:
        value, into = registers[source], registers[target]
        if value.shape != into.shape:
            raise EvaluationError(f"sizes {list(value.shape)} are materialized in sizes {list(into.shape)}")
        if isinstance(into, MemRef):
            into.write(value)
        elif result is not None:
            registers[result] = value

    return step


def _to_tensor(decoder: Decoder, op: ir.Operation) -> Step:
    """What the memory holds now."""
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        registers[result] = registers[source].read().copy()

    return step


def _to_buffer(decoder: Decoder, op: ir.Operation) -> Step:
    """Memory that holds the tensor. Nothing else uses it; it must not be written if it is `read_only`."""
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])
    readonly, type_ = "read_only" in op.attributes, op.results[0].type

    def step(registers: Registers) -> None:
        value = registers[source]
        data, _ = split(value)
        memref = allocate(value.shape, data.dtype, "tensor")
        memref.write(value)
        memref.buffer.readonly = readonly
        require_layout(type_, memref)
        registers[result] = memref

    return step


def _clone(decoder: Decoder, op: ir.Operation) -> Step:
    source, result, state = decoder.slot(op.operands[0]), decoder.slot(op.results[0]), decoder.machine.state

    def step(registers: Registers) -> None:
        memref = registers[source]
        copied = allocate(memref.shape, memref.array.dtype, "heap")
        state.allocated(copied.buffer)
        state.copies += 1
        copy_into(memref, copied)
        registers[result] = copied

    return step


def _dealloc_tensor(_decoder: Decoder, _op: ir.Operation) -> Step | None:
    return None


def _dealloc(decoder: Decoder, op: ir.Operation) -> Step:
    """Frees what is owned and not retained; says for each retained memref who owns it."""
    counts = integers(op, "operandSegmentSizes")
    slots = decoder.all(list(op.operands))
    memrefs, conditions = slots[: counts[0]], slots[counts[0] : counts[0] + counts[1]]
    retained, results = slots[counts[0] + counts[1] :], decoder.all(list(op.results))

    def step(registers: Registers) -> None:
        kept: list[Any] = [registers[slot].buffer for slot in retained]
        owned = [registers[slot].buffer for slot, owner in zip(memrefs, conditions, strict=True) if registers[owner]]
        seen: set[int] = set()
        for slot, owner in zip(memrefs, conditions, strict=True):
            memref = registers[slot]
            buffer = memref.buffer
            if registers[owner] and id(buffer) not in seen and not any(buffer is other for other in kept):
                seen.add(id(buffer))
                free(decoder, memref)
        transfer(registers, results, [any(buffer is other for other in owned) for buffer in kept])

    return step


OPS: dict[str, Handler] = {
    "bufferization.alloc_tensor": _alloc_tensor,
    "bufferization.materialize_in_destination": _materialize,
    "bufferization.to_tensor": _to_tensor,
    "bufferization.to_buffer": _to_buffer,
    "bufferization.clone": _clone,
    "bufferization.dealloc_tensor": _dealloc_tensor,
    "bufferization.dealloc": _dealloc,
}
