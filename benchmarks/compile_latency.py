"""How long `mi.compile` takes from text to a function that can be called, by phase, beside `jax.jit` of the same.

    python benchmarks/compile_latency.py
    python benchmarks/compile_latency.py --ops 100 400 1000 --rounds 5 --programs "same shapes"
    python benchmarks/compile_latency.py --growth --ops 250 500 1000 2000

The programs have as many ops as `--ops` says: rounds of matmul, add, max and mul. In the first all are 64x64, each
on the result of the one before; in the second each round works on a slice of a size of its own, so that no two bodies
are the same; the third is a loop with the first as its body. With `--growth` the table has a column for each number of
ops, and the time per op of the largest against the smallest: 1.0 is linear. Each time is the median over the rounds,
which take turns, of the processor time of the process (what other processes do does not count, and threads of JAX's
compiler do), in milliseconds. Everything is compiled once before it is timed, since imports and first uses are no part
of it; one row is of a program that is in a cache on disk. The last column is the largest difference to NumPy's result,
relative to its largest element. Nothing here is a test: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any
from unittest import mock

import numpy as np
from subjects.chains import PROGRAMS, SIZE, same_shapes

import mlir_inplace as mi
from mlir_inplace.passes.pipeline.instrumentation import Instrumentation
from mlir_inplace.passes.pipeline.pipeline import as_pipeline, run_pipeline
from mlir_inplace.runtime.compilation import steps
from mlir_inplace.runtime.native.code_parts import compiled_in_parts
from mlir_inplace.runtime.native.engine import Engine
from mlir_inplace.runtime.source import parse_source, private_copy

PHASES: tuple[str, ...] = (
    "parse",
    "optimize",
    "destinations",
    "bufferize",
    "boundary",
    "deallocate",
    "outline",
    "lower",
    "jit",
    "rest",
)
_OWN_PHASE = {
    "inplace-convert-to-destination-style": "destinations",
    "inplace-deallocate": "deallocate",
    "inplace-expand-clones": "deallocate",
    "inplace-outline-kernels": "outline",
}
_FIRST_PASS = {
    "inplace-branch-on-selects": "optimize",
    "inplace-one-shot-bufferize": "bufferize",
    "inplace-drop-equivalent-results": "boundary",
}


class _Watch(Instrumentation):
    """Adds the processor time of each pass to its phase."""

    def __init__(self, times: dict[str, float], phase: str) -> None:
        self._times, self._phase, self._begin = times, phase, 0.0

    def before_pass(self, step: Any, op: Any) -> None:
        self._begin = time.process_time()

    def after_pass(self, step: Any, op: Any) -> None:
        phase = _OWN_PHASE.get(step.argument, self._phase)
        self._times[phase] += time.process_time() - self._begin


def phases_of(text: str, options: dict[str, Any]) -> tuple[dict[str, float], mi.Program]:
    """Compile and return the seconds of each phase, and the program."""
    times = dict.fromkeys(PHASES, 0.0)

    def timed(phase: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **keywords: Any) -> Any:
            begin = time.process_time()
            try:
                return function(*arguments, **keywords)
            finally:
                times[phase] += time.process_time() - begin

        return call

    def watched(module: Any, pipeline: Any, **keywords: Any) -> None:
        parsed = as_pipeline(pipeline)
        phase = next((found for name, found in _FIRST_PASS.items() if name in str(parsed)), "lower")
        run_pipeline(module, parsed, _Watch(times, phase), **keywords)

    with ExitStack() as stack:
        patches = {
            "steps.run_pipeline": watched,
            "program.parse_source": timed("parse", parse_source),
            "steps.private_copy": timed("parse", private_copy),
            "steps._deallocate": timed("deallocate", steps._deallocate),
            "steps.Engine.__init__": timed("jit", Engine.__init__),
            "steps.compiled_in_parts": timed("jit", compiled_in_parts),
            "steps.Engine.function": timed("jit", Engine.function),
        }
        for name, function in patches.items():
            stack.enter_context(mock.patch(f"mlir_inplace.runtime.compilation.{name}", function))
        begin = time.process_time()
        program = mi.compile(text, **options)
        times["total"] = time.process_time() - begin
    times["rest"] = times["total"] - sum(times[phase] for phase in PHASES)
    return times, program


def jax_seconds(function: Callable[..., Any], ops: int, arguments: Sequence[np.ndarray]) -> float | None:
    """How long `jax.jit` takes from Python to a function that can be called; None without JAX."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    jax.clear_caches()
    begin = time.process_time()
    jax.jit(lambda *values: function(jnp, ops, *values)).lower(*arguments).compile()
    return time.process_time() - begin


