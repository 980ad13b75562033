"""What limits a stencil on two ranks: its size against the caches, measured beside ranks that exchange nothing.

    python benchmarks/sharded_stencil.py
    python benchmarks/sharded_stencil.py --rows 512 1024 --steps 100 --rounds 31

`examples/sharded/stencil.mlir` on square arrays, compiled with `optimize=True` for one thread a rank, each rank on a
core of its own. Three things take turns in one run of `mpiexec -n 2`, each after a call that brings its arrays back
into the caches: one rank computes all (the other one waits), both ranks compute it with halos, and both compute a half
each, without any message. The latter is the limit of the machine: what two cores do that share its memory and its last
cache. Medians over the rounds; what counts is the rank that ends last.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sharded import in_turns, pin, rows_of_ranks
from speed import set_up

if "--child" in sys.argv:
    set_up(1)  # before NumPy is loaded

import numpy as np
from subjects.sharded_programs import PROGRAMS

import mlir_inplace as mi

NAMES = {"one": "one rank", "two": "two ranks", "apart": "two halves, no messages"}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", type=int, default=[256, 512, 768, 1024, 2048, 4096])
    parser.add_argument("--steps", type=int, help="by default so many that a call takes some milliseconds, at most 100")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        run_rank(options)
        return
    rows = rows_of_ranks(2, __file__, sys.argv[1:])
    print("| rows and columns | arrays, MB | steps | " + " | ".join(f"{name}, ms" for name in NAMES.values()), end="")
    print(" | over one rank | limit |\n|---|---|---|---|---|---|---|---|")
    for row in rows:
        times = " | ".join(f"{row[name] * 1e3:.2f}" for name in NAMES)
        print(
            f"| {row['rows']} | {8e-6 * row['rows'] ** 2:.1f} | {row['steps']} | {times} "
            f"| {row['one'] / row['two']:.2f} | {row['one'] / row['apart']:.2f} |"
        )


def run_rank(options: argparse.Namespace) -> None:
    """One rank: rank 0 prints a line of JSON for each size."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    pin(comm.rank)
    for rows in options.rows:
        steps = options.steps or max(10, min(100, 100 * 1024**2 // rows**2))
        one, half = (stencil(size, rows, steps, MPI.COMM_SELF) for size in (rows, rows // 2))
        calls = {
            "one": one if comm.rank == 0 else lambda: None,
            "two": stencil(rows, rows, steps, comm),
            "apart": half,
        }
        seconds = in_turns(calls, comm, options.rounds, warm=True)
        if comm.rank == 0:
            medians = {name: statistics.median(taken) for name, taken in seconds.items()}
            print(json.dumps({"rows": rows, "steps": steps, **medians}), flush=True)


def stencil(rows: int, columns: int, steps: int, comm: Any) -> Callable[[], Any]:
    """A call of the example with these sizes on the ranks of a communicator."""
    program = PROGRAMS["stencil"]
    sized = replace(program, base={"rows": rows, "columns": columns, "steps": steps})
    problem = sized.problem(comm.size)
    arguments = program.arguments(problem, comm.rank, np.random.default_rng(comm.rank))
    return mi.compile(problem.text, comm=comm, optimize=True).bind(*arguments)


if __name__ == "__main__":
    main()
