"""Insertions of threads into shared outputs: in place in the output's init buffer, or into a copy of it.

Decided before anything else in a function, because the writes allowed to threads depend on it. Threads must not insert
into the init buffer if one still reads elements that another inserts. Then all insertions go to one copy, made in front
of the loop, and the argument is only read. Linear in the insertions, except for the comparisons. See
docs/theory/threads.md.
"""

from __future__ import annotations

from ..conflicts.decisions import Conflict, Decision, Rule, Strategy
from ..conflicts.joining import Joiner
from ..conflicts.liveness import Liveness
from .decision_record import DecisionRecord
from .loops import CarriedDecisions

__all__ = ["OutputDecisions"]


class OutputDecisions:
    """Decides the insertions into shared outputs; ``copies``: every write is refused."""

    def __init__(
        self, joiner: Joiner, record: DecisionRecord, live: Liveness, carried: CarriedDecisions, *, copies: bool
    ) -> None:
        self._joiner = joiner
        self._record = record
        self._live = live
        self._carried = carried
        self._copies = copies

    def decide(self, op: int) -> None:
        """Decide the insertions into the shared outputs of the parallel op ``op``, if it has any."""
        s, outputs = self._joiner.snapshot, self._joiner.effects.shared_outputs
        blocks = [block for region in s.op_regions[op] for block in region]
        for argument in (a for block in blocks for a in s.arguments(block) if a in outputs):
            self._decide(argument, outputs[argument].result)

    def _decide(self, argument: int, result: int) -> None:
        joiner = self._joiner
        insertions = joiner.effects.insertions.get(argument, [])
        self._carried.settle(argument)
        conflict = Conflict(Rule.COPY_BEFORE_WRITE, write=insertions[0]) if insertions else None
        committed = any(joiner.effects.must_in_place[operand] for operand in insertions)
        if conflict is None or committed or not self._copies:
            attempt = joiner.begin((argument, result), [self._live.write(operand) for operand in insertions])
            joiner.check.threads.share(argument)
            joiner.sets.unite(result, argument)
            conflict = joiner.decide(attempt)
        copies = bool(joiner.effects.value_read[result])
        for operand in insertions:
            if conflict is None:
                self._record.accept(operand)
            else:
                self._record.decisions[operand] = Decision(operand, Strategy.OUT_OF_PLACE, copies, conflict)
                if joiner.effects.must_in_place[operand]:
                    self._record.refuse_in_place(operand, conflict)
