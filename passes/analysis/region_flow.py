"""What region ops pass on: loops to their next iteration, branches to their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from .alias_sets import AliasSets
from .tensor_effects import TensorEffects

__all__ = ["Carried", "Passed", "carried_values", "exit_values", "passed_values", "permuted"]


class Carried(NamedTuple):
    """One tensor that a loop carries: the terminator's operand, the region argument and the result it reaches.

    ``result`` is -1 when the operand reaches the argument only.
    """

    operand: int
    argument: int
    result: int


class Passed(NamedTuple):
    """One tensor that a region hands to another region's argument, and the results that it becomes instead."""

    operand: int
    targets: tuple[int, ...]


def carried_values(effects: TensorEffects, op: int) -> list[Carried]:
    """Return what ``op`` carries from one iteration to the next; empty for ops that are no loops."""
    s = effects.snapshot
    found: list[Carried] = []
    for operand in _terminator_operands(effects, op):
        targets = effects.forwards.get(operand, ())
        arguments = [value for value in targets if s.value_op[value] < 0]
        results = [value for value in targets if s.value_op[value] >= 0]
        if arguments and not _is_passed(effects, targets):
            found.append(Carried(operand, arguments[0], results[0] if results else -1))
    return found


def passed_values(effects: TensorEffects, op: int) -> list[Passed]:
    """Return what a region of ``op`` hands to another one, which gets it from nowhere else, as `scf.while` does."""
    s = effects.snapshot
    found: list[Passed] = []
    for operand in _terminator_operands(effects, op):
        targets = effects.forwards.get(operand, ())
        if any(s.value_op[value] < 0 for value in targets) and _is_passed(effects, targets):
            found.append(Passed(operand, targets))
    return found


def _is_passed(effects: TensorEffects, targets: tuple[int, ...]) -> bool:
    """Whether each of ``targets`` comes from one place only."""
    return all(len(effects.sources[target]) == 1 for target in targets)


def exit_values(effects: TensorEffects, op: int) -> Iterator[tuple[int, list[int]]]:
    """Yield the terminator operands that ``op`` hands to its results only, with those results."""
    s = effects.snapshot
    for operand in _terminator_operands(effects, op):
        targets = effects.forwards.get(operand, ())
        if targets and all(s.value_op[target] >= 0 for target in targets):
            yield operand, list(targets)


def _terminator_operands(effects: TensorEffects, op: int) -> Iterator[int]:
    s = effects.snapshot
    for region in range(len(s.op_regions[op])):
        for terminator in s.exits(op, region):
            yield from s.operands(terminator)


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
