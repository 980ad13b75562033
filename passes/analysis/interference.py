"""Whether an in-place write destroys a value that is still to be read: the heart of the in-place analysis.

A value's content is fixed by SSA. A write ``w`` into memory that value ``u`` lives in destroys the content of ``u``
for a read ``r`` of it iff time can lead from ``w`` to ``r`` without passing the definition of ``u``:

* ``u`` is defined on every way to ``w`` (else every way from ``w`` to ``r`` passes the definition), and
* ``r`` comes after ``w`` in their innermost common block, or a loop around both does not define ``u``.

Nothing is destroyed, although memory may be shared, in four cases, each a rule of its own below: the elements that
``w`` writes are none of those that ``r`` reads; ``w`` writes what is there already; ``w`` and ``r`` are one op that
handles each element completely before the next; a loop swaps the two buffers, so that they differ at any one time.

Slices are compared by symbols, which is right only while the symbols keep their values between ``w`` and ``r``. They
do unless the way from ``w`` to ``r`` goes around a loop; then only symbols from outside that loop are compared.

Cost: per pair (write, value) the reads of the value that come late enough, each at most the nesting depth. A decision
that would have to look at more than a fixed number of pairs is refused, with a rule of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from .alias_sets import Against, AliasSets, Spared, StorageSet
from .decisions import Conflict, Rule
from .program_order import Order, ProgramOrder
from .slices import Slice, SliceRelation, slice_relation
from .tensor_effects import TensorEffects

__all__ = ["Interference"]


_PAIRS_PER_DECISION = 256
"""How many accesses a decision may be compared with, for each set it joins, before it is refused: a constant keeps the
analysis linear."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a write and a value meet: what is written there, what the value is there, whether that is all of it."""

    written: Slice | None
    viewed: Slice | None
    is_own: bool


