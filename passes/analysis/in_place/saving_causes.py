"""Operands that are in place, although a buffer of their own would save more elsewhere than it costs.

What is paid for, because of a write, a read, or a reshape of what may have gaps, would not be if one of the operands
that brought that memory together had a buffer of its own. Orders of decisions miss that: they know neither what else a
refusal causes, such as an insertion that then moves elements, nor what it costs to refuse in front of a loop instead.

For each such operand the cost model says what its own buffer costs, and what is paid for because of it. Whether that is
cheaper after all is seen by trying (``improvement.py``).

Refusing an operand is always right. Linear in what is paid for: each is followed a bounded number of operands back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from ....dialects.support.frozen_classes import frozen
from ..conflicts.decisions import Conflict, Rule
from ..costs.price import Price
from ..effects.reader import TensorEffects
from .cost_model import CostModel, Expense
from .decision_record import costs_no_copy
from .function_decisions import FunctionAnalysis
from .optimal import refusable

__all__ = ["Cause", "saving_causes"]

_LONGEST = 64
"""How many operands are followed back from an access."""


@frozen
class Cause:
    """An operand in place, the conflict that is paid for because of it, and what its refusal would save by estimate."""

    operand: int
    conflict: Conflict
    saved: int
    paid: frozenset[int] = frozenset()
    """The operands that are paid for because of it."""
    is_sure: bool = False
    """Whether the buffers that are made only for it alone cost more."""


def saving_causes(
    costs: CostModel, effects: TensorEffects, analysis: FunctionAnalysis, not_passed_on: Mapping[int, Conflict]
) -> list[Cause]:
    """Return operands whose refusal may make ``analysis`` cheaper.

    Those that save the most come first, of these the ones in the fewest loops. ``not_passed_on``: by operand that a
    loop yields, why the next iteration does not get that buffer.
    """
    return _Causes(effects, analysis, not_passed_on).ranked(costs)


class _Causes:
    """The causes of what ``analysis`` pays for."""

    def __init__(
        self, effects: TensorEffects, analysis: FunctionAnalysis, not_passed_on: Mapping[int, Conflict]
    ) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._analysis = analysis
        self._not_passed_on = not_passed_on

    def ranked(self, costs: CostModel) -> list[Cause]:
        causes, saved = dict[int, list[int]](), defaultdict[int, Price](Price)
        reasons, made = defaultdict[int, list[int]](list), defaultdict[int, Price](Price)
        for expense, price in costs.expenses(self._analysis):
            if expense.makes:
                for operand in self._makes(expense.number):
                    saved[operand] = saved[operand].plus(price)
                    made[operand] = made[operand].plus(price)
                continue
            paid = self._origin(expense)
            if paid not in causes:
                causes[paid] = list(self._of(paid))
            between = self._between(expense) if expense.moves else ()
            for operand in causes[paid]:
                reasons[operand].append(paid)
                saved[operand] = saved[operand].plus(Price() if operand in between else price)
        allowed = refusable(self._effects, self._analysis) if saved else ()
        gains = {o: _difference(price, costs.of_refusal(o)) for o, price in saved.items() if o in allowed}
        best = [operand for operand, gain in gains.items() if gain > (0, 0)]
        best.sort(key=lambda operand: (*gains[operand], -self._depth(operand)), reverse=True)
        return [
            Cause(
                operand,
                self._conflict(reasons[operand][0]) if reasons[operand] else Conflict(Rule.CHEAPER, write=operand),
                gains[operand][0],
                frozenset(reasons[operand]),
                _difference(made[operand], costs.of_refusal(operand)) > (0, 0),
            )
            for operand in best
        ]

    def _makes(self, value: int) -> list[int]:
        """Return the write for which alone a tensor without content gets a buffer, if its own would need no copy."""
        needing = set(self._analysis.needing_forwarded(self._effects, value))
        if len(needing) == 1:
            (operand,) = needing
            decision = self._analysis.decisions.get(operand)
            if decision is not None and decision.in_place and costs_no_copy(self._effects, operand):
                return [operand]
        return []

    def _conflict(self, paid: int) -> Conflict:
        found = next((conflict for conflict in self._conflicts(paid) if max(conflict.write, conflict.read) >= 0), None)
        return found or Conflict(Rule.NOT_CONTIGUOUS, read=paid)

    def _conflicts(self, paid: int) -> Iterator[Conflict]:
        """Yield why operand ``paid`` is paid for, first why a loop does not pass it on."""
        if paid in self._not_passed_on:
            yield self._not_passed_on[paid]
        decision = self._analysis.decisions.get(paid)
        if decision is not None and decision.conflict is not None:
            yield decision.conflict

    def _origin(self, expense: Expense) -> int:
        """Return the operand that is paid for; of elements that move, the one that put them elsewhere, if known."""
        if expense.moves:
            for operand in self._back(self._snapshot.operand_value[expense.number]):
                if not self._analysis.decisions[operand].in_place:
                    return operand
        return expense.number

    def _between(self, expense: Expense) -> set[int]:
        """Return the operands between what is inserted and its destination: if one is refused elements move."""
        s, effects = self._snapshot, self._effects
        found = set(self._back(s.operand_value[expense.number]))
        for operand in s.operands(s.operand_op[expense.number]):
            if effects.redundant_source.get(operand) == expense.number:
                found.difference_update(self._back(s.operand_value[operand]))
        return found

    def _of(self, paid: int) -> Iterator[int]:
        """Yield operands in place that brought together what operand ``paid`` is paid for."""
        conflict = next(self._conflicts(paid), None)
        accesses = [] if conflict is None else [access for access in (conflict.write, conflict.read) if access >= 0]
        seen = set[int]()
        for access in (*accesses, paid):
            for operand in (access, *(operand for value in self._accessed(access) for operand in self._back(value))):
                decision = self._analysis.decisions.get(operand)
                if decision is not None and decision.in_place and operand not in seen:
                    seen.add(operand)
                    yield operand
        if conflict is not None and conflict.rule is Rule.ROTATION_SHARED:
            yield from (operand for operand in self._rotated(paid) if operand not in seen)

    def _rotated(self, paid: int) -> Iterator[int]:
        """Yield the inits of loops that may have swapped the buffer of operand ``paid`` with another one."""
        s = self._snapshot
        values = [s.operand_value[paid], *(s.operand_value[o] for o in self._back(s.operand_value[paid]))]
        for operand in dict.fromkeys(use for value in values if value >= 0 for use in s.value_uses[value]):
            decision = self._analysis.decisions.get(operand)
            if operand in self._effects.forwards and decision is not None and decision.in_place:
                yield operand

    def _accessed(self, access: int) -> Iterator[int]:
        """Yield the values whose buffers an operand accesses: what is copied into the carried buffer writes that."""
        decision = self._analysis.decisions.get(access)
        if decision is not None and not decision.in_place:
            yield from self._effects.forwards.get(access, ())
        yield self._snapshot.operand_value[access]

    def _back(self, value: int) -> Iterator[int]:
        """Yield the decided operands that bring memory into the buffer of ``value``, up to out-of-place ones."""
        work, seen = [value], {value}
        while work and len(seen) < _LONGEST:
            for operand in self._effects.sources.get(work.pop(), ()):
                decision, source = self._analysis.decisions.get(operand), self._snapshot.operand_value[operand]
                if decision is None or source in seen:
                    continue
                yield operand
                if decision.in_place:
                    seen.add(source)
                    work.append(source)

    def _depth(self, operand: int) -> int:
        """Return in how many loops the op of ``operand`` is."""
        s, found = self._snapshot, 0
        loop = s.block_loop[s.op_block[s.operand_op[operand]]]
        while loop >= 0:
            loop, found = s.outer_loop(loop), found + 1
        return found


def _difference(saved: Price, paid: Price) -> tuple[int, int]:
    return saved.weighed - paid.weighed, saved.copied - paid.copied
