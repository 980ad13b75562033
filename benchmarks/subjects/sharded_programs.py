"""The programs of `examples/sharded` in sizes worth splitting, and the same written with mpi4py and NumPy.

`benchmarks/sharded.py` measures them, `benchmarks/rank_costs.py` predicts them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["PROGRAMS", "Problem", "ShardedProgram", "grid_of", "parts"]

EXAMPLES = Path(__file__).parents[2] / "examples" / "sharded"
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Problem:
    """A program in one size, on one grid.

    Attributes:
        text: the program.
        grid: the ranks.
        sizes: by the names that the program's entry in `PROGRAMS` gives its dimensions.
    """

    text: str
    grid: tuple[int, ...]
    sizes: Mapping[str, int]


@dataclass(frozen=True)
class ShardedProgram:
    """A program of `examples/sharded`.

    Attributes:
        file: its file there.
        numbers: the sizes that stand in the file, by name.
        base: the sizes that are measured on one rank.
        grows: the size that grows with the ranks where each is to have as much work, and the power of their number.
        arguments: from a problem and a rank to the arrays of that rank.
        peer: from the ranks' communicator, a problem and arguments to a call of the same in mpi4py and NumPy.
        work: floating-point operations of a problem, on all ranks together.
        near: how far results may differ from the peer's, relative to the largest.
    """

    file: str
    numbers: Mapping[str, int]
    base: Mapping[str, int]
    grows: tuple[str, float]
    arguments: Callable[[Problem, int, np.random.Generator], list[Any]]
    peer: Callable[[Any, Problem, Sequence[Any]], Callable[[], Array]]
    work: Callable[[Mapping[str, int]], int]
    near: float = 1e-4

    def problem(self, ranks: int, *, weak: bool = False, scale: int = 1) -> Problem:
        """The program for that many ranks: in one size for all numbers, or (`weak`) as much for each rank.

        `scale` divides all sizes, for a test.
        """
        sizes = {name: max(size // scale, 2 * ranks, 4) for name, size in self.base.items()}
        if weak:
            grown, power = self.grows
            sizes[grown] = round(sizes[grown] * ranks**power)
        grid = grid_of(ranks) if self.file.startswith("summa") else (ranks,)
        text = (EXAMPLES / f"{self.file}.mlir").read_text()
        return Problem(_resized(text, {self.numbers[name]: sizes[name] for name in self.numbers}, grid), grid, sizes)


def grid_of(ranks: int) -> tuple[int, int]:
    """The extents of a grid of two axes that are nearest to each other, the larger one first."""
    columns = next(n for n in range(int(ranks**0.5), 0, -1) if ranks % n == 0)
    return ranks // columns, columns


def _resized(text: str, sizes: Mapping[int, int], grid: Sequence[int]) -> str:
    """The text of an example with other sizes in its types and slices, on another grid."""
    inner = {old - 2: new - 2 for old, new in sizes.items()}  # without the border of a stencil
    known = {**inner, **sizes}

    def other(match: re.Match[str]) -> str:
        return str(known.get(int(match[0]), match[0]))

    text = re.sub(r"(?<=[<x])\d+(?=x)", other, text)
    text = re.sub(r"(?<=%own, )\d+(?=\])", other, text)
    text = re.sub(r"(?<=shape = )\d+(x\d+)*", "x".join(map(str, grid)), text)
    return re.sub(r"(?<=inplace.grid = array<i64: )\d+", ", ".join(map(str, grid)), text)


def parts(size: int, ranks: int) -> list[int]:
    """The sizes of balanced parts."""
    return [size // ranks + (rank < size % ranks) for rank in range(ranks)]


def _own(size: int, ranks: int, rank: int) -> int:
    return parts(size, ranks)[rank]


def _random(rng: np.random.Generator, *shape: int) -> Array:
    return rng.standard_normal(shape, dtype=np.float32)


def _all_gather(comm: Any, shard: Array, counts: Sequence[int]) -> Callable[[], Array]:
    """Gather rows of all ranks into one array, which is made here."""
    width = shard[0].size
    whole = np.empty((sum(counts), *shard.shape[1:]), shard.dtype)
    numbers = [count * width for count in counts]

    def gather() -> Array:
        if len(set(numbers)) == 1:
            comm.Allgather(shard, whole)
        else:
            comm.Allgatherv(shard, [whole, numbers])
        return whole

    return gather


# A product of matrices on a grid.


def _blocks(problem: Problem, rank: int, rng: np.random.Generator) -> list[Any]:
    (rows, columns), sizes = problem.grid, problem.sizes
    m, n, k = sizes["m"], sizes["n"], sizes["k"]
    row, column = divmod(rank, columns)
    extents = [(_own(a, rows, row), _own(b, columns, column)) for a, b in ((m, k), (k, n), (m, n))]
    return [_random(rng, *extent) for extent in extents]


def _summa(comm: Any, problem: Problem, arguments: Sequence[Any]) -> Callable[[], Array]:
    a, b, c = arguments
    rows, columns = problem.grid
    row, column = divmod(comm.rank, columns)
    of_row, of_column = comm.Split(row, column), comm.Split(column, row)
    # Rows of a block of columns do not lie side by side: what is gathered along a row is put in place afterwards.
    wide = _all_gather(of_row, np.ascontiguousarray(a.T), parts(problem.sizes["k"], columns)) if columns > 1 else None
    tall = _all_gather(of_column, b, parts(problem.sizes["k"], rows)) if rows > 1 else None
    product = np.empty_like(c)

    def call() -> Array:
        left = a if wide is None else wide().T
        np.matmul(left, b if tall is None else tall(), out=product)
        np.add(c, product, out=c)
        return c

    return call


# A stencil with halos.


def _fields(problem: Problem, rank: int, rng: np.random.Generator) -> list[Any]:
    rows, columns = _own(problem.sizes["rows"], problem.grid[0], rank) + 2, problem.sizes["columns"]
    start = _random(rng, rows, columns)
    return [start, start.copy(), problem.sizes["steps"]]


def _sweeps(comm: Any, _problem: Problem, arguments: Sequence[Any]) -> Callable[[], Array]:
    from mpi4py import MPI

    first, second, steps = arguments
    lower = comm.rank - 1 if comm.rank else MPI.PROC_NULL
    upper = comm.rank + 1 if comm.rank < comm.size - 1 else MPI.PROC_NULL
    pair = np.empty_like(first[1:-1, 1:-1])

    def call() -> Array:
        a, b = first, second
        for _ in range(steps):
            comm.Sendrecv(a[-2], upper, 0, a[0], lower, 0)
            comm.Sendrecv(a[1], lower, 0, a[-1], upper, 0)
            inside = b[1:-1, 1:-1]
            np.add(a[:-2, 1:-1], a[2:, 1:-1], out=inside)
            np.add(a[1:-1, :-2], a[1:-1, 2:], out=pair)
            inside += pair
            inside *= np.float32(0.25)
            a, b = b, a
        return a

    return call


# A step of training on samples of each rank.


def _samples(problem: Problem, rank: int, rng: np.random.Generator) -> list[Any]:
    own = _own(problem.sizes["samples"], problem.grid[0], rank)
    features, outputs = problem.sizes["features"], problem.sizes["outputs"]
    # The step is so large for these numbers that weights would grow; the same weights are needed on every rank.
    weights = np.random.default_rng(0).standard_normal((features, outputs), dtype=np.float32)
    return [_random(rng, own, features) * np.float32(0.01), _random(rng, own, outputs), weights]


def _step(comm: Any, _problem: Problem, arguments: Sequence[Any]) -> Callable[[], Array]:
    from mpi4py import MPI

    x, y, w = arguments
    difference, gradient = np.empty_like(y), np.empty_like(w)

    def call() -> Array:
        np.matmul(x, w, out=difference)
        np.subtract(difference, y, out=difference)
        np.matmul(x.T, difference, out=gradient)
        comm.Allreduce(MPI.IN_PLACE, gradient)
        np.multiply(gradient, np.float32(0.01), out=gradient)
        np.subtract(w, gradient, out=w)
        return w

    return call


# Attention of each rank's queries.


def _sequences(problem: Problem, rank: int, rng: np.random.Generator) -> list[Any]:
    own = _own(problem.sizes["tokens"], problem.grid[0], rank)
    # Scores are not scaled by the program, so small queries keep the exponentials apart from 0 and 1.
    return [_random(rng, own, problem.sizes["width"]) * np.float32(scale) for scale in (0.1, 1, 1)]


def _attend(comm: Any, problem: Problem, arguments: Sequence[Any]) -> Callable[[], Array]:
    q, k, v = arguments
    counts = parts(problem.sizes["tokens"], comm.size)
    keys, values = _all_gather(comm, k, counts), _all_gather(comm, v, counts)
    scores = np.empty((len(q), problem.sizes["tokens"]), np.float32)

    def call() -> Array:
        np.matmul(q, keys().T, out=scores)
        np.subtract(scores, scores.max(-1, keepdims=True), out=scores)
        np.exp(scores, out=scores)
        total = scores.sum(-1, keepdims=True)
        return (scores @ values()) / total

    return call


PROGRAMS: dict[str, ShardedProgram] = {
    "matmul": ShardedProgram(
        "summa",
        {"m": 50, "k": 60, "n": 37},
        {"m": 2048, "k": 2048, "n": 2048},
        ("m", 1),
        _blocks,
        _summa,
        lambda size: 2 * size["m"] * size["n"] * size["k"],
    ),
    "stencil": ShardedProgram(
        "stencil",
        {"rows": 19, "columns": 12},
        {"rows": 4096, "columns": 4096, "steps": 10},
        ("rows", 1),
        _fields,
        _sweeps,
        lambda size: 4 * (size["rows"] - 2) * (size["columns"] - 2) * size["steps"],
    ),
    "training": ShardedProgram(
        "data_parallel",
        {"samples": 100, "features": 8, "outputs": 4},
        {"samples": 8192, "features": 1024, "outputs": 256},
        ("samples", 1),
        _samples,
        _step,
        lambda size: 4 * size["samples"] * size["features"] * size["outputs"],
    ),
    "attention": ShardedProgram(
        "attention",
        {"tokens": 50, "width": 8},
        {"tokens": 4096, "width": 64},
        ("tokens", 0.5),
        _sequences,
        _attend,
        lambda size: 4 * size["tokens"] ** 2 * size["width"],
    ),
}
