"""Proofs about the slices of a destructive update: coverage, disjointness, and dependences.

All queries go to ``index_sets/relations.py``. *Coverage*: every element of the tensor is updated, by one run of the
chain, or by the runs of all workgroups together. *Writes once*: no element is updated twice. *Reads the source*: no
element is read after it was updated, so that reads see the content of the source. One access comes before another if it
is earlier in the same iteration of the loops around both, or if the other is in a later iteration of one of these
loops. The threads of an ``scf.forall`` are unordered: any other thread counts as later.

Cost: a few queries for each pair of accesses, up to a fixed number of pairs; with more the answer is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mlir import ir

from ....dialects.bufferizable import Subset
from ....dialects.support.frozen_classes import frozen_slots
from ..effects.reader import TensorEffects
from ..effects.sizes import followed_size
from ..index_sets.coverage import covers
from ..index_sets.points import Direction
from ..index_sets.problems import Answer
from ..index_sets.reader import IndexReader
from ..index_sets.relations import IndexSets, first_no
from ..index_sets.slices import Slice, slice_of
from ..index_sets.sums import Index, IndexSums
from ..index_sets.symbols import InductionVariable
from .chains import DestructiveUpdate, UpdateAccess

__all__ = ["MOST_LOOPS", "MOST_PAIRS", "UpdateProof", "UpdateProofs"]

MOST_PAIRS = 36
MOST_LOOPS = 12
_MOST_BLOCKS = 4
"""How many blocks with updates are checked; if these cover the tensor, so do all."""

_INSERTIONS = frozenset({"tensor.insert_slice", "tensor.parallel_insert_slice"})
"""Ops that update all elements if they have no slice."""


@frozen_slots
class UpdateProof:
    """The proved properties of one update. YES is a proof; NO means a counterexample for some symbol values."""

    covers: Answer
    covers_with_grid: Answer
    """Whether all workgroups together update every element; the same as ``covers`` without a grid."""
    writes_once: Answer
    """Whether there are no output dependences."""
    reads_source: Answer
    """Whether there are no flow dependences."""
    reads_first: Answer
    """Whether there are no anti dependences: no element is updated after it is read."""


class UpdateProofs:
    """Proofs about the updates of one snapshot."""

    def __init__(self, effects: TensorEffects) -> None:
        self.effects = effects
        self._snapshot = effects.snapshot
        self.sums = IndexSums(effects.snapshot)
        self.reader = IndexReader(effects.snapshot, partial(followed_size, effects))
        self.sets = IndexSets(self.reader.terms)

    def prove(self, update: DestructiveUpdate, function: int) -> UpdateProof:
        """Prove or disprove each property of ``update`` in ``function``."""
        grid = self.reader.workgroups(function)
        covered = self._covers(update, ())
        with_grid = self._covers(update, grid) if grid and covered is not Answer.YES else covered
        writes, reads = update.updates, update.reads
        return UpdateProof(
            covered,
            with_grid,
            self._never_meet(update, writes, writes),
            self._never_meet(update, writes, reads),
            self._never_meet(update, reads, writes),
        )

    def sees_source(self, update: DestructiveUpdate) -> bool:
        """Whether every read must see the source's content under tensor semantics: threads see no others' updates."""
        return self._never_meet(update, update.updates, update.reads, are_threads_alone=True) is Answer.YES

    def are_apart(self, first: tuple[Subset, int], second: tuple[Subset, int], block: int) -> bool:
        """Whether two subsets of one tensor must be disjoint, in any iterations inside ``block``.

        Each is given with the block of its use, which is ``block`` or nested in it.
        """
        around = self.reader.loops_around(block)
        loops = [loop for _, place in (first, second) for loop in self.reader.loops_around(place)[len(around) :]]
        one, other = (self.reader.slice(slice_of(subset, self.sums)) for subset, _ in (first, second))
        directions = {loop.variable: Direction.ANY for loop in loops}
        return self.sets.are_disjoint(one, other, (), directions).answer is Answer.YES

    # --- coverage ----------------------------------------------------------------------------------------------

    def _covers(self, update: DestructiveUpdate, grid: tuple[InductionVariable, ...]) -> Answer:
        """Whether the unconditional updates of one block, over all iterations, cover all elements."""
        sizes = self._sizes(update)
        if sizes is None:
            return Answer.UNKNOWN
        blocks: dict[int, list[Slice]] = {}
        for access in update.updates:
            if access.is_conditional:
                continue
            slice_ = self._slice(update, access)
            if slice_ is not None:
                blocks.setdefault(self.block(access), []).append(slice_)
        is_complete = len(blocks) == 1
        for block, slices in list(blocks.items())[:_MOST_BLOCKS]:
            answer = covers(self.sets, slices, sizes, (*grid, *self._loops_inside(update.ops[0], block))).answer
            if answer is Answer.YES or is_complete:
                return answer
        return Answer.UNKNOWN

    # --- order -------------------------------------------------------------------------------------------------

    def _never_meet(
        self,
        update: DestructiveUpdate,
        first: Sequence[UpdateAccess],
        second: Sequence[UpdateAccess],
        *,
        are_threads_alone: bool = False,
    ) -> Answer:
        """Whether no element accessed by one of ``first`` is later accessed by one of ``second``."""
        if len(first) * len(second) > MOST_PAIRS:
            return Answer.UNKNOWN
        result = Answer.YES
        for one in first:
            for other in second:
                answer = self._is_apart(update, one, other, are_threads_alone=are_threads_alone)
                if answer is Answer.NO:
                    return answer
                result = answer if answer is Answer.UNKNOWN else result
        return result

    def _is_apart(
        self, update: DestructiveUpdate, first: UpdateAccess, second: UpdateAccess, *, are_threads_alone: bool
    ) -> Answer:
        s, sets = self._snapshot, self.sets
        nests = [self._loops_inside(update.ops[0], self.block(access)) for access in (first, second)]
        shared = [loop for loop in nests[0] if loop in nests[1]]
        parallel = {loop.variable for op in update.loops if s.op_name[op] == "scf.forall" for loop in self.threads(op)}
        slices = self._slice(update, first), self._slice(update, second)
        is_earlier = first is not second and s.op_enter[first.op] < s.op_enter[second.op]
        if not (is_earlier or shared):
            return Answer.YES
        if slices[0] is None or slices[1] is None or max(map(len, nests)) > MOST_LOOPS:
            return Answer.UNKNOWN
        directions = {loop.variable: Direction.ANY for nest in nests for loop in nest if loop not in shared}
        found = [sets.are_disjoint(slices[0], slices[1], shared, directions)] if is_earlier else []
        for carrier in reversed(shared):
            ways = [Direction.LATER]
            if carrier.variable in parallel:
                ways = [] if are_threads_alone else [Direction.LATER, Direction.EARLIER]
            found += [
                sets.are_disjoint(slices[0], slices[1], shared, directions | {carrier.variable: way}) for way in ways
            ]
            directions[carrier.variable] = Direction.ANY
        return first_no(found).answer

    # --- places ------------------------------------------------------------------------------------------------

    def block(self, access: UpdateAccess) -> int:
        """Return the block of an access; for an insertion at the end of a thread, the thread's block."""
        s = self._snapshot
        block = s.op_block[access.op]
        return s.parent_block(block) if s.op_name[s.block_op[block]] == "scf.forall.in_parallel" else block

    def threads(self, op: int) -> tuple[InductionVariable, ...]:
        """Return the loops of ``op``, an ``scf.forall``."""
        s = self._snapshot
        return self._loops_inside(op, s.op_regions[op][0][0])

    def _loops_inside(self, op: int, block: int) -> tuple[InductionVariable, ...]:
        """Return the loops around ``block`` that are not around ``op``."""
        outside = self.reader.loops_around(self._snapshot.op_block[op])
        return self.reader.loops_around(block)[len(outside) :]

    def _sizes(self, update: DestructiveUpdate) -> tuple[Index, ...] | None:
        """Return the sizes of the tensor, which all versions share."""
        type_ = self._snapshot.values[update.value].type
        if not isinstance(type_, ir.RankedTensorType):
            return None
        return tuple(self.reader.size(update.source, dimension) for dimension in range(type_.rank))

    def _slice(self, update: DestructiveUpdate, access: UpdateAccess) -> Slice | None:
        """Return the accessed slice; all of the tensor if an op overwrites it without reading its content."""
        slice_ = self.known_slice(access)
        if slice_ is not None:
            return slice_
        effects, sizes = self.effects, self._sizes(update)
        is_all = effects.writes[access.operand] and (
            self._snapshot.op_name[access.op] in _INSERTIONS or not effects.reads[access.operand]
        )
        return Slice((0,) * len(sizes), sizes, (1,) * len(sizes)) if is_all and sizes is not None else None

    def known_slice(self, access: UpdateAccess) -> Slice | None:
        """Return the slice of ``access``, if its op has one."""
        slice_ = self.effects.slices.get(access.operand)
        return None if slice_ is None else self.reader.slice(slice_)
