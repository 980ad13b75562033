"""How the time and memory to bufferize a dispatch function grow with it: the plan and one-shot bufferization.

    python benchmarks/dispatch.py
    python benchmarks/dispatch.py --shapes tiles chain --ops 2000 --rounds 7

A size is a number of ops of the function, nested ones included. Each size of each program and pass is measured in a
process of its own, as in scaling.py; only the pass is timed, not parsing. The table has the medians over the rounds,
the time per op, and how many times that of the smallest size it is: 1.0 is linear. Nothing here is a test: figures
depend on the machine.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import statistics
import sys

import scaling
from scaling import Row, Shape

import mlir_inplace as mi

# isort: split
# Only now is `mlir` there.
from mlir import ir

from mlir_inplace.dialects.dispatch import register
from mlir_inplace.dialects.dispatch.parsing import import_text

PASSES = {
    "plan": "builtin.module(inplace-plan-bufferize)",
    "one-shot": "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true})",
}
TILE = "tensor<4xf32>"


def access(size: int, kind: str) -> str:
    """The type of a binding that has a tile of four elements for each unit."""
    return f"!dispatch.{kind}<tensor<{4 * size}xf32>>"


def tiles(size: int) -> str:
    """Tiles of one binding, each computed from and stored to another."""
    source, target = access(size, "readonly"), access(size, "writeonly")
    lines: list[str] = []
    for i in range(size):
        lines += [
            f"%v{i} = dispatch.load %a[{4 * i}] [4] [1] : {source} -> {TILE}",
            f"%e{i} = tensor.empty() : {TILE}",
            sum_of(f"%s{i}", f"%v{i}", f"%v{i}", f"%e{i}"),
            f"dispatch.store %s{i}, %r[{4 * i}] [4] [1] : {TILE} -> {target}",
        ]
    return function([f"%a = {binding(0)} : {source}", f"%r = {binding(1)} : {target}"], lines)


def updates(size: int) -> str:
    """Tiles of one binding, each updated where it is."""
    type_ = access(size, "readwrite")
    lines: list[str] = []
    for i in range(size):
        lines += [
            f"%v{i} = dispatch.load %a[{4 * i}] [4] [1] : {type_} -> {TILE}",
            sum_of(f"%s{i}", f"%v{i}", f"%v{i}", f"%v{i}"),
            f"dispatch.store %s{i}, %a[{4 * i}] [4] [1] : {TILE} -> {type_}",
        ]
    return function([f"%a = {binding(0)} : {type_}"], lines)


def neighbours(size: int) -> str:
    """Each tile of a binding is the sum of itself and the tile before, which was stored just now."""
    type_ = access(size + 1, "readwrite")
    lines: list[str] = []
    for i in range(size):
        lines += [
            f"%v{i} = dispatch.load %a[{4 * i}] [4] [1] : {type_} -> {TILE}",
            f"%w{i} = dispatch.load %a[{4 * i + 4}] [4] [1] : {type_} -> {TILE}",
            sum_of(f"%s{i}", f"%v{i}", f"%w{i}", f"%w{i}"),
            f"dispatch.store %s{i}, %a[{4 * i + 4}] [4] [1] : {TILE} -> {type_}",
        ]
    return function([f"%a = {binding(0)} : {type_}"], lines)


def exchanges(size: int) -> str:
    """Two tiles of a binding change places, again and again: each time, one needs a buffer."""
    type_ = access(size + 1, "readwrite")
    lines: list[str] = []
    for i in range(size):
        lines += [
            f"%v{i} = dispatch.load %a[{4 * i}] [4] [1] : {type_} -> {TILE}",
            f"%w{i} = dispatch.load %a[{4 * i + 4}] [4] [1] : {type_} -> {TILE}",
            f"dispatch.store %w{i}, %a[{4 * i}] [4] [1] : {TILE} -> {type_}",
            f"dispatch.store %v{i}, %a[{4 * i + 4}] [4] [1] : {TILE} -> {type_}",
        ]
    return function([f"%a = {binding(0)} : {type_}"], lines)


def chain(size: int) -> str:
    """One load, a chain of elementwise ops, each into an empty tensor, and one store."""
    lines = [f"%s0 = dispatch.load %a : {access(1, 'readonly')} -> {TILE}"]
    for i in range(size):
        lines += [f"%e{i} = tensor.empty() : {TILE}", sum_of(f"%s{i + 1}", f"%s{i}", f"%s{i}", f"%e{i}")]
    lines.append(f"dispatch.store %s{size}, %r : {TILE} -> {access(1, 'writeonly')}")
    return function(
        [f"%a = {binding(0)} : {access(1, 'readonly')}", f"%r = {binding(1)} : {access(1, 'writeonly')}"], lines
    )


def views(size: int) -> str:
    """What is stored went through reshapes and casts, which are replayed on the output."""
    source, target = access(size, "readonly"), access(size, "writeonly")
    lines: list[str] = []
    for i in range(size):
        lines += [
            f"%v{i} = dispatch.load %a[{4 * i}] [4] [1] : {source} -> {TILE}",
            f"%x{i} = tensor.expand_shape %v{i} [[0, 1]] output_shape [2, 2] : {TILE} into tensor<2x2xf32>",
            f"%e{i} = tensor.empty() : tensor<2x2xf32>",
            f"%s{i} = linalg.transpose ins(%x{i} : tensor<2x2xf32>) outs(%e{i} : tensor<2x2xf32>) permutation = [1, 0]",
            f"%d{i} = tensor.cast %s{i} : tensor<2x2xf32> to tensor<?x2xf32>",
            f"%f{i} = tensor.collapse_shape %d{i} [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>",
            f"%t{i} = tensor.cast %f{i} : tensor<?xf32> to {TILE}",
            f"dispatch.store %t{i}, %r[{4 * i}] [4] [1] : {TILE} -> {target}",
        ]
    return function([f"%a = {binding(0)} : {source}", f"%r = {binding(1)} : {target}"], lines)


def loops(size: int) -> str:
    """Nests of three loops, one after the other, that each update tiles of a binding."""
    type_ = access(64, "readwrite")
    lines: list[str] = []
    for i in range(size):
        lines += [
            f"scf.for %i{i} = %c0 to %c4 step %c1 {{",
            f"scf.for %j{i} = %c0 to %c4 step %c1 {{",
            f"scf.for %k{i} = %c0 to %c4 step %c1 {{",
            f"%o{i} = affine.apply affine_map<(a, b, c) -> (a * 64 + b * 16 + c * 4)>(%i{i}, %j{i}, %k{i})",
            f"%v{i} = dispatch.load %a[%o{i}] [4] [1] : {type_} -> {TILE}",
            sum_of(f"%s{i}", f"%v{i}", f"%v{i}", f"%v{i}"),
            f"dispatch.store %s{i}, %a[%o{i}] [4] [1] : {TILE} -> {type_}",
            "} } }",
        ]
    return function([f"%a = {binding(0)} : {type_}"], lines)


def branches(size: int) -> str:
    """A chain of branches that each update a tile of a binding or leave it as it is."""
    type_ = access(size, "readwrite")
    lines: list[str] = []
    for i in range(size):
        lines += [
            "scf.if %p {",
            f"%v{i} = dispatch.load %a[{4 * i}] [4] [1] : {type_} -> {TILE}",
            sum_of(f"%s{i}", f"%v{i}", f"%v{i}", f"%v{i}"),
            f"dispatch.store %s{i}, %a[{4 * i}] [4] [1] : {TILE} -> {type_}",
            "}",
        ]
    return function([f"%a = {binding(0)} : {type_}", "%p = dispatch.push_constant 0 : i1"], lines)


def bindings(size: int) -> str:
    """As many bindings as ops: each pair copies and doubles a tile."""
    kinds = ("readonly", "writeonly")
    head = [f"%b{i} = {binding(i)} : {access(1, kinds[i % 2])}" for i in range(2 * size)]
    lines: list[str] = []
    for i in range(size):
        lines += [
            f"%v{i} = dispatch.load %b{2 * i} : {access(1, 'readonly')} -> {TILE}",
            f"%e{i} = tensor.empty() : {TILE}",
            sum_of(f"%s{i}", f"%v{i}", f"%v{i}", f"%e{i}"),
            f"dispatch.store %s{i}, %b{2 * i + 1} : {TILE} -> {access(1, 'writeonly')}",
        ]
    return function(head, lines)


SHAPES: dict[str, Shape] = {
    "tiles": Shape(tiles, 6),
    "updates": Shape(updates, 5),
    "neighbours": Shape(neighbours, 6),
    "exchanges": Shape(exchanges, 4),
    "chain": Shape(chain, 4),
    "views": Shape(views, 9),
    "loops": Shape(loops, 12),
    "branches": Shape(branches, 7),
    "bindings": Shape(bindings, 8),
}


def binding(number: int) -> str:
    """An interface binding, without its type."""
    return f"dispatch.binding set(0) binding({number})"


def sum_of(result: str, x: str, y: str, init: str) -> str:
    """An elementwise op: itself, an addition and a yield."""
    return f"{result} = linalg.add ins({x}, {y} : {TILE}, {TILE}) outs({init} : {TILE}) -> {TILE}"


def function(head: list[str], lines: list[str]) -> str:
    """A dispatch function, in the lighter text form."""
    constants = [f"%c{value} = arith.constant {value} : index" for value in (0, 1, 4)]
    return "\n".join(["func.func @main() {", *constants, *head, *lines, "return", "}"])


def measure(shape: str, which: str, ops: int, rounds: int) -> Row:
    """One row, in a process of its own. The first use of a pass loads it, so that one is not timed."""
    text, smallest = (import_text(SHAPES[shape].text(max(round(n / SHAPES[shape].ops), 1))) for n in (ops, 1))

    def run(module: ir.Module) -> None:
        mi.run_pipeline(module, PASSES[which])

    with ir.Context() as context:
        register(context)
        scaling.timed(smallest, run)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        times = [scaling.timed(text, run)]
        memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        times += [scaling.timed(text, run) for _ in range(rounds - 1)]
        count = scaling.count_ops(text)
    return Row(f"{shape}, {which}", count, statistics.median(times), memory, None)


def in_a_process(*arguments: object) -> Row:
    """`measure`, with a memory of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, arguments)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES), help="programs to measure")
    parser.add_argument("--passes", nargs="+", choices=PASSES, default=list(PASSES), help="which bufferization")
    parser.add_argument("--ops", nargs="+", type=scaling.positive, default=[250, 500, 1000, 2000, 4000, 8000])
    parser.add_argument("--rounds", type=scaling.positive, default=3, help="rounds of which the median is taken")
    options = parser.parse_args()
    rows: list[Row] = []
    for shape in options.shapes:
        for which in options.passes:
            for ops in sorted(options.ops):
                rows.append(in_a_process(shape, which, ops, options.rounds))
                print(f"{shape}, {which}, {ops} done", file=sys.stderr)
    scaling.show([line[:6] for line in scaling.cells(rows)])


if __name__ == "__main__":
    main()
