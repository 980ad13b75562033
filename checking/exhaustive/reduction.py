"""Smaller programs that fail in the same way: without an op, or without one of the returned values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..fuzzing.configurations import Configuration
from ..fuzzing.outcomes import FindingKind
from .batch import Failure, try_programs
from .programs import FRESH, Block, Op, SmallProgram, Spot, nested_ops, uses

__all__ = ["reduced", "smaller"]

_LOST = frozenset({FindingKind.CRASH, FindingKind.TIME})
"""Kinds that would end the process that tries."""


def reduced(failure: Failure, configurations: Sequence[Configuration] = ()) -> Failure:
    """Return the failure of a smaller program that no step makes smaller; crashes are left as they are."""
    while failure.kind not in _LOST:
        programs = list(smaller(failure.program))
        found = try_programs(programs, configurations).failures if programs else []
        alike = [one for one in found if one.kind is failure.kind]
        if not alike:
            break
        failure = min(alike, key=lambda one: sum(1 for _ in nested_ops(one.program.body)))
    return failure


def smaller(program: SmallProgram) -> Iterator[SmallProgram]:
    """Yield what is left without each returned value, and without each op; programs keep their arguments."""
    body = program.body
    for value in body.yields if len(body.yields) > 1 else ():
        left = tuple(one for one in body.yields if one != value)
        yield program._replace(body=_live(body._replace(yields=left)))
    for op in nested_ops(body):
        for replacements in _replacements(program, op):
            shorter = _without(body, op, dict(zip(op.results, replacements, strict=True)))
            if FRESH not in shorter.yields and len(set(shorter.yields)) == len(shorter.yields):
                yield program._replace(body=shorter)


def _replacements(program: SmallProgram, op: Op) -> Iterator[tuple[int, ...]]:
    """Yield values that may take the place of the results of an op: operands of its type."""
    same = [
        [
            value
            for value in dict.fromkeys(op.operands)
            if value != FRESH and program.types[value] == program.types[result]
        ]
        for result in op.results
    ]
    if all(same):
        yield tuple(values[min(number, len(values) - 1)] for number, values in enumerate(same))
    if program.types[op.results[0]] == "I" and len(op.results) == 1:
        yield (FRESH,)


def _without(block: Block, gone: Op, names: dict[int, int]) -> Block:
    """Leave an op out; `names` are what stands for its results."""

    def rename(values: Sequence[int]) -> tuple[int, ...]:
        return tuple(names.get(value, value) for value in values)

    ops = tuple(
        op._replace(
            operands=rename(op.operands),
            places=tuple(Spot(names.get(place.value, place.value), place.factor) for place in op.places),
            blocks=tuple(_without(inner, gone, names) for inner in op.blocks),
        )
        for op in block.ops
        if op != gone
    )
    return block._replace(ops=ops, yields=rename(block.yields))


def _live(block: Block) -> Block:
    """Leave out the ops of a block whose results nothing uses any more."""
    ops: list[Op] = []
    used = set(block.yields)
    for op in reversed(block.ops):
        if not used.isdisjoint(op.results):
            ops.insert(0, op)
            used.update(uses(op))
    return block._replace(ops=tuple(ops))
