"""Random shardings of a program: any argument and result may be split, along any of its dimensions of known size."""

from __future__ import annotations

import random
from collections.abc import Sequence

from mlir import ir

from ...passes.sharding.rewriting.annotations import annotate

__all__ = ["annotate_at_random", "random_grid"]


def random_grid(ranks: int, chosen: random.Random) -> tuple[int, ...]:
    """A grid of so many ranks: one or two axes."""
    factors = [extent for extent in range(2, ranks) if ranks % extent == 0]
    if factors and chosen.random() < 0.6:
        extent = chosen.choice(factors)
        return extent, ranks // extent
    return (ranks,)


def annotate_at_random(function: ir.Operation, grid: Sequence[int], chosen: random.Random) -> None:
    """Split some arguments and results of a function, the same ones for the same state of `chosen`."""
    block = function.regions[0].blocks[0]
    last = list(block.operations)[-1].operation
    arguments = _some(list(block.arguments), grid, chosen)
    results = _some(list(last.operands), grid, chosen)
    annotate(function, grid, arguments, results)


def _some(values: Sequence[ir.Value], grid: Sequence[int], chosen: random.Random) -> dict[int, list[list[int]]]:
    found: dict[int, list[list[int]]] = {}
    for number, value in enumerate(values):
        if isinstance(value.type, ir.RankedTensorType) and value.type.rank and chosen.random() < 0.7:
            found[number] = _split(value.type, grid, chosen)
    return found


def _split(type_: ir.RankedTensorType, grid: Sequence[int], chosen: random.Random) -> list[list[int]]:
    split: list[list[int]] = [[] for _ in range(type_.rank)]
    known = [dimension for dimension in range(type_.rank) if not type_.is_dynamic_dim(dimension)]
    axes = list(range(len(grid)))
    chosen.shuffle(axes)
    for axis in axes:
        if known and chosen.random() < 0.8:
            split[chosen.choice(known)].append(axis)
    return split
