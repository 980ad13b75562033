"""Iterated dominance frontiers: the blocks where versions of one variable meet.

The algorithm of Sreedhar and Gao (*A Linear Time Algorithm for Placing φ-Nodes*, 1995): blocks are taken deepest first
in the dominator tree; from each its subtree is searched for edges that lead up, or to the same depth. Every block is
searched once, so one variable costs time linear in the blocks and edges.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from .block_graph import BlockGraph, dominated

__all__ = ["DominatorTree"]


class DominatorTree:
    """The dominator tree of ``graph``, made once for all variables; blocks are places of the graph."""

    def __init__(self, graph: BlockGraph) -> None:
        self._graph = graph
        self._children = dominated(graph.immediate_dominator)
        self._level = [0] * len(graph.order)
        # A dominator comes before what it dominates.
        for place in range(1, len(graph.order)):
            self._level[place] = self._level[graph.immediate_dominator[place]] + 1

    def joins(self, definitions: Iterable[int]) -> set[int]:
        """Return the blocks in which two versions may meet, if those in ``definitions`` and the entry make one."""
        level, dominator = self._level, self._graph.immediate_dominator
        defining = set(definitions)
        heap = [(-level[place], place) for place in defining]
        heapify(heap)
        found: set[int] = set()
        searched: set[int] = set()
        while heap:
            _, root = heappop(heap)
            searched.add(root)
            work = [root]
            while work:
                place = work.pop()
                for target in self._graph.successors[place]:
                    if dominator[target] == place or level[target] > level[root] or target in found:
                        continue
                    found.add(target)
                    if target not in defining:
                        heappush(heap, (-level[target], target))
                for child in self._children[place]:
                    if child not in searched:
                        searched.add(child)
                        work.append(child)
        return found
