"""What region ops pass on: loops to their next iteration, branches to their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from .alias_sets import AliasSets
from .tensor_effects import TensorEffects

__all__ = ["Carried", "carried_values", "exit_values", "permuted"]


class Carried(NamedTuple):
    """One tensor that a loop carries: the terminator's operand, the region argument and the result it reaches."""

    operand: int
    argument: int
    result: int


def carried_values(effects: TensorEffects, op: int) -> list[Carried]:
    """Return what ``op`` carries from one iteration to the next; empty for ops that are no loops."""
    s = effects.snapshot
    found: list[Carried] = []
    for operand in _terminator_operands(effects, op):
        targets = effects.forwards.get(operand, ())
        arguments = [value for value in targets if s.value_op[value] < 0]
        results = [value for value in targets if s.value_op[value] >= 0]
        if arguments and results:
            found.append(Carried(operand, arguments[0], results[0]))
    return found


def exit_values(effects: TensorEffects, op: int) -> Iterator[tuple[int, list[int]]]:
    """Yield the terminator operands that ``op`` hands to its results only, with those results."""
    s = effects.snapshot
    for operand in _terminator_operands(effects, op):
        targets = effects.forwards.get(operand, ())
        if targets and all(s.value_op[target] >= 0 for target in targets):
            yield operand, list(targets)


def _terminator_operands(effects: TensorEffects, op: int) -> Iterator[int]:
    s = effects.snapshot
    for region in s.op_regions[op]:
        if len(region) == 1 and s.block_ops[region[0]]:
            yield from s.operands(s.block_ops[region[0]][-1])


def permuted(effects: TensorEffects, sets: AliasSets, carried: list[Carried]) -> list[Carried]:
    """Return the largest part of ``carried`` whose yielded buffers are exactly its carried ones, in another order."""
    find, s = sets.equivalence.find, effects.snapshot
    part = carried
    while True:
        arguments = {find(entry.argument) for entry in part}
        yielded = Counter(find(s.operand_value[entry.operand]) for entry in part)
        kept = [
            entry
            for entry in part
            if yielded[find(entry.argument)] == 1 and find(s.operand_value[entry.operand]) in arguments
        ]
        if len(kept) == len(part):
            return part
        part = kept
