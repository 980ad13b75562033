"""How long questions about the slices of one loop nest take, by the depth of the nest and the number of slices.

    python benchmarks/index_sets.py
    python benchmarks/index_sets.py --depths 1 2 4 8 --slices 10 50 200 --rounds 5

A nest of loops over tiles of a tensor with dynamic sizes, one loop for each dimension, reads slices of it and writes
one: tiles cut off at the end, some of them shifted. What an analysis of updates asks: does the written slice cover the
tensor, is it apart from each slice in one iteration, and in a later iteration of the outermost loop. The table has the
medians over the rounds, in milliseconds of the processor; every round starts from nothing. Nothing here is a test:
figures depend on the machine.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence

import mlir_inplace as mi
from mlir_inplace.passes.analysis.index_sets.coverage import covers
from mlir_inplace.passes.analysis.index_sets.points import Direction
from mlir_inplace.passes.analysis.index_sets.relations import IndexSets
from mlir_inplace.passes.analysis.index_sets.slices import Slice
from mlir_inplace.passes.analysis.index_sets.sums import Index, Symbol, add
from mlir_inplace.passes.analysis.index_sets.symbols import IndexTerms, InductionVariable, Range

TILE = 8


def nest_of(depth: int, slices: int) -> tuple[IndexTerms, list[InductionVariable], list[Slice], list[Index]]:
    """The loops, the slices (the written one first) and the sizes of the tensor."""
    terms = IndexTerms()
    sizes: list[Index] = [terms.fresh(Range(0)) for _ in range(depth)]
    loops = [terms.loop(0, size, TILE) for size in sizes]
    variables = [Symbol(loop.variable) for loop in loops]
    made: list[Slice] = []
    for number in range(slices):
        shift = number // 2
        offsets = tuple(_sum(v, shift if d == number % depth else 0) for d, v in enumerate(variables))
        lengths = tuple(
            terms.extremum((TILE, _sum(size, offset, -1))) for size, offset in zip(sizes, offsets, strict=True)
        )
        made.append(Slice(offsets, lengths, (1,) * depth))
    return terms, loops, made, sizes


def _sum(first: Index, second: Index, factor: int = 1) -> Index:
    total = add(first, second, factor)
    assert total is not None
    return total


def milliseconds(depth: int, slices: int) -> dict[str, float]:
    """The time for each kind of question."""
    terms, loops, made, sizes = nest_of(depth, slices)
    sets = IndexSets(terms)
    write, reads = made[0], made[1:]
    times: dict[str, float] = {}
    later = {loop.variable: Direction.ANY for loop in loops} | {loops[0].variable: Direction.LATER}

    def timed(name: str, start: float) -> None:
        times[name] = (time.process_time() - start) * 1e3

    start = time.process_time()
    covers(sets, [write], sizes, loops)
    timed("covers", start)
    start = time.process_time()
    for read in reads:
        sets.are_disjoint(read, write, loops)
    timed("one point", start)
    start = time.process_time()
    for read in reads:
        sets.are_disjoint(write, read, loops, later)
    timed("one loop", start)
    return times


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depths", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--slices", type=int, nargs="+", default=[2, 50])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    print(f"mlir-inplace {mi.__version__}, milliseconds")
    for depth in options.depths:
        for slices in options.slices:
            rounds = [milliseconds(depth, slices) for _ in range(options.rounds)]
            medians = {name: statistics.median(r[name] for r in rounds) for name in rounds[0]}
            total = statistics.median(sum(r.values()) for r in rounds)
            parts = ", ".join(f"{name} {value:.1f}" for name, value in medians.items())
            print(f"{depth} loops, {slices:3} slices: {total:7.1f}   ({parts})")


if __name__ == "__main__":
    main()
