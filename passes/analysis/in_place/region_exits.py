"""What the regions of an op yield: to its results, as branches do, or to another region, as `scf.while` does.

A result may be the buffer of any region's value, so yielding one is an edge that is accepted or copied. If all regions
yield one equivalence class the result belongs to it, whichever runs. What has one source only is that very buffer.
Linear in the terminators' operands, but for the comparisons. See *origins* in docs/theory/conflicts.md and *passed* in
docs/theory/loops.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..conflicts.joining import Joiner
from .decision_record import DecisionRecord
from .region_flow import exit_values, passed_values

__all__ = ["ExitDecisions"]


class ExitDecisions:
    """Decides what terminators yield: ``first`` of all, or in the turns of the terminators."""

    def __init__(self, joiner: Joiner, record: DecisionRecord, *, first: bool) -> None:
        self._joiner = joiner
        self._record = record
        self._first = first
        self._waiting: dict[int, list[tuple[int, list[int]]]] = {}
        """For a terminator whose turn is still to come, what it yields to results only."""

    def begin(self, op: int) -> None:
        """Decide what the terminators of ``op`` yield to its results, or leave it to their turns."""
        for operand, targets in exit_values(self._joiner.effects, op):
            if self._first:
                self.decide(operand, targets)
            else:
                terminator = self._joiner.snapshot.operand_op[operand]
                self._waiting.setdefault(terminator, []).append((operand, targets))

    def decide_waiting(self, terminator: int) -> None:
        """Decide what was left to the turn of ``terminator``."""
        for operand, targets in self._waiting.get(terminator, ()):
            self.decide(operand, targets)

    def decide(self, operand: int, targets: Sequence[int]) -> None:
        """Decide whether each of ``targets``, which have other sources too, may be the buffer of ``operand``."""
        value = self._joiner.snapshot.operand_value[operand]
        attempt = self._joiner.begin((value, *targets))
        for target in targets:
            self._joiner.sets.come_from(target, value)
        self._record.enter(operand, self._joiner.decide(attempt))

    def decide_passed(self, op: int) -> None:
        """Decide whether what a region of a loop forwards, to the next region or the results, is copied."""
        for operand, targets in passed_values(self._joiner.effects, op):
            value = self._joiner.snapshot.operand_value[operand]
            attempt = self._joiner.begin((value, *targets))
            for target in targets:
                self._joiner.sets.unite(target, value)
            self._record.enter(operand, self._joiner.decide(attempt))

    def unite(self, op: int) -> None:
        """Make a result of ``op`` that is of one class, whichever region runs, a member of that class."""
        find, decisions = self._joiner.sets.equivalence.find, self._record.decisions
        results: dict[int, list[int]] = {}
        for operand, targets in exit_values(self._joiner.effects, op):
            for target in targets:
                results.setdefault(target, []).append(operand)
        for result, operands in results.items():
            values = [self._joiner.snapshot.operand_value[operand] for operand in operands]
            if all(decisions[o].in_place for o in operands) and len({find(value) for value in values}) == 1:
                self._joiner.sets.unite(result, values[0])
