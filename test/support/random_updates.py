"""Random dispatch functions whose loops carry a tensor and update slices of it: MLIR text, and what NumPy says."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

SIZE = 24

Factors = tuple[int, int, int]
"""The factors of both induction variables, and a constant."""

Array = np.ndarray[Any, Any]

SOURCES = ("load", "in-place", "computed")


@dataclass(frozen=True)
class Update:
    """Add a slice of a binding to a slice of the carried tensor (or to none), and put it into the carried tensor."""

    read: Factors | None
    write: Factors
    size: int
    is_conditional: bool
    """Whether it happens only where the outer induction variable is odd."""


@dataclass(frozen=True)
class Nest:
    """One or two loops, what they update, and what that begins with."""

    loops: tuple[tuple[int, int, int], ...]
    is_triangular: bool
    updates: tuple[Update, ...]
    source: str
    is_readable: bool
    has_other_user: bool

    def iterations(self) -> Iterator[tuple[int, int]]:
        (lower, upper, step), *inner = self.loops
        for i in range(lower, upper, step):
            if not inner:
                yield i, 0
                continue
            first, last, by = inner[0]
            for j in range(first, i + 1 if self.is_triangular else last, by):
                yield i, j

    def is_in_bounds(self) -> bool:
        return all(
            0 <= at(factors, point) <= SIZE - update.size
            for point in self.iterations()
            for update in self.updates
            for factors in (update.read or update.write, update.write)
        )

    def run(self, given: Array, added: Array, target: Array) -> Array:
        """What the target holds afterwards."""
        carried = {"load": given, "in-place": target, "computed": given + given}[self.source].copy()
        for point in self.iterations():
            for update in self.updates:
                if update.is_conditional and point[0] % 2 == 0:
                    continue
                begin = at(update.write, point)
                value = added[begin : begin + update.size].copy()
                if update.read is not None:
                    value += carried[at(update.read, point) :][: update.size]
                carried[begin : begin + update.size] = value
        return carried

    @property
    def access(self) -> str:
        return "readwrite" if self.is_readable or self.source == "in-place" else "writeonly"

    def text(self) -> str:
        stored = f"%r0, %out : {TENSOR} -> !dispatch.{self.access}<{TENSOR}>"
        shown = f"%{'r0' if self.has_other_user else 'a'}, %other : {TENSOR} -> !dispatch.writeonly<{TENSOR}>"
        lines = [*self._begin(), *self._nest(), f"dispatch.store {stored}", f"dispatch.store {shown}", "return", "}"]
        return "\n".join(["func.func @main() {", *lines])

    def _begin(self) -> Iterator[str]:
        yield from (f"%k{n} = arith.constant {n} : index" for n in range(SIZE + 1))
        kinds = {"in": "readonly", "add": "readonly", "out": self.access, "other": "writeonly"}
        for number, (name, kind) in enumerate(kinds.items()):
            yield f"%{name} = dispatch.binding set(0) binding({number}) : !dispatch.{kind}<{TENSOR}>"
        yield f"%a = dispatch.load %add : !dispatch.readonly<{TENSOR}> -> {TENSOR}"
        binding = "out" if self.source == "in-place" else "in"
        yield f"%g = dispatch.load %{binding} : !dispatch.{kinds[binding]}<{TENSOR}> -> {TENSOR}"
        yield f"%e = tensor.empty() : {TENSOR}"
        yield f"%t = {_add('%g', '%g', '%e', TENSOR)}"

    def _nest(self) -> Iterator[str]:
        current = "%t" if self.source == "computed" else "%g"
        for level, (lower, upper, step) in enumerate(self.loops):
            end = f"%k{upper}"
            if level and self.is_triangular:
                yield "%end = arith.addi %i, %k1 : index"
                end = "%end"
            carried = f"iter_args(%x{level} = {current}) -> ({TENSOR})"
            yield f"%r{level} = scf.for %{'ij'[level]} = %k{lower} to {end} step %k{step} {carried} {{"
            current = f"%x{level}"
        if len(self.loops) == 1:
            yield "%j = arith.constant 0 : index"
        for number, update in enumerate(self.updates):
            yield from _update(number, update, current)
            current = f"%u{number}"
        for level in reversed(range(len(self.loops))):
            yield f"scf.yield {current} : {TENSOR}"
            yield "}"
            current = f"%r{level}"


TENSOR = f"tensor<{SIZE}xf64>"


def at(factors: Factors, point: tuple[int, int]) -> int:
    return factors[0] * point[0] + factors[1] * point[1] + factors[2]


def _add(first: str, second: str, into: str, type_: str) -> str:
    return f"linalg.add ins({first}, {second} : {type_}, {type_}) outs({into} : {type_}) -> {type_}"


def _update(number: int, update: Update, current: str) -> list[str]:
    tile = f"tensor<{update.size}xf64>"

    def index(name: str, factors: Factors) -> str:
        a, b, c = factors
        return f"%{name}{number} = affine.apply affine_map<(i, j) -> ({a} * i + {b} * j + {c})>(%i, %j)"

    def cut(name: str, tensor: str, offset: str) -> str:
        return f"%{name}{number} = tensor.extract_slice {tensor}[%{offset}{number}] [{update.size}] [1]{_to(tile)}"

    lines = [index("w", update.write), cut("s", "%a", "w")]
    new = f"%s{number}"
    if update.read is not None:
        lines += [index("q", update.read), cut("c", current, "q"), f"%h{number} = tensor.empty() : {tile}"]
        lines.append(f"%n{number} = {_add(f'%s{number}', f'%c{number}', f'%h{number}', tile)}")
        new = f"%n{number}"
    insert = f"tensor.insert_slice {new} into {current}[%w{number}] [{update.size}] [1] : {tile} into {TENSOR}"
    if not update.is_conditional:
        return [*lines, f"%u{number} = {insert}"]
    return [
        f"%m{number} = arith.remui %i, %k2 : index",
        f"%p{number} = arith.cmpi eq, %m{number}, %k1 : index",
        f"%u{number} = scf.if %p{number} -> ({TENSOR}) {{",
        *lines,
        f"%v{number} = {insert}",
        f"scf.yield %v{number} : {TENSOR}",
        "} else {",
        f"scf.yield {current} : {TENSOR}",
        "}",
    ]


def _to(tile: str) -> str:
    return f" : {TENSOR} to {tile}"


def random_nest(seed: int) -> Nest:
    """A nest whose slices are in bounds."""
    draw = random.Random(seed)
    while True:
        nest = _draw(draw)
        if nest.is_in_bounds():
            return nest


def _draw(draw: random.Random) -> Nest:
    tile = draw.choice((1, 1, 2, 3, 4))
    depth = draw.choice((1, 1, 2))
    if depth == 1:
        loops = draw.choice((((0, SIZE, tile),), ((0, SIZE // tile, 1),), ((1, 8, 1),), ((0, 7, 2),)))
    else:
        loops = draw.choice((((0, SIZE, 8), (0, 8, tile)), ((0, 4, 1), (0, 6, 1)), ((0, 5, 1), (0, 5, 2))))

    def factors() -> Factors:
        steps = (1, 1, tile, 2, 0, 6, -1)
        first = draw.choice(steps)
        return first, draw.choice((1, 1, tile, 0)) if depth == 2 else 0, draw.choice((0, 0, 0, 1, 2, SIZE - tile))

    updates: list[Update] = []
    for _ in range(draw.choice((1, 1, 2))):
        write = factors()
        read = draw.choice((None, write, write, factors()))
        updates.append(Update(read, write, tile, draw.random() < 0.15))
    triangular = depth == 2 and draw.random() < 0.25
    return Nest(loops, triangular, tuple(updates), draw.choice(SOURCES), draw.random() < 0.75, draw.random() < 0.2)
