"""Whether a class of ops is slow: small programs over kind, dimension, element type and size, beside the best peer.

    python benchmarks/sweep.py
    python benchmarks/sweep.py --only softmax cumsum --rounds 9 --peers numpy jax
    python benchmarks/sweep.py --json sweep.json --below 1

The programs are those of `subjects/sweep_programs.py`: what a frontend makes of one op or of a few, in StableHLO. Peers
are NumPy, JAX and torch where they are installed (`pip install 'mlir-inplace[bench]'`; `--peers` names others of
`subjects/peers.py`). All run on one thread and take turns, as in `speed.py`, after results are compared with NumPy in
float64. The table has the worst rows first: medians over the rounds, for ours with the quartiles, and the ratio of the
best peer's median to ours (above 1.00 we are faster) with the quartiles of the ratio in each round; the geometric mean
of all ratios is at its end. Rows appear on the standard error as they are measured. Nothing here is a test: figures
depend on the machine. A program whose result is wrong has no row; the exit code is 1 then.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from speed import measured, row, set_up

PEERS = ("numpy", "jax", "torch")


def report(figures: Sequence[dict[str, Any]], peers: Sequence[str], below: float) -> None:
    """Print the rows whose ratio is below `below`, worst first, and the geometric mean of all."""
    names = [*peers, "ratio (quartiles)", "of the limit", "compile, s"]
    print(f"| program | ours, ms (quartiles) | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
    for one in sorted(figures, key=lambda one: one["ratio"]):
        if one["ratio"] < below:
            print(row(one, peers))
    compared = [one["ratio"] for one in figures if one["best"] != "ours"]
    if compared:
        slower = sum(ratio < 1 for ratio in compared)
        mean = statistics.geometric_mean(compared)
        print(f"\n{len(compared)} programs, {slower} below 1.00; geometric mean {mean:.2f}")


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="programs whose names contain one of these")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--peers", nargs="+", help="numpy, jax and torch, as far as they are installed, by default")
    parser.add_argument("--processor-time", action="store_true", help="count the time of the process")
    parser.add_argument("--below", type=float, default=float("inf"), help="leave out rows with a ratio from here on")
    parser.add_argument("--json", type=Path, help="where to write the figures, a line for each row")
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("--rounds must be 2 or more, as there are quartiles of them")
    set_up(1)
    from subjects.limits import measure_limits
    from subjects.peers import PEERS as KNOWN
    from subjects.peers import installed_peers
    from subjects.sweep_programs import SWEEP

    options.peers = options.peers or [name for name in installed_peers() if name in PEERS]
    if unknown := set(options.peers) - KNOWN.keys():
        parser.error(f"unknown peers {', '.join(sorted(unknown))}; known are {', '.join(KNOWN)}")
    chosen = [workload for workload in SWEEP if any(part in workload.name for part in options.only)]
    if not chosen:
        parser.error(f"no program has one of {', '.join(options.only)} in its name")
    clock = time.process_time if options.processor_time else time.perf_counter
    limits = measure_limits(1, clock)
    if options.json:
        options.json.write_text("")
    figures: list[dict[str, Any]] = []
    wrong: list[str] = []
    for workload in chosen:
        try:
            figures.append(measured(workload, options, 1, clock, limits))
        except SystemExit as reason:  # our result is wrong: the others are measured, and the exit code says it
            wrong.append(str(reason))
            continue
        print(row(figures[-1], options.peers), file=sys.stderr, flush=True)
        if options.json:
            with options.json.open("a") as file:
                file.write(json.dumps(figures[-1]) + "\n")
    report(figures, options.peers, options.below)
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main()
