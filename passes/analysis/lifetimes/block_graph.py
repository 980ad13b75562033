"""The blocks of a function that branch to one another: edges with what they pass on, and dominance.

Unreachable blocks are left out. Linear in blocks and edges, but for dominators, which take a few rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir

from ...framework.errors import PassFailure

__all__ = ["BlockGraph", "Edge"]


@dataclass(frozen=True)
class Edge:
    """Successor number `index` of `terminator`: from block `source` to `target`, whose arguments get `operands`."""

    source: int
    target: int
    terminator: ir.Operation
    index: int
    operands: tuple[ir.Value, ...]


class BlockGraph:
    """The reachable ones of `blocks`, numbered in reverse postorder; the first one is the entry."""

    def __init__(self, blocks: Sequence[ir.Block]) -> None:
        terminators = {block: list(block.operations)[-1].operation for block in blocks}
        self.blocks = _reverse_postorder(blocks[0], terminators)
        numbers = {block: number for number, block in enumerate(self.blocks)}
        self.terminators = [terminators[block] for block in self.blocks]
        self.out: list[list[Edge]] = [[] for _ in self.blocks]
        self.into: list[list[Edge]] = [[] for _ in self.blocks]
        for number, terminator in enumerate(self.terminators):
            for index, (target, operands) in enumerate(zip(terminator.successors, _passed(terminator), strict=True)):
                edge = Edge(number, numbers[target], terminator, index, operands)
                self.out[number].append(edge)
                self.into[edge.target].append(edge)
        self._first, self._last = self._dominance()

    def dominates(self, first: int, second: int) -> bool:
        """Whether every way to block `second` leads through block `first`, another one."""
        return first != second and self._first[first] <= self._first[second] <= self._last[first]

    def _immediate_dominators(self) -> list[int]:
        found = [-1] * len(self.blocks)
        found[0] = 0
        changed = True
        while changed:
            changed = False
            for block in range(1, len(self.blocks)):
                new = -1
                for edge in self.into[block]:
                    if found[edge.source] >= 0:
                        new = edge.source if new < 0 else _meet(found, new, edge.source)
                if found[block] != new:
                    found[block], changed = new, True
        return found

    def _dominance(self) -> tuple[list[int], list[int]]:
        """First and last number of each block's subtree in a preorder walk of the dominator tree."""
        children: list[list[int]] = [[] for _ in self.blocks]
        for block, parent in enumerate(self._immediate_dominators()):
            if block:
                children[parent].append(block)
        first, last = [0] * len(self.blocks), [0] * len(self.blocks)
        order: list[int] = []
        work = [0]
        while work:
            block = work.pop()
            first[block] = len(order)
            order.append(block)
            work.extend(children[block])
        for block in reversed(order):
            last[block] = max([first[block], *(last[child] for child in children[block])])
        return first, last


def _meet(dominators: list[int], first: int, second: int) -> int:
    while first != second:
        if first > second:
            first = dominators[first]
        else:
            second = dominators[second]
    return first


def _reverse_postorder(entry: ir.Block, terminators: dict[ir.Block, ir.Operation]) -> list[ir.Block]:
    done: list[ir.Block] = []
    seen = {entry}
    work = [(entry, iter(terminators[entry].successors))]
    while work:
        block, successors = work[-1]
        following = next((s for s in successors if s not in seen), None)
        if following is None:
            done.append(block)
            work.pop()
        else:
            seen.add(following)
            work.append((following, iter(terminators[following].successors)))
    return done[::-1]


def _passed(terminator: ir.Operation) -> list[tuple[ir.Value, ...]]:
    """What `terminator` passes to each of its successors."""
    operands = list(terminator.operands)
    if terminator.name == "cf.br" or not len(terminator.successors):
        counts = [len(operands)] * len(terminator.successors)
    elif terminator.name == "cf.cond_br":
        counts = list(terminator.attributes["operandSegmentSizes"])[1:]
    elif terminator.name == "cf.switch":
        counts = [terminator.attributes["operandSegmentSizes"][1], *terminator.attributes["case_operand_segments"]]
    else:
        raise PassFailure(f"cannot tell what '{terminator.name}' passes to its successors", terminator)
    position = len(operands) - sum(counts)
    found: list[tuple[ir.Value, ...]] = []
    for count in counts:
        found.append(tuple(operands[position : position + count]))
        position += count
    return found
