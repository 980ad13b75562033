"""How the time of inplace-remove-outs-dependency grows with the length of chains, and what it saves in buffers.

    python benchmarks/remove_outs.py
    python benchmarks/remove_outs.py --ops 10 1000 --rounds 7

A program is a chain of that many ops, each of which has the result of the one before as its `outs`:
`dead` (nothing else is used: one op is left), `inputs` (each is an input of the next op as well), `named` (ops that
fusion does not look at), `buffers` (each op has an operand with a buffer of its own). The table has medians over the
rounds, the time per op, how many times that of the smallest size it is (1.0 is linear), and the allocations after
bufferization, without the pass, with it, and with its `mode=empty`. Only the pass is timed. Nothing here is a test:
figures depend on the machine.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable, Sequence

import mlir_inplace as mi

# isort: split
# Only now is `mlir` there.
from mlir import ir

REMOVE = "inplace-remove-outs-dependency"
BUFFERIZE = (
    "inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false},canonicalize,cse"
)
TENSOR = "tensor<64xf32>"


def generic(name: str, source: str, init: str) -> str:
    """Twice `source`."""
    return f"""{name} = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}} ins({source} : {TENSOR}) outs({init} : {TENSOR}) {{
      ^bb0(%in: f32, %out: f32):
        %s = arith.addf %in, %in : f32
        linalg.yield %s : f32
    }} -> {TENSOR}"""


def dead(size: int) -> list[str]:
    """Producers die."""
    return [generic(f"%t{i + 1}", "%x", f"%t{i}") for i in range(size)]


def inputs(size: int) -> list[str]:
    """Producers are read, by what has their results as outs."""
    return [generic(f"%t{i + 1}", f"%t{i}", f"%t{i}") for i in range(size)]


def named(size: int) -> list[str]:
    """Producers die; no op is a generic."""
    return [f"%t{i + 1} = linalg.exp ins(%x : {TENSOR}) outs(%t{i} : {TENSOR}) -> {TENSOR}" for i in range(size)]


def buffers(size: int) -> list[str]:
    """Each producer needs a buffer besides its own."""
    lines: list[str] = []
    for i in range(size):
        lines += [
            f"%e{i} = tensor.empty() : {TENSOR}",
            generic(f"%u{i}", "%x", f"%e{i}"),
            f"%t{i + 1} = linalg.add ins(%u{i}, %x : {TENSOR}, {TENSOR}) outs(%t{i} : {TENSOR}) -> {TENSOR}",
        ]
    return lines


CHAINS: dict[str, Callable[[int], list[str]]] = {
    "dead": dead,
    "inputs": inputs,
    "named": named,
    "buffers": buffers,
}


def program(chain: str, size: int) -> str:
    """The text of a chain."""
    body = "\n".join(CHAINS[chain](size))
    arguments = f"%t0: {TENSOR}, %x: {TENSOR}"
    return f"func.func @main({arguments}) -> {TENSOR} {{\n{body}\nreturn %t{size} : {TENSOR}\n}}"


def after(text: str, *passes: str) -> tuple[str, float]:
    """The program after `passes`, and the time they took, in seconds."""
    with ir.Context():
        module = ir.Module.parse(text)
        gc.collect()
        start = time.perf_counter()
        mi.run_pipeline(module, f"builtin.module({','.join(passes)})")
        return str(module), time.perf_counter() - start


def allocations(text: str, *passes: str) -> int:
    """How many buffers the bufferized program allocates."""
    return after(text, *passes, BUFFERIZE)[0].count("memref.alloc(")


def rows(chain: str, sizes: Sequence[int], rounds: int) -> list[tuple[str, ...]]:
    """The lines of the table for one chain."""
    lines: list[tuple[str, ...]] = []
    smallest = 0.0
    for size in sizes:
        text = program(chain, size)
        took = statistics.median(after(text, REMOVE)[1] for _ in range(rounds))
        smallest = smallest or took / size
        counts = [allocations(text, *passes) for passes in ((), (REMOVE,), (f"{REMOVE}{{mode=empty}}",))]
        times = (f"{took * 1e3:.1f}", f"{took / size * 1e6:.0f}", f"{took / size / smallest:.2f}")
        lines.append((chain, str(size), *times, *map(str, counts)))
    return lines


HEADINGS = ("chain", "ops", "ms", "us per op", "growth", "buffers", "with the pass", "mode=empty")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chains", nargs="+", choices=CHAINS, default=list(CHAINS), help="programs to measure")
    parser.add_argument("--ops", nargs="+", type=int, default=[10, 100, 1000, 5000], help="lengths")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of which the median is taken")
    options = parser.parse_args()
    after(program("dead", 2), REMOVE, BUFFERIZE)  # The first use of a pass loads it.
    lines = [line for chain in options.chains for line in rows(chain, sorted(options.ops), options.rounds)]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *lines, strict=True)]
    for line in (HEADINGS, *lines):
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


if __name__ == "__main__":
    main()
