"""What a call costs beside the work: compiled functions on small arrays, side by side with NumPy.

    python benchmarks/call_overhead.py
    python benchmarks/call_overhead.py --size 4 --rounds 15 --calls 20000

Every case is called before it is timed, as the first call with arguments of a new kind makes their call plan. So
are trampolines: a process compiles them after 2,048 calls, or loads them after 64. A round times all cases one after
the other, so that none has a quiet machine to itself; of each case the median over the rounds is printed, with the
least and the most, in microseconds for one call, and the median of its ratio to `numpy.add(a, b, out=o)` in the same
round. Nothing here is a test: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import mlir_inplace as mi

_NUMPY = "numpy.add"
_FIRST_CALLS = 400

PROGRAM = """
#id = affine_map<(i, j) -> (i, j)>
func.func @add(%a: tensor<SxSxf32>, %b: tensor<SxSxf32>) -> tensor<SxSxf32> {
  %0 = tensor.empty() : tensor<SxSxf32>
  %1 = linalg.add ins(%a, %b : tensor<SxSxf32>, tensor<SxSxf32>) outs(%0 : tensor<SxSxf32>) -> tensor<SxSxf32>
  return %1 : tensor<SxSxf32>
}
func.func @add_any_size(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %0 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %1 = linalg.add ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
func.func @add_in_place(%a: tensor<SxSxf32> {bufferization.writable = true}, %b: tensor<SxSxf32>) -> tensor<SxSxf32> {
  %0 = linalg.add ins(%a, %b : tensor<SxSxf32>, tensor<SxSxf32>) outs(%a : tensor<SxSxf32>) -> tensor<SxSxf32>
  return %0 : tensor<SxSxf32>
}
func.func @scalar(%x: f64, %n: index) -> f64 {
  return %x : f64
}
"""


def cases(size: int) -> dict[str, Callable[[], Any]]:
    """What is measured, by name."""
    program = mi.compile(PROGRAM.replace("SxS", f"{size}x{size}"))
    counted = mi.compile(PROGRAM.replace("SxS", f"{size}x{size}"), memory_stats=True)
    a = np.arange(size * size, dtype=np.float32).reshape(size, size)
    b, c, out = a * a, a.copy(), np.empty_like(a)
    held = program.hold({"b": b}, function="add")
    read_only = a.copy()
    read_only.flags.writeable = False
    return {
        "bound": program.bind(a, b, function="add"),
        "bound, in place": program.bind(c.copy(), b, function="add_in_place"),
        "bound, scalars": program.bind(1.5, 3, function="scalar"),
        "fresh result": lambda: program.add(a, b),
        "fresh result of dynamic size": lambda: program.add_any_size(a, b),
        "result into out=": lambda: program.add(a, b, out=out),
        "in place": lambda: program.add_in_place(c, b),
        "read-only argument": lambda: program.add(read_only, b),
        "transposed argument": lambda: program.add(a.T, b),
        "arguments by name": lambda: program.add(b=b, a=a),
        "one argument held": lambda: held.add(a),
        "memoryview arguments": lambda: program.add(memoryview(a), memoryview(b)),
        "scalars only": lambda: program.scalar(1.5, 3),
        "fresh result, memory counted": lambda: counted.add(a, b),
        _NUMPY: lambda: np.add(a, b),
    }


def microseconds(call: Callable[[], Any], calls: int) -> float:
    """The mean time of `calls` calls."""
    started = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - started) / calls * 1e6


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints; returns the exit code."""
    parser = argparse.ArgumentParser(description="What a call costs beside the work, in microseconds.")
    parser.add_argument("--size", type=int, default=4, help="rows and columns of the arrays")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--calls", type=int, default=5000, help="calls of each case in a round")
    settings = parser.parse_args(arguments)
    measured = cases(settings.size)
    for call in measured.values():
        microseconds(call, _FIRST_CALLS)
    times: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(settings.rounds):
        for name, call in measured.items():
            times[name].append(microseconds(call, settings.calls))
    print(f"{settings.size}x{settings.size} arrays of f32, {settings.rounds} rounds of {settings.calls} calls")
    print(f"{'':30} {'median':>8} {'least':>8} {'most':>8}  µs a call {'ratio':>8}")
    for name, rounds in times.items():
        ratio = statistics.median(one / other for one, other in zip(rounds, times[_NUMPY], strict=True))
        figures = " ".join(f"{figure:8.2f}" for figure in (statistics.median(rounds), min(rounds), max(rounds)))
        print(f"{name:30} {figures}            {ratio:8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
