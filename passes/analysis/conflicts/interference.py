"""Whether may-alias sets may be merged, and whether a set may be written in place, by comparing their accesses.

A merged set must not hold a decided write and a read whose content it destroys (``destruction.py``). Nor may it hold a
decided write and a read-only buffer, nor two results that one op writes to overlapping memory.

Cost: only accesses that meet in time and place are compared (see ``accesses.py``), within the attempt's budget.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..effects.reader import TensorEffects
from ..ir.program_order import ProgramOrder
from .accesses import Read, Write
from .alias_sets import AliasSets
from .attempt import Attempt
from .choices import Choices
from .decisions import Conflict, Rule
from .destruction import Destruction
from .frames import Frames
from .iterations import Iterations
from .storage_set import Question, StorageSet
from .threads import ParallelRegions

__all__ = ["Interference"]


class Interference:
    """Conflict checks over the tables of one function; has no state between one :class:`Attempt` and the next."""

    def __init__(self, effects: TensorEffects, order: ProgramOrder, sets: AliasSets) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._sets = sets
        self._order = order
        self.iterations = Iterations(effects, order, sets)
        self.threads = ParallelRegions(effects, sets)
        self.frames = Frames(effects, order, sets)
        self._choices = Choices(effects, sets)
        self._destruction = Destruction(effects, order, sets, self.frames, self.threads)

    def between(self, first: StorageSet, second: StorageSet, attempt: Attempt) -> Conflict | None:
        """Return why the two sets cannot be merged: a decided write in one conflicts with an access of the other."""
        conflict = self._leave_threads(first, second, attempt)
        if conflict is not None or not (first.writes or second.writes):
            return conflict
        return (
            self._writes_against_readonly(first, second, attempt)
            or self._writes_against_readonly(second, first, attempt)
            or self._writes_against_reads(first, second, attempt)
            or self._writes_against_reads(second, first, attempt)
            or self._writes_against_writes(first, second, attempt)
        )

    def new_write(self, write: Write, storage: StorageSet, attempt: Attempt) -> Conflict | None:
        """Return why ``write`` must not be done in place in ``storage``."""
        if self.threads.escapes(write, self.threads.region(write.operand), storage.first):
            return Conflict(Rule.PARALLEL, write=write.operand)
        for value in storage.readonly:
            conflict = self._ask(Question(write, value), attempt)
            if conflict is not None:
                return conflict
        return self._write_against_reads(write, storage, attempt) or self._write_against_writes(write, storage, attempt)

    def _leave_threads(self, first: StorageSet, second: StorageSet, attempt: Attempt) -> Conflict | None:
        """Return why threads would write memory that others see, if the two sets were merged."""
        if not first.confined and not second.confined:
            return None
        earliest = min(first.first, second.first)
        for storage in (first, second):
            for block, writes in storage.confined.items():
                if earliest >= self._snapshot.block_begin[block]:
                    continue
                for write in writes:
                    if not attempt.spend():
                        return Conflict(Rule.TOO_MANY_ACCESSES, write=write.operand)
                    if self.threads.escapes(write, block, earliest):
                        return Conflict(Rule.PARALLEL, write=write.operand)
        return None

    def again(self, storage: StorageSet, attempt: Attempt) -> Conflict | None:
        """Repeat the questions of ``storage`` that "no common origin" answered.

        Those about the same two classes are asked one by one only if these classes have a common origin now.
        """
        for questions in storage.spared.values():
            if not attempt.spend():
                return Conflict(Rule.TOO_MANY_ACCESSES, write=questions[0].write.operand)
            if not self._sets.have_common_origin(*questions[0].values):
                attempt.spared.append(questions)
                continue
            for question in questions:
                conflict = self._ask(question, attempt)
                if conflict is not None:
                    return conflict
        return None

    def stands(self, conflict: Conflict, write: Write, reads: Iterable[Read], attempt: Attempt) -> bool:
        """Whether a conflict that was found when less was known is one by all that is known now.

        ``write`` and ``reads`` are its write and the reads of its value.
        """
        if conflict.rule is Rule.NOT_WRITABLE:
            return self._ask(Question(write, conflict.value), attempt) is not None
        if conflict.rule not in (Rule.READ_AFTER_WRITE, Rule.READ_BY_WRITER):
            return True
        found = [read for read in reads if read.operand == conflict.read]
        return not found or any(self._ask(Question(write, read), attempt) for read in found)

    def _ask(self, question: Question, attempt: Attempt) -> Conflict | None:
        """Return the conflict of a question, if any; record the question if only origins rule the conflict out."""
        write, other = question
        if not attempt.spend():
            return Conflict(Rule.TOO_MANY_ACCESSES, write=write.operand)
        if isinstance(other, int):
            value, rule = other, Rule.NOT_WRITABLE
        elif isinstance(other, Read):
            value, rule = other.value, self._destruction.rule(write, other)
        else:
            value = other.value
            harmless = self.frames.are_regions_apart(write, other) or self._is_unread_twice(write, other)
            rule = None if harmless else Rule.WRITTEN_TWICE
        if rule is None:
            return None
        if (
            not self.iterations.may_share(write.value, value)
            or (self._snapshot.value_op[write.value] >= 0 and self.iterations.is_made_after(write.value, value))
            or self._is_older(write, other)
            or (rule is Rule.READ_BY_WRITER and self._is_one_or_apart(write, value, other))
            or (rule is Rule.NOT_WRITABLE and self._is_what_was_passed(write, value))
        ):
            attempt.spared.append([question])
            return None
        if isinstance(other, int):
            return Conflict(rule, write.operand, value=value)
        if isinstance(other, Read):
            return Conflict(rule, write.operand, other.operand, value, self._destruction.loop_to(write, other))
        return Conflict(rule, write.operand, other.operand)

    def _is_older(self, write: Write, other: int | Read | Write) -> bool:
        """Whether ``other`` reads what older iterations left, and ``write`` is to a buffer that this one made."""
        if not isinstance(other, Read):
            return False
        loop = self._destruction.loop_of_older(write, other)
        if loop < 0 or self._order.dominates(other.value, self._snapshot.operand_op[write.operand]):
            return False
        return self.iterations.is_made_in(write.value, loop)

    def _is_one_or_apart(self, write: Write, value: int, other: int | Read | Write) -> bool:
        """Whether one op writes the same buffer that it reads, element by element, or one that shares no memory."""
        if not self._choices.are_one_or_apart(value, write.value) or not isinstance(other, Read):
            return False
        s, op = self._snapshot, self._snapshot.operand_op[write.operand]
        model = self._effects.model(op)
        return (
            model is not None
            and s.values[value].type == s.values[write.value].type
            and model.is_not_conflicting(s.ops[op], s.operand_index(other.operand), s.operand_index(write.operand))
        )

    def _is_unread_twice(self, write: Write, other: Write) -> bool:
        """Whether one op writes two results to the same elements at once, and nobody reads what either leaves there."""
        s, effects = self._snapshot, self._effects
        first, second = write.operand, other.operand
        values = s.operand_value
        model = effects.model(s.operand_op[first])
        ties = [*effects.ties.get(first, ()), *effects.ties.get(second, ())]
        return (
            model is not None
            and s.values[values[first]].type == s.values[values[second]].type
            and self._sets.equivalence.find(values[first]) == self._sets.equivalence.find(values[second])
            and not any(effects.value_read[tie.value] for tie in ties)
            and model.writes_at_once(s.ops[s.operand_op[first]], s.operand_index(first), s.operand_index(second))
        )

    def _is_what_was_passed(self, write: Write, value: int) -> bool:
        """Whether a call returns ``value``, and ``write`` is not to it, but at most to what the call may have returned.

        Of the buffers that the result may be, those of operands may be written if the operands may. The others are the
        callee's: only what comes from the result is in them.
        """
        s = self._snapshot
        op = s.value_op[value]
        if op < 0 or s.op_name[op] != "func.call" or op in self._effects.unknown_ops:
            return False
        origins = self._sets.origins(write.value)
        return origins is not None and self._sets.equivalence.find(value) not in origins

    def _writes_against_readonly(self, written: StorageSet, storage: StorageSet, attempt: Attempt) -> Conflict | None:
        for value in storage.readonly:
            for write in written.writes:
                conflict = self._ask(Question(write, value), attempt)
                if conflict is not None:
                    return conflict
        return None

    def _writes_against_reads(self, written: StorageSet, live: StorageSet, attempt: Attempt) -> Conflict | None:
        """Compare the accesses that meet in time and place; iterates over the smaller side."""
        if not live.may_meet(written):
            return None
        if len(live.reads) > len(written.writes):
            for write in written.writes:
                conflict = self._write_against_reads(write, live, attempt)
                if conflict is not None:
                    return conflict
            return None
        for read in live.reads:
            if not attempt.spend():
                return Conflict(Rule.TOO_MANY_ACCESSES, read=read.operand, value=read.value)
            for write in written.writes_between(read.begin, read.end, read.value, read.slice):
                conflict = self._ask(Question(write, read), attempt)
                if conflict is not None:
                    return conflict
        return None

    def _write_against_reads(self, write: Write, live: StorageSet, attempt: Attempt) -> Conflict | None:
        if not attempt.spend():
            return Conflict(Rule.TOO_MANY_ACCESSES, write=write.operand)
        for read in live.reads_at(write.position, write.value, write.slice):
            conflict = self._ask(Question(write, read), attempt)
            if conflict is not None:
                return conflict
        return None

    def _writes_against_writes(self, first: StorageSet, second: StorageSet, attempt: Attempt) -> Conflict | None:
        smaller, larger = (first, second) if len(first.writes) <= len(second.writes) else (second, first)
        for write in smaller.writes:
            conflict = self._write_against_writes(write, larger, attempt)
            if conflict is not None:
                return conflict
        return None

    def _write_against_writes(self, write: Write, storage: StorageSet, attempt: Attempt) -> Conflict | None:
        """One op must not write two of its operands to overlapping memory."""
        for other in storage.writes_between(write.position - 1, write.position, write.value, write.slice):
            if other.operand != write.operand:
                conflict = self._ask(Question(write, other), attempt)
                if conflict is not None:
                    return conflict
        return None
