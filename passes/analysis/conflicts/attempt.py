"""Trying a tie: a transaction over the relations between the values of a function.

Contract: :meth:`~.joining.Joiner.begin` starts an attempt and :meth:`~.joining.Joiner.decide` ends it, before the next
one begins. Facts stated to :class:`AliasSets` in between hold while the tie is checked; they are kept only if it is
accepted. :class:`~.interference.Interference` has no state of its own between checks.
"""

from __future__ import annotations

from collections.abc import Sequence

from .accesses import Write
from .alias_sets import AliasSets
from .storage_set import Question, StorageSet

__all__ = ["Attempt"]


class Attempt:
    """A tie that would merge the sets of ``values`` and perform ``writes`` in the merged set."""

    __slots__ = ("_mark", "_sets", "closes_cycle", "keeps_apart", "left", "spared", "storages", "values", "writes")

    def __init__(self, sets: AliasSets, values: Sequence[int], writes: Sequence[Write]) -> None:
        self._sets = sets
        self._mark = sets.mark()
        self.values = values
        self.writes = writes
        self.storages: list[StorageSet] = list(dict.fromkeys(map(sets.storage, values)))
        """The sets that would become one."""
        self.closes_cycle = len(self.storages) < len(values)
        """Whether two of the values are in one set already: members may then get a common origin."""
        self.keeps_apart = False
        """Whether what a loop in the set swaps stays apart, although this closes a cycle."""
        self.left = 0
        """The remaining budget of comparisons."""
        self.spared: list[list[Question]] = []
        """Questions answered by "no common origin" alone, each list about two classes: another edge may change that."""

    def spend(self) -> bool:
        """Count one comparison; False if the budget is exhausted."""
        self.left -= 1
        return self.left >= 0

    def commit(self) -> StorageSet:
        """Keep the stated facts and merge the sets; return the merged set."""
        sets, (value, *others) = self._sets, self.values
        if self.closes_cycle:
            # All questions were asked again: those that origins still answer are in this attempt's list.
            for storage in self.storages:
                storage.spared = {}
        for other in others:
            sets.merge(value, other)
        storage = sets.storage(value)
        for questions in self.spared:
            storage.spare(questions, sets.equivalence.find)
        return storage

    def roll_back(self) -> None:
        """Undo the stated facts."""
        self._sets.undo(self._mark)
