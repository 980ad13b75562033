"""The blocks of a snapshot as integer tables: what is around them, which loops they are in, where they begin and end.

A region with several blocks, and every loop that its branches form, has a number among the blocks: it begins where its
first block begins and ends where its last one ends. So whatever asks "which loop is around" asks one table, be the loop
a region or branches.
"""

from __future__ import annotations

from bisect import bisect_right

from mlir import ir

from .block_graph import BlockGraph

__all__ = ["BlockTables"]


class BlockTables:
    """Filled by :class:`~.snapshot.Snapshot`, which is one."""

    def __init__(self) -> None:
        self.blocks: list[ir.Block] = []
        self.op_block: list[int] = []
        self.block_op: list[int] = []
        self.block_region: list[int] = []
        self.block_depth: list[int] = []
        self.block_jump: list[int] = []
        """A block around, some levels up or one, so that any level is reached in a logarithm of steps."""
        self.block_around: list[int] = []
        """The innermost block, region with branches or loop of branches around; -1 at the root."""
        self.block_begin: list[int] = []
        self.block_end: list[int] = []
        self.block_ops: list[list[int]] = []
        self.block_first_argument: list[int] = []
        self.block_argument_count: list[int] = []
        self.block_loop: list[int] = []
        """The innermost block that is (in) a repetitive region and equal to or around this one; -1 if none."""
        self.block_parallel: list[int] = []
        """The same for parallel regions."""
        self.block_branches: list[int] = []
        """The number of the region with several blocks that a block, or a loop of them, is in; -1 for other blocks."""
        self.graphs: dict[int, BlockGraph] = {}
        """For the number of such a region, its graph. Its blocks are numbered like that, from ``graph_first`` on."""
        self.graph_first: dict[int, int] = {}

    def arguments(self, block: int) -> range:
        """Return the values that are the arguments of ``block``."""
        first = self.block_first_argument[block]
        return range(first, first + self.block_argument_count[block])

    def place(self, branches: int, position: int) -> int:
        """Return which block of the region number ``branches``, with several blocks, ``position`` lies in."""
        first = self.graph_first[branches]
        return bisect_right(self.block_begin, position, first, branches) - 1 - first

    def encloses(self, block: int, position: int) -> bool:
        """Whether ``position`` lies in ``block`` or in something nested in it."""
        return self.block_begin[block] <= position <= self.block_end[block]

    def block_at(self, block: int, depth: int) -> int:
        """Return the block at that depth, at most its own, that ``block`` is or is nested in."""
        depths, jumps = self.block_depth, self.block_jump
        while depths[block] > depth:
            jump = jumps[block]
            block = jump if depths[jump] >= depth else self.op_block[self.block_op[block]]
        return block

    def outer_loop(self, loop: int) -> int:
        """Return the innermost repetitive block around the repetitive block ``loop``; -1 if there is none."""
        parent = self.block_around[loop]
        return self.block_loop[parent] if parent >= 0 else -1
