"""Gathers of two ranks into a slice of a larger array, beside two ways to write them with mpi4py and NumPy.

    python benchmarks/sharded_gathers.py
    python benchmarks/sharded_gathers.py --shapes 512x512 4096x8 --rounds 31

Each rank has so many rows and columns of f32. *Columns* lie side by side in the slice, *rows* below each other; the
larger array has some columns more, so rows have gaps. Three ways take turns: ours, `shard.all_gather` and
`tensor.insert_slice`; a *buffer* that MPI gathers into, and a copy; and *derived types*, by which MPI receives in the
slice itself. Medians over the rounds; what counts is the rank that ends last. Before that the results are compared.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable
from typing import Any

from sharded import in_turns, pin, rows_of_ranks
from speed import set_up

if "--child" in sys.argv:
    set_up(1)  # before NumPy is loaded

import numpy as np

import mlir_inplace as mi

RANKS = 2
SHAPES = ["2048x1000", "500x500", "1000x64", "100000x1"]
GAP = 13
"""How many more columns the larger array has."""
NAMES = {"ours": "ours", "buffer": "buffer and copy", "derived": "derived types"}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", default=SHAPES, metavar="ROWSxCOLUMNS")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        run_rank(options)
        return
    rows = rows_of_ranks(RANKS, __file__, sys.argv[1:])
    print("| each rank's part | gathered | " + " | ".join(f"{name}, ms" for name in NAMES.values()) + " |")
    print("|---|---|---|---|---|")
    for row in rows:
        times = " | ".join(f"{row[name] * 1e3:.3g}" for name in NAMES)
        print(f"| {row['shape']} | {row['kind']} | {times} |")


def run_rank(options: argparse.Namespace) -> None:
    """One rank: rank 0 prints a line of JSON for each shape and kind."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    pin(comm.rank)
    for shape in options.shapes:
        rows, columns = map(int, shape.split("x"))
        for kind, axis in (("columns", 1), ("rows", 0)):
            seconds = in_turns(ways(comm, rows, columns, axis), comm, options.rounds)
            if comm.rank == 0:
                medians = {name: statistics.median(taken) for name, taken in seconds.items()}
                print(json.dumps({"shape": shape, "kind": kind, **medians}), flush=True)


def ways(comm: Any, rows: int, columns: int, axis: int) -> dict[str, Callable[[], Any]]:
    """The three calls, each with arrays of its own. Raises `SystemExit` if results differ."""
    made = (rows, columns * comm.size) if axis else (rows * comm.size, columns)
    whole = made[0], made[1] + GAP
    part = np.random.default_rng(comm.rank).random((rows, columns), np.float32)
    arrays = {name: np.zeros(whole, np.float32) for name in NAMES}
    given, inner, outer = (f"tensor<{a}x{b}xf32>" for a, b in ((rows, columns), made, whole))
    program = mi.compile(
        f"""
        shard.grid @g(shape = {comm.size})
        func.func @main(%x: {given}, %t: {outer} {{bufferization.writable = true}}) -> {outer} {{
          %a = shard.all_gather %x on @g grid_axes = [0] gather_axis = {axis} : {given} -> {inner}
          %r = tensor.insert_slice %a into %t[0, 3] [{made[0]}, {made[1]}] [1, 1] : {inner} into {outer}
          return %r : {outer}
        }}""",
        comm=comm,
    )
    calls = {
        "ours": program.bind(part, arrays["ours"]),
        "buffer": buffer_and_copy(comm, part, arrays["buffer"], axis),
        "derived": derived_types(comm, part, arrays["derived"], axis),
    }
    for call in calls.values():
        call()
    if any(not np.array_equal(arrays["ours"], array) for array in arrays.values()):
        raise SystemExit("the results differ")
    return calls


def buffer_and_copy(comm: Any, part: Any, array: Any, axis: int) -> Callable[[], None]:
    """Gather the parts one after the other, and copy each to its place."""
    rows, columns = part.shape
    gathered = np.empty((comm.size, rows, columns), np.float32)
    places = [place(array, part, axis, rank) for rank in range(comm.size)]

    def call() -> None:
        comm.Allgather(part, gathered)
        for target, one in zip(places, gathered, strict=True):
            target[...] = one

    return call


def derived_types(comm: Any, part: Any, array: Any, axis: int) -> Callable[[], None]:
    """Copy the own part, and receive the others in their places."""
    from mpi4py import MPI

    rows, columns = part.shape
    kind = MPI.FLOAT.Create_vector(rows, columns, array.shape[1]).Commit()
    places = [place(array, part, axis, rank) for rank in range(comm.size)]
    end = array.ctypes.data + array.nbytes
    memory = [MPI.buffer.fromaddress(one.ctypes.data, end - one.ctypes.data) for one in places]

    def call() -> None:
        places[comm.rank][...] = part
        for step in range(1, comm.size):
            to, origin = (comm.rank + step) % comm.size, (comm.rank - step) % comm.size
            comm.Sendrecv([part, part.size, MPI.FLOAT], to, 0, [memory[origin], 1, kind], origin, 0)

    return call


def place(array: Any, part: Any, axis: int, rank: int) -> Any:
    """Where the part of a rank belongs."""
    rows, columns = part.shape
    row, column = (0, rank * columns) if axis else (rank * rows, 0)
    return array[row : row + rows, 3 + column : 3 + column + columns]


if __name__ == "__main__":
    main()
