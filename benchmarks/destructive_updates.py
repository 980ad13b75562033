"""How long it takes to find destructive updates and to prove what is certain about their slices.

    python benchmarks/destructive_updates.py
    python benchmarks/destructive_updates.py --slices 50 100 --nests 1 8 64 --depths 1 4 16 --rounds 7

Loops over the tiles of a tensor with dynamic sizes, one for each dimension, cut off at the end. One nest of four loops
with that many slices, of which all but one are read, half are, or none is; that many nests of four loops with a read
and an update, each of its own tensor or of that of the one before; one nest that deep over a tensor of up to four
dimensions. Columns: what any analysis needs (the snapshot and what ops do), finding the updates, proving. Milliseconds
of the processor, medians over the rounds, and how many times that of the smallest program it is. Every round starts
from nothing. Nothing here is a test: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Sequence

import mlir_inplace as mi

# isort: split
# Only now is `mlir` there.
from mlir import ir

from mlir_inplace.passes.analysis.destructive_updates.chains import DestructiveUpdates
from mlir_inplace.passes.analysis.destructive_updates.proofs import UpdateProofs
from mlir_inplace.passes.analysis.whole_module.module import read_effects

MOST_DIMENSIONS = 4
TILE = 8


def nest(number: int, depth: int, reads: int, updates: int, source: str) -> list[str]:
    """Loops that read and update tiles of `source`; those read are shifted, each by another distance."""
    rank = min(depth, MOST_DIMENSIONS)
    tensor, tile = (f"tensor<{'?x' * rank}f32>" for _ in range(2))
    lines: list[str] = []
    carried = source
    for level in range(depth):
        name = f"{number}_{level}"
        lines.append(
            f"%r{name} = scf.for %i{name} = %c0 to %n{level % rank} step %c{TILE} iter_args(%a{name} = {carried}) "
            f"-> ({tensor}) {{"
        )
        carried = f"%a{name}"
    variables = [f"%i{number}_{level}" for level in range(depth - rank, depth)]
    for which in range(max(reads, updates)):
        name = f"{number}_{which}"
        offsets: list[str] = []
        for d, variable in enumerate(variables):
            shift = which // rank if d == which % rank else 0
            lines.append(f"%o{name}_{d} = affine.apply affine_map<(i) -> (i + {shift})>({variable})")
            bound = f"affine_map<(i)[n] -> ({TILE}, n - i)>(%o{name}_{d})[%n{(depth - rank + d) % rank}]"
            lines.append(f"%s{name}_{d} = affine.min {bound}")
            offsets.append(f"%o{name}_{d}")
        slice_ = f"[{', '.join(offsets)}] [{', '.join(f'%s{name}_{d}' for d in range(rank))}] [{', '.join('1' * rank)}]"
        if which < reads:
            lines.append(f"%t{name} = tensor.extract_slice {carried}{slice_} : {tensor} to {tile}")
        if which < updates:
            lines.append(f"%e{name} = tensor.empty({', '.join(f'%s{name}_{d}' for d in range(rank))}) : {tile}")
            lines.append(f"%u{name} = tensor.insert_slice %e{name} into {carried}{slice_} : {tile} into {tensor}")
            carried = f"%u{name}"
    for level in reversed(range(depth)):
        lines += [f"scf.yield {carried} : {tensor}", "}"]
        carried = f"%r{number}_{level}"
    return lines


def program(nests: int, depth: int, reads: int, updates: int, *, chained: bool = False) -> str:
    """A function with that many nests, which begin with the argument or go on with the tensor of the one before."""
    rank = min(depth, MOST_DIMENSIONS)
    tensor = f"tensor<{'?x' * rank}f32>"
    lines = [f"func.func @main(%t: {tensor}) -> {tensor} {{"]
    lines += [f"%c{value} = arith.constant {value} : index" for value in (*range(rank), TILE)]
    lines += [f"%n{d} = tensor.dim %t, %c{d} : {tensor}" for d in range(rank)]
    source = "%t"
    for number in range(nests):
        lines += nest(number, depth, reads, updates, source if chained else "%t")
        source = f"%r{number}_0"
    return "\n".join([*lines, f"return {source} : {tensor}", "}"])


def milliseconds(text: str) -> tuple[float, float, float]:
    """The time to read the program, to find its updates, and to prove what is certain about them."""
    with ir.Context():
        module = ir.Module.parse(text)
        gc.collect()
        times = [time.process_time()]
        effects, (function,) = read_effects(module.operation)
        times.append(time.process_time())
        found, _ = DestructiveUpdates(effects).of_function(function)
        times.append(time.process_time())
        proofs = UpdateProofs(effects)
        for update in found:
            proofs.prove(update, function)
        times.append(time.process_time())
    assert found
    return (times[1] - times[0]) * 1e3, (times[2] - times[1]) * 1e3, (times[3] - times[2]) * 1e3


def row(name: str, text: str, rounds: int, smallest: float, size: int) -> float:
    """Print the medians of one program, and return their sum."""
    columns = [statistics.median(column) for column in zip(*(milliseconds(text) for _ in range(rounds)), strict=True)]
    total = sum(columns)
    times = f" {total / (smallest or total):8.1f} times for {size}" if size else ""
    print(f"{name:32}{''.join(f'{value:9.2f}' for value in columns)}{total:9.2f}{times}")
    return total


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slices", type=int, nargs="+", default=[2, 10, 50])
    parser.add_argument("--nests", type=int, nargs="+", default=[1, 4, 16, 64])
    parser.add_argument("--depths", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    print(f"mlir-inplace {mi.__version__}, milliseconds\n{'':32}{'read':>9}{'found':>9}{'proven':>9}{'all':>9}")
    for slices in options.slices:
        for kind, reads in (("all but one read", slices - 1), ("half read", slices // 2), ("none read", 0)):
            row(f"{slices} slices, {kind}", program(1, 4, reads, slices - reads), options.rounds, 0, 0)
    for kind, chained in (("apart", False), ("in a row", True)):
        smallest = 0.0
        for nests in options.nests:
            text = program(nests, 4, 1, 1, chained=chained)
            total = row(f"{nests} nests of 4 loops, {kind}", text, options.rounds, smallest, nests)
            smallest = smallest or total
    smallest = 0.0
    for depth in options.depths:
        total = row(f"{depth} loops in each other", program(1, depth, 1, 1), options.rounds, smallest, depth)
        smallest = smallest or total


if __name__ == "__main__":
    main()
