"""Random programs whose slices are given by computed indices: what is written in place, and what is read of it later.

`random_indices` writes and reads slices of one vector in a nest of loops, at sums, products, quotients, remainders and
minima of their variables; `random_versions` inserts into versions of one vector, and reads older ones later on.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

SIZE = 24
NUMBERS = ((2, 3), (3, 1), (4, 2))
"""What the arguments %n and %m are in the runs of a program."""
_VECTOR = f"tensor<{SIZE}xf32>"

Places = dict[str, int]


@dataclass(frozen=True)
class _Index:
    """An SSA value and what it comes to."""

    name: str
    value: Callable[[Places], int]


class _Nest:
    """One program; `points` are all iterations of its loops, for all runs, as far as they are open."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.points: list[Places] = [{"%n": n, "%m": m} for n, m in NUMBERS]
        self.indices = [_Index("%n", lambda at: at["%n"]), _Index("%m", lambda at: at["%m"])]

    def emit(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def constant(self, value: int) -> _Index:
        return _Index(self.emit(f"arith.constant {value} : index"), lambda _: value)

    def computed(self, depth: int = 2) -> _Index:
        """A random index."""
        if depth == 0 or self.random.random() < 0.2:
            return self.constant(self.random.randrange(SIZE)) if self.random.random() < 0.3 else self._variable()
        first = self.computed(depth - 1)
        kind = self.random.choice(("add", "add", "mul", "muli", "floordivsi", "remsi", "minsi", "maxsi", "sub", "xori"))
        if kind in ("muli", "minsi", "maxsi") and self.random.random() < 0.5:
            second = self._variable()
        else:
            second = self.constant(self.random.choice((1, 1, 2, 2, 3, 4, 5, 7)))
        op, compute = _KINDS[kind]
        name = self.emit(f"arith.{op} {first.name}, {second.name} : index")
        return _Index(name, lambda at: compute(first.value(at), second.value(at)))

    def _variable(self) -> _Index:
        return self.random.choice(self.indices[-2:] if self.random.random() < 0.7 else self.indices)

    def place(self, length: int) -> tuple[str, int]:
        """A slice of `length` elements that lies within the vector at all points: its offset and its stride."""
        for _ in range(40):
            before = len(self.lines)
            index, stride = self.computed(), self.random.choice((1, 1, 2, 3))
            values = [index.value(at) for at in self.points]
            if min(values) >= 0 and max(values) + (length - 1) * stride < SIZE:
                return index.name, stride
            del self.lines[before:]
        return self.constant(self.random.randrange(4)).name, 1

    def open_loop(self, name: str) -> tuple[str, str, str]:
        """Let `name` run; return its bounds and step."""
        low, step, trips = self.random.randrange(5), self.random.choice((1, 1, 2, 3)), self.random.choice((2, 3, 4))
        if self.random.random() < 0.3:
            self.points = [{**at, name: at["%n"] + k} for at in self.points for k in range(at["%m"])]
            high = self.emit("arith.addi %n, %m : index")
            bounds = ("%n", high, "%c1")
        else:
            self.points = [{**at, name: low + k * step} for at in self.points for k in range(trips)]
            bounds = tuple(self.constant(value).name for value in (low, low + trips * step, step))
        self.indices.append(_Index(name, lambda at: at[name]))
        return bounds[0], bounds[1], bounds[2]

    def write(self, target: str) -> str:
        """Insert numbers that are different each time."""
        length = self.random.choice((1, 1, 2, 3, 4))
        offset, stride = self.place(length)
        if length == 1:
            return self.emit(f"tensor.insert %g into {target}[{offset}] : {_VECTOR}")
        part = f"tensor<{length}xf32>"
        source = self.emit(f"tensor.extract_slice %s[0] [{length}] [1] : tensor<4xf32> to {part}")
        place = f"{target}[{offset}] [{length}] [{stride}]"
        return self.emit(f"tensor.insert_slice {source} into {place} : {part} into {_VECTOR}")

    def read(self, source: str, total: str) -> str:
        """Add what a slice holds."""
        length = self.random.choice((1, 1, 2, 3))
        offset, stride = self.place(length)
        if length == 1:
            found = self.emit(f"tensor.extract {source}[{offset}] : {_VECTOR}")
            return self.emit(f"arith.addf {total}, {found} : f32")
        part = f"tensor<{length}xf32>"
        view = self.emit(f"tensor.extract_slice {source}[{offset}] [{length}] [{stride}] : {_VECTOR} to {part}")
        for k in range(length):
            place = self.constant(k).name
            found = self.emit(f"tensor.extract {view}[{place}] : {part}")
            total = self.emit(f"arith.addf {total}, {found} : f32")
        return total

    def number(self) -> None:
        """A number that tells the iterations apart."""
        variable = self.indices[-1].name
        cast = self.emit(f"arith.index_cast {variable} : index to i32")
        converted = self.emit(f"arith.sitofp {cast} : i32 to f32")
        self.lines.append(f"%g = arith.addf {converted}, %f : f32")


_KINDS: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "add": ("addi", lambda a, b: a + b),
    "sub": ("subi", lambda a, b: a - b),
    "mul": ("muli", lambda a, b: a * b),
    "muli": ("muli", lambda a, b: a * b),
    "floordivsi": ("floordivsi", lambda a, b: a // b if b else 10**6),
    "remsi": ("remsi", lambda a, b: a % b if b and a >= 0 else 10**6),
    "minsi": ("minsi", min),
    "maxsi": ("maxsi", max),
    "xori": ("xori", lambda a, b: a ^ b if a >= 0 else 10**6),
}

_HEAD = f"func.func @main(%t: {_VECTOR}, %s: tensor<4xf32>, %f: f32, %n: index, %m: index) -> ({_VECTOR}, f32) {{"


def random_indices(seed: int) -> str:
    """A loop, or two, that writes a vector and reads what it was."""
    nest = _Nest(seed)
    nested = nest.random.random() < 0.4
    types = f"({_VECTOR}, f32)"
    nest.lines += ["%c1 = arith.constant 1 : index", "%z = arith.constant 0.0 : f32"]
    low, high, step = nest.open_loop("%i")
    nest.lines.append(f"%r:2 = scf.for %i = {low} to {high} step {step} iter_args(%a = %t, %x = %z) -> {types} {{")
    carried, total = "%a", "%x"
    ends = ["scf.yield {}, {} : " + types[1:-1], "}"]
    if nested:
        if nest.random.random() < 0.4:
            total = nest.read("%t", total)
        low, high, step = nest.open_loop("%j")
        nest.lines.append(
            f"%q:2 = scf.for %j = {low} to {high} step {step} iter_args(%b = {carried}, %y = {total}) -> {types} {{"
        )
        carried, total = "%b", "%y"
    nest.number()
    first = nest.random.random() < 0.5
    if first:
        total = nest.read("%t", total)
    carried = nest.write(carried)
    if not first:
        total = nest.read("%t", total)
    nest.lines.append(ends[0].format(carried, total))
    nest.lines.append("}")
    if nested:
        nest.indices.pop()
        carried, total = "%q#0", "%q#1"
        if nest.random.random() < 0.4:
            total = nest.read("%t", total)
        nest.lines.append(ends[0].format(carried, total))
        nest.lines.append("}")
    return "\n  ".join([_HEAD, *nest.lines, f"return %r#0, %r#1 : {types[1:-1]}"]) + "\n}\n"


def random_versions(seed: int) -> str:
    """Insertions into versions of a vector, and reads of older ones."""
    nest = _Nest(seed)
    nest.lines += ["%c1 = arith.constant 1 : index", "%z = arith.constant 0.0 : f32"]
    nest.number()
    few = nest.random.random() < 0.5
    if nest.random.random() < 0.6:
        nest.indices = [nest.constant(value) for value in range(9)]
    versions, total = ["%t"], "%z"
    for _ in range(nest.random.randrange(3, 7) if few else nest.random.randrange(12, 40)):
        version = nest.random.choice(versions[-3:])
        if nest.random.random() < 0.5:
            versions.append(nest.write(version))
        else:
            total = nest.read(version, total)
    return "\n  ".join([_HEAD, *nest.lines, f"return {versions[-1]}, {total} : {_VECTOR}, f32"]) + "\n}\n"
