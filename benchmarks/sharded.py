"""How programs on several ranks scale, beside the same written with mpi4py and NumPy.

    python benchmarks/sharded.py
    python benchmarks/sharded.py --only matmul stencil --ranks 1 2 4 --rounds 15 --json sharded.json

Programs are those of `examples/sharded`, in sizes worth splitting, compiled with `optimize=True` for one thread a rank.
*Strong* scaling is of one size on all numbers of ranks, *weak* scaling of as much work for each rank. Each program and
number of ranks is a run of `mpiexec` of its own, with a core for each rank as far as there are cores; NumPy's BLAS has
one thread a rank. Ours and the peer take turns: a barrier, a call, and what counts is the rank that ends last. The
table has medians over the rounds (of the fastest of several turns), how much more work is done in a second than by one
rank, and how many times as long the peer takes. Before that the results of both are compared.

Ranks on more cores than the machine has take turns on them, which says nothing of scaling: such rows are marked
*oversubscribed*.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from speed import set_up

if "--child" in sys.argv:
    set_up(1)  # before NumPy is loaded

import numpy as np
from subjects.sharded_programs import PROGRAMS, Problem, ShardedProgram

import mlir_inplace as mi

Row = dict[str, Any]
TIMES = ("ours", "peer")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS), metavar="NAME")
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 2, 4])
    parser.add_argument("--scaling", nargs="+", default=["strong", "weak"], choices=["strong", "weak"])
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--turns", type=int, default=1, help="runs of mpiexec, of which the fastest counts")
    parser.add_argument("--divide", type=int, default=1, help="divide all sizes by this, for a test")
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        run_rank(options)
        return
    rows = [row for name in options.only for ranks in options.ranks for row in measured(options, name, ranks)]
    for line in table(rows):
        print(line)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


def measured(options: argparse.Namespace, name: str, ranks: int) -> list[Row]:
    """The figures of a program on that many ranks."""
    given = ["--only", name, "--scaling", *options.scaling, "--rounds", str(options.rounds)]
    given += ["--divide", str(options.divide)]
    turns = [rows_of_ranks(ranks, __file__, given) for _ in range(options.turns)]
    fastest = ({key: min(row[key] for row in same) for key in TIMES} for same in zip(*turns, strict=True))
    return [{**first, **times} for first, times in zip(turns[0], fastest, strict=True)]


def rows_of_ranks(ranks: int, script: str, given: Sequence[str]) -> list[Row]:
    """Run `script --child` on that many ranks, and return the lines of JSON that rank 0 prints."""
    if shutil.which("mpiexec") is None:
        raise SystemExit("mpiexec is not there; pip install 'mlir-inplace[mpi]'")
    command = ["mpiexec", "-n", str(ranks), sys.executable, "-m", "mpi4py", script, *given, "--child"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr or done.stdout)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def run_rank(options: argparse.Namespace) -> None:
    """One rank: rank 0 prints a line of JSON for each program."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    pinned = pin(comm.rank)
    for name in options.only:
        program = PROGRAMS[name]
        for scaling in options.scaling:
            problem = program.problem(comm.size, weak=scaling == "weak", scale=options.divide)
            seconds = in_turns(calls(program, problem, comm), comm, options.rounds)
            row = {"program": name, "scaling": scaling, "ranks": comm.size, "oversubscribed": not pinned}
            row |= {"sizes": dict(problem.sizes), "work": program.work(problem.sizes)}
            if comm.rank == 0:
                print(json.dumps({**row, **{key: statistics.median(taken) for key, taken in seconds.items()}}))
                sys.stdout.flush()


def pin(rank: int) -> bool:
    """Keep this rank on a core of its own; whether there is one for each rank."""
    from mpi4py import MPI

    cores = sorted(available_cores())
    os.sched_setaffinity(0, {cores[rank % len(cores)]})
    return MPI.COMM_WORLD.size <= len(cores)


def available_cores() -> set[int]:
    """The cores that the process may use, beyond the one that `set_up` keeps it on."""
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    return os.sched_getaffinity(0)


def calls(program: ShardedProgram, problem: Problem, comm: Any) -> dict[str, Callable[[], Any]]:
    """Our call and the peer's, of arrays of their own. Raises `SystemExit` if their results differ."""
    from mlir import ir

    with ir.Context():
        module = ir.Module.parse(problem.text)
        if "shard.shard" in problem.text:
            mi.run_pipeline(module, "builtin.module(inplace-shard,inplace-canonicalize,cse)")
        compiled = mi.compile(module, comm=comm, optimize=True)
    given = [program.arguments(problem, comm.rank, np.random.default_rng(comm.rank + 1)) for _ in range(2)]
    bound, peer = compiled.bind(*given[0]), program.peer(comm, problem, given[1])
    result, expected = bound(), peer()
    found = result[0] if isinstance(result, tuple) else result
    inside = slice(1, -1) if program.file == "stencil" else slice(None)
    largest = float(np.abs(expected).max())
    error = float(np.abs(found[inside] - expected[inside]).max()) / largest
    if not error <= program.near:
        raise SystemExit(f"{program.file}: rank {comm.rank} is off by {error}")
    return {"ours": bound, "peer": peer}


def in_turns(
    calls_: Mapping[str, Callable[[], Any]], comm: Any, rounds: int, *, warm: bool = False
) -> dict[str, list[float]]:
    """The seconds of each call in each round, on the rank that ended last; `warm`: of a second call each time."""
    from mpi4py import MPI

    seconds: dict[str, list[float]] = {name: [] for name in calls_}
    for turn in range(rounds + 1):
        for name, call in calls_.items():
            if warm:
                call()
            comm.Barrier()
            begin = time.perf_counter()
            call()
            taken = comm.allreduce(time.perf_counter() - begin, MPI.MAX)
            if turn:  # The first one warms up.
                seconds[name].append(taken)
    return seconds


def table(rows: Sequence[Row]) -> list[str]:
    """Rows of Markdown."""
    lines = [
        "| program | ranks | ours, ms | GFLOP/s | over one rank | mpi4py + NumPy, ms | over one rank | peer / ours |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        same = (one for one in rows if all(one[key] == row[key] for key in ("program", "scaling")))
        lines.append(_line(row, next((one for one in same if one["ranks"] == 1), None)))
    return lines


def _line(row: Row, one: Row | None) -> str:
    gains = {key: "" if one is None else f"{one[key] / row[key] * row['work'] / one['work']:.2f}" for key in TIMES}
    mark = " (oversubscribed)" if row["oversubscribed"] else ""
    return (
        f"| {row['program']}, {row['scaling']} | {row['ranks']}{mark} | {row['ours'] * 1e3:.2f} "
        f"| {row['work'] / row['ours'] * 1e-9:.1f} | {gains['ours']} | {row['peer'] * 1e3:.2f} | {gains['peer']} "
        f"| {row['peer'] / row['ours']:.2f} |"
    )


if __name__ == "__main__":
    main()
