"""How fast programs run that `mi.compile(..., optimize=True)` made of plain linalg, beside NumPy and JAX, in one run.

    python benchmarks/speed.py
    python benchmarks/speed.py --only matmul softmax --rounds 15 --peers numpy

OpenBLAS, which is what NumPy multiplies with, does not know every processor with wide vectors; it is told to use them
(`OPENBLAS_CORETYPE`, if that is not set), since it would be half as fast otherwise. All peers run on one thread, in
turns, each several times a round; the table has medians over the rounds with the quartiles, and the ratio of the best
peer's median to ours (above 1.00 we are faster). The last column but one is the share of what the machine can do: of
the peak of fused multiplications and additions for programs limited by arithmetic, of a copy past the caches for
programs limited by memory, both measured in the same run (programs in a cache can be above it). Results are compared
with NumPy in float64. JAX computes f64 in f32 unless it is told otherwise. Nothing here is a test: figures depend on
the machine.

`--processor-time` counts the time of the thread in place of the clock's: for a machine that others use too.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

if "avx512f" in Path("/proc/cpuinfo").read_text():
    os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# JAX has threads of its own, which only the system keeps on one core.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

# isort: split
# Only now, since they read the environment when they are loaded.
import numpy as np  # noqa: E402

import mlir_inplace as mi  # noqa: E402

from workloads import WORKLOADS, Workload  # isort: skip  # noqa: E402

Call = Callable[[], Any]

PEAK = """
func.func @main(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = vector.broadcast %x : f32 to vector<16xf32>
  %r:12 = scf.for %i = %c0 to %n step %c1 iter_args(ARGUMENTS) -> (TYPES) {
    BODY
    scf.yield VALUES : TYPES
  }
  SUMS
  return %s11 : f32
}"""


def peak_program() -> str:
    """Twelve chains of fused multiplications and additions that depend on nothing else."""
    chains = range(12)
    text = PEAK.replace("ARGUMENTS", ", ".join(f"%a{i} = %v" for i in chains))
    text = text.replace("TYPES", ", ".join("vector<16xf32>" for _ in chains))
    text = text.replace("BODY", "\n".join(f"%b{i} = vector.fma %v, %v, %a{i} : vector<16xf32>" for i in chains))
    text = text.replace("VALUES", ", ".join(f"%b{i}" for i in chains))
    sums = ["%s0 = vector.reduction <add>, %r#0 : vector<16xf32> into f32"]
    sums += [f"%s{i} = vector.reduction <add>, %r#{i}, %s{i - 1} : vector<16xf32> into f32" for i in chains if i]
    return text.replace("SUMS", "\n".join(sums))


def peer_calls(workload: Workload, arguments: Sequence[np.ndarray], peers: Sequence[str]) -> dict[str, Call]:
    """One call for each peer that is installed and knows the types."""
    calls: dict[str, Call] = {}
    if "numpy" in peers:
        calls["numpy"] = lambda: workload.function(np, *arguments)
    if "jax" in peers:
        try:
            import jax
            import jax.numpy as jnp
        except ImportError:
            return calls
        on_device = [jnp.asarray(argument) for argument in arguments]
        compiled = jax.jit(lambda *values: workload.function(jnp, *values))
        calls["jax"] = lambda: compiled(*on_device).block_until_ready()
    return calls


def measure(calls: dict[str, Call], rounds: int, clock: Callable[[], float]) -> dict[str, list[float]]:
    """Seconds for each round of each of `calls`, which take turns; each round is the best of three calls."""
    for call in calls.values():
        call()
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            best = []
            for _ in range(3):
                begin = clock()
                call()
                best.append(clock() - begin)
            times[name].append(min(best))
    return times


def limits(clock: Callable[[], float]) -> tuple[float, float]:
    """Operations and bytes a second that the machine can do on one thread."""
    program = mi.compile(peak_program())
    steps = 1 << 20
    flops = min(_timed(lambda: program.main(steps, 0.5), clock) for _ in range(5))
    source = np.ones(1 << 24, np.float32)
    target = np.empty_like(source)
    copy = min(_timed(lambda: np.copyto(target, source), clock) for _ in range(5))
    return steps * 12 * 16 * 2 / flops, 2 * source.nbytes / copy


def _timed(call: Call, clock: Callable[[], float]) -> float:
    begin = clock()
    call()
    return clock() - begin


def error_of(workload: Workload, arguments: Sequence[np.ndarray], result: np.ndarray) -> float:
    """How far `result` is off, relative to the largest element."""
    exact = [argument if argument.dtype.kind == "i" else argument.astype(np.float64) for argument in arguments]
    expected = np.asarray(workload.function(np, *exact), np.float64)
    return float(np.abs(np.asarray(result, np.float64) - expected).max() / np.abs(expected).max())


def row(workload: Workload, options: argparse.Namespace, clock: Callable[[], float], most: tuple[float, float]) -> str:
    """One row of the table."""
    arguments = workload.arguments()
    begin = time.perf_counter()
    program = mi.compile(workload.text, optimize=True)
    compiled = time.perf_counter() - begin
    error = error_of(workload, arguments, program.main(*arguments))
    if not error <= workload.tolerance:
        raise SystemExit(f"{workload.name}: the result is off by {error:.1e}")
    calls: dict[str, Call] = {"ours": lambda: program.main(*arguments)}
    times = measure(calls | peer_calls(workload, arguments, options.peers), options.rounds, clock)
    medians = {name: statistics.median(values) for name, values in times.items()}
    best = min(seconds for name, seconds in medians.items() if name != "ours")
    quartiles = statistics.quantiles(times["ours"], n=4)
    share = workload.work / medians["ours"] / most[0] if workload.work else workload.traffic / medians["ours"] / most[1]
    ours = f"{medians['ours'] * 1e3:.2f} ({quartiles[0] * 1e3:.2f}-{quartiles[2] * 1e3:.2f})"
    peers = [f"{medians[name] * 1e3:.2f}" if name in medians else "-" for name in options.peers]
    cells = [workload.name, ours, *peers, f"{best / medians['ours']:.2f}", f"{share:.0%}", f"{compiled:.2f}"]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="workloads whose names contain one of these")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--peers", nargs="+", default=["numpy", "jax"], choices=["numpy", "jax"])
    parser.add_argument("--processor-time", action="store_true", help="count the time of the thread")
    options = parser.parse_args()
    clock = time.thread_time if options.processor_time else time.perf_counter
    most = limits(clock)
    print(f"peak {most[0] / 1e9:.0f} G operations/s, copy {most[1] / 1e9:.1f} GB/s, one thread")
    print(
        f"| workload | ours, ms (quartiles) | {', ms | '.join(options.peers)}, ms | ratio | of the limit | compile, s |"
    )
    print(f"|---|---|{'---|' * len(options.peers)}---|---|---|")
    for workload in WORKLOADS:
        if any(part in workload.name for part in options.only):
            print(row(workload, options, clock, most), flush=True)


if __name__ == "__main__":
    main()
