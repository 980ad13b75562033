"""Random loops that read slices of a tensor and write slices of what they carry: MLIR text, and what NumPy says."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

SIZE = 24
MOST = 5
"""The largest number that the bound of loops, an argument, is tried with."""

Factors = tuple[int, int, int]
"""The factors of both induction variables, and a constant."""

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class Step:
    """Take a slice of the original tensor `t` or of the carried one `x`, change it, put it into the carried one."""

    source: str
    read: Factors
    write: Factors
    size: int
    keeps_source: bool
    """Whether the result is computed in a tensor of its own, else into what was taken."""


@dataclass(frozen=True)
class Sweep:
    """Loops with lower bounds, steps, and whether the inner one ends with the outer one's variable."""

    loops: tuple[tuple[int, int], ...]
    is_triangular: bool
    steps: tuple[Step, ...]
    returns_original: bool

    def iterations(self, bound: int) -> Iterator[tuple[int, int]]:
        (lower, step), *inner = self.loops
        for i in range(lower, bound, step):
            for j in range(inner[0][0], i + 1 if self.is_triangular else bound, inner[0][1]) if inner else (0,):
                yield i, j

    def is_in_bounds(self) -> bool:
        return all(
            0 <= at(factors, point) <= SIZE - step.size
            for point in self.iterations(MOST)
            for step in self.steps
            for factors in (step.read, step.write)
        )

    def run(self, tensor: Array, bound: int) -> list[Array]:
        carried = tensor.copy()
        for point in self.iterations(bound):
            for step in self.steps:
                source = tensor if step.source == "t" else carried
                begin = at(step.read, point)
                changed = source[begin : begin + step.size] * 2 + 1
                begin = at(step.write, point)
                carried[begin : begin + step.size] = changed
        return [carried, tensor] if self.returns_original else [carried]

    def text(self) -> str:
        lines: list[str] = []
        depth = len(self.loops)
        names = ("%i", "%j")[:depth]
        carried = "%t"
        constants = {n for loop in self.loops for n in loop}
        for level, (name, (lower, step)) in enumerate(zip(names, self.loops, strict=True)):
            upper = "%n"
            if level and self.is_triangular:
                lines.append("%end = arith.addi %i, %k1 : index")
                upper = "%end"
            lines.append(
                f"%r{level} = scf.for {name} = %k{lower} to {upper} step %k{step} "
                f"iter_args(%x{level} = {carried}) -> !t {{"
            )
            carried = f"%x{level}"
        current = carried
        for number, step in enumerate(self.steps):
            lines += self._step(number, step, "%t" if step.source == "t" else current, current)
            current = f"%w{number}"
        for level in reversed(range(depth)):
            lines += [f"scf.yield {current} : !t", "}"]
            current = f"%r{level}"
        results = [current, "%t"] if self.returns_original else [current]
        types = ", ".join(["!t"] * len(results))
        head = "\n".join(f"%k{number} = arith.constant {number} : index" for number in sorted(constants | {1}))
        return (
            f"!t = tensor<{SIZE}xf64>\n#id = affine_map<(d0) -> (d0)>\n"
            f"func.func @main(%t: !t {{bufferization.writable = true}}, %n: index) -> ({types}) {{\n{head}\n"
            "%two = arith.constant 2.0 : f64\n%one = arith.constant 1.0 : f64\n"
            + "\n".join(lines)
            + f"\nreturn {', '.join(results)} : {types}\n}}\n"
        )

    def _step(self, number: int, step: Step, source: str, carried: str) -> list[str]:
        arguments = "(%i, %j)" if len(self.loops) > 1 else "(%i, %k1)"
        lines: list[str] = []
        for name, (a, b, c) in (("a", step.read), ("b", step.write)):
            b = b if len(self.loops) > 1 else 0
            lines.append(f"%{name}{number} = affine.apply affine_map<(i, j) -> (i * {a} + j * {b} + {c})>{arguments}")
        tile = f"tensor<{step.size}xf64>"
        out = f"%o{number}" if step.keeps_source else f"%e{number}"
        if step.keeps_source:
            lines.append(f"%o{number} = tensor.empty() : {tile}")
        return [
            *lines,
            f"%e{number} = tensor.extract_slice {source}[%a{number}] [{step.size}] [1] : !t to {tile}",
            f'%g{number} = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}} '
            f"ins(%e{number} : {tile}) outs({out} : {tile}) {{\n^bb0(%p: f64, %q: f64):\n"
            "%s = arith.mulf %p, %two : f64\n%u = arith.addf %s, %one : f64\nlinalg.yield %u : f64\n"
            f"}} -> {tile}",
            f"%w{number} = tensor.insert_slice %g{number} into {carried}[%b{number}] [{step.size}] [1] "
            f": {tile} into !t",
        ]


def at(factors: Factors, point: tuple[int, int]) -> int:
    return factors[0] * point[0] + factors[1] * point[1] + factors[2]


def random_sweep(seed: int) -> Sweep:
    r = random.Random(seed)
    for attempt in itertools.count():
        depth = r.choice((1, 1, 2))
        loops = tuple((r.choice((0, 0, 1)), r.choice((1, 1, 2))) for _ in range(depth))
        steps: list[Step] = []
        for _ in range(r.choice((1, 1, 2))):
            read = _factors(r, depth)
            write = read if r.random() < 0.5 else (read[0], read[1], read[2] + r.choice((-2, -1, 1, 2, 4)))
            write = write if r.random() < 0.8 else _factors(r, depth)
            size = r.choice((1, 1, 2, 3))
            steps.append(Step(r.choice(("t", "t", "x")), read, write, size, r.random() < 0.3))
        triangular = depth == 2 and r.random() < 0.3
        sweep = Sweep(loops, triangular, tuple(steps), r.random() < 0.1)
        if sweep.is_in_bounds():
            return sweep
        assert attempt < 1000
    raise AssertionError


def _factors(r: random.Random, depth: int) -> Factors:
    outer = r.choice((1, 1, 2, 3, 4, -1))
    inner = r.choice((0, 1, 1, -1)) if depth > 1 else 0
    return outer, inner, r.choice((0, 0, 1, 2, 6))
