"""Which buffers and copies a conversion made, and for which operand or value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mlir import ir

__all__ = ["BufferEvent", "BufferTrace"]


@dataclass(frozen=True, slots=True)
class BufferEvent:
    """One allocation or copy: ``size`` in bytes, None if dynamic; ``operand`` or ``value`` of the snapshot, else -1."""

    kind: str
    type: str
    size: int | None
    location: str
    operand: int = -1
    value: int = -1


class BufferTrace:
    """Collects :class:`BufferEvent` in program order of each function."""

    def __init__(self) -> None:
        self.events: list[BufferEvent] = []
        self._operand = -1

    @contextmanager
    def for_operand(self, operand: int) -> Iterator[None]:
        """Attribute the events inside of the ``with`` block to ``operand``."""
        before, self._operand = self._operand, operand
        try:
            yield
        finally:
            self._operand = before

    def allocated(self, type_: ir.MemRefType, value: int | None) -> None:
        """Record an allocation of a buffer of ``type_``, made for ``value`` if it is given."""
        self._record("allocation", type_, -1 if value is None else value)

    def copied(self, type_: ir.MemRefType) -> None:
        """Record a copy of all elements of a buffer of ``type_``."""
        self._record("copy", type_, -1)

    def _record(self, kind: str, type_: ir.MemRefType, value: int) -> None:
        event = BufferEvent(kind, str(type_), _bytes(type_), str(ir.Location.current), self._operand, value)
        self.events.append(event)


def _bytes(type_: ir.MemRefType) -> int | None:
    """Return the size of a buffer of ``type_`` in bytes; None if its shape is dynamic."""
    if not type_.has_static_shape:
        return None
    count = 1
    for size in type_.shape:
        count *= size
    return count * element_bytes(type_.element_type)


def element_bytes(type_: ir.Type) -> int:
    """Return the bytes that one element of ``type_`` takes in a buffer on the host."""
    if isinstance(type_, ir.ComplexType):
        return 2 * element_bytes(type_.element_type)
    if isinstance(type_, ir.IndexType):
        return 8
    width = getattr(type_, "width", 64)
    return (width + 7) // 8
