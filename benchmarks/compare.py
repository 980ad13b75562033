"""Whether a change makes anything slower: two commits on the same programs, in turns.

    python benchmarks/compare.py main HEAD
    python benchmarks/compare.py v0.1 HEAD --only analysis compile --rounds 9 --fail-above 1.05

Each commit is checked out into a folder of its own. In each round both run once, each in a new process, in an order
that changes from round to round; a process measures everything it is asked for, each a few times, and keeps the least.
`analysis` is bufferization of the programs of `scaling.py`, `compile` is `mi.compile` of those of `compile_latency.py`,
both as processor time; `run` is optimized code of some of `subjects/workloads.py`, `call` is calls on small arrays. The
table has the medians over the rounds in ms, the ratio of HEAD to BASE, and the interval that the ratio is in with 95 %
confidence (bootstrap over the rounds). A row is marked where the interval leaves out 1. Two rounds are too few for
that: of a commit beside itself they marked seven of ten rows, on a machine that others used. The programs are those of
this checkout, for both commits.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
REPEATS = 5
"""How often a process measures the same thing."""

SHAPES = ("inserts", "tiles", "generics", "loops", "fan", "versions", "rotation", "calls", "foralls", "branches")
WORKLOADS = ("matmul 512x512x512", "softmax 1024x4096", "layernorm 1024x1024", "attention 512x64", "5-point stencil")
_RESAMPLES = 2000

Clock = Callable[[], float]
Case = tuple[str, Clock, Callable[[], Callable[[], Any]]]
"""A name, the clock, and what makes a call to measure, which is not measured itself."""


def analysis(ops: int) -> Iterator[Case]:
    """Bufferization of each shape of program with about `ops` ops."""
    import scaling
    from mlir import ir

    context = ir.Context()
    for shape in SHAPES:
        text = getattr(scaling, shape)(ops)

        def make(text: str = text) -> Callable[[], Any]:
            module = ir.Module.parse(text, context)
            return lambda: scaling.run_ours(module)

        yield f"analysis: {shape}", time.process_time, make


def compilation(ops: int) -> Iterator[Case]:
    """`mi.compile` of programs with `ops` ops."""
    from subjects import chains

    import mlir_inplace as mi

    for name, (write, _) in chains.PROGRAMS.items():
        for optimize in (False, True):
            text = write(ops // 3)

            def call(text: str = text, optimize: bool = optimize) -> Any:
                return mi.compile(text, optimize=optimize, cache=False)

            label = f"compile: {name}{', optimize' if optimize else ''}"
            yield label, time.process_time, lambda call=call: call


def running(_: int) -> Iterator[Case]:
    """Optimized code on one thread."""
    from subjects import workloads

    import mlir_inplace as mi

    for workload in workloads.WORKLOADS:
        if any(workload.name.startswith(name) for name in WORKLOADS):
            program = mi.compile(workload.text, optimize=True)
            bound = program.bind(*workload.arguments())
            yield f"run: {workload.name}", time.perf_counter, lambda bound=bound: bound


def calling(_: int) -> Iterator[Case]:
    """A thousand calls on small arrays."""
    import call_overhead
    import numpy as np

    import mlir_inplace as mi

    program = mi.compile(call_overhead.PROGRAM.replace("SxS", "4x4"))
    a = np.ones((4, 4), np.float32)
    out, bound = np.empty_like(a), program.bind(a, a, function="add")
    calls: dict[str, Callable[[], Any]] = {
        "bound": bound,
        "fresh result": lambda: program.add(a, a),
        "result into out=": lambda: program.add(a, a, out=out),
    }
    for name, call in calls.items():
        yield f"call: {name}, 1000 times", time.perf_counter, lambda call=call: lambda: [call() for _ in range(1000)]


KINDS = {"analysis": analysis, "compile": compilation, "run": running, "call": calling}


def measure(kinds: Sequence[str], ops: int) -> dict[str, float]:
    """The least seconds of each case, in this process."""
    found: dict[str, float] = {}
    for kind in kinds:
        for name, clock, make in KINDS[kind](ops):
            for _ in range(REPEATS):
                call = make()
                started = clock()
                call()
                seconds = clock() - started
                found[name] = min(seconds, found.get(name, seconds))
    return found


def measured_at(checkout: Path, options: argparse.Namespace) -> dict[str, float]:
    """What a new process measures with the package of a checkout."""
    environment = {**os.environ, "PYTHONPATH": str(checkout.parent), "MLIR_INPLACE_CACHE": "0"}
    command = [sys.executable, __file__, "--measure", str(checkout), "--ops", str(options.ops), "--only", *options.only]
    done = subprocess.run(command, env=environment, cwd=checkout, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{checkout.parent.name}: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def interval(base: Sequence[float], head: Sequence[float]) -> tuple[float, float]:
    """Where the ratio of the medians is with 95 % confidence, by resampling the rounds."""
    generator = random.Random(0)
    rounds = range(len(base))
    ratios: list[float] = []
    for _ in range(_RESAMPLES):
        chosen = [generator.choice(rounds) for _ in rounds]
        ratios.append(statistics.median(head[i] for i in chosen) / statistics.median(base[i] for i in chosen))
    ratios.sort()
    return ratios[_RESAMPLES // 40], ratios[-_RESAMPLES // 40 - 1]


def check_out(commit: str, folder: Path) -> Path:
    """A checkout of `commit` whose folder has the package's name."""
    target = folder / "mlir_inplace"
    command = ["git", "-C", str(ROOT), "worktree", "add", "--detach", "--quiet", str(target), commit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"cannot check out '{commit}': {done.stderr.strip()}")
    return target


