"""The allocations and copies of a conversion, with their locations and operands."""

from __future__ import annotations

import enum
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from mlir import ir

__all__ = ["BufferEvent", "BufferTrace", "EventKind"]


class EventKind(enum.Enum):
    """The kind of an emitted op."""

    ALLOCATION = "allocation"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class BufferEvent:
    """One allocation or copy of a buffer of ``type`` at ``location``.

    ``operand`` is the out-of-place operand of the snapshot that needs it, -1 if the op itself needs it.
    """

    kind: EventKind
    type: ir.MemRefType
    location: ir.Location
    operand: int = -1


class BufferTrace:
    """Collects :class:`BufferEvent` in program order of each function."""

    def __init__(self) -> None:
        self.events: list[BufferEvent] = []
        self._operand = -1

    @contextmanager
    def for_operand(self, operand: int) -> Generator[None, None, None]:
        """Attribute the events inside of the ``with`` block to ``operand``."""
        before, self._operand = self._operand, operand
        try:
            yield
        finally:
            self._operand = before

    def record(self, kind: EventKind, type_: ir.MemRefType) -> None:
        """Record that a buffer of ``type_`` is allocated or copied at the current location."""
        location = ir.Location.current
        assert location is not None
        self.events.append(BufferEvent(kind, type_, location, self._operand))

    def count(self, kind: EventKind) -> int:
        """Return how many events of ``kind`` there were."""
        return sum(event.kind is kind for event in self.events)
