"""Whether branches forward a buffer itself to a block argument, or a copy.

An argument may be the buffer of any branch's operand, so each forwarding is an edge that is accepted or copied. Edges
into a loop of the CFG are decided after the loop's body. The forwardings on its back edges are decided together: they
may permute the buffers. An argument belongs to the class that all edges forward, if there is one such class.

Linear in the branches' operands, except for the comparisons. See docs/theory/foundations.md, and *rotation* in
docs/theory/loops.md; ``branch_flow.py`` collects the branches.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..conflicts.joining import Joiner
from .branch_flow import BranchFlow
from .decision_record import DecisionRecord
from .loops import CarriedDecisions
from .region_exits import ExitDecisions

__all__ = ["BranchDecisions"]


class BranchDecisions:
    """Decides the forwardings of the branches of ``function``; ``carried`` decides rotations."""

    def __init__(self, joiner: Joiner, record: DecisionRecord, function: int, carried: CarriedDecisions) -> None:
        self._joiner = joiner
        self._snapshot = joiner.snapshot
        self._record = record
        self._carried = carried
        self._flow = BranchFlow(joiner.effects, function, joiner.sets, record.decisions)

    def decide_first(self, op: int, exits: ExitDecisions) -> None:
        """Decide the forwardings of branch ``op`` before anything else, except into or around a loop."""
        for operand, argument in self._flow.values(op):
            entered = self._flow.entered_loop(op, self._snapshot.value_block[argument])
            if entered < 0 and not self._flow.waits(operand):
                exits.decide(operand, [argument])

    def entered_loops(self, op: int) -> Iterator[tuple[int, range]]:
        """Yield the loops that branch ``op`` enters: the header and all blocks."""
        for block in self._snapshot.op_successors[op]:
            loop = self._flow.entered_loop(op, block)
            if loop >= 0:
                yield block, self._flow.blocks(loop)

    def decide(self, op: int) -> None:
        """Decide the forwardings of branch ``op``, after the bodies and back edges of the loops that it enters."""
        for operand, argument in self._flow.values(op):
            if operand not in self._record and not self._flow.waits(operand):
                self._decide_edge(operand, argument)
        for argument in self._flow.joined(op):
            self._flow.unite(argument)

    def decide_rounds(self, header: int) -> None:
        """Decide the forwardings on the back edges to ``header``: as a rotation where possible, else one by one."""
        rounds = self._flow.take_rounds(header)
        rotation = self._flow.rotation(rounds)
        if rotation:
            self._carried.rotate(self._snapshot.operand_op[rotation[0].operand], rotation)
        for entry in (entry for edge in rounds for entry in edge):
            if entry.operand not in self._record:
                self._decide_edge(entry.operand, entry.argument)

    def finish(self) -> None:
        """Decide the remaining back edges, and put each argument into the class that all its edges forward."""
        for header in self._flow.waiting_headers():
            self.decide_rounds(header)
        for argument in self._flow.arguments:
            self._flow.unite(argument)

    def _decide_edge(self, operand: int, argument: int) -> None:
        """Decide whether ``argument`` may be the buffer of ``operand``: settled if all other edges forward itself."""
        find = self._joiner.sets.equivalence.find
        if find(self._snapshot.operand_value[operand]) == find(argument):
            self._record.accept(operand)
        else:
            self._carried.decide_entry(operand, argument, settled=self._flow.is_settled(argument, operand))
