"""How the time and memory to bufferize grow with the program: our pass and upstream's C++ one-shot-bufferize.

    python benchmarks/scaling.py
    python benchmarks/scaling.py --shapes inserts tiles --ops 250 500 1000 --rounds 7 --upstream-limit 0
    python benchmarks/scaling.py --compile --shapes results arguments calls --ops 1000 3000 --rounds 1

A size is a number of ops of the program's function, nested ones included. Each size of each program is measured in a
process of its own, both passes in the same one, on the same text, each round on a module of its own; only the pass is
timed, not parsing, and in processor time. With `--compile` all of `mi.compile` is, down to machine code. The table has
the medians over the rounds, the time per op, and how many times that of the smallest size it is: 1.0 is linear. Memory
is what the peak of the process grew by while our pass ran for the first time. Upstream is run up to `--upstream-limit`
ops of a program only, since it would take minutes. Nothing here is a test: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mlir_inplace as mi

# isort: split
# Only now is `mlir` there.
from mlir import ir
from mlir.passmanager import PassManager

OURS = "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false})"
# Without allow-return-allocs-from-loops upstream refuses `rotation`; on the other programs it makes no difference.
UPSTREAM = "builtin.module(one-shot-bufferize{bufferize-function-boundaries=true allow-return-allocs-from-loops=true})"


def inserts(size: int) -> str:
    """A chain of `tensor.insert_slice`, each into the tensor before."""
    lines = [
        f"%t{i + 1} = tensor.insert_slice %s into %t{i}[{4 * i}] [4] [1] : tensor<4xf32> into tensor<{4 * size}xf32>"
        for i in range(size)
    ]
    tensor = f"tensor<{4 * size}xf32>"
    return _function(f"%t0: {tensor}, %s: tensor<4xf32>", lines, f"%t{size}", tensor)


def tiles(size: int) -> str:
    """Tiles of one tensor, one after the other: taken out, updated by a generic, put back."""
    tensor = f"tensor<{4 * size}xf32>"
    lines: list[str] = []
    for i in range(size):
        lines += [
            f"%e{i} = tensor.extract_slice %t{i}[{4 * i}] [4] [1] : {tensor} to tensor<4xf32>",
            _generic(f"%g{i}", f"%e{i}", "tensor<4xf32>"),
            f"%t{i + 1} = tensor.insert_slice %g{i} into %t{i}[{4 * i}] [4] [1] : tensor<4xf32> into {tensor}",
        ]
    return _function(f"%t0: {tensor}", lines, f"%t{size}", tensor)


def generics(size: int) -> str:
    """A chain of generics, each on the tensor before."""
    lines = [_generic(f"%t{i + 1}", f"%t{i}", "tensor<64xf32>") for i in range(size)]
    return _function("%t0: tensor<64xf32>", lines, f"%t{size}", "tensor<64xf32>")


def loops(size: int) -> str:
    """Loops that each carry one tensor, ten deep: as many nests as it takes to have `size` loops."""
    lines: list[str] = []
    nests = max(size // LOOP_DEPTH, 1)
    for nest in range(nests):
        carried = f"%t{nest}"
        names = [f"%n{nest}_{depth}" for depth in range(LOOP_DEPTH)]
        for depth, name in enumerate(names):
            result = f"%t{nest + 1}" if depth == 0 else f"{name}_result"
            lines.append(
                f"{result} = scf.for {name}_i = %c0 to %c4 step %c1 iter_args({name} = {carried}) -> tensor<64xf32> {{"
            )
            carried = name
        lines.append(f"{carried}_new = tensor.insert %f into {carried}[{carried}_i] : tensor<64xf32>")
        lines.append(f"scf.yield {carried}_new : tensor<64xf32>\n}}")
        lines += [f"scf.yield {name}_result : tensor<64xf32>\n}}" for name in reversed(names[1:])]
    return _function("%t0: tensor<64xf32>, %f: f32", lines, f"%t{nests}", "tensor<64xf32>")


def fan(size: int) -> str:
    """All tiles of one tensor taken out first, then each updated and put back."""
    tensor = f"tensor<{4 * size}xf32>"
    lines = [f"%e{i} = tensor.extract_slice %t0[{4 * i}] [4] [1] : {tensor} to tensor<4xf32>" for i in range(size)]
    for i in range(size):
        lines += [
            _generic(f"%g{i}", f"%e{i}", "tensor<4xf32>"),
            f"%t{i + 1} = tensor.insert_slice %g{i} into %t{i}[{4 * i}] [4] [1] : tensor<4xf32> into {tensor}",
        ]
    return _function(f"%t0: {tensor}", lines, f"%t{size}", tensor)


def versions(size: int) -> str:
    """A chain of `tensor.insert` of which each version is read at the end: every one needs a copy."""
    tensor = "tensor<64xf32>"
    lines = [f"%t{i + 1} = tensor.insert %f into %t{i}[%c1] : {tensor}" for i in range(size)]
    lines.append("%s0 = arith.addf %f, %f : f32")
    for i in range(size):
        lines += [f"%x{i} = tensor.extract %t{i}[%c0] : {tensor}", f"%s{i + 1} = arith.addf %s{i}, %x{i} : f32"]
    lines.append(f"%sum = tensor.splat %s{size} : {tensor}")
    return _function(f"%t0: {tensor}, %f: f32", lines, "%sum", tensor)


def rotation(size: int) -> str:
    """One loop that carries `size` tensors, updates each, and yields them rotated by one."""
    tensor = "tensor<8xf32>"
    types = ", ".join([tensor] * size)
    carried = ", ".join(f"%u{i} = %t{i}" for i in range(size))
    yielded = ", ".join(f"%v{(i + 1) % size}" for i in range(size))
    lines = [
        f"%r:{size} = scf.for %i = %c0 to %c4 step %c1 iter_args({carried}) -> ({types}) {{",
        *(f"%v{i} = tensor.insert %f into %u{i}[%i] : {tensor}" for i in range(size)),
        f"scf.yield {yielded} : {types}\n}}",
    ]
    arguments = ", ".join(f"%t{i}: {tensor}" for i in range(size))
    return _function(f"{arguments}, %f: f32", lines, "%r#0", tensor)


def calls(size: int) -> str:
    """A chain of calls, each of another function that updates its argument."""
    tensor = "tensor<8xf32>"
    functions = [
        f"""func.func private @f{i}(%t: {tensor}, %f: f32) -> {tensor} {{
          %c0 = arith.constant 0 : index
          %r = tensor.insert %f into %t[%c0] : {tensor}
          return %r : {tensor}
        }}"""
        for i in range(size)
    ]
    lines = [f"%t{i + 1} = func.call @f{i}(%t{i}, %f) : ({tensor}, f32) -> {tensor}" for i in range(size)]
    return "\n".join([*functions, _function(f"%t0: {tensor}, %f: f32", lines, f"%t{size}", tensor)])


def destinations(size: int) -> str:
    """A chain of calls, each of another function that inserts a new tensor into its argument."""
    tensor = "tensor<16xf32>"
    functions = [
        f"""func.func private @f{i}(%t: {tensor}, %f: f32) -> {tensor} {{
          %e = tensor.empty() : tensor<8xf32>
          %n = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
          %r = tensor.insert_slice %n into %t[8] [8] [1] : tensor<8xf32> into {tensor}
          return %r : {tensor}
        }}"""
        for i in range(size)
    ]
    lines = [f"%t{i + 1} = func.call @f{i}(%t{i}, %f) : ({tensor}, f32) -> {tensor}" for i in range(size)]
    return "\n".join([*functions, _function(f"%t0: {tensor}, %f: f32", lines, f"%t{size}", tensor)])


def foralls(size: int) -> str:
    """Parallel loops, one after the other, that each update every tile of a tensor."""
    tensor = "tensor<64xf32>"
    lines = [
        f"%t{i + 1} = scf.forall (%k{i}) = (0) to (64) step (4) shared_outs(%o{i} = %t{i}) -> ({tensor}) {{\n"
        f"%e{i} = tensor.extract_slice %o{i}[%k{i}] [4] [1] : {tensor} to tensor<4xf32>\n"
        f"{_generic(f'%g{i}', f'%e{i}', 'tensor<4xf32>')}\n"
        "scf.forall.in_parallel {\n"
        f"tensor.parallel_insert_slice %g{i} into %o{i}[%k{i}] [4] [1] : tensor<4xf32> into {tensor}\n}} }}"
        for i in range(size)
    ]
    return _function(f"%t0: {tensor}", lines, f"%t{size}", tensor)


def branches(size: int) -> str:
    """A chain of branches that each update a tensor or leave it as it is."""
    tensor = "tensor<64xf32>"
    lines = [
        f"%t{i + 1} = scf.if %p -> ({tensor}) {{\n%n{i} = tensor.insert %f into %t{i}[%c1] : {tensor}\n"
        f"scf.yield %n{i} : {tensor}\n}} else {{\nscf.yield %t{i} : {tensor}\n}}"
        for i in range(size)
    ]
    return _function(f"%t0: {tensor}, %f: f32, %p: i1", lines, f"%t{size}", tensor)


def exits(size: int) -> str:
    """Blocks that each update a tensor and go on, or leave for one last block with the tensor before."""
    tensor = "tensor<64xf32>"
    lines = [f"cf.br ^b0(%t : {tensor})"]
    for i in range(size):
        lines += [
            f"^b{i}(%t{i}: {tensor}):",
            f"%n{i} = tensor.insert %f into %t{i}[%c1] : {tensor}",
            f"cf.cond_br %p, ^b{i + 1}(%n{i} : {tensor}), ^b{size}(%t{i} : {tensor})",
        ]
    return _function(f"%t: {tensor}, %f: f32, %p: i1", [*lines, f"^b{size}(%r: {tensor}):"], "%r", tensor)


def selects(size: int) -> str:
    """A chain of selects between a tensor and an updated copy of it."""
    tensor = "tensor<64xf32>"
    lines = [
        f"%n{i} = tensor.insert %f into %t{i}[%c1] : {tensor}\n%t{i + 1} = arith.select %p, %n{i}, %t{i} : {tensor}"
        for i in range(size)
    ]
    return _function(f"%t0: {tensor}, %f: f32, %p: i1", lines, f"%t{size}", tensor)


def results(size: int) -> str:
    """One argument, and `size` results that are each another update of it: every one needs a copy."""
    tensor = "tensor<8xf32>"
    lines = [f"%t{i} = tensor.insert %f into %t[%c{(0, 1, 4)[i % 3]}] : {tensor}" for i in range(size)]
    values, types = ", ".join(f"%t{i}" for i in range(size)), ", ".join([tensor] * size)
    return _function(f"%t: {tensor}, %f: f32", lines, values, types)


def small(size: int) -> str:
    """`size` generics of 64 elements of one argument, of which each result is returned."""
    tensor = "tensor<64xf32>"
    lines = [_generic(f"%t{i}", "%t", tensor) for i in range(size)]
    values, types = ", ".join(f"%t{i}" for i in range(size)), ", ".join([tensor] * size)
    return _function(f"%t: {tensor}", lines, values, types)


def branch_results(size: int) -> str:
    """A branch that makes `size` tensors, or returns the argument for each."""
    tensor = "tensor<64xf32>"
    types = ", ".join([tensor] * size)
    lines = [f"%r:{size} = scf.if %p -> ({types}) {{"]
    lines += [f"%t{i} = tensor.insert %f into %t[%c{(0, 1, 4)[i % 3]}] : {tensor}" for i in range(size)]
    lines.append(f"scf.yield {', '.join(f'%t{i}' for i in range(size))} : {types}\n}} else {{")
    lines.append(f"scf.yield {', '.join(['%t'] * size)} : {types}\n}}")
    return _function(f"%t: {tensor}, %f: f32, %p: i1", lines, ", ".join(f"%r#{i}" for i in range(size)), types)


def arguments(size: int) -> str:
    """`size` arguments, of each of which one element is read."""
    tensor = "tensor<8xf32>"
    lines = ["%s0 = arith.addf %f, %f : f32"]
    for i in range(size):
        lines += [f"%x{i} = tensor.extract %t{i}[%c0] : {tensor}", f"%s{i + 1} = arith.addf %s{i}, %x{i} : f32"]
    lines.append(f"%r = tensor.insert %s{size} into %t0[%c1] : {tensor}")
    given = ", ".join(f"%t{i}: {tensor}" for i in range(size))
    return _function(f"{given}, %f: f32", lines, "%r", tensor)


def nested_loops(size: int) -> str:
    """One nest of loops that carry a tensor, at most `DEEPEST` deep."""
    tensor, depth = "tensor<64xf32>", min(size, DEEPEST)
    lines = [
        f"%r{i} = scf.for %i{i} = %c0 to %c4 step %c1 iter_args(%t{i + 1} = %t{i}) -> ({tensor}) {{"
        for i in range(depth)
    ]
    lines += [f"%n = tensor.insert %f into %t{depth}[%i0] : {tensor}", f"scf.yield %n : {tensor}\n}}"]
    lines += [f"scf.yield %r{i} : {tensor}\n}}" for i in reversed(range(1, depth))]
    return _function(f"%t0: {tensor}, %f: f32", lines, "%r0", tensor)


def nested_ifs(size: int) -> str:
    """One nest of ifs, at most `DEEPEST` deep: a read before each, and an update inside of it."""
    tensor, depth = "tensor<64xf32>", min(size, DEEPEST)
    lines: list[str] = []
    for i in range(depth):
        lines += [
            f"%x{i} = tensor.extract %t{i}[%c0] : {tensor}",
            f"%r{i} = scf.if %p -> ({tensor}) {{",
            f"%t{i + 1} = tensor.insert %x{i} into %t{i}[%c1] : {tensor}",
        ]
    value = f"%t{depth}"
    for i in reversed(range(depth)):
        lines.append(f"scf.yield {value} : {tensor}\n}} else {{\nscf.yield %t{i} : {tensor}\n}}")
        value = f"%r{i}"
    return _function(f"%t0: {tensor}, %p: i1", lines, "%r0", tensor)


LOOP_DEPTH = 10
DEEPEST = 490
"""The parser of the package takes no more than 500 levels."""


@dataclass(frozen=True)
class Shape:
    """A program of any size: its text for a number of units, and how many ops a unit is."""

    text: Callable[[int], str]
    ops: float


SHAPES: dict[str, Shape] = {
    "inserts": Shape(inserts, 1),
    "tiles": Shape(tiles, 5),
    "generics": Shape(generics, 3),
    "loops": Shape(loops, 2.1),
    "foralls": Shape(foralls, 7),
    "fan": Shape(fan, 5),
    "calls": Shape(calls, 4),
    "destinations": Shape(destinations, 7),
    "versions": Shape(versions, 3),
    "branches": Shape(branches, 4),
    "exits": Shape(exits, 2),
    "selects": Shape(selects, 2),
    "rotation": Shape(rotation, 1),
    "results": Shape(results, 1),
    "small": Shape(small, 3),
    "branch results": Shape(branch_results, 1),
    "arguments": Shape(arguments, 2),
    "nested loops": Shape(nested_loops, 2),
    "nested ifs": Shape(nested_ifs, 5),
}


def _function(arguments: str, lines: Sequence[str], result: str, type_: str) -> str:
    constants = "\n".join(f"%c{value} = arith.constant {value} : index" for value in (0, 1, 4))
    body = "\n".join(lines)
    return f"func.func @main({arguments}) -> ({type_}) {{\n{constants}\n{body}\nreturn {result} : {type_}\n}}"


def _generic(result: str, init: str, type_: str) -> str:
    return f"""{result} = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
        outs({init} : {type_}) {{
    ^bb0(%x: f32):
      %y = arith.addf %x, %x : f32
      linalg.yield %y : f32
    }} -> {type_}"""


@dataclass(frozen=True)
class Row:
    """One line of the table. Times are medians, in seconds; upstream's is None where it was not run. Memory in MB."""

    shape: str
    ops: int
    ours: float
    memory: float
    upstream: float | None


