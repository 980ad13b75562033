"""Slices of one class in different iterations: whether elements written in one iteration are read in a later one.

A write ``w`` and a read ``r`` of value ``u`` lie in loops. The outermost loop that leads from ``w`` to ``r`` without
passing the definition of ``u`` is given. After ``w`` in one iteration, ``r`` runs in the same iteration, if it comes
later there, or in a later iteration of one of the common loops, with any iterations of the loops inside of that one.
For each case ``index_sets/relations.py`` decides whether the slices are disjoint. Runs of a parallel region have no
order: any other run counts as a later one. The blocks of a CFG are a loop without bounds, whose variable all that is
defined in them may depend on.

Cost: a query for each common loop, up to a fixed number of loops. A program has a budget of a fixed number of queries
and a share for each operand, so the analysis stays linear. Answers are cached.
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
"""The budget of queries for a program; there is one more for every eight operands."""


class SliceIterations:
    """Compares slices in the program of one snapshot; index expressions are read on demand."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._reader = IndexReader(snapshot, terms=IndexTerms(_EFFORT))
        self._sets = IndexSets(self._reader.terms)
        self._known: dict[object, bool] = {}
        self._left = _QUESTIONS + len(snapshot.operand_op) // 8

    def are_apart(self, written: tuple[Slice, int], read: tuple[Slice, int], loop: int, *, later: bool) -> bool:
        """Whether the written slice is disjoint from the slices that are read afterwards.

        Both are slices of one class, given with the number of their op. ``loop``, a repetitive block, is the outermost
        loop that leads from the write to the read. ``later``: the read also follows the write in one iteration.
        """
        s = self._snapshot
        blocks = s.op_block[written[1]], s.op_block[read[1]]
        key = (written[0], read[0], blocks, loop, later)
        if key not in self._known:
            possible = max(s.block_depth[block] for block in blocks) <= _DEEPEST
            self._known[key] = possible and self._left > 0 and self._ask(written[0], read[0], blocks, loop, later=later)
        return self._known[key]

    def _ask(self, written: Slice, read: Slice, blocks: tuple[int, int], loop: int, *, later: bool) -> bool:
        s, reader = self._snapshot, self._reader
        outside = len(reader.loops_around(s.parent_block(loop)))
        nests = [reader.loops_around(block)[outside:] for block in blocks]
        if max(map(len, nests)) > _MOST_LOOPS:
            return False
        inner = [loop_ for loop_ in nests[0] if loop_ in nests[1]]
        # The variable of a loop around one of the two only occurs in that slice only: it needs no direction.
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
        """Return the variables of the parallel regions around ``block`` that are ``loop`` or nested in it."""
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
