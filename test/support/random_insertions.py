"""Random programs that compute tensors and insert them into others: MLIR text, and what NumPy says.

An element without content is NaN, and so is all that is computed from it: the program may have anything there.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

SIZES = (12, 6, 3)
"""A tensor of one size is inserted into one of the size before; there are two places for it."""

Values = dict[str, np.ndarray[Any, Any]]


@dataclass
class RandomProgram:
    """``text`` has a function @main of two tensors of 12 f64, an index 0 or 1 and a condition."""

    text: str
    results: tuple[str, ...]
    _steps: list[Any]

    def run(self, a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], place: int, flag: bool) -> list[Any]:
        """Return the results that @main must have."""
        values: Values = {"a": a.copy(), "b": b.copy()}
        _execute(self._steps, values, place, flag)
        return [values[name] for name in self.results]


def _execute(steps: list[Any], values: Values, place: int, flag: bool) -> None:
    for step in steps:
        kind, name, *rest = step
        if kind == "empty":
            values[name] = np.full(rest[0], np.nan)
        elif kind == "fill":
            values[name] = np.full(values[rest[0]].shape, float(rest[1]))
        elif kind in ("add", "update"):
            values[name] = values[rest[0]] + values[rest[1]]
        elif kind == "extract":
            source, size, where = rest
            start = size * (place if where is None else where)
            values[name] = values[source][start : start + size].copy()
        elif kind == "insert":
            source, destination, where = rest
            size = len(values[source])
            start = size * (place if where is None else where)
            values[name] = values[destination].copy()
            values[name][start : start + size] = values[source]
        elif kind == "if":
            branches = rest[0]
            inner = dict(values)
            body, result = branches[0 if flag else 1]
            _execute(body, inner, place, flag)
            values[name] = inner[result]
        else:
            argument, initial, body, result = rest
            carried = values[initial]
            for _ in range(3):
                inner = {**values, argument: carried}
                _execute(body, inner, place, flag)
                carried = inner[result]
            values[name] = carried


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.lines: list[str] = []

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def pick(self, known: dict[str, int], size: int) -> str:
        fitting = [name for name, its in known.items() if its == size]
        near = fitting[-4:] if self.random.random() < 0.8 else fitting
        return self.random.choice(near)

    def ensure(self, known: dict[str, int], size: int, steps: list[Any]) -> None:
        if size not in known.values():
            steps.append(self.empty(known, size))

    def empty(self, known: dict[str, int], size: int) -> Any:
        name = self.name()
        self.lines.append(f"%{name} = tensor.empty() : tensor<{size}xf64>")
        known[name] = size
        return ("empty", name, size)

    def block(self, known: dict[str, int], length: int, depth: int) -> list[Any]:
        steps: list[Any] = []
        for size in SIZES:
            self.ensure(known, size, steps)
        for _ in range(length):
            self.step(known, depth, steps)
        return steps

    def step(self, known: dict[str, int], depth: int, steps: list[Any]) -> None:
        kinds = ["empty", "empty", "fill", "add", "add", "update", "extract", "insert", "insert", "insert"]
        kind = self.random.choice(kinds + ["if", "for"] * (depth > 0))
        size = self.random.choice(SIZES)
        if kind == "empty":
            steps.append(self.empty(known, size))
            return
        steps.append(getattr(self, f"do_{kind}")(known, size, depth))

    def do_fill(self, known: dict[str, int], size: int, _: int) -> Any:
        target, name, number = self.pick(known, size), self.name(), self.random.randint(1, 9)
        t = f"tensor<{size}xf64>"
        self.lines.append(f"%{name} = linalg.fill ins(%f{number} : f64) outs(%{target} : {t}) -> {t}")
        known[name] = size
        return ("fill", name, target, number)

    def do_add(self, known: dict[str, int], size: int, _: int) -> Any:
        x, y, target, name = *(self.pick(known, size) for _ in range(3)), self.name()
        t = f"tensor<{size}xf64>"
        self.lines.append(f"%{name} = linalg.add ins(%{x}, %{y} : {t}, {t}) outs(%{target} : {t}) -> {t}")
        known[name] = size
        return ("add", name, x, y)

    def do_update(self, known: dict[str, int], size: int, _: int) -> Any:
        x, target, name = self.pick(known, size), self.pick(known, size), self.name()
        t = f"tensor<{size}xf64>"
        self.lines += [
            f'%{name} = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}} '
            f"ins(%{x} : {t}) outs(%{target} : {t}) {{",
            "^bb0(%p: f64, %q: f64):",
            "%s = arith.addf %p, %q : f64",
            "linalg.yield %s : f64",
            f"}} -> {t}",
        ]
        known[name] = size
        return ("update", name, x, target)

    def where(self, size: int) -> tuple[str, int | None]:
        if self.random.random() < 0.3:
            return f"%o{size}", None
        place = self.random.randint(0, 1)
        return str(size * place), place

    def do_extract(self, known: dict[str, int], size: int, _: int) -> Any:
        size = min(size, SIZES[1])
        source, name, (offset, where) = self.pick(known, 2 * size), self.name(), self.where(size)
        types = f"tensor<{2 * size}xf64> to tensor<{size}xf64>"
        self.lines.append(f"%{name} = tensor.extract_slice %{source}[{offset}] [{size}] [1] : {types}")
        known[name] = size
        return ("extract", name, source, size, where)

    def do_insert(self, known: dict[str, int], size: int, _: int) -> Any:
        size = min(size, SIZES[1])
        source, target, name = self.pick(known, size), self.pick(known, 2 * size), self.name()
        offset, where = self.where(size)
        types = f"tensor<{size}xf64> into tensor<{2 * size}xf64>"
        self.lines.append(f"%{name} = tensor.insert_slice %{source} into %{target}[{offset}] [{size}] [1] : {types}")
        known[name] = 2 * size
        return ("insert", name, source, target, where)

    def do_if(self, known: dict[str, int], size: int, depth: int) -> Any:
        name, t = self.name(), f"tensor<{size}xf64>"
        self.lines.append(f"%{name} = scf.if %flag -> {t} {{")
        branches = []
        for last in (False, True):
            inner = dict(known)
            body = self.block(inner, 4, depth - 1)
            result = self.pick(inner, size)
            self.lines += [f"scf.yield %{result} : {t}", "}" if last else "} else {"]
            branches.append((body, result))
        known[name] = size
        return ("if", name, branches)

    def do_for(self, known: dict[str, int], size: int, depth: int) -> Any:
        name, argument, initial, t = self.name(), self.name(), self.pick(known, size), f"tensor<{size}xf64>"
        loop = f"scf.for %i{name} = %c0 to %c3 step %c1 iter_args(%{argument} = %{initial})"
        self.lines.append(f"%{name} = {loop} -> ({t}) {{")
        inner = {**known, argument: size}
        body = self.block(inner, 4, depth - 1)
        result = self.pick(inner, size)
        self.lines += [f"scf.yield %{result} : {t}", "}"]
        known[name] = size
        return ("for", name, argument, initial, body, result)


def random_program(seed: int) -> RandomProgram:
    """Return the program with number ``seed``."""
    writer = _Writer(seed)
    known = {"a": 12, "b": 12}
    steps = writer.block(known, writer.random.randint(4, 16), 2)
    results = tuple(writer.random.sample(list(known), min(3, len(known))))
    constants = [f"%f{number} = arith.constant {number}.0 : f64" for number in range(1, 10)]
    indices = [f"%c{number} = arith.constant {number} : index" for number in (0, 1, 3, 6)]
    offsets = [f"%o{size} = arith.muli %place, %c{size} : index" for size in SIZES[1:]]
    types = ", ".join(f"tensor<{known[name]}xf64>" for name in results)
    values = ", ".join(f"%{name}" for name in results)
    text = "\n".join(
        [
            "#id = affine_map<(d0) -> (d0)>",
            "func.func @main(%a: tensor<12xf64>, %b: tensor<12xf64>, %place: index, %flag: i1)",
            f"-> ({types}) {{",
            *constants,
            *indices,
            *offsets,
            *writer.lines,
            f"return {values} : {types}",
            "}",
        ]
    )
    return RandomProgram(text, results, steps)