class Interference:
    """Conflict questions over the tables of one function; holds no decisions of its own."""

    def __init__(self, effects: TensorEffects, order: ProgramOrder, sets: AliasSets) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._order = order
        self._sets = sets
        self._reads: dict[int, list[tuple[int, int]]] = {}
        self._escaped: set[int] = set()
        self._budget = 0
        self.spared: list[Spared] = []
        """Questions that "no common origin" answered since :meth:`begin`."""
        self.targets: dict[int, int] = {}
        """For a yielded operand that is copied into the buffer a loop carries: the loop argument it overwrites."""

    def _target(self, operand: int) -> int:
        """Return the value whose buffer is meant by an access to ``operand``."""
        return self.targets.get(operand, self._snapshot.operand_value[operand])

    # --- liveness ----------------------------------------------------------------------------------------------

    def live_range(self, value: int) -> tuple[int, int] | None:
        """Return where ``value`` begins and the last moment its content may be read; None if it never is."""
        effects, s = self._effects, self._snapshot
        if not effects.value_read[value] or effects.undefined[value]:
            return None
        uses = [o for o in s.value_uses[value] if effects.content_reads[o]]
        uses += [read for o in uses for read in effects.derived_reads.get(o, ())]
        self._reads[value] = sorted((s.operand_position(o), o) for o in uses)
        if any(effects.escapes[o] for o in uses):
            self._escaped.add(value)
            return s.value_position[value], s.op_exit[0]
        return s.value_position[value], max(self._order.last_moment(value, s.operand_op[o]) for o in uses)

    def begin(self, sets: int) -> None:
        """Start the questions of one decision, which joins so many sets."""
        self._budget = _PAIRS_PER_DECISION * sets
        self.spared.clear()

    # --- sets --------------------------------------------------------------------------------------------------

    def between(self, first: StorageSet, second: StorageSet) -> Conflict | None:
        """Return why the two sets cannot be one: a decided write in one against a value or a write of the other."""
        if min(first.first, second.first) < max(first.parallel, second.parallel):
            write = next(write for _, write in (*first.writes, *second.writes) if self.parallel_begin(write) >= 0)
            return Conflict(Rule.PARALLEL, write=write)
        return (
            self._writes_against_readonly(first, second)
            or self._writes_against_readonly(second, first)
            or self._writes_against_values(first, second)
            or self._writes_against_values(second, first)
            or self._writes_against_writes(first, second)
        )

    def new_write(self, write: int, storage: StorageSet) -> Conflict | None:
        """Return why operand ``write`` must not be written in place in ``storage``."""
        if storage.first < self.parallel_begin(write):
            return Conflict(Rule.PARALLEL, write=write)
        for value in storage.readonly:
            conflict = self.ask((write, Against.READONLY, value))
            if conflict is not None:
                return conflict
        for value in storage.stabbed(self._snapshot.operand_position(write)):
            conflict = self.ask((write, Against.VALUE, value))
            if conflict is not None:
                return conflict
        return self._write_against_writes(write, storage)

    def parallel_begin(self, write: int) -> int:
        """Return where the innermost parallel region around ``write`` begins, -1 if there is none."""
        s = self._snapshot
        block = s.block_parallel[s.op_block[s.operand_op[write]]]
        return s.block_begin[block] if block >= 0 else -1

    def again(self, storage: StorageSet) -> Conflict | None:
        """Ask the questions again that "no common origin" answered for ``storage``."""
        for question in storage.spared:
            conflict = self.ask(question)
            if conflict is not None:
                return conflict
        return None

    def ask(self, question: Spared) -> Conflict | None:
        """Return the conflict between a write and what it is compared with; remember what origins alone spare."""
        write, against, other = question
        self._budget -= 1
        if self._budget < 0:
            return Conflict(Rule.TOO_MANY_ACCESSES, write=write)
        if against is Against.READONLY:
            conflict: Conflict | None = Conflict(Rule.NOT_WRITABLE, write=write, value=other)
        elif against is Against.VALUE:
            conflict = self.clobbers(write, other)
        else:
            conflict = None if self._regions_apart(write, other) else Conflict(Rule.WRITTEN_TWICE, write, other)
        if conflict is None:
            return None
        value = self._target(other) if against is Against.WRITE else other
        if self._sets.have_common_origin(self._target(write), value):
            return conflict
        self.spared.append(question)
        return None

    def _writes_against_readonly(self, written: StorageSet, storage: StorageSet) -> Conflict | None:
        for value in storage.readonly:
            for _, write in written.writes:
                conflict = self.ask((write, Against.READONLY, value))
                if conflict is not None:
                    return conflict
        return None

    def _writes_against_values(self, written: StorageSet, live: StorageSet) -> Conflict | None:
        if not written.writes or not live.by_end or live.by_end[-1][0] < written.writes[0][0]:
            return None
        if live.by_begin[0][0] >= written.writes[-1][0]:
            return None
        for write, value in self._meetings(written, live):
            conflict = self.ask((write, Against.VALUE, value))
            if conflict is not None:
                return conflict
        return None

    @staticmethod
    def _meetings(written: StorageSet, live: StorageSet) -> Iterator[tuple[int, int]]:
        """Yield the writes and values where the write falls into the value's live range; walks the smaller side."""
        if len(live.by_begin) <= len(written.writes):
            for begin, end, value in live.by_begin:
                yield from ((write, value) for write in written.writes_between(begin, end))
        else:
            for position, write in written.writes:
                yield from ((write, value) for value in live.stabbed(position))

    def _writes_against_writes(self, first: StorageSet, second: StorageSet) -> Conflict | None:
        smaller, larger = sorted((first, second), key=lambda storage: len(storage.writes))
        for _, write in smaller.writes:
            conflict = self._write_against_writes(write, larger)
            if conflict is not None:
                return conflict
        return None

    def _write_against_writes(self, write: int, storage: StorageSet) -> Conflict | None:
        """One op must not write two of its operands to overlapping memory."""
        position = self._snapshot.operand_position(write)
        for other in storage.writes_between(position - 1, position):
            if other != write:
                conflict = self.ask((write, Against.WRITE, other))
                if conflict is not None:
                    return conflict
        return None

    # --- one write, one value ----------------------------------------------------------------------------------

    def clobbers(self, write: int, value: int) -> Conflict | None:
        """Return a read of ``value`` that would see what ``write`` wrote, if there is one."""
        s = self._snapshot
        writer = s.operand_op[write]
        if not self._order.dominates(value, writer) or self.is_redundant(write):
            return None
        reads = self._reads[value]
        # Earlier reads matter only when a loop leads back to them, or when a memref of the value escaped there.
        begin = 0
        if not self._order.wraps(value, s.op_block[writer]) and value not in self._escaped:
            begin = bisect_left(reads, (s.op_enter[writer], -1))
        frame = self._frame(write, value)
        for index in range(begin, len(reads)):
            read = reads[index][1]
            self._budget -= 1
            if self._budget < 0:
                return Conflict(Rule.TOO_MANY_ACCESSES, write=write, read=read, value=value)
            rule = self._destroyed(write, read, value, frame)
            if rule is not None:
                return Conflict(rule, write=write, read=read, value=value)
        return None

    def _destroyed(self, write: int, read: int, value: int, frame: _Frame | None) -> Rule | None:
        s = self._snapshot
        writer, reader = s.operand_op[write], s.operand_op[read]
        order, block = self._order.order(writer, reader)
        wraps = self._order.wraps(value, block)
        if order is Order.SAME and not wraps:
            # What is written too is either copied before the op runs, or in-place and then never shared memory.
            if self._effects.writes[read] or self._is_simultaneous(write, read, frame):
                return None
            return Rule.READ_BY_WRITER
        if not wraps:
            if order is Order.EXCLUSIVE or (order is Order.AFTER and not self._effects.escapes[read]):
                return None
            if order is Order.INSIDE and self._reads_before_regions(reader):
                return None
        if self._apart(frame, read, wrapped=(value, block) if wraps else None):
            return None
        return None if self._sets.rotated_apart(self._target(write), value) else Rule.READ_AFTER_WRITE

    def _reads_before_regions(self, op: int) -> bool:
        model = self._effects.model(op)
        return model is not None and model.reads_before_regions(self._snapshot.ops[op])

    def _is_simultaneous(self, write: int, read: int, frame: _Frame | None) -> bool:
        """Whether one op may read ``read`` and write ``write`` in shared memory."""
        s = self._snapshot
        source, target = s.operand_value[read], self._target(write)
        op = s.operand_op[write]
        if self._sets.rotated_apart(source, target) or self._apart(frame, read, wrapped=None):
            return True
        same = self._sets.equivalence.find(source) == self._sets.equivalence.find(target)
        model = self._effects.model(op)
        return (
            same
            and model is not None
            and s.values[source].type == s.values[target].type
            and model.is_not_conflicting(s.ops[op], s.operand_index(read), s.operand_index(write))
        )

    # --- index sets --------------------------------------------------------------------------------------------

    def is_redundant(self, write: int) -> bool:
        """Whether ``write`` copies memory onto itself: its source is the very slice that it writes."""
        return self.redundant_by(write) is not None

    def redundant_by(self, write: int) -> tuple[int, ...] | None:
        """Return the reshaped views on the way from the slice that ``write`` writes to its source; None if no such way.

        Reshapes keep the order of elements, so between two equal types they are the identity. If one of them turns out
        to be a copy the write has to be made, but still destroys nothing: every change on the way was checked.
        """
        source = self._effects.redundant_source.get(write)
        if source is None:
            return None
        s, sets = self._snapshot, self._sets
        target = sets.equivalence.find(s.operand_value[write])
        value, wanted = s.operand_value[source], self._effects.slices.get(write)
        passed: list[int] = []
        for view, root in sets.reshapes(value):
            if view != value:
                passed.append(view)
            if wanted is None:
                if root == target and self._same_shape(passed, value, s.operand_value[write]):
                    return tuple(passed)
                continue
            found = sets.viewed(root)
            if found is not None and found[1] == target and self._same_shape(passed, value, found[0]):
                return tuple(passed) if slice_relation(found[2], wanted) is SliceRelation.EQUAL else None
        return None

    def _same_shape(self, passed: list[int], first: int, second: int) -> bool:
        values = self._snapshot.values
        return not passed or values[first].type == values[second].type

    def _frame(self, write: int, value: int) -> _Frame | None:
        """Return the innermost class that the written elements and ``value`` both lie in; None if none is known."""
        views = dict(self._sets.path(value))
        own = self._sets.equivalence.find(value)
        for base, written in self._region(write, self._target(write)):
            if base in views:
                return _Frame(written, views[base], base == own)
        return None

    def _apart(self, frame: _Frame | None, access: int, *, wrapped: tuple[int, int] | None) -> bool:
        """Whether the elements written are none of those that ``access`` reads.

        ``wrapped`` is None when no loop leads from one to the other, else (value, block): slices are then compared
        only by symbols that no loop around the block that keeps the value changes.
        """
        if frame is None:
            return False
        effects = self._effects
        accessed = effects.slices.get(access) if frame.is_own else frame.viewed
        if wrapped is not None and not self._stable((frame.written, accessed), *wrapped):
            return False
        if frame.is_own and effects.writes[access]:
            # An op that overwrites a slice needs only what lies outside of it.
            return frame.written is not None and accessed is not None and _within(frame.written, accessed)
        return _disjoint(frame.written, accessed)

    def _regions_apart(self, first: int, second: int) -> bool:
        """Whether the elements that two operands of one op touch are disjoint."""
        accessed = dict(self._region(second, self._target(second)))
        for base, slice_ in self._region(first, self._target(first)):
            if base in accessed:
                return _disjoint(slice_, accessed[base])
        return False

    def _region(self, operand: int, value: int) -> list[tuple[int, Slice | None]]:
        """Return the path of the elements of ``value`` that ``operand``'s op touches: its own slice, then the views."""
        path = self._sets.path(value)
        own = self._effects.slices.get(operand)
        return path if own is None else [(path[0][0], own), *path[1:]]

    def _stable(self, slices: tuple[Slice | None, ...], value: int, block: int) -> bool:
        s = self._snapshot
        loop = self._order.outermost_wrap(value, block)
        symbols = [symbol for slice_ in slices if slice_ is not None for symbol in slice_.symbols]
        return all(symbol >= 0 and not s.encloses(loop, s.value_position[symbol]) for symbol in symbols)


def _disjoint(first: Slice | None, second: Slice | None) -> bool:
    return first is not None and second is not None and slice_relation(first, second) is SliceRelation.DISJOINT


def _within(inner: Slice, outer: Slice) -> bool:
    return slice_relation(inner, outer) in (SliceRelation.EQUAL, SliceRelation.CONTAINED)
