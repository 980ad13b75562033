"""The common step of every decision: merge the alias sets of values unless that makes a RaW conflict.

Contract: :meth:`Joiner.decide` either keeps the invariant of ``in_place/function_decisions.py`` and enters all facts of
the decision, or returns the violated rule and leaves everything as it was. No other module joins sets that hold
accesses, so only this module has to keep the invariant.

Cost: that of the comparisons. A decision may compare a fixed number of accesses for each set it joins. Beyond that, all
decisions of a function share a budget of a fixed number for each read. A decision that exceeds both is refused, with a
rule of its own.
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
"""The comparisons a decision may make for each set it joins."""

_PAIRS_PER_READ = 16
"""The further comparisons that all decisions share, for each read of the function. Keeps the analysis linear."""


class Joiner:
    """Joins the sets of one function; ``sets`` holds the relations known so far, ``check`` the conflict checks."""

    def __init__(self, effects: TensorEffects, sets: AliasSets, check: Interference) -> None:
        self.effects = effects
        self.snapshot = effects.snapshot
        self.sets = sets
        self.check = check
        self.lenient = False
        """Whether conflicts are ignored: for bounds on cost, never for decisions that are carried out."""
        self._reserve = 0

    def enter_reads(self, value: int, reads: Sequence[Read]) -> None:
        """Enter the reads of ``value``, before any decision is taken."""
        storage = self.sets.storage(value)
        for read in reads:
            storage.add_read(read)
        self._reserve += _PAIRS_PER_READ * len(reads)

    def begin(self, values: Sequence[int], writes: Sequence[Write] = ()) -> Attempt:
        """Try to join the sets of ``values`` and to perform ``writes`` in the joined set.

        Facts stated to ``sets`` from here to :meth:`decide` are undone if that refuses the attempt.
        """
        return Attempt(self.sets, values, writes)

    def decide(self, attempt: Attempt) -> Conflict | None:
        """Join the sets of ``attempt``, or undo it and return the conflict."""
        own = _PAIRS_PER_SET * len(attempt.storages)
        attempt.left = own + max(self._reserve, 0)
        allowed = attempt.left
        conflict = None if self.lenient else self._conflict(attempt)
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

    def undo(self, attempt: Attempt) -> Conflict | None:
        """Undo ``attempt``, which is refused in any case; return the conflict that it would have, as far as is known.

        It spends nothing of what all decisions share.
        """
        attempt.left = _PAIRS_PER_SET * len(attempt.storages)
        conflict = None if self.lenient else self._conflict(attempt)
        attempt.roll_back()
        return conflict

    def _conflict(self, attempt: Attempt) -> Conflict | None:
        """Return why the sets cannot be merged or must not be written; None if they can."""
        storages, writes, check = attempt.storages, attempt.writes, self.check
        if attempt.closes_cycle and not attempt.keeps_apart and any(storage.rotating for storage in storages):
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
