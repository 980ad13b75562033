"""Build allocations, copies, casts, sizes and constants of memrefs.

Ops go where the current insertion point is. Every allocation and copy is recorded in a trace.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import memref

from ....dialects.support.dense_elements import Elements
from ....dialects.support.memref_types import is_castable
from .allocation import AllocationFunction
from .globals import Globals
from .trace import BufferTrace, EventKind

__all__ = ["MemrefBuilder"]


class MemrefBuilder:
    """Builds ops in ``module``. ``alignment`` is in bytes, 0 for none; ``allocate`` creates the buffers.

    ``trace`` records the operand that each allocation and copy was made for.
    """

    def __init__(self, module: ir.Operation, trace: BufferTrace, alignment: int, allocate: AllocationFunction) -> None:
        self._trace = trace
        self._alignment = alignment
        self._allocate = allocate
        self.globals = Globals(module, alignment)

    def allocate(self, type_: ir.MemRefType, dynamic_sizes: Sequence[ir.Value] = ()) -> ir.Value:
        """See :class:`Rewriter`."""
        result = self._allocate(type_, dynamic_sizes, self._alignment)
        self._trace.record(EventKind.ALLOCATION, type_)
        return result

    def copy(self, source: ir.Value, target: ir.Value) -> None:
        """See :class:`Rewriter`."""
        memref.copy(source, target)
        self._trace.record(EventKind.COPY, ir.MemRefType(source.type))

    def cast(self, buffer: ir.Value, type_: ir.Type) -> ir.Value:
        """See :class:`Rewriter`."""
        if buffer.type == type_:
            return buffer
        if is_castable(buffer.type, type_):
            return memref.cast(type_, buffer)
        wanted = ir.MemRefType(type_)
        with self._trace.for_layout(wanted):
            target = self._allocate_like(buffer, wanted)
            self.copy(buffer, target)
        assert is_castable(target.type, type_), f"{buffer.type} cannot become {type_}"
        return target if target.type == type_ else memref.cast(type_, target)

    def private_copy(self, operand: int, source: ir.Value, *, copies: bool) -> ir.Value:
        """Return a new buffer for ``operand`` that is like ``source``, with its content if ``copies``."""
        unranked = source.type if isinstance(source.type, ir.UnrankedMemRefType) else None
        if unranked is not None:
            source = ir.OpResult(source).owner.operands[0]  # The analysis saw to it that it was ranked before.
        with self._trace.for_operand(operand):
            target = self._allocate_like(source, ir.MemRefType(source.type))
            if copies:
                self.copy(source, target)
        return target if unranked is None else memref.cast(unranked, target)

    def _allocate_like(self, source: ir.Value, type_: ir.MemRefType) -> ir.Value:
        """Return a contiguous buffer of the shape, elements and space of ``type_``, as large as ``source``."""
        contiguous = ir.MemRefType.get(type_.shape, type_.element_type, memory_space=type_.memory_space)
        return self.allocate(contiguous, self._dynamic_sizes(source, type_))

    def sizes(self, buffer: ir.Value) -> list[ir.Value]:
        """See :class:`Rewriter`."""
        return self._dynamic_sizes(buffer, ir.MemRefType(buffer.type))

    @staticmethod
    def _dynamic_sizes(buffer: ir.Value, type_: ir.MemRefType) -> list[ir.Value]:
        return [memref.dim(buffer, _index(d)) for d in range(type_.rank) if type_.is_dynamic_dim(d)]

    def constant(self, attribute: Elements, type_: ir.MemRefType) -> ir.Value:
        """See :class:`Rewriter`."""
        return self.globals.get(attribute, type_)


def _index(value: int) -> ir.Value:
    type_ = ir.IndexType.get()
    attributes = {"value": ir.IntegerAttr.get(type_, value)}
    return ir.Operation.create("arith.constant", results=[type_], attributes=attributes).result
