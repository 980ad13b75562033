"""What several threads gain, on a machine that is idle and on one where another process has a core.

    python benchmarks/threads.py
    python benchmarks/threads.py --only softmax attention --threads 2 --rounds 15

Each program of `speed.py` runs on one thread and on several, in turns; what counts of a turn is the mean of its calls
in 200 ms, as a few calls that wait for a core make it, and of all rounds the median, with the quartiles of the ratio.
Then the same again while a process that never waits is kept on the last core. With `--openmp` the threads are those of
a runtime of OpenMP, which waits for all of them; in a run of its own, as its threads go on spinning after a call.
Results on several threads are compared with those on one, bit for bit, before. On a machine that does other things all
figures are worse.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from subjects.workloads import WORKLOADS, Workload

import mlir_inplace as mi
from mlir_inplace.runtime.native.openmp import find_openmp

TURN = 0.2
DEFAULT = ("matmul 512x512x512", "matmul 1024x1024x1024", "relu", "softmax", "layernorm", "attention", "MLP", "conv")
Call = Callable[[], Any]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=DEFAULT, metavar="NAME", help="programs whose names begin so")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--openmp", action="store_true", help="threads of a runtime of OpenMP, not ours")
    options = parser.parse_args()
    chosen = [workload for workload in WORKLOADS if workload.name.startswith(tuple(options.only))]
    compiled = {workload.name: calls(workload, options.threads, openmp=options.openmp) for workload in chosen}
    for title, load in (("idle", nullcontext()), ("another process on one core", busy_core())):
        print(f"\n{title}: ms on one thread; on {options.threads} threads, and how many times as fast (quartiles)")
        with load:
            for name, versions in compiled.items():
                print(row(name, measure(versions, options.rounds)), flush=True)


def calls(workload: Workload, threads: int, *, openmp: bool) -> dict[str, Call]:
    """The program on one thread and on several, by name, with arguments."""
    arguments = workload.arguments()
    libraries = {"one": [], "several": [find_openmp() or ""] if openmp else []}
    made: dict[str, Call] = {}
    expected: np.ndarray | None = None
    for name, library in libraries.items():
        number = 1 if name == "one" else threads
        program = mi.compile(workload.text, optimize=True, threads=number, shared_libs=library)
        result = np.array(program.main(*arguments))
        expected = result if expected is None else expected
        np.testing.assert_array_equal(result, expected)
        made[name] = program.bind(*arguments)
    return made


@contextmanager
def busy_core() -> Iterator[None]:
    """Keep a process that never waits on the last core that this one may use."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    os.sched_setaffinity(process.pid, {max(os.sched_getaffinity(0))})
    try:
        yield
    finally:
        process.kill()
        process.wait()


def measure(versions: Mapping[str, Call], rounds: int) -> dict[str, list[float]]:
    """The seconds of a call in each round, by version."""
    seconds: dict[str, list[float]] = {name: [] for name in versions}
    for _ in range(rounds):
        for name, call in versions.items():
            call()
            seconds[name].append(turn(call))
    return seconds


def turn(call: Call) -> float:
    """The mean of the calls in one turn."""
    calls = 0
    begin = now = time.perf_counter()
    while calls < 3 or now < begin + TURN:
        call()
        calls += 1
        now = time.perf_counter()
    return (now - begin) / calls


def row(name: str, seconds: Mapping[str, list[float]]) -> str:
    """A line of the table."""
    one = seconds["one"]
    text = f"| {name} | {statistics.median(one) * 1e3:.3g} |"
    for version, times in seconds.items():
        if version != "one":
            ratios = [alone / together for alone, together in zip(one, times, strict=True)]
            low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
            text += f" {statistics.median(times) * 1e3:.3g}, {middle:.2f} ({low:.2f}-{high:.2f}) |"
    return text


if __name__ == "__main__":
    main()
