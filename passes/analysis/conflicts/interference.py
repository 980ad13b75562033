"""Whether may-alias sets may become one, and whether a write may be done in one: comparisons of what they hold.

Two sets that become one must not hold a decided write and a read whose content it destroys (``destruction.py``), nor a
buffer that must not be written, nor two results that one op writes to one place.

Cost: only accesses that meet in time and place are looked at (see ``accesses.py``). A decision may look at a fixed
number of them, and beyond that a function at a fixed number per operand; a decision for which that is not enough is
refused, with a rule of its own.
"""

from __future__ import annotations

from ..effects.reader import TensorEffects
from ..ir.program_order import ProgramOrder
from .accesses import Read, Write
from .alias_sets import AliasSets
from .decisions import Conflict, Rule
from .destruction import Destruction
from .frames import Frames
from .iterations import Iterations
from .storage_set import Question, StorageSet
from .threads import ParallelRegions

__all__ = ["Interference"]


_PAIRS_PER_DECISION = 256
"""How many accesses a decision may be compared with, for each set it joins."""

_PAIRS_PER_OPERAND = 16
"""How many more all decisions together may be compared with, for each operand of the function: what keeps the analysis
linear."""


class Interference:
    """Conflict questions over the tables of one function; holds no decisions of its own."""

    def __init__(self, effects: TensorEffects, order: ProgramOrder, sets: AliasSets) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._order = order
        self._sets = sets
        self.iterations = Iterations(effects, sets)
        self.threads = ParallelRegions(effects, sets)
        self.frames = Frames(effects, order, sets)
        self._destruction = Destruction(effects, order, sets, self.frames, self.threads)
        self._budget = 0
        self._reserve = 0
        self.spared: list[Question] = []
        """Questions that "no common origin" answered since :meth:`begin`."""
        self.targets: dict[int, int] = {}
        """For a yielded operand that is copied into the buffer a loop carries: the loop argument it overwrites."""

    def _target(self, operand: int) -> int:
        """Return the value whose buffer is meant by an access to ``operand``."""
        return self.targets.get(operand, self._snapshot.operand_value[operand])

    # --- liveness ----------------------------------------------------------------------------------------------

    def reads(self, value: int) -> list[Read]:
        """Return when and where the content of ``value`` may be read."""
        effects, s = self._effects, self._snapshot
        begin = self._order.definition(value)
        last: list[Read] = []
        if value in effects.shared_outputs and effects.value_read[effects.shared_outputs[value].result]:
            # What no thread inserts is still the argument's content after the loop.
            operand = effects.shared_outputs[value].operand
            last = [Read(begin, s.op_exit[s.operand_op[operand]] - 1, operand, value, None)]
        if not effects.value_read[value] or effects.undefined[value]:
            return last
        uses = [o for o in s.value_uses[value] if effects.content_reads[o]]
        uses += [read for o in uses for read in effects.derived_reads.get(o, ())]
        self._reserve += _PAIRS_PER_OPERAND * len(uses)
        # What an op overwrites is what it does not read: it needs the rest.
        return last + [
            Read(begin, self._end(value, o), o, value, None if effects.writes[o] else effects.slices.get(o))
            for o in uses
        ]

    def _end(self, value: int, read: int) -> int:
        """Return the last moment at which operand ``read`` may read ``value``."""
        s, op = self._snapshot, self._snapshot.operand_op[read]
        if self._effects.escapes[read]:
            # Code that the buffer is handed to may use it at any later time.
            return s.op_exit[0]
        end = self._order.last_moment(value, op)
        if s.op_regions[op] and not self._effects.reads_before_regions(op):
            return max(end, s.op_exit[op])
        return end

    def write(self, operand: int) -> Write:
        """Return what an in-place write of ``operand`` touches."""
        s = self._snapshot
        return Write(s.operand_position(operand), operand, self._target(operand), self._effects.slices.get(operand))

    def begin(self, sets: int) -> None:
        """Start the questions of one decision, which joins so many sets."""
        self._reserve += min(self._budget, 0)
        self._budget = _PAIRS_PER_DECISION * sets
        self.spared.clear()

    def _spend(self) -> bool:
        """Count one comparison; False when there may be no more."""
        self._budget -= 1
        return self._budget >= -max(self._reserve, 0)

    # --- sets --------------------------------------------------------------------------------------------------

    def between(self, first: StorageSet, second: StorageSet) -> Conflict | None:
        """Return why the two sets cannot be one: a decided write in one against a read or a write of the other."""
        return (
            self._leave_threads(first, second)
            or self._writes_against_readonly(first, second)
            or self._writes_against_readonly(second, first)
            or self._writes_against_reads(first, second)
            or self._writes_against_reads(second, first)
            or self._writes_against_writes(first, second)
        )

    def new_write(self, write: Write, storage: StorageSet) -> Conflict | None:
        """Return why ``write`` must not be done in place in ``storage``."""
        if self.threads.escapes(write, self.threads.region(write.operand), storage.first):
            return Conflict(Rule.PARALLEL, write=write.operand)
        for value in storage.readonly:
            conflict = self.ask(Question(write, value))
            if conflict is not None:
                return conflict
        return self._write_against_reads(write, storage) or self._write_against_writes(write, storage)

    def _leave_threads(self, first: StorageSet, second: StorageSet) -> Conflict | None:
        """Return why threads would write memory that others see, if the two sets were one."""
        if not first.confined and not second.confined:
            return None
        earliest = min(first.first, second.first)
        for storage in (first, second):
            for block, writes in storage.confined.items():
                if earliest >= self._snapshot.block_begin[block]:
                    continue
                for write in writes:
                    if not self._spend():
                        return Conflict(Rule.TOO_MANY_ACCESSES, write=write.operand)
                    if self.threads.escapes(write, block, earliest):
                        return Conflict(Rule.PARALLEL, write=write.operand)
        return None

    def again(self, storage: StorageSet) -> Conflict | None:
        """Ask the questions again that "no common origin" answered for ``storage``."""
        for question in storage.spared:
            conflict = self.ask(question)
            if conflict is not None:
                return conflict
        return None

    def ask(self, question: Question) -> Conflict | None:
        """Return the conflict between a write and what it is compared with; remember what origins alone spare."""
        write, other = question.write, question.other
        if not self._spend():
            return Conflict(Rule.TOO_MANY_ACCESSES, write=write.operand)
        conflict: Conflict | None = None
        if isinstance(other, Read):
            value = other.value
            rule = self._destruction.rule(write, other)
            if rule is not None:
                conflict = Conflict(rule, write=write.operand, read=other.operand, value=value)
        elif isinstance(other, Write):
            value = other.value
            if not self.frames.are_regions_apart(write, other):
                conflict = Conflict(Rule.WRITTEN_TWICE, write.operand, other.operand)
        else:
            value = other
            conflict = Conflict(Rule.NOT_WRITABLE, write=write.operand, value=value)
        if conflict is None or self.iterations.may_share(write.value, value):
            return conflict
        self.spared.append(question)
        return None

    def _writes_against_readonly(self, written: StorageSet, storage: StorageSet) -> Conflict | None:
        for value in storage.readonly:
            for write in written.writes:
                conflict = self.ask(Question(write, value))
                if conflict is not None:
                    return conflict
        return None

    def _writes_against_reads(self, written: StorageSet, live: StorageSet) -> Conflict | None:
        """Compare the accesses that meet; walks the smaller side."""
        if not live.may_meet(written):
            return None
        if len(live.reads) > len(written.writes):
            for write in written.writes:
                conflict = self._write_against_reads(write, live)
                if conflict is not None:
                    return conflict
            return None
        for read in live.reads:
            if not self._spend():
                return Conflict(Rule.TOO_MANY_ACCESSES, read=read.operand, value=read.value)
            for write in written.writes_between(read.begin, read.end, read.value, read.slice):
                conflict = self.ask(Question(write, read))
                if conflict is not None:
                    return conflict
        return None

    def _write_against_reads(self, write: Write, live: StorageSet) -> Conflict | None:
        if not self._spend():
            return Conflict(Rule.TOO_MANY_ACCESSES, write=write.operand)
        for read in live.reads_at(write.position, write.value, write.slice):
            conflict = self.ask(Question(write, read))
            if conflict is not None:
                return conflict
        return None

    def _writes_against_writes(self, first: StorageSet, second: StorageSet) -> Conflict | None:
        smaller, larger = (first, second) if len(first.writes) <= len(second.writes) else (second, first)
        for write in smaller.writes:
            conflict = self._write_against_writes(write, larger)
            if conflict is not None:
                return conflict
        return None

    def _write_against_writes(self, write: Write, storage: StorageSet) -> Conflict | None:
        """One op must not write two of its operands to overlapping memory."""
        for other in storage.writes_between(write.position - 1, write.position, write.value, write.slice):
            if other.operand != write.operand:
                conflict = self.ask(Question(write, other))
                if conflict is not None:
                    return conflict
        return None
