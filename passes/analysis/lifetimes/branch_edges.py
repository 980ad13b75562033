"""The CFG edges of a function, with the operands that each forwards to the arguments of its target.

Linear in blocks and edges, besides the graph (``ir/block_graph.py``).
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ....dialects.cf import BRANCHES
from ....dialects.support.frozen_classes import frozen
from ...framework.errors import PassFailure
from ..ir.block_graph import BlockGraph

__all__ = ["BranchEdge", "BranchEdges"]


@frozen
class BranchEdge:
    """Successor number `index` of `terminator`: from block `source` to `target`, with forwarded `operands`."""

    source: int
    target: int
    terminator: ir.Operation
    index: int
    operands: tuple[ir.Value, ...]


class BranchEdges:
    """The reachable blocks, numbered as in the graph, and the outgoing and incoming edges of each."""

    def __init__(self, blocks: Sequence[ir.Block]) -> None:
        self._graph = BlockGraph.of(blocks)
        self.blocks = [blocks[block] for block in self._graph.order]
        self.terminators = [list(block.operations)[-1].operation for block in self.blocks]
        self.out: list[list[BranchEdge]] = [[] for _ in self.blocks]
        self.into: list[list[BranchEdge]] = [[] for _ in self.blocks]
        for source, (terminator, targets) in enumerate(zip(self.terminators, self._graph.successors, strict=True)):
            for index, (target, operands) in enumerate(zip(targets, _passed(terminator), strict=True)):
                edge = BranchEdge(source, target, terminator, index, operands)
                self.out[source].append(edge)
                self.into[target].append(edge)

    def dominates(self, first: int, second: int) -> bool:
        """Whether block `first` strictly dominates block `second`."""
        return first != second and self._graph.dominates(first, second)


def _passed(terminator: ir.Operation) -> list[tuple[ir.Value, ...]]:
    """The operands that `terminator` forwards to each of its successors."""
    if not len(terminator.successors):
        return []
    if terminator.name not in BRANCHES.op_names:
        raise PassFailure(f"cannot tell what '{terminator.name}' passes to its successors", terminator)
    operands = list(terminator.operands)
    return [tuple(operands[group.start : group.stop]) for group in BRANCHES.successor_operands(terminator)]
