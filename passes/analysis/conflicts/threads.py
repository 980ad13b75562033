"""Threads, the runs of a parallel region: which shared memory they may write, and which content they cannot destroy.

A thread may write buffers of its own. Of memory from outside of its region it may write only elements of a *shared
output*, within a slice that it inserts there at its end. Slices that different threads insert into one output are
disjoint, or the program's result would depend on which thread comes last. So, for memory of one output,

* such a write does not race with a write of another thread;
* it does not destroy what another thread reads, if that lies within a slice that the reading thread inserts;
* it does not destroy the output's content after the loop: there the inserted value replaces it.

That a write lies within a slice is shown by symbols, in the same run of the region. A slice that is the same in all
threads separates no threads: only the insertion itself may write there, and an op whose result nothing else uses.

See docs/theory/threads.md. Counterpart upstream: ``check-parallel-regions`` and the subset interface of
``tensor.parallel_insert_slice``, which do not compare threads with each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ..effects.reader import TensorEffects
from ..index_sets.slices import Slice, SliceRelation, slice_relation
from .accesses import Write
from .alias_sets import AliasSets
from .storage_set import StorageSet

__all__ = ["ParallelRegions", "is_within"]

_MANY = 16
"""The largest number of slices inserted into one output, and of outputs besides those that a value must lie in, that
are checked. A constant keeps the analysis linear."""


def is_within(inner: Slice | None, outer: Slice | None) -> bool:
    """Whether the elements of ``inner`` must be a subset of those of ``outer``; None means all elements."""
    if outer is None or inner is None:
        return outer is None
    return slice_relation(inner, outer) in (SliceRelation.EQUAL, SliceRelation.CONTAINED)


class ParallelRegions:
    """Checks of accesses in parallel regions, over the tables of one function."""

    def __init__(self, effects: TensorEffects, sets: AliasSets) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._sets = sets
        self._outputs: dict[int, dict[int, None]] = {}
        """By block of a parallel region, the arguments (shared outputs) that threads insert into in place."""

    def share(self, argument: int) -> None:
        """State that threads insert into the buffer of ``argument`` itself."""
        self._sets.enter(self._outputs.setdefault(self._snapshot.value_block[argument], {}), argument, None)

    def _candidates(self, block: int, values: Iterable[int]) -> list[int]:
        """Return those of ``values`` that are outputs of region ``block``, and a bounded number of its other ones."""
        outputs = self._outputs.get(block)
        return [*(v for v in values if v in outputs), *islice(outputs, _MANY)] if outputs else []

    # --- confinement -------------------------------------------------------------------------------------------

    def region(self, operand: int) -> int:
        """Return the block of the innermost parallel region around ``operand``; -1 if there is none."""
        s = self._snapshot
        return s.block_parallel[s.op_block[s.operand_op[operand]]]

    def _region_around(self, block: int) -> int:
        s = self._snapshot
        parent = s.parent_block(block)
        return s.block_parallel[parent] if parent >= 0 else -1

    def confine(self, write: Write, storage: StorageSet) -> None:
        """Enter ``write`` into ``storage`` under the innermost parallel region that still confines it, if any does."""
        block = self._released(self.region(write.operand), storage.first)
        if block >= 0:
            storage.confined.setdefault(block, []).append(write)

    def release(self, storage: StorageSet) -> None:
        """Unconfine writes of ``storage`` from regions that the first member precedes: :meth:`escapes` allowed it."""
        for block in list(storage.confined):
            outer = self._released(block, storage.first)
            if outer != block:
                writes = storage.confined.pop(block)
                if outer >= 0:
                    storage.confined.setdefault(outer, []).extend(writes)

    def _released(self, block: int, first: int) -> int:
        while block >= 0 and first < self._snapshot.block_begin[block]:
            block = self._region_around(block)
        return block

    def escapes(self, write: Write, block: int, first: int) -> bool:
        """Whether ``write``, confined by region ``block``, must not touch memory with a value defined at ``first``."""
        while block >= 0 and first < self._snapshot.block_begin[block]:
            if not self._may_leave(write, block):
                return True
            block = self._region_around(block)
        return False

    def _may_leave(self, write: Write, block: int) -> bool:
        """Whether ``write`` stays within a slice that its thread inserts into an output of the region."""
        outputs = self._candidates(block, self._sets.path_values(write.value))
        if not outputs:
            return False
        region = dict(self._sets.region(write.value, write.slice))
        for argument in outputs:
            if self._is_insertion(write, argument):
                return True
            base = self._sets.equivalence.find(argument)
            if base in region and self._is_inserted(argument, region[base], moved=not self._is_final(write, argument)):
                return True
        return False

    def _is_final(self, write: Write, argument: int) -> bool:
        """Whether what the op of ``write`` writes is only used by insertions into output ``argument``."""
        s = self._snapshot
        op = s.operand_op[write.operand]
        insertions = {s.operand_op[operand] for operand in islice(self._effects.insertions.get(argument, ()), _MANY)}
        uses = [use for result in s.results(op) for use in s.value_uses[result]]
        return bool(uses) and all(s.operand_op[use] in insertions for use in uses)

    def _is_insertion(self, write: Write, argument: int) -> bool:
        """Whether ``write`` is a thread's insertion into output ``argument``."""
        s = self._snapshot
        return (
            argument in self._effects.insertions
            and s.operand_value[write.operand] == argument
            and not s.op_result_count[s.operand_op[write.operand]]
        )

    def _is_inserted(self, argument: int, slice_: Slice | None, *, moved: bool) -> bool:
        """Whether ``slice_`` lies within one that the same thread inserts; if ``moved``, one that differs by thread."""
        slices, s = self._effects.slices, self._snapshot
        loop = s.block_op[s.value_block[argument]]
        for insertion in islice(self._effects.insertions.get(argument, ()), _MANY):
            inserted = slices.get(insertion)
            if is_within(slice_, inserted) and not (moved and self._is_same_in_all(inserted, loop)):
                return True
        return False

    def _is_same_in_all(self, slice_: Slice | None, loop: int) -> bool:
        positions = self._snapshot.value_position
        return slice_ is None or not any(self._snapshot.is_inside(positions[symbol], loop) for symbol in slice_.symbols)

    # --- reads -------------------------------------------------------------------------------------------------

    def are_apart(self, block: int, base: int, value: int, written: Slice | None, read: Slice | None) -> bool:
        """Whether no thread of region ``block`` reads elements of ``value``, in class ``base``, that another writes."""
        find = self._sets.equivalence.find
        return any(
            find(argument) == base
            and self._is_inserted(argument, written, moved=True)
            and self._is_inserted(argument, read, moved=True)
            for argument in self._candidates(block, (value,))
        )

    def is_replaced(self, argument: int, write: Write, written: Slice | None) -> bool:
        """Whether the insertions of a thread into output ``argument`` overwrite all elements that ``write`` writes."""
        if argument not in self._outputs.get(self._snapshot.value_block[argument], ()):
            return False
        if self._is_insertion(write, self._snapshot.operand_value[write.operand]):
            # The insertions of a thread are unordered. Those into one output do not overlap.
            return self._is_insertion(write, argument)
        return self._is_inserted(argument, written, moved=False)
