"""The CFG of one region: loop-nested topological order, loops, dominators, reachability.

The *loop-nested topological order*: strongly connected components come in topological order; a component with a cycle
is a loop, whose header comes first and whose other blocks follow, ordered likewise without the header. The header is
the block that a depth-first search from the entry meets first, so it exists in irreducible graphs too. In this order
every loop is an interval, an edge leads back only inside of a loop, and a dominator comes before what it dominates
(docs/theory/foundations.md).

Blocks are named by their *place* in that order. Everything is iterative.

Cost: the order takes edges times the loop nesting depth, the dominators (Cooper, Harvey, Kennedy, *A Simple, Fast
Dominance Algorithm*, 2001) are near-linear, a question about reachability looks at 256 blocks at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlir import ir

from .components import strongly_connected

__all__ = ["BlockGraph", "BlockLoop", "dominated"]

_BLOCKS_PER_QUESTION = 256
"""How many blocks a question about reachability looks at before it answers "reachable"."""

Successors = Sequence[Sequence[int]]


class BlockLoop(NamedTuple):
    """The places from ``begin``, the header, to ``end``, both included; ``outer`` is the number of the loop around it.

    ``outer`` is -1 for the outermost loops.
    """

    begin: int
    end: int
    outer: int


class BlockGraph:
    """The graph of blocks 0 to n-1; 0 is the entry, and ``successors[b]`` are the blocks that ``b`` branches to."""

    def __init__(self, successors: Successors) -> None:
        self.loops: list[BlockLoop] = []
        self.loop_of: list[int] = []
        """For a place, the number of the innermost loop around it; -1 if there is none."""
        reachable = _reverse_post_order(successors)
        self.order: list[int] = []
        """The blocks that can be reached from the entry, in loop-nested topological order."""
        self._order_blocks(successors, reachable)
        found = set(reachable)
        self.unreachable: list[int] = [block for block in range(len(successors)) if block not in found]
        place = {block: index for index, block in enumerate(self.order)}
        self.successors: list[tuple[int, ...]] = [tuple(place[b] for b in successors[block]) for block in self.order]
        self.predecessors: list[list[int]] = [[] for _ in self.order]
        for index, targets in enumerate(self.successors):
            for target in dict.fromkeys(targets):
                self.predecessors[target].append(index)
        self.immediate_dominator: list[int] = _immediate_dominators(self.predecessors)
        """For a place, that of its immediate dominator; the entry is its own."""
        self._first, self._last = _intervals(self.immediate_dominator)
        self._reached: dict[tuple[int, int, int], bool] = {}

    @classmethod
    def of(cls, blocks: Sequence[ir.Block]) -> BlockGraph:
        """Return the graph of all blocks of one region, numbered as they are given, the entry first."""
        numbers = {block: number for number, block in enumerate(blocks)}
        return cls([[numbers[target] for target in block.successors] for block in blocks])

    # --- order -------------------------------------------------------------------------------------------------

    def _order_blocks(self, successors: Successors, reachable: list[int]) -> None:
        """Fill ``order``, ``loops`` and ``loop_of``; ``reachable`` is in reverse post-order."""
        group = [-1] * len(successors)
        for block in reachable:
            group[block] = 0
        groups = 1
        # What is still to be placed, last first: the blocks of a component, or the number of a loop to be closed.
        work: list[tuple[list[int], int] | int] = [(c, -1) for c in _components(successors, reachable, group)]
        while work:
            task = work.pop()
            if isinstance(task, int):
                self.loops[task] = self.loops[task]._replace(end=len(self.order) - 1)
                continue
            component, loop = task
            header, *others = component
            if others or header in successors[header]:
                self.loops.append(BlockLoop(len(self.order), -1, loop))
                loop = len(self.loops) - 1
                work.append(loop)
            self.order.append(header)
            self.loop_of.append(loop)
            if others:
                for block in others:
                    group[block] = groups
                groups += 1
                work.extend((inner, loop) for inner in _components(successors, others, group))

    # --- asking ------------------------------------------------------------------------------------------------

    def dominates(self, first: int, second: int) -> bool:
        """Whether ``first`` dominates ``second``: it is on every path from the entry to it. Constant time."""
        return self._first[first] <= self._first[second] <= self._last[first]

    def reaches(self, first: int, second: int, avoided: int) -> bool:
        """Whether a path leads from the end of ``first`` to the beginning of ``second`` without entering ``avoided``.

        ``avoided`` dominates both, or is -1. Beyond 256 blocks the answer is yes.
        """
        key = (first, second, avoided)
        answer = self._reached.get(key)
        if answer is None:
            answer = self._reached[key] = self._search(first, second, avoided)
        return answer

    def _search(self, first: int, second: int, avoided: int) -> bool:
        if second == avoided:
            return False
        # A way that goes beyond the loops around ``second`` that do not contain ``avoided`` cannot come back.
        last, loop = second, self.loop_of[second]
        while loop >= 0 and not self.loops[loop].begin <= avoided <= self.loops[loop].end:
            last, loop = self.loops[loop].end, self.loops[loop].outer
        seen = {avoided}
        work = [first]
        while work:
            for target in self.successors[work.pop()]:
                if target == second:
                    return True
                if target <= last and target not in seen:
                    seen.add(target)
                    work.append(target)
            if len(seen) > _BLOCKS_PER_QUESTION:
                return True
        return False


def _reverse_post_order(successors: Successors) -> list[int]:
    """Return the blocks that can be reached from block 0, each before the ones that its depth-first search finds."""
    seen = {0}
    finished: list[int] = []
    # Last successors first, so that the first ones come first in the reverse.
    stack = [(0, iter(reversed(successors[0])))]
    while stack:
        block, targets = stack[-1]
        target = next((t for t in targets if t not in seen), None)
        if target is None:
            finished.append(block)
            stack.pop()
        else:
            seen.add(target)
            stack.append((target, iter(reversed(successors[target]))))
    return finished[::-1]


def _components(successors: Successors, blocks: list[int], group: list[int]) -> list[list[int]]:
    """Return the strongly connected components of ``blocks``, last in topological order first.

    ``blocks`` are all of their group and in reverse post-order of the whole graph; so are those of each component.
    """
    rank = {block: index for index, block in enumerate(blocks)}
    own = group[blocks[0]]
    # Last ones first, so that independent blocks come as they stand in the reverse.
    components = strongly_connected(
        reversed(blocks), lambda block: [target for target in reversed(successors[block]) if group[target] == own]
    )
    return [sorted(component, key=rank.__getitem__) for component in components]


def _immediate_dominators(predecessors: Sequence[Sequence[int]]) -> list[int]:
    """Return the immediate dominator of every place; a place's dominators are before it."""
    dominator = [-1] * len(predecessors)
    dominator[0] = 0
    changed = True
    while changed:
        changed = False
        for place in range(1, len(predecessors)):
            new = -1
            # Late ones first: of a block that many early exits lead to, each is then one step from the one before.
            for other in sorted(predecessors[place], reverse=True):
                if dominator[other] >= 0:
                    new = other if new < 0 else _meet(dominator, new, other)
            if dominator[place] != new:
                dominator[place] = new
                changed = True
    return dominator


def _meet(dominator: list[int], first: int, second: int) -> int:
    while first != second:
        if first > second:
            first = dominator[first]
        else:
            second = dominator[second]
    return first


def dominated(dominator: Sequence[int]) -> list[list[int]]:
    """Return the places that each one dominates immediately."""
    children: list[list[int]] = [[] for _ in dominator]
    for place in range(1, len(dominator)):
        children[dominator[place]].append(place)
    return children


def _intervals(dominator: list[int]) -> tuple[list[int], list[int]]:
    """Number the dominator tree in preorder; return each place's own number and the last one in its subtree."""
    count, children = len(dominator), dominated(dominator)
    first, last = [0] * count, [0] * count
    preorder: list[int] = []
    work = [0] if count else []
    while work:
        place = work.pop()
        first[place] = len(preorder)
        preorder.append(place)
        work.extend(children[place])
    for place in reversed(preorder):
        last[place] = max([first[place], *(last[child] for child in children[place])])
    return first, last
