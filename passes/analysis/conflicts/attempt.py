"""One tie that is tried: a transaction over what is known of the values of a function.

Contract: :meth:`~.joining.Joiner.begin` makes an attempt and :meth:`~.joining.Joiner.decide` ends it, before the next
one begins. What is stated to :class:`AliasSets` in between holds for the questions about the tie, and after them only
if it is accepted. :class:`~.interference.Interference` keeps nothing of its own from one question to the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from .accesses import Write
from .alias_sets import AliasSets
from .storage_set import Question, StorageSet

__all__ = ["Attempt"]


class Attempt:
    """A tie that would join the sets of ``values``, in which ``writes`` would be done."""

    __slots__ = ("_mark", "_sets", "closes_cycle", "left", "spared", "storages", "values", "writes")

    def __init__(self, sets: AliasSets, values: Sequence[int], writes: Sequence[Write]) -> None:
        self._sets = sets
        self._mark = sets.mark()
        self.values = values
        self.writes = writes
        self.storages: list[StorageSet] = list(dict.fromkeys(map(sets.storage, values)))
        """The sets that would become one."""
        self.closes_cycle = len(self.storages) < len(values)
        """Whether there are more edges than sets they connect: members may get an origin in common."""
        self.left = 0
        """How many more accesses may be compared."""
        self.spared: list[Question] = []
        """Questions that "no common origin" answered: another edge may make them matter."""

    def spend(self) -> bool:
        """Count one comparison; False when there may be no more."""
        self.left -= 1
        return self.left >= 0

    def commit(self) -> StorageSet:
        """Keep what was stated and make one set of all; return it."""
        sets, (value, *others) = self._sets, self.values
        for other in others:
            sets.merge(value, other)
        storage = sets.storage(value)
        if self.closes_cycle:
            # All were asked again: the ones that still matter are among those of this attempt.
            storage.spared.clear()
        storage.spared += self.spared
        return storage

    def roll_back(self) -> None:
        """Take back what was stated."""
        self._sets.undo(self._mark)
