"""Execution order of two places of a snapshot: dominance, reachability and loop extents.

Inside of a block time runs from top to bottom, and a region op runs its regions between entering and leaving it. The
ways back are a repetitive region's own edge and the branches back inside of a loop of blocks, which the snapshot's
tables describe alike. Between blocks of one region the positions, which agree with dominance, say what comes first;
where the second place cannot be reached without defining the value again, the graph of the blocks says so. A region
with blocks that cannot be reached must be refused before these questions are asked.

An answer costs the logarithm of the nesting depth, and the number of loops around; those from the graph look at a
bounded number of blocks and are kept.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

from .snapshot import Snapshot

__all__ = ["Order", "ProgramOrder"]

_NEAR = 8
"""How many ops around another are looked at by :meth:`ProgramOrder.widest_gap`."""


class Order(enum.Enum):
    """How the first of two ops relates to the second within one run of their innermost common block."""

    BEFORE = "before"
    AFTER = "after"
    SAME = "same"
    EXCLUSIVE = "exclusive"
    """In two regions of one op of which only one runs."""
    ENCLOSES = "encloses"
    INSIDE = "inside"


class ProgramOrder:
    """Answers questions about time on ``snapshot``.

    ``exclusive`` are the ops that run one region at most. ``early`` has the positions at which some region arguments
    are defined, namely in front of the op: all of its runs see them as they were then.
    """

    def __init__(self, snapshot: Snapshot, exclusive: frozenset[int], early: Mapping[int, int] | None = None) -> None:
        self._snapshot = snapshot
        self._exclusive = exclusive
        self._early = early or {}
        self.has_choices = bool(exclusive)
        """Whether some op runs one of several regions."""

    def definition(self, value: int) -> int:
        """Return the position at which ``value`` gets its content."""
        position = self._early.get(value) if self._early else None
        return self._snapshot.value_position[value] if position is None else position

    def common_block(self, first: int, second: int) -> tuple[int, int, int]:
        """Return the innermost block around both ops and the ops of that block that hold them.

        The block is that of the op itself when one op encloses the other. For ops in two blocks of one region it stands
        for the innermost loop around both, or for the region.
        """
        s = self._snapshot
        depth = min(s.block_depth[s.op_block[first]], s.block_depth[s.op_block[second]])
        a, b = self._op_at(first, depth), self._op_at(second, depth)
        block_a, block_b = s.op_block[a], s.op_block[b]
        while not self._is_common(block_a, block_b):
            jump_a, jump_b = s.block_jump[block_a], s.block_jump[block_b]
            if self._is_common(jump_a, jump_b):
                a, b = s.block_op[block_a], s.block_op[block_b]
                block_a, block_b = s.op_block[a], s.op_block[b]
            else:
                block_a, block_b = jump_a, jump_b
        if block_a == block_b:
            return block_a, a, b
        around = s.block_around[block_a]
        while not s.encloses(around, s.op_enter[b]):
            around = s.block_around[around]
        return around, a, b

    def _op_at(self, op: int, depth: int) -> int:
        """Return the op in a block of that depth that ``op`` is or is nested in."""
        s = self._snapshot
        block = s.op_block[op]
        return op if s.block_depth[block] == depth else s.block_op[s.block_at(block, depth + 1)]

    def _is_common(self, first: int, second: int) -> bool:
        """Whether two blocks of one depth are one, or in one region: they stay so further out."""
        return first == second or self._snapshot.block_branches[first] == self._snapshot.block_branches[second] >= 0

    def order(self, first: int, second: int, value: int = -1) -> tuple[Order, int]:
        """Return how op ``first`` relates to op ``second``, and their innermost common block.

        With a ``value`` that is defined on every way to both, "before" means that a way leads from the first to the
        second without defining it again; if none does the answer is EXCLUSIVE. Ways back are the business of
        :meth:`outermost_wrap`.
        """
        s = self._snapshot
        block = s.op_block[first]
        if block == s.op_block[second] and first != second:
            return (Order.BEFORE if first < second else Order.AFTER), block
        block, a, b = self.common_block(first, second)
        if a != b:
            if s.op_enter[a] > s.op_enter[b]:
                return Order.AFTER, block
            return (Order.BEFORE if self._leads(s.op_block[a], s.op_block[b], value) else Order.EXCLUSIVE), block
        if first == second:
            return Order.SAME, block
        if a == first:
            return Order.ENCLOSES, block
        if b == second:
            return Order.INSIDE, block
        if a in self._exclusive:
            return Order.EXCLUSIVE, block
        # Two regions of one op that may both run, in no stated order: either may come first. Those of a
        # loop come again: what leads back to one of them leads to the other.
        inner = self._block_below(first, a)
        return Order.BEFORE, inner if s.block_loop[inner] == inner else block

    def _block_below(self, op: int, above: int) -> int:
        """Return the block of op ``above`` that ``op`` is nested in."""
        s = self._snapshot
        return s.block_at(s.op_block[op], s.block_depth[s.op_block[above]] + 1)

    def widest_gap(self, value: int, op: int) -> tuple[int, int] | None:
        """Return the first and the last position of regions, in front of ``op``, that do not run when it does.

        They are the earlier regions of an op that runs one region at most, around ``op`` but not around ``value``; of
        the innermost such ops, the one whose regions are longest. No loop leads from them to ``op`` before it defines
        ``value`` again. None if there are none.
        """
        s, begin = self._snapshot, self.definition(value)
        block, widest = s.op_block[op], (0, 0)
        for _ in range(_NEAR):
            around = s.block_op[block]
            if around < 0 or s.op_enter[around] <= begin:
                break
            gap = s.op_enter[around], s.block_begin[block]
            is_one_of_several = around in self._exclusive and s.block_branches[block] < 0
            if is_one_of_several and gap[1] - gap[0] > widest[1] - widest[0]:
                if self.outermost_wrap(value, s.op_block[around]) >= 0:
                    break
                widest = gap
            block = s.op_block[around]
        return widest if widest[1] - widest[0] > 1 else None

    def dominates(self, value: int, op: int) -> bool:
        """Whether ``value`` is defined on every way to ``op``."""
        s = self._snapshot
        position, block = s.op_enter[op], s.value_block[value]
        if self.definition(value) >= position:
            return False
        if s.encloses(block, position):
            return True
        branches = s.block_branches[block]
        if branches < 0 or not s.encloses(branches, position):
            return False
        return s.graphs[branches].dominates(block - s.graph_first[branches], s.place(branches, position))

    def _leads(self, first: int, second: int, value: int) -> bool:
        """Whether a way leads from block ``first`` to the later ``second`` without defining ``value``."""
        s = self._snapshot
        branches = s.block_branches[first]
        if first == second or value < 0:
            return True
        start = s.graph_first[branches]
        defined = s.value_block[value]
        avoided = defined - start if s.block_branches[defined] == branches else -1
        return s.graphs[branches].reaches(first - start, second - start, avoided)

    def outermost_wrap(self, value: int, block: int) -> int:
        """Return the outermost repetitive block around ``block`` that does not define ``value``; -1 if none."""
        s = self._snapshot
        outermost = -1
        loop = s.block_loop[block]
        position = self.definition(value)
        while loop >= 0 and not s.encloses(loop, position):
            outermost = loop
            loop = s.outer_loop(loop)
        return outermost

    def outermost_within(self, loop: int, block: int) -> int:
        """Return the outermost repetitive block around ``block`` that lies inside of ``loop``; -1 if none."""
        s = self._snapshot
        outermost = -1
        inner = s.block_loop[block]
        while inner >= 0 and inner != loop:
            outermost = inner
            inner = s.outer_loop(inner)
        return outermost

    def last_moment(self, value: int, op: int) -> int:
        """Return the last position at which a read of ``value`` by ``op`` may happen: the end of the loops it is in."""
        s = self._snapshot
        loop = self.outermost_wrap(value, s.op_block[op])
        return s.op_enter[op] if loop < 0 else s.loop_end(loop)
