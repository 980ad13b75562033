"""Which of the programs that differ only in the order of independent ops is taken.

Two ops next to each other may change places if neither uses the other one's results, and neither may write memory that
the other one touches, whatever is decided in place: memory is told apart by what may be tied at all. Such programs do
the same to memory. Of all orders that are reached in this way the one counts whose tuple is least.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from .grammar import GRAMMAR
from .programs import FRESH, Block, Op, SmallProgram, Spot, nested_ops, uses

__all__ = ["is_least", "orders"]

_SIGNATURES = {form.kind: form for forms in GRAMMAR.values() for form in forms}
_READS_ONLY = frozenset(kind for kind, form in _SIGNATURES.items() if not form.writes)


def is_least(program: SmallProgram) -> bool:
    """Whether no other order of the ops comes before this one."""
    if sum(1 for _ in nested_ops(program.body)) < 2:
        return True
    return not any(renumbered(body) < program.body for body in orders(program))


def orders(program: SmallProgram) -> Iterator[Block]:
    """Yield the body in every order, the one it has first; values keep their numbers."""
    return _orders(program.body, _Memory(program))


class _Memory:
    """Which values may share memory at all: a union-find over all ties of a program.

    Not that of the analysis, which is what the programs check.
    """

    def __init__(self, program: SmallProgram) -> None:
        self._parents = list(range(len(program.types)))
        self._types = program.types
        for op in nested_ops(program.body):
            self._tie(op)

    def _find(self, value: int) -> int:
        while self._parents[value] != value:
            value = self._parents[value]
        return value

    def _tie(self, op: Op) -> None:
        signature = _SIGNATURES.get(op.kind)
        if signature is not None:
            alike = [*(op.operands[position] for position in signature.tied if op.results), *op.results]
        else:
            alike = [*op.operands, *op.results]
            for block in op.blocks:
                alike += [*block.arguments, *block.yields]
        tensors = [value for value in alike if value != FRESH and self._types[value] not in "IX"]
        for value in tensors[1:]:
            self._parents[self._find(value)] = self._find(tensors[0])

    def touched(self, values: Sequence[int]) -> set[int]:
        """The memory of some values."""
        return {self._find(value) for value in values if value != FRESH and self._types[value] not in "IX"}


def _orders(block: Block, memory: _Memory) -> Iterator[Block]:
    inner = [list(_with_blocks(op, memory)) for op in block.ops]
    for numbers in _extensions(block.ops, memory):
        for ops in itertools.product(*(inner[number] for number in numbers)):
            yield block._replace(ops=ops)


def _with_blocks(op: Op, memory: _Memory) -> Iterator[Op]:
    for blocks in itertools.product(*(list(_orders(block, memory)) for block in op.blocks)):
        yield op._replace(blocks=blocks)


def _extensions(ops: Sequence[Op], memory: _Memory) -> Iterator[tuple[int, ...]]:
    """Yield the orders of ops that keep the order of each pair that must not change places."""
    used = [set(uses(op)) for op in ops]
    touched = [memory.touched([*values, *op.results]) for values, op in zip(used, ops, strict=True)]
    before: list[set[int]] = [
        {
            first
            for first in range(second)
            if _are_ordered(ops[first], ops[second], used[second], first, second, touched)
        }
        for second in range(len(ops))
    ]

    def extend(done: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(done) == len(ops):
            yield done
        for number, needed in enumerate(before):
            if number not in done and needed.issubset(done):
                yield from extend((*done, number))

    return extend(())


def _are_ordered(one: Op, other: Op, used: set[int], first: int, second: int, touched: Sequence[set[int]]) -> bool:
    if not used.isdisjoint(one.results):
        return True
    both_read = one.kind in _READS_ONLY and other.kind in _READS_ONLY
    return not both_read and not touched[first].isdisjoint(touched[second])


def renumbered(body: Block) -> Block:
    """Number the values in the order of their definition."""
    numbers = {FRESH: FRESH}

    def number(values: Sequence[int]) -> tuple[int, ...]:
        for value in values:
            numbers.setdefault(value, len(numbers) - 1)
        return tuple(numbers[value] for value in values)

    def block(old: Block) -> Block:
        arguments = number(old.arguments)
        ops = tuple(op(one) for one in old.ops)
        return Block(arguments, ops, number(old.yields))

    def op(old: Op) -> Op:
        operands = number(old.operands)
        places = tuple(Spot(numbers[place.value], place.factor) for place in old.places)
        blocks = tuple(block(one) for one in old.blocks)
        return Op(old.kind, operands, places, blocks, number(old.results))

    renamed = block(body)
    return renamed._replace(yields=tuple(sorted(renamed.yields)))
