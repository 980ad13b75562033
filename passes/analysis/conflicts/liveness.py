"""Live ranges: when and where the content of a value may be read, and which elements an in-place write touches."""

from __future__ import annotations

from ..effects.reader import TensorEffects
from ..ir.program_order import ProgramOrder
from .accesses import Read, Write

__all__ = ["Liveness"]

_LONG_GAP = 64
"""From how many positions on it pays to leave out regions that run instead of a read's."""


class Liveness:
    """The reads and writes of one function's values, from its tables. Linear in the uses of the value asked about."""

    def __init__(self, effects: TensorEffects, order: ProgramOrder) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._order = order

    def reads(self, value: int) -> list[Read]:
        """Return when and where the content of ``value`` may be read.

        A read by an op of which other regions run instead, for long, has two entries: before these, and after.
        """
        effects, s = self._effects, self._snapshot
        begin = self._order.definition(value)
        last: list[Read] = []
        if value in effects.shared_outputs and effects.value_read[effects.shared_outputs[value].result]:
            # After the loop, the elements that no thread inserts still have the argument's content.
            operand = effects.shared_outputs[value].operand
            last = [Read(begin, s.op_exit[s.operand_op[operand]] - 1, operand, value, None)]
        if not effects.value_read[value] or effects.undefined[value]:
            return last
        uses = [o for o in s.value_uses[value] if effects.content_reads[o]]
        uses += [read for o in uses for read in effects.derived_reads.get(o, ())]
        has_choices = self._order.has_choices
        for o in uses:
            # An op does not read the slice that it overwrites, only the rest: such a read has no slice here.
            slice_ = None if effects.writes[o] else effects.slices.get(o)
            if has_choices or effects.outlives[o]:
                last += [Read(first, end, o, value, slice_) for first, end in self._spans(value, begin, o)]
            else:
                last.append(Read(begin, self._end(value, o), o, value, slice_))
        return last

    def _spans(self, value: int, definition: int, read: int) -> list[tuple[int, int]]:
        """Return from when on, and until when, operand ``read`` may read ``value``.

        What is left out are writes in regions that run instead of the read's: by the rules, no way leads from them to
        it. So a nest of branches does not compare every write with every read.
        """
        begin, end = self._begin(definition, read), self._end(value, read)
        gap = self._order.widest_gap(value, self._snapshot.operand_op[read])
        if gap is None or gap[1] - gap[0] < _LONG_GAP or self._effects.outlives[read]:
            return [(begin, end)]
        return [(begin, gap[0]), (gap[1], end)]

    def _begin(self, definition: int, read: int) -> int:
        """Return the first moment at which ``read`` may read: in a later iteration, if the memref lives on."""
        s = self._snapshot
        loop = s.block_loop[s.op_block[s.operand_op[read]]] if self._effects.outlives[read] else -1
        while loop >= 0:
            definition = min(definition, s.block_begin[loop])
            loop = s.outer_loop(loop)
        return definition

    def _end(self, value: int, read: int) -> int:
        """Return the last moment at which operand ``read`` may read ``value``."""
        s, op = self._snapshot, self._snapshot.operand_op[read]
        if self._effects.escapes[read]:
            # An escaped buffer may be read at any later time.
            return s.op_exit[0]
        end = self._order.last_moment(value, op)
        if s.op_regions[op] and not self._effects.reads_before_regions(op):
            return max(end, s.op_exit[op])
        return end

    def write(self, operand: int, value: int = -1) -> Write:
        """Return the in-place write of ``operand``; with ``value``, the write into the buffer of ``value`` instead."""
        s = self._snapshot
        value = s.operand_value[operand] if value < 0 else value
        return Write(s.operand_position(operand), operand, value, self._effects.slices.get(operand))
