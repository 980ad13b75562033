"""bufferization: allocation and copies of tensors, conversions between tensors and memrefs, clones, deallocation."""

from __future__ import annotations

from typing import Any

from mlir import ir

from ..decoding.decoder import Decoder, Step
from ..decoding.handlers import Handler
from ..decoding.steps import on_values, plain
from ..values.attributes import integers
from ..values.errors import EvaluationError
from ..values.memory import MemRef, allocate
from ..values.signature import Function
from ..values.undefined import empty, split
from .memref import copy_into, free
from .memref_views import require_layout
from .tensor import result_shape

__all__ = ["OPS"]


@on_values
def _alloc_tensor(decoder: Decoder, op: ir.Operation) -> Function:
    dynamic, copies, _ = integers(op, "operandSegmentSizes")
    if copies:
        return lambda *values: values[dynamic]
    shape, dtype = result_shape(op), decoder.element(op.results[0].type).dtype
    return lambda *sizes: empty(shape(sizes), dtype)


def _materialize(value: Any, into: Any) -> Any:
    """Write a tensor into memory; on tensors the result is the value."""
    if value.shape != into.shape:
        raise EvaluationError(f"sizes {list(value.shape)} are materialized in sizes {list(into.shape)}")
    if isinstance(into, MemRef):
        into.write(value)
    return value


@on_values
def _to_buffer(_decoder: Decoder, op: ir.Operation) -> Function:
    """Fresh memory that holds the tensor; read-only if the op is `read_only`."""
    readonly, type_ = "read_only" in op.attributes, op.results[0].type

    def to_buffer(value: Any) -> MemRef:
        data, _ = split(value)
        memref = allocate(value.shape, data.dtype, "tensor")
        memref.write(value)
        memref.buffer.readonly = readonly
        require_layout(type_, memref)
        return memref

    return to_buffer


@on_values
def _clone(decoder: Decoder, _op: ir.Operation) -> Function:
    state = decoder.machine.state

    def clone(memref: MemRef) -> MemRef:
        copied = allocate(memref.shape, memref.array.dtype, "heap")
        state.allocated(copied.buffer)
        state.copied(memref)
        copy_into(memref, copied)
        return copied

    return clone


def _dealloc_tensor(_decoder: Decoder, _op: ir.Operation) -> Step | None:
    return None


@on_values
def _dealloc(decoder: Decoder, op: ir.Operation) -> Function:
    """Free memrefs that are owned and not retained; return the ownership of each retained one."""
    count, state = integers(op, "operandSegmentSizes")[0], decoder.machine.state

    def dealloc(*values: Any) -> list[bool]:
        pairs = zip(values[:count], values[count : 2 * count], strict=True)
        owned: dict[int, MemRef] = {id(memref.buffer): memref for memref, owner in pairs if owner}
        kept = [id(memref.buffer) for memref in values[2 * count :]]
        for buffer, memref in owned.items():
            if buffer not in kept:
                free(state, memref)
        return [buffer in owned for buffer in kept]

    return dealloc


OPS: dict[str, Handler] = {
    "bufferization.alloc_tensor": _alloc_tensor,
    "bufferization.materialize_in_destination": plain(_materialize),
    "bufferization.to_tensor": plain(lambda memref: memref.read().copy()),
    "bufferization.to_buffer": _to_buffer,
    "bufferization.clone": _clone,
    "bufferization.dealloc_tensor": _dealloc_tensor,
    "bufferization.dealloc": _dealloc,
}
