"""The order in which the in-place analysis takes its decisions.

Every order is sound: a decision is accepted only if it keeps the invariant of ``function_decisions.py``. The order only
chooses which of two clashing decisions is refused, so it is a matter of cost. All orders decide an op with regions
after everything inside of it, because the class of a value that a loop yields is known only then.

Cost: n log n in the ops of a function. Counterpart upstream: ``analysis-heuristic`` and ``analysis-fuzzer-seed``.
"""

from __future__ import annotations

import enum
import random
from collections.abc import Sequence

from ....dialects.support.frozen_classes import frozen
from ..effects.reader import TensorEffects
from ..ir.snapshot import Snapshot

__all__ = ["FIRST", "PASSING_ON", "TOP_DOWN", "UNROTATED", "DecisionOrder", "Heuristic", "nested_first"]


class Heuristic(enum.Enum):
    """Values of the option ``analysis-heuristic``: ours, then upstream's."""

    CHEAPEST = "cheapest"
    """Tries a few orders and takes the outcome that copies the fewest bytes, then allocates the fewest."""
    OPTIMAL = "optimal"
    """Searches for the decisions that cost least (``optimal.py``)."""
    BOTTOM_UP = "bottom-up"
    TOP_DOWN = "top-down"
    FROM_TERMINATORS = "bottom-up-from-terminators"
    FUZZER = "fuzzer"


@frozen
class DecisionOrder:
    """One order of decisions.

    ``exits_first``: branch yields are decided before anything else, so that one later write is refused instead of each
    branch; otherwise each is decided in the turn of its terminator. ``postpone``: ties whose refusal costs no copy come
    last. ``pass_on``: a loop prefers to carry on the yielded buffer itself to copying it into the carried buffer.
    ``rotate``: a loop swaps the buffers it carries where that is possible, which has to start with different ones.
    ``seed`` is used by the fuzzer only.
    """

    heuristic: Heuristic = Heuristic.BOTTOM_UP
    exits_first: bool = False
    postpone: bool = False
    pass_on: bool = False
    rotate: bool = True
    seed: int = 0

    @classmethod
    def fuzzer(cls, seed: int) -> DecisionOrder:
        """Return the random order of ``seed``; every field that may differ between orders is drawn."""
        draw = random.Random(seed)
        exits_first, postpone, pass_on = (draw.random() < 0.5 for _ in range(3))
        return cls(Heuristic.FUZZER, exits_first, postpone, pass_on, draw.random() < 0.75, seed)

    def ops(self, effects: TensorEffects, function: int) -> Sequence[int]:
        """Return the ops inside of ``function`` in the order of their turns."""
        s = effects.snapshot
        ops = s.nested_ops(function)
        if self.heuristic is Heuristic.TOP_DOWN:
            return nested_first(s, ops, list(ops))
        if self.heuristic is Heuristic.FROM_TERMINATORS:
            return nested_first(s, ops, _ranks_from_terminators(effects, function))
        if self.heuristic is Heuristic.FUZZER:
            turns = list(range(len(ops)))
            random.Random(self.seed).shuffle(turns)
            return nested_first(s, ops, turns)
        return ops[::-1]

    def operands(self, snapshot: Snapshot, op: int) -> Sequence[int]:
        """Return the operands of ``op`` in the order of their turns."""
        operands = snapshot.operands(op)
        if self.heuristic is not Heuristic.FUZZER or len(operands) < 2:
            return operands
        return random.Random(self.seed + op).sample(operands, len(operands))


FIRST = DecisionOrder(exits_first=True, postpone=True)
"""The order that is tried first."""

TOP_DOWN = DecisionOrder(Heuristic.TOP_DOWN, exits_first=True)

PASSING_ON = DecisionOrder(exits_first=True, postpone=True, pass_on=True)
"""Loops prefer to carry on the yielded buffer."""

UNROTATED = DecisionOrder(exits_first=True, postpone=True, pass_on=True, rotate=False)
"""Loops swap no buffers."""


def nested_first(s: Snapshot, ops: range, turns: list[int]) -> list[int]:
    """Return ``ops`` sorted by ``turns``, with each op after all ops nested in it."""
    first = ops.start
    for op in reversed(ops):
        parent = s.block_op[s.op_block[op]]
        if parent >= first:
            turns[parent - first] = max(turns[parent - first], turns[op - first])
    # Numbers grow inwards, so of two ops with one turn the nested one comes first.
    return sorted(ops, key=lambda op: (turns[op - first], -op))


def _ranks_from_terminators(effects: TensorEffects, function: int) -> list[int]:
    """Rank the ops that define yielded values, back along the ties, before all others; both in reverse order."""
    s = effects.snapshot
    ops = s.nested_ops(function)
    later = [True] * len(ops)
    blocks = (s.block_ops[block] for op in (function, *ops) for region in s.op_regions[op] for block in region)
    ends = [block[-1] for block in blocks if block]
    work = [s.operand_value[operand] for op in ends for operand in s.operands(op)]
    for op in ends:
        later[op - ops.start] = False
    while work:
        value = work.pop()
        op = s.value_op[value] if value >= 0 else -1
        if op in ops and later[op - ops.start]:
            later[op - ops.start] = False
            work.extend(s.operand_value[operand] for operand in effects.sources.get(value, ()))
    count = len(ops)
    return [later[index] * count + count - index for index in range(count)]
