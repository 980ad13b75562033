"""Whether threads and workgroups access disjoint elements when their private tensors become shared memory.

On tensors, every thread of an ``scf.forall`` and every workgroup reads versions that no other changes. If a read is
replaced by a load from the memory that updates are stored to, no other thread may store to the loaded elements.

Cost: one query for each loop over threads, and for each dimension of the grid, for each pair of a read and an update,
up to a fixed number of pairs; with more the answer is no.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects import dispatch
from ..index_sets.distributed_loops import gathered
from ..index_sets.points import Direction
from ..index_sets.problems import Answer
from ..index_sets.relations import IndexSets
from ..index_sets.slices import Slice, slice_of
from ..index_sets.symbols import InductionVariable
from .chains import DestructiveUpdate, UpdateAccess
from .proofs import MOST_LOOPS, MOST_PAIRS, UpdateProofs

__all__ = ["UpdateRaces"]

_WAYS = (Direction.LATER, Direction.EARLIER)

_Place = tuple[Slice | None, Sequence[InductionVariable]]
"""The slice of an access, and the loops around it."""


class UpdateRaces:
    """Race checks for one snapshot, with the slices and loops of its ``proofs``."""

    def __init__(self, proofs: UpdateProofs) -> None:
        self._snapshot = proofs.effects.snapshot
        self._proofs = proofs
        self._reader = proofs.reader
        self._sets = proofs.sets

    def are_threads_apart(self, update: DestructiveUpdate) -> bool:
        """Whether it is proved that no thread reads an element that another thread of the same loop run updates."""
        s = self._snapshot
        foralls = [op for op in update.loops if s.op_name[op] == "scf.forall"]
        return all(self._are_threads_of_apart(update, op) for op in foralls)

    def _are_threads_of_apart(self, update: DestructiveUpdate, op: int) -> bool:
        s, reader = self._snapshot, self._reader
        reads, writes = (
            [access for access in accesses if s.is_inside(s.op_enter[access.op], op)]
            for accesses in (update.reads, update.updates)
        )
        if len(reads) * len(writes) > MOST_PAIRS:
            return False
        around = reader.loops_around(s.op_block[op])
        threads = self._proofs.threads(op)
        for first in map(self._place, reads):
            for second in map(self._place, writes):
                inner = [loop for _, loops in (first, second) for loop in loops[len(around) :]]
                if not self._is_apart((first[0], second[0]), around, inner, threads, self._sets):
                    return False
        return True

    def are_workgroups_apart(self, update: DestructiveUpdate, function: int) -> bool:
        """Whether it is proved that no workgroup ever reads an element that another one updates.

        The tensor is all of one memory. A grid dimension whose id is not used has one workgroup.
        """
        if len(update.reads) * len(update.updates) > MOST_PAIRS:
            return False
        return all(
            self._are_apart_in_grid(function, self._place(read), self._place(write))
            for read in update.reads
            for write in update.updates
        )

    def are_parts_apart(self, store: int, function: int) -> bool:
        """Whether it is proved that two workgroups store disjoint elements with ``store``, a ``dispatch.store``."""
        s = self._snapshot
        subset = dispatch.subset_of(s.ops[store])
        if subset is None:
            return not self._reader.workgroups(function)
        place = self._reader.slice(slice_of(subset, self._proofs.sums)), self._reader.loops_around(s.op_block[store])
        return self._are_apart_in_grid(function, place, place)

    def _are_apart_in_grid(self, function: int, first: _Place, second: _Place) -> bool:
        """Whether two slices are disjoint in different workgroups, each in any iteration of its loops.

        Workgroups differ in the iteration of a loop over ids, or of a loop that is distributed over them.
        """
        grid = self._reader.workgroups(function)
        shared = [loop for loop in first[1] if loop in second[1]]
        given = [slice_ for slice_ in (first[0], second[0]) if slice_ is not None]
        nest = (*grid, *shared)
        terms, loops = gathered(self._sets.terms, nest, given, self._sets.runs_always(nest))
        sets = self._sets if terms is self._sets.terms else IndexSets(terms)
        carriers = [loop for loop in loops if loop not in shared]
        return self._is_apart((first[0], second[0]), (), [*loops, *first[1], *second[1]], carriers, sets)

    def _is_apart(
        self,
        slices: tuple[Slice | None, Slice | None],
        around: Sequence[InductionVariable],
        inner: Sequence[InductionVariable],
        carriers: Sequence[InductionVariable],
        sets: IndexSets,
    ) -> bool:
        """Whether the slices are disjoint if one of ``carriers`` differs, with equal ``around`` and any ``inner``."""
        one, other = slices
        if one is None or other is None or len(inner) > 2 * MOST_LOOPS:
            return False
        anything = {loop.variable: Direction.ANY for loop in inner}
        nest = (*around, *dict.fromkeys((*carriers, *(loop for loop in inner if loop in carriers))))
        return all(
            sets.are_disjoint(one, other, nest, anything | {carrier.variable: way}).answer is Answer.YES
            for carrier in carriers
            for way in _WAYS
        )

    def _place(self, access: UpdateAccess) -> _Place:
        return self._proofs.known_slice(access), self._reader.loops_around(self._proofs.block(access))
