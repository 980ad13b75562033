"""The step that every decision takes: merge the alias sets of values unless a value that is still read is destroyed.

Contract: :meth:`Joiner.decide` either keeps the invariant of ``in_place/function_decisions.py`` and enters all that
the decision makes known, or says which rule it would break and leaves everything as it was. No other module joins sets
that hold accesses, so the invariant is kept here or nowhere.

Cost: that of the comparisons. A decision may compare a fixed number of accesses for each set it joins, and beyond that
all decisions of a function together a fixed number for each read; a decision for which that is not enough is refused,
with a rule of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..effects.reader import TensorEffects
from .accesses import Read, Write
from .alias_sets import AliasSets
from .attempt import Attempt
from .decisions import Conflict, Rule
from .interference import Interference

__all__ = ["Joiner"]

_PAIRS_PER_SET = 256
"""How many accesses a decision may be compared with, for each set it joins."""

_PAIRS_PER_READ = 16
"""How many more all decisions together may be compared with, for each read of the function: what keeps the analysis
linear."""


class Joiner:
    """Joins the sets of one function; ``sets`` and ``check`` say what is known, and are its own to change."""

    def __init__(self, effects: TensorEffects, sets: AliasSets, check: Interference) -> None:
        self.effects = effects
        self.snapshot = effects.snapshot
        self.sets = sets
        self.check = check
        self._reserve = 0

    def enter_reads(self, value: int, reads: Sequence[Read]) -> None:
        """Enter what is read of ``value``, before any decision is taken."""
        storage = self.sets.storage(value)
        for read in reads:
            storage.add_read(read)
        self._reserve += _PAIRS_PER_READ * len(reads)

    def begin(self, values: Sequence[int], writes: Sequence[Write] = ()) -> Attempt:
        """Try to join the sets of ``values``, in which ``writes`` are done.

        What is stated to ``sets`` from here to :meth:`decide` is taken back if the answer is no.
        """
        return Attempt(self.sets, values, writes)

    def decide(self, attempt: Attempt) -> Conflict | None:
        """Join the sets of ``attempt``, or take it back and say why."""
        own = _PAIRS_PER_SET * len(attempt.storages)
        attempt.left = own + max(self._reserve, 0)
        allowed = attempt.left
        conflict = self._conflict(attempt)
        self._reserve -= max(allowed - attempt.left - own, 0)
        if conflict is not None:
            attempt.roll_back()
            return conflict
        storage, threads = attempt.commit(), self.check.threads
        threads.release(storage)
        for write in attempt.writes:
            storage.add_write(write)
            threads.confine(write, storage)
        return None

    def _conflict(self, attempt: Attempt) -> Conflict | None:
        """Return why the sets cannot be merged, or not be written like that."""
        storages, writes, check = attempt.storages, attempt.writes, self.check
        if attempt.closes_cycle and any(storage.rotating for storage in storages):
            return Conflict(Rule.ROTATION_SHARED, write=writes[0].operand if writes else -1, value=attempt.values[0])
        for index, first in enumerate(storages):
            for second in storages[:index]:
                conflict = check.between(first, second, attempt)
                if conflict is not None:
                    return conflict
        for write in writes:
            for storage in storages:
                conflict = check.new_write(write, storage, attempt)
                if conflict is not None:
                    return conflict
        if attempt.closes_cycle:
            return next(filter(None, (check.again(storage, attempt) for storage in storages)), None)
        return None