def run_ours(module: ir.Module) -> None:
    """Our pass, on a module that it changes."""
    mi.run_pipeline(module, OURS)


def run_compile(module: ir.Module) -> None:
    """All of `mi.compile`."""
    mi.compile(module, cache=False)


def run_upstream(module: ir.Module) -> None:
    """Upstream's pass, on a module that it changes."""
    PassManager.parse(UPSTREAM).run(module.operation)


def timed(text: str, run: Callable[[ir.Module], None]) -> float:
    """The processor time of `run` on a module parsed from `text`."""
    module = ir.Module.parse(text)
    gc.collect()
    start = time.process_time()
    run(module)
    return time.process_time() - start


def count_ops(text: str) -> int:
    """How many ops there are in the functions of `text`."""
    count = 0

    def visit(_: ir.Operation) -> ir.WalkResult:
        nonlocal count
        count += 1
        return ir.WalkResult.ADVANCE

    ir.Module.parse(text).operation.walk(visit)
    return count - 1


def measure(shape: str, ops: int, rounds: int, upstream_limit: int, *, compiles: bool = False) -> Row:
    """One row, in a process of its own. The first use of a pass loads it, so that one is not timed."""
    text = SHAPES[shape].text(max(round(ops / SHAPES[shape].ops), 1))
    run = run_compile if compiles else run_ours
    with ir.Context():
        timed(SHAPES[shape].text(1), run)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        ours = [timed(text, run)]
        memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        ours += [timed(text, run) for _ in range(rounds - 1)]
        upstream = [timed(text, run_upstream) for _ in range(rounds if ops <= upstream_limit else 0)]
        count = count_ops(text)
    return Row(shape, count, statistics.median(ours), memory, statistics.median(upstream) if upstream else None)


