"""Whether a write is a RaW conflict with a read: the heart of the in-place analysis, an ordered table of rules.

A value's content is fixed by SSA. A write ``w`` into the memory of value ``u`` destroys the content of ``u`` for a
read ``r`` of it iff some path of execution leads from ``w`` to ``r`` without passing the definition of ``u``:

* ``u`` is defined on every path to ``w`` (else every path from ``w`` to ``r`` passes the definition), and
* ``r`` comes after ``w`` in their innermost common block, or a loop around both does not define ``u``.

Nothing is destroyed, although memory may be shared, in four cases, each a rule of its own: ``w`` and ``r`` access
disjoint elements; ``w`` writes the content that is already there; ``w`` and ``r`` are one op that handles each element
completely before the next; a loop swaps the two buffers, so that they differ at any one time.

``frames.py`` computes the elements that two accesses touch. Cost: per pair of a write and a read at most the nesting
depth. See docs/THEORY.md, *Lemma 1* and *RaW*.
"""

from __future__ import annotations

from ..effects.reader import TensorEffects
from ..ir.program_order import Order, ProgramOrder
from .accesses import Read, Write
from .alias_sets import AliasSets
from .decisions import Rule
from .frames import Frames, SliceFrame
from .threads import ParallelRegions

__all__ = ["Destruction"]


class _Meeting:
    """A write and a read of memory that they may share; :meth:`Destruction._place` sets where and when they meet."""

    __slots__ = ("frame", "is_late", "loop", "order", "read", "reader", "write", "writer")

    frame: SliceFrame | None
    """The innermost class that both lie in, if one is known."""
    is_late: bool
    """Whether the buffer escapes at the reading op."""
    order: Order
    """The order of the writing and the reading op within one run of their innermost common block."""
    loop: int
    """The outermost loop that leads from the write to the read without defining the value again; -1 if none does."""

    def __init__(self, write: Write, read: Read, writer: int, reader: int) -> None:
        self.write = write
        self.read = read
        self.writer = writer
        self.reader = reader


