"""Programs of two threads on each rank that runs this: the numbers of one thread, and those of NumPy.

The arguments are the folder of the examples, and one for machine code. Counting memory would take one thread; so it is
not counted here.
"""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

import mlir_inplace as mi
from mlir_inplace.runtime.source import private_copy

WORLD = MPI.COMM_WORLD
EXAMPLES, CACHE = map(Path, sys.argv[1:])
SIZES = {
    "data_parallel": {"100x8xf32": "20001x64xf32", "100x4xf32": "20001x32xf32", "<8x4xf32": "<64x32xf32"},
    "stencil": {"19x12xf32": "501x512xf32", "?x12xf32": "?x512xf32", "?x10xf32": "?x510xf32", "10] [1": "510] [1"},
}


def count_threads() -> int:
    return len(os.listdir("/proc/self/task"))


def compiled(name: str, threads: int) -> Any:
    text = (EXAMPLES / f"{name}.mlir").read_text()
    for old, new in SIZES[name].items():
        text = text.replace(old, new)
    for grid in (2, 3):
        text = text.replace(f"@grid(shape = {grid})", f"@grid(shape = {WORLD.size})")
        text = text.replace(f"inplace.grid = array<i64: {grid}>", f"inplace.grid = array<i64: {WORLD.size}>")
    module = private_copy(text)
    mi.run_pipeline(module, "builtin.module(inplace-shard)")
    return mi.compile(module, comm=WORLD, optimize=True, threads=threads, cache=CACHE)


def called(program: Any, given: list[Any]) -> list[Any]:
    """The whole results on rank 0; nothing elsewhere."""
    arguments = [one if isinstance(one, int) else np.copy(one) if WORLD.rank == 0 else None for one in given]
    found = program.main(*arguments)
    if WORLD.rank:
        return []
    return list(found) if isinstance(found, tuple) else [found]


def trained(x: Any, y: Any, w: Any) -> list[Any]:
    return [w - np.float32(0.01) * (x.T @ (x @ w - y))]


def swept(u: Any, w: Any, steps: int) -> list[Any]:
    a, b = (np.pad(one, ((1, 1), (0, 0))) for one in (u, w))
    for _ in range(steps):
        b[1:-1, 1:-1] = ((a[:-2, 1:-1] + a[2:, 1:-1]) + (a[1:-1, :-2] + a[1:-1, 2:])) * np.float32(0.25)
        a, b = b, a
    return [a[1:-1], b[1:-1]]


def check(name: str, shapes: list[Any], expected_of: Any, tolerance: float) -> None:
    rng = np.random.default_rng(7)
    given = [one if isinstance(one, int) else rng.standard_normal(one).astype(np.float32) for one in shapes]
    one, two = compiled(name, 1), compiled(name, 2)
    alone = called(one, given)
    several = called(two, given)
    for found, other, expected in zip(several, alone, expected_of(*given), strict=WORLD.rank == 0):
        np.testing.assert_array_equal(found, other)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * float(np.abs(expected).max()))


before = count_threads()
check("stencil", [(501, 512), (501, 512), 7], swept, 0)
check("data_parallel", [(20001, 64), (20001, 32), (64, 32)], trained, 1e-5)
assert count_threads() == before + 1, "no thread was started"
print(f"rank {WORLD.rank} is right")
