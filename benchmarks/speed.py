"""How fast programs run that `mi.compile(..., optimize=True)` made of plain linalg, beside its peers, in one run.

    python benchmarks/speed.py
    python benchmarks/speed.py --only matmul softmax --rounds 15 --peers numpy --threads 1
    python benchmarks/speed.py --threads 1 2 --json speed.json --plot speed.svg

Peers are NumPy, and JAX, IREE and torch where they are installed (`pip install 'mlir-inplace[bench]'`). OpenBLAS, which
is what NumPy multiplies with, does not know every processor with wide vectors; it is told to use them
(`OPENBLAS_CORETYPE`, if that is not set), since it would be half as fast otherwise. All run on as many threads, on as
many cores, and take turns. A turn begins with calls that are not timed; what counts of it is the median of the calls in
the 20 ms after them (three at least). On several threads there is a rest before each turn, since pools of threads go on
spinning after a call for up to 0.2 s, which would take a core from whoever is next, and the warming takes longer, as
the system needs some 10 ms until threads that wake have cores of their own. The table has medians over the rounds, for
ours with the quartiles, and the ratio of the best peer's median to ours (above 1.00 we are faster), with the quartiles
of the ratio in each round. *Of the limit* is the share of what the machine can do, measured in the same run
(`subjects/limits.py`): of the peak of fused multiplications and additions for programs limited by arithmetic, of
streams past the caches for programs limited by memory (what stays in a cache can be above it). Before that, the results
of all are compared with NumPy in float64. Nothing here is a test: figures depend on the machine.

`--processor-time` counts the time of the process, with all its threads, in place of the clock's, on one thread: for a
machine that others use too. Each number of threads has a process of its own, since OpenBLAS and JAX read theirs once.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from subjects.limits import Limits
    from subjects.peers import Call
    from subjects.workloads import Workload

Clock = Callable[[], float]
CHILD = "MLIR_INPLACE_BENCHMARK_THREADS"
TURN, REST, WARM_UP = 0.02, 0.3, (0.005, 0.05)
"""Seconds that are timed, of rest between the turns of several threads, and of calls before (one thread, several)."""


def set_up(threads: int) -> None:
    """Give the process `threads` cores, before NumPy and JAX are loaded."""
    if "avx512f" in Path("/proc/cpuinfo").read_text():
        os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[variable] = str(threads)
    # JAX has threads of its own, which only the system keeps on some cores.
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:threads]))


def error_of(workload: Workload, arguments: Sequence[np.ndarray], result: Any) -> float:
    """How far `result` is off, relative to the largest element."""
    import numpy as np

    exact = [argument if argument.dtype.kind == "i" else argument.astype(np.float64) for argument in arguments]
    expected = np.asarray(workload.function(np, *exact), np.float64)
    result = result.double() if hasattr(result, "double") else result  # NumPy cannot read all types of torch
    return float(np.abs(np.asarray(result, np.float64) - expected).max() / np.abs(expected).max())


def calls_of(
    workload: Workload, options: argparse.Namespace, threads: int
) -> tuple[dict[str, Callable[[], Any]], float]:
    """A call of the program and of each peer that can run it, and how many seconds it took to compile.

    Raises:
        SystemExit: our result is wrong.
    """
    from subjects.peers import PEERS

    import mlir_inplace as mi

    arguments = workload.arguments()
    begin = time.perf_counter()
    program = mi.compile(workload.text, optimize=True, threads=threads)
    seconds = time.perf_counter() - begin
    calls: dict[str, Call] = {"ours": lambda: program.main(*arguments)}
    if not (error := error_of(workload, arguments, calls["ours"]())) <= workload.tolerance:
        raise SystemExit(f"{workload.name}: the result is off by {error:.1e}")
    makers = {name: partial(PEERS[name][1], workload, arguments, threads) for name in options.peers}
    calls |= right_calls(workload.name, makers, partial(error_of, workload, arguments), workload.tolerance)
    return calls, seconds


def right_calls(
    program: str, makers: Mapping[str, Callable[[], Call]], error_of: Callable[[Any], float], tolerance: float
) -> dict[str, Call]:
    """The calls of the peers that can run a program, and whose results are right; others are named, and left out."""
    calls: dict[str, Call] = {}
    for name, make in makers.items():
        try:
            call = make()
            error = error_of(call())
        except Exception as reason:  # noqa: BLE001 - whatever is wrong with it, the others can be measured
            told = str(reason).splitlines() or [type(reason).__name__]
            print(f"{program}: {name} is left out: {told[0][:100]}", file=sys.stderr)
            continue
        if error <= tolerance:
            calls[name] = call
        else:
            print(f"{program}: {name} is left out, as its result is off by {error:.1e}", file=sys.stderr)
    return calls


def turn(call: Callable[[], Any], threads: int, clock: Clock) -> float:
    """Seconds that a call takes, the median of those in one turn."""
    if threads > 1:
        time.sleep(REST)
    warm = time.perf_counter() + WARM_UP[threads > 1]
    while time.perf_counter() < warm:
        call()
    times: list[float] = []
    while len(times) < 3 or sum(times) < TURN:
        begin = clock()
        call()
        times.append(clock() - begin)
    return statistics.median(times)


def measure(calls: Mapping[str, Callable[[], Any]], rounds: int, threads: int, clock: Clock) -> dict[str, list[float]]:
    """Seconds for each round of each of `calls`, which take turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(turn(call, threads, clock))
    return times


