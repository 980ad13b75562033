"""Slices of one class in different iterations: whether what an iteration writes is read in a later one.

A write ``w`` and a read ``r`` of value ``u`` lie in loops; the outermost one that leads from ``w`` to ``r`` without
passing the definition of ``u`` is given. Time leads from ``w`` in one iteration to ``r`` in the same one, if ``r``
comes after it there, or in a later one of one of the common loops, with any iterations of the loops inside of that. In
each case the slices may have an element in common or not, which ``index_sets/relations.py`` decides. Runs of a parallel
region have no order: another one takes the place of a later one.

Cost: a question for each common loop, of which there may be a fixed number; a program gets a fixed number of questions
and a share for each operand, so that the analysis stays linear. Answers are remembered.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..index_sets.points import Direction
from ..index_sets.problems import Answer
from ..index_sets.reader import IndexReader
from ..index_sets.relations import IndexSets
from ..index_sets.slices import Slice
from ..index_sets.symbols import IndexTerms, InductionVariable
from ..ir.snapshot import Snapshot

__all__ = ["SliceIterations"]

_EFFORT = 32
_MOST_LOOPS = 8
_DEEPEST = 64
_LATER = (Direction.LATER,)
_OTHERS = (Direction.LATER, Direction.EARLIER)
_QUESTIONS = 256
"""How many questions a program gets, and one more for every eight of its operands."""


class SliceIterations:
    """Answers for the program of one snapshot; reads what it needs when it is asked."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._reader = IndexReader(snapshot, terms=IndexTerms(_EFFORT))
        self._sets = IndexSets(self._reader.terms)
        self._known: dict[object, bool] = {}
        self._left = _QUESTIONS + len(snapshot.operand_op) // 8

    def are_apart(self, written: tuple[Slice, int], read: tuple[Slice, int], loop: int, *, later: bool) -> bool:
        """Whether the slice that an op writes never meets the one that an op reads afterwards.

        Both are slices of one class, given with the number of their op. Time leads around the loops from ``loop``, a
        repetitive block, inwards; ``later`` says that it also leads from the one to the other in one iteration.
        """
        s = self._snapshot
        blocks = s.op_block[written[1]], s.op_block[read[1]]
        key = (written[0], read[0], blocks, loop, later)
        if key not in self._known:
            possible = not s.graphs and max(s.block_depth[block] for block in blocks) <= _DEEPEST
            self._known[key] = possible and self._left > 0 and self._ask(written[0], read[0], blocks, loop, later=later)
        return self._known[key]

    def _ask(self, written: Slice, read: Slice, blocks: tuple[int, int], loop: int, *, later: bool) -> bool:
        s, reader = self._snapshot, self._reader
        outside = len(reader.loops_around(s.parent_block(loop)))
        nests = [reader.loops_around(block)[outside:] for block in blocks]
        if max(map(len, nests)) > _MOST_LOOPS:
            return False
        inner = [loop_ for loop_ in nests[0] if loop_ in nests[1]]
        # The variable of a loop around only one of the two occurs in that one's slice only: it needs no direction.
        directions: dict[int, Direction] = {}
        first, second = reader.slice(written), reader.slice(read)
        if later and not self._are_disjoint(first, second, inner, directions):
            return False
        threads = self._threads(blocks[0], loop)
        for carrier in reversed(inner):
            for way in _OTHERS if carrier.variable in threads else _LATER:
                if not self._are_disjoint(first, second, inner, directions | {carrier.variable: way}):
                    return False
            directions[carrier.variable] = Direction.ANY
        return bool(inner)

    def _threads(self, block: int, loop: int) -> set[int]:
        """Return the variables of the parallel regions around ``block`` that are ``loop`` or lie inside of it."""
        s, reader = self._snapshot, self._reader
        found: set[int] = set()
        region = s.block_parallel[block]
        while region >= 0 and (region == loop or s.encloses(loop, s.block_begin[region])):
            outside = reader.loops_around(s.parent_block(region))
            found.update(variable.variable for variable in reader.loops_around(region)[len(outside) :])
            region = s.block_parallel[s.parent_block(region)] if s.parent_block(region) >= 0 else -1
        return found

    def _are_disjoint(
        self, first: Slice, second: Slice, nest: list[InductionVariable], directions: Mapping[int, Direction]
    ) -> bool:
        self._left -= 1
        return self._left >= 0 and self._sets.are_disjoint(first, second, nest, directions).answer is Answer.YES
