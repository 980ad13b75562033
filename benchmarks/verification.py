"""What the independent checker costs: microseconds an op for chains, loops in a row and nests of loops.

`python benchmarks/verification.py [--most N]` prints the table of docs/VERIFICATION.md. CPU time of this process; what
bufferization itself takes stands beside it.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable

import mlir_inplace  # noqa: F401  # isort: skip

from mlir import ir

from mlir_inplace.passes.bufferization.one_shot_bufferize import OneShotBufferizeOptions, OneShotBufferizePass
from mlir_inplace.passes.verification.checker.machine import SymbolicMachine
from mlir_inplace.passes.verification.checker.reading import read_snapshot
from mlir_inplace.passes.verification.checker.report import verify
from mlir_inplace.passes.verification.checker.tensor_program import TensorProgram

OPTIONS = OneShotBufferizeOptions(bufferize_function_boundaries=True, warn_written_arguments=False)
V = "tensor<8xf32>"
HEAD = f"""func.func @main(%t0: {V}, %u: {V}, %n: index) -> {V} {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
"""


def chain(ops: int) -> str:
    """Insertions, each of an element of the tensor before."""
    count = ops // 2
    steps = (
        f"%x{k} = tensor.extract %t{k}[%c{k % 2}] : {V}\n%t{k + 1} = tensor.insert %x{k} into %t{k}[%n] : {V}\n"
        for k in range(count)
    )
    return f"{HEAD}{''.join(steps)}return %t{count} : {V} }}"


def loop(k: int, given: str, inside: str = "") -> str:
    """A loop that carries a tensor and inserts into it."""
    return (
        f"%t{k} = scf.for %i{k} = %c0 to %n step %c1 iter_args(%a{k} = {given}) -> ({V}) {{\n"
        f"%x{k} = tensor.extract %u[%i{k}] : {V}\n%w{k} = tensor.insert %x{k} into %a{k}[%i{k}] : {V}\n{inside}"
    )


def loops(ops: int) -> str:
    """Loops, one behind the other."""
    count = ops // 4
    text = "".join(loop(k + 1, f"%t{k}") + f"scf.yield %w{k + 1} : {V} }}\n" for k in range(count))
    return f"{HEAD}{text}return %t{count} : {V} }}"


def nests(depth: int) -> Callable[[int], str]:
    """Nests of loops, one behind the other."""

    def text(ops: int) -> str:
        count = max(ops // (4 * depth), 1)
        lines, last = [HEAD], "%t0"
        for nest in range(count):
            numbers = [nest * depth + level + 1 for level in range(depth)]
            for level, k in enumerate(numbers):
                lines.append(loop(k, last if level == 0 else f"%w{k - 1}"))
            lines.append(f"scf.yield %w{numbers[-1]} : {V} }}\n")
            lines.extend(f"scf.yield %t{k} : {V} }}\n" for k in reversed(numbers[1:]))
            last = f"%t{numbers[0]}"
        return f"{''.join(lines)}return {last} : {V} }}"

    return text


def measure(text: str) -> tuple[int, float, float, str]:
    """The number of ops, microseconds of bufferization and of the check for each, and what was judged."""
    with ir.Context() as context:
        module = ir.Module.parse(text, context)
        gc.collect()
        begin = time.process_time()
        program = TensorProgram(read_snapshot(module.operation))
        program.tag()
        check = time.process_time() - begin
        begin = time.process_time()
        OneShotBufferizePass(OPTIONS).run(module.operation)
        bufferization = time.process_time() - begin
        begin = time.process_time()
        report = verify(SymbolicMachine(program, module.operation))
        check += time.process_time() - begin
        count = len(program.snapshot.op_name)
        judged = f"{report.checked} of {report.checked + report.unchecked.total()}"
        return count, bufferization / count * 1e6, check / count * 1e6, judged


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure what the independent checker costs.")
    parser.add_argument("--most", type=int, default=100_000, help="the largest number of ops")
    most = parser.parse_args().most
    kinds: dict[str, Callable[[int], str]] = {"chain": chain, "loops": loops}
    kinds |= {f"nests of {depth}": nests(depth) for depth in (4, 12, 40)}
    print("| program | ops | bufferization, µs an op | check, µs an op | reads judged |\n|---|---|---|---|---|")
    for name, build in kinds.items():
        for size in (1_000, 10_000, 100_000):
            if size <= most:
                count, bufferization, check, judged = measure(build(size))
                print(f"| {name} | {count} | {bufferization:.0f} | {check:.0f} | {judged} |", flush=True)


if __name__ == "__main__":
    main()