def measured(
    workload: Workload, options: argparse.Namespace, threads: int, clock: Clock, limits: Limits
) -> dict[str, Any]:
    """Everything that is to be told of a workload."""
    calls, compiled = calls_of(workload, options, threads)
    times = measure(calls, options.rounds, threads, clock)
    medians = {name: statistics.median(values) for name, values in times.items()}
    peers = {name: values for name, values in times.items() if name != "ours"}
    best = min(peers, key=medians.__getitem__) if peers else "ours"
    ratios = [theirs / ours for theirs, ours in zip(times[best], times["ours"], strict=True)]
    work, most = (workload.work, limits.operations) if workload.work else (workload.traffic, limits.bytes)
    return {
        "workload": workload.name,
        "threads": threads,
        "medians": medians,
        "quartiles": statistics.quantiles(times["ours"], n=4),
        "best": best,
        "ratio": medians[best] / medians["ours"],
        "ratio quartiles": statistics.quantiles(ratios, n=4),
        "of the limit": work / medians["ours"] / most,
        "compile": compiled,
    }


def row(figures: Mapping[str, Any], peers: Sequence[str]) -> str:
    """One row of the table."""
    low, _, high = (f"{seconds * 1e3:.2f}" for seconds in figures["quartiles"])
    worst, _, best = (f"{ratio:.2f}" for ratio in figures["ratio quartiles"])
    medians = {name: f"{seconds * 1e3:.2f}" for name, seconds in figures["medians"].items()}
    rest = [f"{figures['ratio']:.2f} ({worst}-{best})", f"{figures['of the limit']:.0%}", f"{figures['compile']:.2f}"]
    cells = [figures["workload"], f"{medians['ours']} ({low}-{high})", *(medians.get(name, "-") for name in peers)]
    return f"| {' | '.join([*cells, *rest])} |"


def run(options: argparse.Namespace, threads: int) -> None:
    """Measure on `threads` threads; print the table and, for the parent, add a line of JSON for each row."""
    from subjects.limits import measure_limits
    from subjects.workloads import WORKLOADS

    clock = time.process_time if options.processor_time else time.perf_counter
    limits = measure_limits(threads, clock)
    print(f"\n{threads} thread{'s' if threads > 1 else ''}: {limits}\n")
    names = [*options.peers, "ratio (quartiles)", "of the limit", "compile, s"]
    print(f"| workload | ours, ms (quartiles) | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
    for workload in WORKLOADS:
        if any(part in workload.name for part in options.only):
            figures = measured(workload, options, threads, clock, limits)
            print(row(figures, options.peers), flush=True)
            if options.json:
                with options.json.open("a") as file:
                    file.write(json.dumps(figures) + "\n")


def plot(rows: Sequence[Mapping[str, Any]], path: Path, scale: str = "times as fast as the best peer") -> None:
    """Draw the ratios to the best peer as bars, a colour for each number of threads; `scale` says what they are."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    names = list(dict.fromkeys(row["workload"] for row in rows))
    counts = sorted({row["threads"] for row in rows})
    figure, axes = pyplot.subplots(figsize=(9, 0.3 * len(names) * len(counts) ** 0.5 + 1.5))
    height = 0.8 / len(counts)
    for number, count in enumerate(counts):
        of_count = [row for row in rows if row["threads"] == count]
        places = [names.index(row["workload"]) + (number - (len(counts) - 1) / 2) * height for row in of_count]
        spread = [[abs(row["ratio"] - row["ratio quartiles"][i]) for row in of_count] for i in (0, 2)]
        label = f"{count} thread{'s' if count > 1 else ''}"
        axes.barh(places, [row["ratio"] for row in of_count], height, xerr=spread, label=label, ecolor="0.4")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(scale)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    """Run a process for each number of threads, and plot what they found."""
    sys.path.insert(0, str(Path(__file__).parent))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="workloads whose names contain one of these")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--peers", nargs="+", help="those that are installed by default")
    parser.add_argument("--threads", nargs="+", type=int, default=[1], help="1 by default")
    parser.add_argument("--processor-time", action="store_true", help="count the time of the process")
    parser.add_argument("--json", type=Path, help="where to write the figures, a line for each row")
    parser.add_argument("--plot", type=Path, help="where to draw the ratios (needs matplotlib and --json)")
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("--rounds must be 2 or more, as there are quartiles of them")
    if options.plot and not options.json:
        parser.error("--plot needs --json")
    if CHILD in os.environ:
        threads = int(os.environ[CHILD])
        set_up(threads)
        from subjects.peers import PEERS, installed_peers

        options.peers = options.peers or installed_peers()
        if unknown := set(options.peers) - PEERS.keys():
            parser.error(f"unknown peers {', '.join(sorted(unknown))}; known are {', '.join(PEERS)}")
        run(options, threads)
        return
    if options.json:
        options.json.write_text("")
    for threads in options.threads:
        subprocess.run([sys.executable, *sys.argv], env=os.environ | {CHILD: str(threads)}, check=True)
    if options.plot:
        plot([json.loads(line) for line in options.json.read_text().splitlines()], options.plot)


if __name__ == "__main__":
    main()
