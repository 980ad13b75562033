"""What a conversion emits: allocations and copies, each with what it was emitted for.

Plain data. A bufferizing pass records events (``passes/bufferization/rewriting/trace.py``); ``explainer.py`` joins them
with the decisions that they carry out.
"""

from __future__ import annotations

import enum

from mlir import ir

from ....dialects.support.frozen_classes import frozen_slots

__all__ = ["BufferEvent", "EventKind", "Need"]


class EventKind(enum.Enum):
    """The kind of an emitted op."""

    ALLOCATION = "allocation"
    COPY = "copy"


class Need(enum.Enum):
    """What an allocation or a copy is emitted for."""

    OPERAND = "an operand is out-of-place, by a decision of the analysis"
    OP = "the op itself makes a tensor and moves elements"
    LAYOUT = "a buffer is needed under a type that it cannot be cast to"


@frozen_slots
class BufferEvent:
    """One allocation or copy of a buffer of ``type`` at ``location``, while ``op`` of the snapshot was converted.

    ``operand`` is the out-of-place operand of the snapshot that needs it, -1 if there is none. ``wanted`` is the type
    that the buffer could not be cast to.
    """

    kind: EventKind
    type: ir.MemRefType
    location: ir.Location
    operand: int = -1
    op: int = -1
    wanted: ir.Type | None = None

    @property
    def need(self) -> Need:
        """What it is emitted for."""
        if self.operand >= 0:
            return Need.OPERAND
        return Need.OP if self.wanted is None else Need.LAYOUT