class Destruction:
    """The conflict rules over the accesses of one function; holds no decisions."""

    def __init__(
        self, effects: TensorEffects, order: ProgramOrder, sets: AliasSets, frames: Frames, threads: ParallelRegions
    ) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._order = order
        self._sets = sets
        self._frames = frames
        self._threads = threads
        # The first two rules are about shared outputs; without any they never hold.
        self._rules = self._RULES if effects.shared_outputs else self._RULES[2:]

    def rule(self, write: Write, read: Read) -> Rule | None:
        """Return the rule by which ``write`` destroys what ``read`` needs; None if it does not."""
        owner = self._snapshot.operand_op
        meeting = _Meeting(write, read, owner[write.operand], owner[read.operand])
        for holds in self._HARMLESS_ANYWHERE:
            if holds(self, meeting):
                return None
        self._place(meeting)
        for holds, rule in self._rules:
            if holds(self, meeting):
                return rule
        return Rule.READ_AFTER_WRITE

    def loop_of_older(self, write: Write, read: Read) -> int:
        """Return the innermost loop around both, by its block, if ``read`` may see what older iterations left; or -1.

        The memref that the reading op returns is then in use in later iterations.
        """
        s = self._snapshot
        if not self._effects.outlives[read.operand]:
            return -1
        writer, reader = s.operand_op[write.operand], s.operand_op[read.operand]
        return s.block_loop[self._order.order(writer, reader)[1]]

    def _outermost_older(self, write: Write, read: Read, loop: int) -> int:
        """Return the outermost loop whose symbols are not those of what ``read`` may see; ``loop`` if that is all."""
        older = self.loop_of_older(write, read)
        while older >= 0:
            loop, older = older, self._snapshot.outer_loop(older)
        return loop

    def loop_to(self, write: Write, read: Read) -> int:
        """Return the loop, by its block, that leads from ``write`` to ``read``; -1 if the read comes later without it.

        It is the innermost one around both that does not define the value, as that comes first.
        """
        s = self._snapshot
        owner = s.operand_op
        if s.block_loop[s.op_block[owner[write.operand]]] < 0:
            return -1
        meeting = _Meeting(write, read, owner[write.operand], owner[read.operand])
        self._place(meeting)
        inside = meeting.order is Order.INSIDE and not self._effects.reads_before_regions(meeting.reader)
        later = inside or meeting.is_late or meeting.order in (Order.BEFORE, Order.ENCLOSES)
        if meeting.loop < 0 or (later and not self._frames.apart(meeting.frame, read.operand, -1)):
            return -1
        return s.block_loop[self._order.order(meeting.writer, meeting.reader)[1]]

    # --- where and when they meet ------------------------------------------------------------------------------

    def _place(self, meeting: _Meeting) -> None:
        read = meeting.read
        meeting.frame = self._frames.frame(meeting.write, read.value)
        meeting.is_late = self._is_late(read)
        # An escaped buffer may be read at any later time, on any path.
        value = -1 if meeting.is_late else read.value
        meeting.order, block = self._order.order(meeting.writer, meeting.reader, value)
        meeting.loop = self._loop_between(read, block, meeting.frame)

    def _is_late(self, read: Read) -> bool:
        return bool(self._effects.escapes[read.operand])

    def _loop_between(self, read: Read, block: int, frame: SliceFrame | None) -> int:
        """Return the outermost loop that leads from any place in ``block`` to any other while ``read.value`` is live.

        A parallel loop whose threads access disjoint slices does not count: it leads from no write to a read.
        """
        loop = self._order.outermost_wrap(read.value, block)
        if loop < 0 or frame is None or self._effects.writes[read.operand]:
            return loop
        accessed = self._effects.slices.get(read.operand) if frame.is_own else frame.viewed
        if self._threads.are_apart(loop, frame.base, read.value, frame.written, accessed):
            return self._order.outermost_within(loop, block)
        return loop

    # --- rules -------------------------------------------------------------------------------------------------

    def _is_defined_anew(self, meeting: _Meeting) -> bool:
        """Every path from the write to the read passes the definition of the value, and no older one is read."""
        if self._order.dominates(meeting.read.value, meeting.writer):
            return False
        return self.loop_of_older(meeting.write, meeting.read) < 0

    def _is_redundant(self, meeting: _Meeting) -> bool:
        """The write stores the content that is in the buffer already."""
        write = meeting.write.operand
        return self._frames.redundant_by(write) is not None or self._frames.is_copied_onto_itself(write)

    def _is_left_over(self, meeting: _Meeting) -> bool:
        """The read represents the elements of a shared output that no thread inserts, read after its loop."""
        shared = self._effects.shared_outputs.get(meeting.read.value)
        return shared is not None and shared.operand == meeting.read.operand

    def _is_replaced(self, meeting: _Meeting) -> bool:
        """The same thread later overwrites what it wrote to a shared output, by its insertion."""
        frame = meeting.frame
        if frame is None or not frame.is_own or not self._is_left_over(meeting):
            return False
        return self._threads.is_replaced(meeting.read.value, meeting.write, frame.written)

    def _is_one_op(self, meeting: _Meeting) -> bool:
        """One op reads and writes, and no loop leads back to it."""
        return meeting.order is Order.SAME and meeting.loop < 0

    def _is_done_at_once(self, meeting: _Meeting) -> bool:
        """One op reads each element before it is written, or reads a copy."""
        if not self._is_one_op(meeting):
            return False
        read, write = meeting.read.operand, meeting.write.operand
        # An operand that is also written is copied before the op, unless discarded, or in place and then never shared.
        discarded = self._effects.discards[read] and read != write
        copied = self._effects.writes[read] and not discarded
        return copied or self._is_simultaneous(meeting)

    def _is_simultaneous(self, meeting: _Meeting) -> bool:
        """Whether one op may both read and write the shared memory."""
        s, read, write = self._snapshot, meeting.read.operand, meeting.write.operand
        source, target = s.operand_value[read], meeting.write.value
        op = meeting.writer
        if self._sets.rotated_apart(source, target) or self._frames.apart(meeting.frame, read, -1):
            return True
        if self._frames.is_moved_onto_itself_or_apart(write, read):
            return True
        model = self._effects.model(op)
        return (
            model is not None
            and s.values[source].type == s.values[target].type
            and (self._sets.are_reshapes_of_one(source, target) or self._frames.are_one_slice(source, target))
            and model.is_not_conflicting(s.ops[op], s.operand_index(read), s.operand_index(write))
        )

    def _has_no_way(self, meeting: _Meeting) -> bool:
        """No path leads from the write to the read: no loop does, and the read does not come after it."""
        if meeting.loop >= 0:
            return False
        if meeting.order is Order.AFTER:
            return not meeting.is_late
        if meeting.order is Order.INSIDE:
            return self._effects.reads_before_regions(meeting.reader)
        # A memref that lives on is read in a later iteration, in which the other region may run.
        return meeting.order is Order.EXCLUSIVE and self.loop_of_older(meeting.write, meeting.read) < 0

    def _is_apart(self, meeting: _Meeting) -> bool:
        """The write and every later read access disjoint elements."""
        write, read, frame = meeting.write, meeting.read, meeting.frame
        loop, order = meeting.loop, meeting.order
        if self._frames.apart(frame, read.operand, self._outermost_older(write, read, loop)):
            return loop >= 0 or not self._frames.is_renewed(frame, write, read)
        if loop < 0 or meeting.is_late or order in (Order.ENCLOSES, Order.INSIDE):
            return False
        later = order in (Order.BEFORE, Order.SAME)
        return self._frames.apart_around(frame, write, read, loop, later=later)

    def _is_rotated(self, meeting: _Meeting) -> bool:
        """A loop swaps the two buffers."""
        return self._sets.rotated_apart(meeting.write.value, meeting.read.value)

    _HARMLESS_ANYWHERE = (_is_defined_anew, _is_redundant)
    """Rules by which nothing is destroyed, wherever and whenever the two meet. Cheapest, so checked first."""

    _RULES = (
        (_is_replaced, None),
        (_is_left_over, Rule.READ_AFTER_WRITE),
        (_is_done_at_once, None),
        (_is_one_op, Rule.READ_BY_WRITER),
        (_has_no_way, None),
        (_is_apart, None),
        (_is_rotated, None),
    )
    """The first rule that holds gives the result, None being no conflict. If none holds, content is lost."""
