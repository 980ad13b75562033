"""Random dispatch functions that load, compute and store in any order: MLIR text, and what NumPy says.

There is one workgroup, or each has a row of every binding, so that they may run in any order. An element without
content is NaN, and so is all that is computed from it: the program may have anything there.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

SIZES = (12, 6, 3)
"""Sizes of tensors; a row of a binding is of the first size."""
TRIPS = 3
WORKGROUPS = 2
THREADS = 4
"""A forall has as many threads; each has a tile of the last size."""

Array = np.ndarray[Any, Any]
Place = tuple[int, int, int, int]
"""Where a slice is: a first index, what the innermost loop's index and the push constant count, and the stride."""


@dataclass
class RandomDispatch:
    """`text` has a function @main of `accesses` bindings of `shape` f64, an index 0 or 1 and a condition."""

    text: str
    accesses: tuple[str, ...]
    shape: tuple[int, ...]
    _steps: list[Any]

    def run(self, bindings: list[Array], place: int, flag: bool) -> None:
        """Change the arrays as the program must."""
        for row in range(self.workgroups):
            memory = [binding.reshape(-1, SIZES[0])[row] for binding in bindings]
            _Run(memory, place, flag).steps(self._steps, {}, 0)

    @property
    def workgroups(self) -> int:
        """How many workgroups it takes to do all."""
        return self.shape[0] if len(self.shape) > 1 else 1