def in_a_process(*arguments: object, compiles: bool = False) -> Row:
    """`measure`, with a memory of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, arguments, {"compiles": compiles})


HEADINGS = ("program", "ops", "ours, ms", "us per op", "growth", "MB", "upstream, ms", "times faster")


def cells(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """The table's lines."""
    lines: list[tuple[str, ...]] = []
    first: dict[str, float] = {}
    for row in rows:
        per_op = row.ours / row.ops
        growth = per_op / first.setdefault(row.shape, per_op)
        upstream = f"{row.upstream * 1e3:.1f}" if row.upstream is not None else "not run"
        factor = f"{row.upstream / row.ours:.1f}" if row.upstream is not None else ""
        numbers = (f"{row.ours * 1e3:.1f}", f"{per_op * 1e6:.0f}", f"{growth:.2f}", f"{row.memory:.0f}")
        lines.append((row.shape, str(row.ops), *numbers, upstream, factor))
    return lines


def show(lines: Sequence[tuple[str, ...]]) -> None:
    """Prints the table, with rich where it is installed."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        headings = HEADINGS[: len(lines[0])]
        widths = [max(map(len, column)) for column in zip(headings, *lines, strict=True)]
        for line in (headings, *lines):
            print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))
        return
    table = Table(*HEADINGS[: len(lines[0])])
    for column in table.columns[1:]:
        column.justify = "right"
    for line in lines:
        table.add_row(*line)
    Console().print(table)


def positive(text: str) -> int:
    """A whole number above zero, for argparse."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"needs a number above 0, got {value}")
    return value


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES), help="programs to measure")
    parser.add_argument("--ops", nargs="+", type=positive, default=[200, 1000, 10000, 100000], help="sizes")
    parser.add_argument("--rounds", type=positive, default=3, help="rounds of which the median is taken")
    parser.add_argument("--upstream-limit", type=int, default=200, help="the largest size upstream is run on; 0: never")
    parser.add_argument("--compile", action="store_true", help="measure mi.compile; upstream is not run")
    options = parser.parse_args()
    limit = 0 if options.compile else options.upstream_limit
    rows: list[Row] = []
    for shape in options.shapes:
        for ops in sorted(options.ops):
            rows.append(in_a_process(shape, ops, options.rounds, limit, compiles=options.compile))
            print(f"{shape} {ops} done", file=sys.stderr)
    show(cells(rows))


if __name__ == "__main__":
    main()