def compare(options: argparse.Namespace) -> int:
    """Measure, print the table, and return the exit code."""
    times: dict[str, list[dict[str, float]]] = {"base": [], "head": []}
    with tempfile.TemporaryDirectory() as folder:
        places: dict[str, Path] = {}
        try:
            for side, commit in (("base", options.base), ("head", options.head)):
                places[side] = check_out(commit, Path(folder, side))
            for number in range(options.rounds):
                for side in sorted(places, reverse=bool(number % 2)):
                    times[side].append(measured_at(places[side], options))
        finally:
            for place in places.values():
                subprocess.run(["git", "-C", str(ROOT), "worktree", "remove", "--force", str(place)], check=False)
    slower = 0
    print(f"| program | {options.base}, ms | {options.head}, ms | ratio | 95 % | |\n|---|---:|---:|---:|---|---|")
    for name in times["base"][0]:
        base, head = ([one[name] for one in times[side]] for side in ("base", "head"))
        low, high = interval(base, head)
        slower += low > options.fail_above
        mark = "slower" if low > 1 else "faster" if high < 1 else ""
        first, second = statistics.median(base) * 1e3, statistics.median(head) * 1e3
        print(f"| {name} | {first:.2f} | {second:.2f} | {second / first:.2f} | {low:.2f}–{high:.2f} | {mark} |")
    return 1 if slower else 0


def main() -> int:
    """Compare two commits, or measure the one that this process has."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", nargs="?", help="a commit")
    parser.add_argument("head", nargs="?", default="HEAD", help="another one")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--ops", type=int, default=300, help="about how many ops a program has")
    parser.add_argument("--only", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--fail-above", type=float, default=float("inf"), help="exit with 1 if a ratio is surely above")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is None:
        if options.base is None or options.rounds < 1:
            parser.error("give a commit to compare with, and at least one round")
        return compare(options)
    import mlir_inplace

    if Path(str(mlir_inplace.__file__)).parent.resolve() != options.measure.resolve():
        sys.exit(f"the package is {mlir_inplace.__file__}, not that of {options.measure}")
    print(json.dumps(measure(options.only, options.ops)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
