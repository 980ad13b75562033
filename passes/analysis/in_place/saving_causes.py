"""Operands that are in place, although a buffer of their own would save more elsewhere than it costs.

What is paid for, because of a write, a read, or a reshape of what may have gaps, would not be if one of the operands
that brought that memory together had a buffer of its own. Orders of decisions miss that: they know neither what else a
refusal causes, such as an insertion that then moves elements, nor what it costs to refuse in front of a loop instead.

For each such operand the cost model says what its own buffer costs, and what is paid for because of it. Of those that
save each expense the one that saves most is refused. Whether that is cheaper after all is seen by trying.

Refusing an operand is always right. Linear in what is paid for: each is followed a bounded number of operands back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..conflicts.decisions import Conflict, Rule
from ..effects.reader import TensorEffects
from .cost_model import CostModel, Expense
from .function_decisions import FunctionAnalysis
from .optimality import Price
from .unranked import is_copyable

__all__ = ["saving_causes"]

_LONGEST = 64
"""How many operands are followed back from an access."""


def saving_causes(costs: CostModel, effects: TensorEffects, analysis: FunctionAnalysis) -> dict[int, Conflict]:
    """Return operands whose refusal may make ``analysis`` cheaper, each with the conflict that is paid for."""
    s, causes, saved = effects.snapshot, dict[int, list[int]](), defaultdict[int, Price](Price)
    for expense, price in costs.expenses(analysis):
        if expense.makes:
            continue
        paid = _origin(effects, analysis, expense)
        if paid not in causes:
            causes[paid] = list(dict.fromkeys(_causes(effects, analysis, paid)))
        # Whatever has a buffer of its own between the slice and the insertion, elements move.
        between = set(_back(effects, analysis, s.operand_value[expense.number])) if expense.moves else ()
        for operand in causes[paid]:
            saved[operand] = saved[operand].plus(Price() if operand in between else price)
    gains = {operand: _difference(price, costs.of_refusal(operand)) for operand, price in saved.items()}
    found: dict[int, Conflict] = {}
    for paid, operands in causes.items():
        best = max(operands, key=lambda operand: gains[operand], default=-1)
        if best >= 0 and gains[best] > (0, 0):
            found.setdefault(best, _conflict(analysis, paid) or Conflict(Rule.NOT_CONTIGUOUS, read=paid))
    return found


def _difference(saved: Price, paid: Price) -> tuple[int, int]:
    return saved.weighed - paid.weighed, saved.copied - paid.copied


def _conflict(analysis: FunctionAnalysis, operand: int) -> Conflict | None:
    decision = analysis.decisions.get(operand)
    return None if decision is None else decision.conflict


def _origin(effects: TensorEffects, analysis: FunctionAnalysis, expense: Expense) -> int:
    """Return the operand that is paid for; of elements that move, the one that put them elsewhere, if known."""
    if expense.moves:
        for operand in _back(effects, analysis, effects.snapshot.operand_value[expense.number]):
            if not analysis.decisions[operand].in_place:
                return operand
    return expense.number


def _causes(effects: TensorEffects, analysis: FunctionAnalysis, paid: int) -> Iterator[int]:
    """Yield operands that may be refused, and that brought together what operand ``paid`` is paid for."""
    conflict = _conflict(analysis, paid)
    for access in (paid,) if conflict is None else (conflict.write, conflict.read):
        if access < 0:
            continue
        for operand in (access, *_back(effects, analysis, effects.snapshot.operand_value[access])):
            decision = analysis.decisions.get(operand)
            if decision is None or not decision.in_place or effects.must_in_place[operand]:
                continue
            if is_copyable(effects, operand):
                yield operand


def _back(effects: TensorEffects, analysis: FunctionAnalysis, value: int) -> Iterator[int]:
    """Yield the decided operands that bring memory into the buffer of ``value``; out-of-place ones end the search."""
    work, seen = [value], {value}
    while work and len(seen) < _LONGEST:
        for operand in effects.sources.get(work.pop(), ()):
            decision, source = analysis.decisions.get(operand), effects.snapshot.operand_value[operand]
            if decision is None or source in seen:
                continue
            yield operand
            if decision.in_place:
                seen.add(source)
                work.append(source)
