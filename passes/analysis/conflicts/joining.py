"""The one step that every decision takes: join the alias sets of values, if nothing that is still read is destroyed.

Contract: :meth:`Joiner.try_join` either keeps the invariant of ``in_place/function_decisions.py`` and enters all that
the decision makes known, or says which rule it would break and leaves everything as it was. No other module joins sets
that hold accesses, so the invariant is kept here or nowhere.

Cost: that of the comparisons, which are bounded for each decision (see ``interference.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..effects.reader import TensorEffects
from .accesses import Write
from .alias_sets import AliasSets, Fact
from .decisions import Conflict, Rule
from .interference import Interference
from .storage_set import StorageSet

__all__ = ["Joiner"]


class Joiner:
    """Joins the sets of one function; ``sets`` and ``check`` say what is known, and are its own to change."""

    def __init__(self, effects: TensorEffects, sets: AliasSets, check: Interference) -> None:
        self.effects = effects
        self.snapshot = effects.snapshot
        self.sets = sets
        self.check = check

    def try_join(
        self, value: int, others: Sequence[int], write: int | Sequence[int], propose: Callable[[], list[Fact]]
    ) -> Conflict | None:
        """Join the sets of ``value`` and ``others``, written by ``write`` if that is not -1, or say why not.

        ``propose`` states what would then be known; it is taken back when the answer is no.
        """
        sets = self.sets
        writes = [self.check.write(w) for w in ((write,) if isinstance(write, int) else write) if w >= 0]
        storages = {sets.find(v): sets.storage(v) for v in (value, *others)}
        # More edges than sets they connect: members of one set may get an origin in common that they did not have.
        closing = len(storages) <= len(others)
        if closing and any(storage.rotating for storage in storages.values()):
            return Conflict(Rule.ROTATION_SHARED, write=writes[0].operand if writes else -1, value=value)
        facts = propose()
        self.check.begin(len(storages))
        conflict = self._conflict(list(storages.values()), writes)
        spared = self.check.spared[:]
        if conflict is None and closing:
            conflict = next(filter(None, map(self.check.again, storages.values())), None)
        if conflict is not None:
            for fact in reversed(facts):
                sets.take_back(fact)
            return conflict
        self._join(value, others, writes)
        sets.storage(value).spared.extend(spared)
        return None

    def _conflict(self, storages: list[StorageSet], writes: Sequence[Write]) -> Conflict | None:
        """Return why the sets cannot be one that ``writes`` write."""
        for index, first in enumerate(storages):
            for second in storages[:index]:
                conflict = self.check.between(first, second)
                if conflict is not None:
                    return conflict
        for write in writes:
            for storage in storages:
                conflict = self.check.new_write(write, storage)
                if conflict is not None:
                    return conflict
        return None

    def _join(self, value: int, others: Sequence[int], writes: Sequence[Write]) -> None:
        for other in others:
            self.sets.merge(value, other)
        storage, threads = self.sets.storage(value), self.check.threads
        threads.release(storage)
        for write in writes:
            storage.add_write(write)
            threads.confine(write, storage)

    # --- what is often proposed --------------------------------------------------------------------------------

    def same(self, value: int, targets: Sequence[int]) -> list[Fact]:
        """State that each of ``targets`` is the very buffer of ``value``."""
        return [self.sets.unite(target, value) for target in targets]

    def reaches(self, value: int, targets: Sequence[int]) -> list[Fact]:
        """State that each of ``targets`` may be the buffer of ``value``."""
        return [self.sets.come_from(target, value) for target in targets]
