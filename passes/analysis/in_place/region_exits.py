"""The yields of regions: to the results of their op, as in branches, or to another region, as in `scf.while`.

A result may be the buffer of any region's yielded value, so each yield is an edge that is accepted or copied. If all
regions yield one equivalence class, the result belongs to it; if they yield one slice of one class, it is that slice.
A target with a single source is equivalent to it.
Linear in the terminators' operands, except for the comparisons. See *origins* in docs/theory/conflicts.md and *passed*
in docs/theory/loops.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..conflicts.joining import Joiner
from .decision_record import DecisionRecord
from .region_flow import exit_values, passed_values

__all__ = ["ExitDecisions"]


class ExitDecisions:
    """Decides the yields of terminators: ``first`` of all, or in the turns of the terminators."""

    def __init__(self, joiner: Joiner, record: DecisionRecord, *, first: bool) -> None:
        self._joiner = joiner
        self._record = record
        self._first = first
        self._waiting: dict[int, list[tuple[int, list[int]]]] = {}
        """By terminator whose turn is still to come, its operands that are yielded to results only."""

    def begin(self, op: int) -> None:
        """Decide the yields of the terminators of ``op`` to its results, or postpone them to their turns."""
        for operand, targets in exit_values(self._joiner.effects, op):
            if self._first:
                self.decide(operand, targets)
            else:
                terminator = self._joiner.snapshot.operand_op[operand]
                self._waiting.setdefault(terminator, []).append((operand, targets))

    def decide_waiting(self, terminator: int) -> None:
        """Decide the yields that were postponed to the turn of ``terminator``."""
        for operand, targets in self._waiting.get(terminator, ()):
            self.decide(operand, targets)

    def decide(self, operand: int, targets: Sequence[int]) -> None:
        """Decide whether each of ``targets``, which have other sources too, may be the buffer of ``operand``."""
        value = self._joiner.snapshot.operand_value[operand]
        attempt = self._joiner.begin((value, *targets))
        for target in targets:
            self._joiner.sets.come_from(target, value)
        self._record.enter(operand, self._record.decide(self._joiner, attempt, operand))

    def decide_passed(self, op: int) -> None:
        """Decide whether tensors that a region of a loop forwards to the next region or the results are copied."""
        for operand, targets in passed_values(self._joiner.effects, op):
            value = self._joiner.snapshot.operand_value[operand]
            attempt = self._joiner.begin((value, *targets))
            for target in targets:
                self._joiner.sets.unite(target, value)
            self._record.enter(operand, self._record.decide(self._joiner, attempt, operand))

    def unite(self, op: int) -> None:
        """Put each result of ``op`` into the class, or state the slice, that all regions yield for it, if it is one."""
        find, decisions = self._joiner.sets.equivalence.find, self._record.decisions
        results: dict[int, list[int]] = {}
        for operand, targets in exit_values(self._joiner.effects, op):
            for target in targets:
                results.setdefault(target, []).append(operand)
        for result, operands in results.items():
            values = [self._joiner.snapshot.operand_value[operand] for operand in operands]
            if not all(decisions[o].in_place for o in operands):
                continue
            if len({find(value) for value in values}) == 1:
                self._joiner.sets.unite(result, values[0])
            else:
                self._joiner.sets.link_alike(result, values)
