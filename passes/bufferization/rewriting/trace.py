"""The allocations and copies of a conversion as they are emitted, with what they are emitted for."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from mlir import ir

from ...analysis.explanations.events import BufferEvent, EventKind

__all__ = ["BufferEvent", "BufferTrace", "EventKind"]


class BufferTrace:
    """Collects :class:`BufferEvent` in program order of each function.

    ``op``: the op of the snapshot that is being converted.
    """

    def __init__(self) -> None:
        self.events: list[BufferEvent] = []
        self.op = -1
        self._operand = -1
        self._wanted: ir.Type | None = None

    @contextmanager
    def for_operand(self, operand: int) -> Generator[None, None, None]:
        """Attribute the events inside of the ``with`` block to ``operand``."""
        before, self._operand = self._operand, operand
        try:
            yield
        finally:
            self._operand = before

    @contextmanager
    def for_layout(self, wanted: ir.Type) -> Generator[None, None, None]:
        """Attribute the events inside of the ``with`` block to the type that is ``wanted`` of a buffer."""
        before, self._wanted = self._wanted, wanted
        try:
            yield
        finally:
            self._wanted = before

    def record(self, kind: EventKind, type_: ir.MemRefType) -> None:
        """Record that a buffer of ``type_`` is allocated or copied at the current location."""
        location = ir.Location.current
        assert location is not None
        self.events.append(BufferEvent(kind, type_, location, self._operand, self.op, self._wanted))

    def count(self, kind: EventKind) -> int:
        """Return how many events of ``kind`` there were."""
        return sum(event.kind is kind for event in self.events)
