"""The examples on as many ranks as run this, in their uneven sizes, against NumPy; memory of all ranks is counted.

The arguments are the folder of the examples, and one for machine code.
"""

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

import mlir_inplace as mi
from mlir_inplace.runtime.source import private_copy

WORLD = MPI.COMM_WORLD
EXAMPLES, CACHE = map(Path, sys.argv[1:])
GRIDS = {1: (1, 1), 2: (2, 1), 3: (3, 1), 4: (2, 2)}


def compiled(name: str, grid: Sequence[int], *, optimize: bool) -> Any:
    """The example for a grid of ranks."""
    text = (EXAMPLES / f"{name}.mlir").read_text()
    text = re.sub(r"(?<=@grid\(shape = )[\dx]+", "x".join(map(str, grid)), text)
    text = re.sub(r"(?<=inplace.grid = array<i64: )\d+", ", ".join(map(str, grid)), text)
    module = private_copy(text)
    mi.run_pipeline(module, "builtin.module(inplace-shard)")
    return mi.compile(module, comm=WORLD, cache=CACHE, memory_stats=True, optimize=optimize)


def trained(x: Any, y: Any, w: Any) -> Any:
    return w - np.float32(0.01) * (x.T @ (x @ w - y))


def attended(q: Any, k: Any, v: Any) -> Any:
    scores = q @ k.T
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights @ v / weights.sum(-1, keepdims=True)


def swept(u: Any, w: Any, steps: int) -> Any:
    """Rows beyond the ends are zeros, and stay; so do the first and the last column."""
    a, b = (np.pad(one, ((1, 1), (0, 0))) for one in (u, w))
    for _ in range(steps):
        b[1:-1, 1:-1] = ((a[:-2, 1:-1] + a[2:, 1:-1]) + (a[1:-1, :-2] + a[1:-1, 2:])) * np.float32(0.25)
        a, b = b, a
    return a[1:-1], b[1:-1]


CASES: tuple[tuple[str, Callable[..., Any], list[Any], bool], ...] = (
    ("data_parallel", trained, [(100, 8), (100, 4), (8, 4)], True),
    ("stencil", swept, [(19, 12), (19, 12), 5], True),
    ("summa", lambda a, b, c: c + a @ b, [(50, 60), (60, 37), (50, 37)], False),
    ("attention", attended, [(50, 8), (50, 8), (50, 8)], False),
)
"""Example, what it computes, its arguments, and whether it needs no copy."""


def check(case: tuple[str, Callable[..., Any], list[Any], bool], *, optimize: bool) -> None:
    name, expected_of, shapes, in_place = case
    rng = np.random.default_rng(5)
    given = [one if isinstance(one, int) else rng.standard_normal(one).astype(np.float32) for one in shapes]
    expected = expected_of(*(one if isinstance(one, int) else one.copy() for one in given))
    program = compiled(name, GRIDS[WORLD.size] if name == "summa" else (WORLD.size,), optimize=optimize)
    found = program.main(*(one if WORLD.rank == 0 or isinstance(one, int) else None for one in given))
    stats = program.memory_stats
    assert stats.leaked_bytes == 0, (name, stats)
    assert not in_place or stats.copies == 0, (name, stats)
    if WORLD.rank == 0:
        pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
        for one, other in pairs:
            close = 0 if name == "stencil" else 1e-5  # The others add up in another order.
            np.testing.assert_allclose(one, other, rtol=close, atol=close * float(np.abs(other).max()), err_msg=name)


for case in CASES:
    for optimize in (False, True):
        check(case, optimize=optimize)
print(f"rank {WORLD.rank} is right")
