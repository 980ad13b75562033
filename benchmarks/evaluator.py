"""How fast the reference evaluator is: random programs, a loop of scalar ops, structured ops on small arrays.

    python benchmarks/evaluator.py
    python benchmarks/evaluator.py --programs 400 --rounds 9

Random programs are those of `checking/generator`, parsed beforehand: one figure for decoding and running each with its
arguments, one for running it again. Of each case the median over the rounds is printed, with the least and the most,
in microseconds of processor time. Nothing here is a test: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import mlir_inplace  # noqa: F401

# isort: split
from mlir import ir

from mlir_inplace.checking.evaluator import EvaluationError, Evaluator
from mlir_inplace.checking.generator import GeneratedProgram, generate

LOOP = """
func.func @main(%n: index) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> index {
    %0 = arith.muli %i, %i : index
    %1 = arith.addi %0, %s : index
    %2 = arith.subi %1, %one : index
    scf.yield %2 : index
  }
  return %r : index
}"""
STRUCTURED = """
func.func @main(%n: index, %a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%s = %a) -> tensor<8x8xf32> {
    %1 = linalg.add ins(%s, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %1 : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}"""
PRODUCT = STRUCTURED.replace("linalg.add", "linalg.matmul")
TRIPS = 2000

Case = tuple[str, int, Callable[[], Any]]
"""What is measured, how many of it a call does, and the call."""


def evaluator(text: str) -> Evaluator:
    """A program that is ready to run."""
    with ir.Context():
        return Evaluator(ir.Module.parse(text))


def random_programs(count: int) -> list[Case]:
    """Random programs, with all of their argument sets."""
    made: list[tuple[ir.Module, GeneratedProgram]] = []
    ops = runs = 0
    with ir.Context():
        for seed in range(count):
            program = generate(seed)
            module = ir.Module.parse(program.text)
            try:
                for arguments in program.argument_sets:
                    Evaluator(module).run(program.function, arguments)
            except EvaluationError as error:
                print(f"seed {seed} is left out: {error}", file=sys.stderr)
                continue
            made.append((module, program))
            ops += program.text.count("\n")
            runs += len(program.argument_sets)
    print(f"{len(made)} random programs of {ops // len(made)} lines on average, {runs} runs")

    def fresh() -> None:
        for module, program in made:
            once = Evaluator(module)
            for arguments in program.argument_sets:
                once.run(program.function, arguments)

    kept = [(Evaluator(module), program) for module, program in made]

    def again() -> None:
        for one, program in kept:
            for arguments in program.argument_sets:
                one.run(program.function, arguments)

    again()
    return [("run of a random program, decoding included", runs, fresh), ("run of it that is decoded", runs, again)]


def cases(programs: int) -> list[Case]:
    """All cases; each has run once."""
    loop, structured, product = evaluator(LOOP), evaluator(STRUCTURED), evaluator(PRODUCT)
    ones = np.ones((8, 8), np.float32)
    return [
        *random_programs(programs),
        ("scalar op in a loop", 4 * TRIPS, lambda: loop.run("main", (TRIPS,))),
        ("linalg.add of 8x8", TRIPS, lambda: structured.run("main", (TRIPS, ones))),
        ("linalg.matmul of 8x8x8", TRIPS, lambda: product.run("main", (TRIPS, ones))),
    ]


def measure(call: Callable[[], Any]) -> float:
    """Seconds of processor time that one call takes."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="How fast the reference evaluator is.")
    parser.add_argument("--programs", type=int, default=200, help="how many random programs (default: 200)")
    parser.add_argument("--rounds", type=int, default=5, help="how many rounds (default: 5)")
    options = parser.parse_args()
    measured = cases(options.programs)
    seconds = [[measure(call) for _, _, call in measured] for _ in range(options.rounds)]
    for (name, count, _), column in zip(measured, zip(*seconds, strict=True), strict=True):
        each = [1e6 * one / count for one in column]
        print(f"{name:45} {statistics.median(each):9.2f} µs  ({min(each):.2f} to {max(each):.2f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