Measured = tuple[dict[str, list[dict[str, float]]], dict[str, float], list[float]]
"""By compiler, the seconds of the phases in each round, and the error; the seconds of JAX in each round."""


def measured(name: str, ops: int, rounds: int) -> Measured:
    """The times of one program: unoptimized, optimized, from the cache, and JAX's."""
    write, function = PROGRAMS[name]
    text = write(ops)
    generator = np.random.default_rng(1)
    height = SIZE + ops // 4 if name == "many shapes" else SIZE
    arguments = [generator.random((height, SIZE), np.float32) / 2, generator.random((SIZE, SIZE), np.float32) / SIZE]
    expected = function(np, ops, *(argument.astype(np.float64) for argument in arguments))
    folder = tempfile.mkdtemp()
    mi.compile(text, cache=folder)
    kinds: dict[str, dict[str, Any]] = {
        "mi.compile": {"cache": False},
        "mi.compile, optimize": {"cache": False, "optimize": True},
        "mi.compile, from the cache": {"cache": folder},
    }
    times: dict[str, list[dict[str, float]]] = {kind: [] for kind in kinds}
    errors: dict[str, float] = {}
    jax: list[float | None] = []
    for _ in range(rounds):
        for kind, options in kinds.items():
            seconds, program = phases_of(text, options)
            times[kind].append(seconds)
            errors[kind] = float(np.abs(program.main(*arguments) - expected).max() / np.abs(expected).max())
        jax.append(jax_seconds(function, ops, arguments))
    shutil.rmtree(folder)
    return times, errors, [seconds for seconds in jax if seconds is not None]


def rows(name: str, ops: int, rounds: int) -> list[str]:
    """The rows of one program, with a column for each phase."""
    times, errors, known = measured(name, ops, rounds)
    lines: list[str] = []
    for kind, found in times.items():
        cells = [f"{statistics.median(one[phase] for one in found) * 1e3:.0f}" for phase in ("total", *PHASES)]
        lines.append(f"| {name}, {ops} ops | {kind} | {' | '.join(cells)} | {errors[kind]:.0e} |")
    if known:
        lines.append(
            f"| {name}, {ops} ops | jax.jit | {statistics.median(known) * 1e3:.0f} |{' - |' * (len(PHASES) + 1)}"
        )
    return lines


def growth(name: str, sizes: Sequence[int], rounds: int) -> list[str]:
    """The rows of one program, with a column for each number of ops."""
    totals: dict[str, list[float]] = {}
    for ops in sizes:
        times, _, known = measured(name, ops, rounds)
        for kind, found in times.items():
            totals.setdefault(kind, []).append(statistics.median(one["total"] for one in found))
        if known:
            totals.setdefault("jax.jit", []).append(statistics.median(known))
    return [
        f"| {name} | {kind} | {' | '.join(f'{one * 1e3:.0f}' for one in found)} |"
        f" {found[-1] / sizes[-1] / (found[0] / sizes[0]):.2f} |"
        for kind, found in totals.items()
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", nargs="+", type=int, default=[1000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--growth", action="store_true", help="a column for each number of ops")
    parser.add_argument("--programs", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS))
    options = parser.parse_args()
    for optimize in (False, True):
        mi.compile(same_shapes(4), optimize=optimize)
    if options.growth:
        sizes = sorted(options.ops)
        print(f"| program, ms | compiler | {' | '.join(f'{ops} ops' for ops in sizes)} | per op, last / first |")
        print(f"|---|---|{'---|' * (len(sizes) + 1)}")
        for name in options.programs:
            print("\n".join(growth(name, sizes, options.rounds)), flush=True)
        return
    print(f"| program | compiler | total, ms | {' | '.join(PHASES)} | error |")
    print(f"|---|---|{'---|' * (len(PHASES) + 2)}")
    for name in options.programs:
        for ops in options.ops:
            print("\n".join(rows(name, ops, options.rounds)), flush=True)


if __name__ == "__main__":
    main()