@dataclass
class _Run:
    """Executes the steps of one workgroup. Each kind has a method, of the values, the loop's index and the rest."""

    memory: list[Array]
    place: int
    flag: bool

    def steps(self, steps: list[Any], values: dict[str, Array], i: int) -> None:
        for kind, *rest in steps:
            getattr(self, f"do_{kind}")(values, i, *rest)

    def slice(self, where: Place, size: int, i: int) -> slice:
        start, by_index, by_place, stride = where
        first = start + by_index * i + by_place * self.place
        return slice(first, first + (size - 1) * stride + 1, stride)

    def do_empty(self, values: dict[str, Array], i: int, name: str, size: int) -> None:
        values[name] = np.full(size, np.nan)

    def do_fill(self, values: dict[str, Array], i: int, name: str, size: int, number: int) -> None:
        values[name] = np.full(size, float(number))

    def do_load(self, values: dict[str, Array], i: int, name: str, binding: int, where: Place, size: int) -> None:
        values[name] = self.memory[binding][self.slice(where, size, i)].copy()

    def do_store(self, values: dict[str, Array], i: int, name: str, binding: int, where: Place, size: int) -> None:
        self.memory[binding][self.slice(where, size, i)] = values[name]

    def do_add(self, values: dict[str, Array], i: int, name: str, x: str, y: str) -> None:
        values[name] = values[x] + values[y]

    def do_reverse(self, values: dict[str, Array], i: int, name: str, x: str, y: str) -> None:
        values[name] = values[x][::-1] + values[y]

    def do_transpose(self, values: dict[str, Array], i: int, name: str, x: str, rows: int) -> None:
        values[name] = values[x].reshape(rows, -1).T.reshape(-1)

    def do_retype(self, values: dict[str, Array], i: int, name: str, x: str) -> None:
        values[name] = values[x]

    def do_extract(self, values: dict[str, Array], i: int, name: str, source: str, where: Place, size: int) -> None:
        values[name] = values[source][self.slice(where, size, i)].copy()

    def do_insert(self, values: dict[str, Array], i: int, name: str, source: str, target: str, where: Place) -> None:
        values[name] = values[target].copy()
        values[name][self.slice(where, len(values[source]), i)] = values[source]

    def do_forall(self, values: dict[str, Array], i: int, body: list[Any]) -> None:
        for thread in range(THREADS):
            self.steps(body, dict(values), thread)

    def do_if(self, values: dict[str, Array], i: int, name: str, branches: list[Any]) -> None:
        inner = dict(values)
        body, result = branches[0 if self.flag else 1]
        self.steps(body, inner, i)
        values[name] = inner[result]

    def do_for(self, values: dict[str, Array], i: int, name: str, argument: str, initial: str, loop: Any) -> None:
        body, result = loop
        carried = values[initial]
        for index in range(TRIPS):
            inner = {**values, argument: carried}
            self.steps(body, inner, index)
            carried = inner[result]
        values[name] = carried


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.lines: list[str] = []
        count = self.random.randint(1, 4)
        accesses = [self.random.choice(("readonly", "writeonly", "readwrite", "readwrite")) for _ in range(count)]
        if "readonly" not in accesses and "readwrite" not in accesses:
            accesses[0] = "readwrite"
        self.accesses = tuple(accesses)
        self.shape = (WORKGROUPS, SIZES[0]) if self.random.random() < 0.5 else (SIZES[0],)
        self.loops: list[str] = []
        self.in_forall = False

    @property
    def tensor(self) -> str:
        return "tensor<" + "".join(f"{size}x" for size in self.shape) + "f64>"

    def memory(self, binding: int, offset: str, size: int, stride: int) -> str:
        """A binding with the slice of it."""
        if len(self.shape) > 1:
            return f"%b{binding}[%row, {offset}] [1, {size}] [1, {stride}]"
        if size == SIZES[0] and self.random.random() < 0.5:
            return f"%b{binding}"
        return f"%b{binding}[{offset}] [{size}] [{stride}]"

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def pick(self, known: dict[str, int], size: int, steps: list[Any]) -> str:
        fitting = [name for name, its in known.items() if its == size]
        if not fitting or self.random.random() < 0.05:
            kind = self.random.choice(("empty", "load", "load"))
            steps.append(getattr(self, f"do_{kind}")(known, size, 0, steps))
            return list(known)[-1]
        near = fitting[-4:] if self.random.random() < 0.8 else fitting
        return self.random.choice(near)

    def where(self, size: int, total: int) -> tuple[str, Any]:
        """An offset, and the value that it has; the slice stays in bounds in each iteration and for each place."""
        choose = self.random.choice
        stride = choose((1, 1, 1, 2)) if (size - 1) * 2 < total else 1
        room = total - ((size - 1) * stride + 1)
        candidates = [(start, 0, 0) for start in range(0, room + 1, choose((1, 3)))]
        candidates += [(start, 0, by) for by in (1, 3, 6) for start in (0, 1) if start + by <= room]
        if self.loops:
            steps = [step for step in (1, 2, 3) if step * (TRIPS - 1) <= room]
            moving = [(0, step, 0) for step in steps] + [(step * (TRIPS - 1), -step, 0) for step in steps]
            candidates += moving * 3
        start, by_index, by_place = choose(candidates)
        return self.offset(start, by_index, by_place), (start, by_index, by_place, stride)

    def offset(self, start: int, by_index: int, by_place: int) -> str:
        if not by_index and not by_place:
            return str(start)
        name = self.name()
        variable = f"%{self.loops[-1]}" if by_index else "%place"
        self.lines.append(
            f"%{name} = affine.apply affine_map<(d0) -> (d0 * {by_index or by_place} + {start})>({variable})"
        )
        return f"%{name}"

    def slice(self, size: int, total: int) -> tuple[str, Any]:
        offset, where = self.where(size, total)
        return f"[{offset}] [{size}] [{where[3]}]", where

    def do_empty(self, known: dict[str, int], size: int, _: int, steps: list[Any]) -> Any:
        name = self.name()
        self.lines.append(f"%{name} = tensor.empty() : tensor<{size}xf64>")
        known[name] = size
        return ("empty", name, size)

    def do_fill(self, known: dict[str, int], size: int, _: int, steps: list[Any]) -> Any:
        target, name, number = self.pick(known, size, steps), self.name(), self.random.randint(1, 9)
        t = f"tensor<{size}xf64>"
        self.lines.append(f"%{name} = linalg.fill ins(%f{number} : f64) outs(%{target} : {t}) -> {t}")
        known[name] = size
        return ("fill", name, size, number)

    def do_load(self, known: dict[str, int], size: int, _: int, steps: list[Any]) -> Any:
        if self.in_forall:
            # Another thread may store what is loaded.
            return self.do_empty(known, size, 0, steps)
        name = self.name()
        binding = self.random.choice([b for b, access in enumerate(self.accesses) if access != "writeonly"])
        offset, where = self.where(size, SIZES[0])
        return self.load(known, name, binding, (offset, where), size)

    def load(self, known: dict[str, int], name: str, binding: int, place: tuple[str, Any], size: int) -> Any:
        offset, where = place
        memory, type_ = self.memory(binding, offset, size, where[3]), self.accesses[binding]
        self.lines.append(f"%{name} = dispatch.load {memory} : !dispatch.{type_}<{self.tensor}> -> tensor<{size}xf64>")
        known[name] = size
        return ("load", name, binding, where, size)

    def do_store(self, known: dict[str, int], size: int, _: int, steps: list[Any]) -> Any:
        writable = [b for b, access in enumerate(self.accesses) if access != "readonly"]
        if not writable:
            return self.do_load(known, size, 0, steps)
        name, binding = self.pick(known, size, steps), self.random.choice(writable)
        offset, where = self.where(size, SIZES[0])
        return self.store(name, binding, (offset, where), size)

    def store(self, name: str, binding: int, place: tuple[str, Any], size: int) -> Any:
        offset, where = place
        memory, type_ = self.memory(binding, offset, size, where[3]), self.accesses[binding]
        self.lines.append(f"dispatch.store %{name}, {memory} : tensor<{size}xf64> -> !dispatch.{type_}<{self.tensor}>")
        return ("store", name, binding, where, size)

    def binary(self, name: str, x: str, y: str, target: str, size: int) -> None:
        t = f"tensor<{size}xf64>"
        self.lines.append(f"%{name} = linalg.add ins(%{x}, %{y} : {t}, {t}) outs(%{target} : {t}) -> {t}")

    def do_add(self, known: dict[str, int], size: int, _: int, steps: list[Any]) -> Any:
        x, y, target = (self.pick(known, size, steps) for _ in range(3))
        name = self.name()
        self.binary(name, x, y, target, size)
        known[name] = size
        return ("add", name, x, y)

    def do_fresh_add(self, known: dict[str, int], size: int, _: int, steps: list[Any]) -> Any:
        x, y = (self.pick(known, size, steps) for _ in range(2))
        target, name, t = self.name(), self.name(), f"tensor<{size}xf64>"
        self.lines.append(f"%{target} = tensor.empty() : {t}")
        self.binary(name, x, y, target, size)
        known[name] = size
        return ("add", name, x, y)

    def generic(self, known: dict[str, int], size: int, steps: list[Any], first: str) -> tuple[str, str, str]:
        x, y = (self.pick(known, size, steps) for _ in range(2))
        name, t = self.name(), f"tensor<{size}xf64>"
        self.lines += [
            f'%{name} = linalg.generic {{indexing_maps = [{first}, #id], iterator_types = ["parallel"]}} '
            f"ins(%{x} : {t}) outs(%{y} : {t}) {{",
            "^bb0(%p: f64, %q: f64):",
            "%s = arith.addf %p, %q : f64",
            "linalg.yield %s : f64",
            f"}} -> {t}",
        ]
        known[name] = size
        return name, x, y

    def do_update(self, known: dict[str, int], size: int, _: int, steps: list[Any]) -> Any:
        return ("add", *self.generic(known, size, steps, "#id"))

    def do_reverse(self, known: dict[str, int], size: int, _: int, steps: list[Any]) -> Any:
        return ("reverse", *self.generic(known, size, steps, f"affine_map<(d0) -> ({size - 1} - d0)>"))

    def do_extract(self, known: dict[str, int], size: int, _: int, steps: list[Any]) -> Any:
        size = min(size, SIZES[1])
        source, name = self.pick(known, 2 * size, steps), self.name()
        text, where = self.slice(size, 2 * size)
        types = f"tensor<{2 * size}xf64> to tensor<{size}xf64>"
        self.lines.append(f"%{name} = tensor.extract_slice %{source}{text} : {types}")
        known[name] = size
        return ("extract", name, source, where, size)

    def do_insert(self, known: dict[str, int], size: int, _: int, steps: list[Any]) -> Any:
        size = min(size, SIZES[1])
        source, target = self.pick(known, size, steps), self.pick(known, 2 * size, steps)
        name = self.name()
        text, where = self.slice(size, 2 * size)
        types = f"tensor<{size}xf64> into tensor<{2 * size}xf64>"
        self.lines.append(f"%{name} = tensor.insert_slice %{source} into %{target}{text} : {types}")
        known[name] = 2 * size
        return ("insert", name, source, target, where)

    def do_transpose(self, known: dict[str, int], size: int, _: int, steps: list[Any]) -> Any:
        """Seen as rows, transposed, and seen as a vector again."""
        x, name = self.pick(known, size, steps), self.name()
        rows = 3 if size > 3 else 1
        columns = size // rows
        t, wide, tall = f"tensor<{size}xf64>", f"tensor<{rows}x{columns}xf64>", f"tensor<{columns}x{rows}xf64>"
        self.lines += [
            f"%{name}_x = tensor.expand_shape %{x} [[0, 1]] output_shape [{rows}, {columns}] : {t} into {wide}",
            f"%{name}_e = tensor.empty() : {tall}",
            f"%{name}_t = linalg.transpose ins(%{name}_x : {wide}) outs(%{name}_e : {tall}) permutation = [1, 0]",
            f"%{name} = tensor.collapse_shape %{name}_t [[0, 1]] : {tall} into {t}",
        ]
        known[name] = size
        return ("transpose", name, x, rows)

    def do_retype(self, known: dict[str, int], size: int, _: int, steps: list[Any]) -> Any:
        x, name = self.pick(known, size, steps), self.name()
        self.lines += [
            f"%{name}_d = tensor.cast %{x} : tensor<{size}xf64> to tensor<?xf64>",
            f"%{name} = tensor.cast %{name}_d : tensor<?xf64> to tensor<{size}xf64>",
        ]
        known[name] = size
        return ("retype", name, x)

    def do_forall(self, known: dict[str, int], size: int, depth: int, steps: list[Any]) -> Any:
        """Each thread loads and stores its own tiles only."""
        name, size = self.name(), SIZES[-1]
        self.lines.append(f"scf.forall (%i{name}) = (0) to ({THREADS}) step (1) {{")
        self.loops.append(f"i{name}")
        inner, body = dict(known), []
        place = (self.offset(0, size, 0), (0, size, 0, 1))
        readable = [b for b, access in enumerate(self.accesses) if access != "writeonly"]
        self.in_forall = True
        body += [self.load(inner, self.name(), b, place, size) for b in self.random.choices(readable, k=2)]
        for _ in range(self.random.randint(0, 2)):
            kind = self.random.choice(("fresh_add", "update", "add", "reverse", "transpose"))
            body.append(getattr(self, f"do_{kind}")(inner, size, 0, body))
        writable = [b for b, access in enumerate(self.accesses) if access != "readonly"]
        for binding in self.random.sample(writable, self.random.randint(0, len(writable))):
            body.append(self.store(self.pick(inner, size, body), binding, place, size))
        self.loops.pop()
        self.in_forall = False
        self.lines.append("}")
        return ("forall", body)

    def do_if(self, known: dict[str, int], size: int, depth: int, steps: list[Any]) -> Any:
        name, t = self.name(), f"tensor<{size}xf64>"
        self.lines.append(f"%{name} = scf.if %flag -> {t} {{")
        branches: list[Any] = []
        for last in (False, True):
            inner = dict(known)
            body = self.block(inner, 4, depth - 1)
            result = self.pick(inner, size, body)
            self.lines += [f"scf.yield %{result} : {t}", "}" if last else "} else {"]
            branches.append((body, result))
        known[name] = size
        return ("if", name, branches)

    def do_for(self, known: dict[str, int], size: int, depth: int, steps: list[Any]) -> Any:
        initial, name, argument, t = self.pick(known, size, steps), self.name(), self.name(), f"tensor<{size}xf64>"
        loop = f"scf.for %i{name} = %c0 to %c3 step %c1 iter_args(%{argument} = %{initial})"
        self.lines.append(f"%{name} = {loop} -> ({t}) {{")
        self.loops.append(f"i{name}")
        inner = {**known, argument: size}
        body = self.block(inner, 4, depth - 1)
        result = self.pick(inner, size, body)
        self.loops.pop()
        self.lines += [f"scf.yield %{result} : {t}", "}"]
        known[name] = size
        return ("for", name, argument, initial, (body, result))

    def use_all(self, known: dict[str, int], steps: list[Any]) -> None:
        """Load from, or store to, each binding that is not used yet."""
        place: tuple[str, Any] = ("0", (0, 0, 0, 1))
        for binding, access in enumerate(self.accesses):
            if any(f"%b{binding}" in line for line in self.lines):
                continue
            if access == "writeonly":
                steps.append(self.store(self.pick(known, SIZES[0], steps), binding, place, SIZES[0]))
            else:
                steps.append(self.load(known, self.name(), binding, place, SIZES[0]))

    def block(self, known: dict[str, int], length: int, depth: int) -> list[Any]:
        steps: list[Any] = []
        kinds = ["load"] * 4 + ["store"] * 4 + ["fill", "add", "fresh_add", "fresh_add", "update", "update"]
        kinds += ["reverse", "transpose", "retype", "extract", "insert"]
        kinds += ["if", "if", "for", "for", "forall"] * (depth > 0)
        for _ in range(length):
            kind, size = self.random.choice(kinds), self.random.choice(SIZES)
            step = getattr(self, f"do_{kind}")(known, size, depth, steps)
            steps.append(step)
        return steps


def random_dispatch(seed: int) -> RandomDispatch:
    """Return the program with number `seed`."""
    writer = _Writer(seed)
    known: dict[str, int] = {}
    steps = writer.block(known, writer.random.randint(3, 12), 2)
    writer.use_all(known, steps)
    constants = [f"%f{number} = arith.constant {number}.0 : f64" for number in range(1, 10)]
    indices = [f"%c{number} = arith.constant {number} : index" for number in (0, 1, 3)]
    bindings = [
        f"%b{number} = dispatch.binding set(0) binding({number}) : !dispatch.{access}<{writer.tensor}>"
        for number, access in enumerate(writer.accesses)
    ]
    text = "\n".join(
        [
            "#id = affine_map<(d0) -> (d0)>",
            "func.func @main() {",
            *bindings,
            "%place = dispatch.push_constant 0 : index",
            "%flag = dispatch.push_constant 1 : i1",
            *["%row = dispatch.workgroup_id 0 : index"] * (len(writer.shape) - 1),
            *constants,
            *indices,
            *writer.lines,
            "return",
            "}",
        ]
    )
    return RandomDispatch(text, writer.accesses, writer.shape, steps)
