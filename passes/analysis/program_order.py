"""Order in time of two places of a snapshot: dominance, reachability and loop extents.

Structured control flow only: every region has one block, so that time inside a region runs from top to bottom, a
region op runs its regions between entering and leaving it, and the only way back is a repetitive region's own edge.
A function with unstructured control flow must be refused before these questions are asked.

All answers cost at most the nesting depth.
"""

from __future__ import annotations

import enum

from .snapshot import Snapshot

__all__ = ["Order", "ProgramOrder"]


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
    """Answers questions about time on ``snapshot``; ``exclusive(op)`` says that an op runs one region at most."""

    def __init__(self, snapshot: Snapshot, exclusive: frozenset[int]) -> None:
        self._snapshot = snapshot
        self._exclusive = exclusive

    def common_block(self, first: int, second: int) -> tuple[int, int, int]:
        """Return the innermost block around both ops and the ops of that block that hold them.

        The block is that of the op itself when one op encloses the other.
        """
        s = self._snapshot
        a, b = first, second
        block_a, block_b = s.op_block[a], s.op_block[b]
        while block_a != block_b:
            if s.block_depth[block_a] >= s.block_depth[block_b]:
                a = s.block_op[block_a]
                block_a = s.op_block[a]
            else:
                b = s.block_op[block_b]
                block_b = s.op_block[b]
        return block_a, a, b

    def order(self, first: int, second: int) -> tuple[Order, int]:
        """Return how op ``first`` relates to op ``second``, and their innermost common block."""
        s = self._snapshot
        block = s.op_block[first]
        if block == s.op_block[second] and first != second:
            return (Order.BEFORE if first < second else Order.AFTER), block
        block, a, b = self.common_block(first, second)
        if a != b:
            return (Order.BEFORE if s.op_enter[a] < s.op_enter[b] else Order.AFTER), block
        if first == second:
            return Order.SAME, block
        if a == first:
            return Order.ENCLOSES, block
        if b == second:
            return Order.INSIDE, block
        if a in self._exclusive:
            return Order.EXCLUSIVE, block
        # Two regions of one op that may both run, in an order that nobody stated: either may come first. Those of a
        # loop come again: what leads back to one of them leads to the other.
        inner = self._block_below(first, a)
        return Order.BEFORE, inner if s.block_loop[inner] == inner else block

    def _block_below(self, op: int, above: int) -> int:
        """Return the block of op ``above`` that ``op`` is nested in."""
        s = self._snapshot
        block = s.op_block[op]
        while s.block_op[block] != above:
            block = s.parent_block(block)
        return block

    def dominates(self, value: int, op: int) -> bool:
        """Whether ``value`` is defined on every way to ``op``."""
        s = self._snapshot
        return s.value_position[value] < s.op_enter[op] and s.encloses(s.value_block[value], s.op_enter[op])

    def wraps(self, value: int, block: int) -> bool:
        """Whether a loop leads from any place in ``block`` to any other without defining ``value`` again."""
        s = self._snapshot
        loop = s.block_loop[block]
        return loop >= 0 and not s.encloses(loop, s.value_position[value])

    def outermost_wrap(self, value: int, block: int) -> int:
        """Return the outermost repetitive block around ``block`` that does not define ``value``; -1 if none."""
        s = self._snapshot
        outermost = -1
        loop = s.block_loop[block]
        while loop >= 0 and not s.encloses(loop, s.value_position[value]):
            outermost = loop
            loop = s.outer_loop(loop)
        return outermost

    def last_moment(self, value: int, op: int) -> int:
        """Return the last position at which a read of ``value`` by ``op`` may happen: the end of the loops it is in."""
        s = self._snapshot
        loop = self.outermost_wrap(value, s.op_block[op])
        return s.op_enter[op] if loop < 0 else s.op_exit[s.block_op[loop]] - 1
