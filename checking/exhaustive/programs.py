"""Small programs as plain tuples: ops on values that are numbered in the order of their definition.

The arguments are numbered first, then what is inside of an op, then its results. So programs that differ in names only
are equal, and tuples have an order, by which one of several orders of the ops is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["FRESH", "TENSORS", "Block", "Op", "SmallProgram", "Spot", "nested_ops", "uses"]

FRESH = -1
"""The operand that is a constant of its own."""

TENSORS = {"T": "tensor<4xi32>", "S": "tensor<2xi32>", "M": "tensor<2x2xi32>"}
"""The tensor types by the letter that programs name them by; `I` is a number, `X` the index of a loop."""


class Spot(NamedTuple):
    """An index or an offset: the number `factor` if there is no `value`, else so many times that value."""

    value: int = FRESH
    factor: int = 0


class Op(NamedTuple):
    """An op of a kind of the grammar; `places` holds its index or offset, if it has one."""

    kind: str
    operands: tuple[int, ...]
    places: tuple[Spot, ...] = ()
    blocks: tuple[Block, ...] = ()
    results: tuple[int, ...] = ()


class Block(NamedTuple):
    """A block of a region, with the operands of its terminator."""

    arguments: tuple[int, ...]
    ops: tuple[Op, ...]
    yields: tuple[int, ...]


class SmallProgram(NamedTuple):
    """A function. `types` has a letter for each value; of the arguments `r` ones must not be written, `w` ones may."""

    arguments: str
    body: Block
    types: str


def nested_ops(block: Block) -> Iterator[Op]:
    """Yield the ops of a block and of the blocks inside of them."""
    for op in block.ops:
        yield op
        for inner in op.blocks:
            yield from nested_ops(inner)


def uses(op: Op) -> Iterator[int]:
    """Yield the values that an op uses, and those that the ops inside of it do."""
    yield from op.operands
    for place in op.places:
        yield place.value
    for block in op.blocks:
        for inner in block.ops:
            yield from uses(inner)
        yield from block.yields
