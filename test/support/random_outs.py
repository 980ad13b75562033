"""Random chains of ops that write into what other ops computed, and what NumPy says they compute.

Sizes are 0 to 3, static or dynamic; payloads use their init or not; output maps cover it or not; loops may not run.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["RandomOuts", "random_outs"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Tensor:
    """A value of the program; `array` is None as long as it has no content."""

    name: str
    type: str
    shape: tuple[int, ...]
    array: Array | None


@dataclass(frozen=True)
class RandomOuts:
    """A program with the entry point @main, its arguments, and its results."""

    text: str
    arguments: list[Array]
    results: list[Array]


class _Generator:
    """Builds one program, line by line."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.tensors: list[Tensor] = []
        self.arguments: list[Tensor] = []
        self.sizes = self.rng.choices((0, 1, 2, 3), weights=(1, 2, 3, 3), k=2)
        self.static = [self.rng.random() < 0.5, self.rng.random() < 0.5]
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def type_of(self, dimensions: Sequence[int]) -> str:
        sizes = [str(self.sizes[d]) if self.static[d] else "?" for d in dimensions]
        return "tensor<" + "x".join([*sizes, "f32"]) + ">"

    def shape_of(self, dimensions: Sequence[int]) -> tuple[int, ...]:
        return tuple(self.sizes[d] for d in dimensions)

    def add(self, line: str, type_: str, array: Array | None, shape: tuple[int, ...]) -> Tensor:
        """Enter `NAME = line`."""
        tensor = Tensor(self.name(), type_, shape, array)
        self.lines.append(f"{tensor.name} = {line}")
        self.tensors.append(tensor)
        return tensor

    def argument(self, dimensions: Sequence[int]) -> None:
        shape = self.shape_of(dimensions)
        start = 100 * len(self.arguments) + 1
        array = (start + np.arange(np.prod(shape, dtype=int))).reshape(shape).astype(np.float32)
        tensor = Tensor(f"%a{len(self.arguments)}", self.type_of(dimensions), shape, array)
        self.arguments.append(tensor)
        self.tensors.append(tensor)

    def pick(self, type_: str, *, defined: bool) -> Tensor | None:
        """A tensor of a type, a late one more likely than an early one."""
        fitting = [t for t in self.tensors if t.type == type_ and (t.array is not None or not defined)]
        return self.rng.choice(fitting[-4:] if self.rng.random() < 0.7 else fitting) if fitting else None

    def generic(self, maps: Sequence[str], kinds: Sequence[str], source: Tensor, init: Tensor, payload: str) -> str:
        listed = ", ".join(f"affine_map<{each}>" for each in maps)
        types = f"ins({source.name} : {source.type}) outs({init.name} : {init.type})"
        return f"""linalg.generic {{indexing_maps = [{listed}],
          iterator_types = [{", ".join(f'"{kind}"' for kind in kinds)}]}} {types} {{
          ^bb0(%in: f32, %out: f32):
            {payload}
        }} -> {init.type}"""

    # --- the ops ---------------------------------------------------------------------------------------------------

    def empty(self) -> None:
        dimensions = self.rng.choice([(0,), (0, 1)])
        sizes = ", ".join(f"%n{d}" for d in dimensions if not self.static[d])
        type_ = self.type_of(dimensions)
        self.add(f"tensor.empty({sizes}) : {type_}", type_, None, self.shape_of(dimensions))

    def fill(self) -> None:
        dimensions = self.rng.choice([(0,), (0, 1)])
        init = self.pick(self.type_of(dimensions), defined=False)
        if init is None:
            return
        value = float(self.rng.randint(2, 9))
        self.lines.append(f"%f{self.count} = arith.constant {value} : f32")
        line = f"linalg.fill ins(%f{self.count} : f32) outs({init.name} : {init.type}) -> {init.type}"
        self.add(line, init.type, np.full(init.shape, value, np.float32), init.shape)

    def elementwise(self) -> None:
        dimensions = self.rng.choice([(0,), (0, 1)])
        type_ = self.type_of(dimensions)
        source, init = self.pick(type_, defined=True), self.pick(type_, defined=False)
        if source is None or init is None:
            return
        assert source.array is not None
        names = ", ".join("ij"[: len(dimensions)])
        maps = [f"({names}) -> ({names})"] * 2
        kinds = ["parallel"] * len(dimensions)
        choice = self.rng.random()
        if choice < 0.2:
            line = f"linalg.negf ins({source.name} : {type_}) outs({init.name} : {type_}) -> {type_}"
            self.add(line, type_, -source.array, init.shape)
        elif choice < 0.4 and init.array is not None:
            payload = "%s = arith.addf %in, %out : f32\nlinalg.yield %s : f32"
            line = self.generic(maps, kinds, source, init, payload)
            self.add(line, type_, source.array + init.array, init.shape)
        elif choice < 0.6:
            payload = """%k = linalg.index 0 : index
            %l = arith.index_cast %k : index to i32
            %m = arith.sitofp %l : i32 to f32
            %s = arith.addf %in, %m : f32
            linalg.yield %s : f32"""
            index = np.arange(init.shape[0], dtype=np.float32).reshape([-1] + [1] * (len(dimensions) - 1))
            self.add(self.generic(maps, kinds, source, init, payload), type_, source.array + index, init.shape)
        else:
            payload = "%s = arith.addf %in, %in : f32\nlinalg.yield %s : f32"
            self.add(self.generic(maps, kinds, source, init, payload), type_, 2 * source.array, init.shape)

    def reduction(self) -> None:
        """The sums of rows, or their last elements: with no columns, the init."""
        source = self.pick(self.type_of((0, 1)), defined=True)
        init = self.pick(self.type_of((0,)), defined=True)
        if source is None or init is None:
            return
        assert source.array is not None and init.array is not None
        sums = self.rng.random() < 0.4
        payload = "%s = arith.addf %in, %out : f32\nlinalg.yield %s : f32" if sums else "linalg.yield %in : f32"
        array = init.array + source.array.sum(1) if sums else source.array[:, -1] if self.sizes[1] else init.array
        kinds = ["parallel", self.rng.choice(["reduction", "parallel"]) if not sums else "reduction"]
        self.add(
            self.generic(["(i, j) -> (i, j)", "(i, j) -> (i)"], kinds, source, init, payload),
            init.type,
            array,
            init.shape,
        )

    def broadcast(self) -> None:
        source, init = self.pick(self.type_of((0,)), defined=True), self.pick(self.type_of((0, 1)), defined=False)
        if source is None or init is None:
            return
        assert source.array is not None
        array = np.broadcast_to(source.array[:, None], init.shape).copy()
        maps = ["(i, j) -> (i)", "(i, j) -> (i, j)"]
        self.add(
            self.generic(maps, ["parallel"] * 2, source, init, "linalg.yield %in : f32"), init.type, array, init.shape
        )

    def place(self) -> None:
        """One element or a slice of a vector: the rest is kept."""
        init = self.pick(self.type_of((0,)), defined=True)
        if init is None or not init.shape[0]:
            return
        assert init.array is not None
        array = init.array.copy()
        at = self.rng.randrange(init.shape[0])
        array[at] = 77
        self.lines.append(f"%f{self.count} = arith.constant 77.0 : f32\n%i{self.count} = arith.constant {at} : index")
        self.add(
            f"tensor.insert %f{self.count} into {init.name}[%i{self.count}] : {init.type}", init.type, array, init.shape
        )

    def column(self) -> None:
        """A vector into one column of a matrix: the others are kept, unless there is one only."""
        source, init = self.pick(self.type_of((0,)), defined=True), self.pick(self.type_of((0, 1)), defined=True)
        if source is None or init is None or not self.sizes[1]:
            return
        assert source.array is not None and init.array is not None
        array, at = init.array.copy(), self.rng.randrange(self.sizes[1])
        array[:, at] = source.array
        maps = ["(i) -> (i)", f"(i) -> (i, {at})"]
        self.add(self.generic(maps, ["parallel"], source, init, "linalg.yield %in : f32"), init.type, array, init.shape)

    def cast(self) -> None:
        """To unknown sizes and back."""
        source = self.pick(self.type_of((0,)), defined=False)
        if source is None or not self.static[0]:
            return
        between = self.name()
        self.lines.append(f"{between} = tensor.cast {source.name} : {source.type} to tensor<?xf32>")
        line = f"tensor.cast {between} : tensor<?xf32> to {source.type}"
        self.add(line, source.type, source.array, source.shape)

    def loop(self) -> None:
        """A loop that doubles in each run what it carries, or replaces it by another tensor."""
        init = self.pick(self.type_of((0,)), defined=True)
        other = self.pick(self.type_of((0,)), defined=True)
        if init is None or other is None:
            return
        assert init.array is not None and other.array is not None
        trips, doubles, carried = self.rng.randint(0, 2), self.rng.random() < 0.5, self.name()
        inner = Tensor(carried, init.type, init.shape, init.array)
        source = inner if doubles else other
        payload = "%s = arith.addf %in, %in : f32\nlinalg.yield %s : f32"
        body = self.generic(["(i) -> (i)"] * 2, ["parallel"], source, inner, payload)
        yielded = self.name()
        line = f"""scf.for %it = %c0 to %n{trips}_trips step %c1 iter_args({carried} = {init.name}) -> {init.type} {{
          {yielded} = {body}
          scf.yield {yielded} : {init.type}
        }}"""
        array = init.array * 2**trips if doubles else 2 * other.array if trips else init.array
        self.add(line, init.type, array, init.shape)

    def branch(self) -> None:
        init, other = self.pick(self.type_of((0,)), defined=True), self.pick(self.type_of((0,)), defined=True)
        if init is None or other is None:
            return
        assert init.array is not None and other.array is not None
        taken = self.rng.random() < 0.5
        yielded = self.name()
        line = f"""scf.if %{str(taken).lower()} -> {init.type} {{
          {yielded} = linalg.negf ins({other.name} : {init.type}) outs({init.name} : {init.type}) -> {init.type}
          scf.yield {yielded} : {init.type}
        }} else {{
          scf.yield {init.name} : {init.type}
        }}"""
        self.add(line, init.type, -other.array if taken else init.array, init.shape)

    def two_results(self) -> None:
        type_ = self.type_of((0,))
        source = self.pick(type_, defined=True)
        first, second = self.pick(type_, defined=False), self.pick(type_, defined=True)
        if source is None or first is None or second is None:
            return
        assert source.array is not None and second.array is not None
        reads = self.rng.random() < 0.5
        pair = self.name()
        self.lines.append(f"""{pair}:2 = linalg.generic {{
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]}}
          ins({source.name} : {type_}) outs({first.name}, {second.name} : {type_}, {type_}) {{
          ^bb0(%in: f32, %o0: f32, %o1: f32):
            %n = arith.negf %in : f32
            %s = arith.addf %in, {"%o1" if reads else "%in"} : f32
            linalg.yield %n, %s : f32, f32
        }} -> ({type_}, {type_})""")
        added = source.array + (second.array if reads else source.array)
        for number, array in enumerate((-source.array, added)):
            self.tensors.append(Tensor(f"{pair}#{number}", type_, source.shape, array))

    def finish(self) -> RandomOuts:
        defined = [tensor for tensor in self.tensors if tensor.array is not None]
        returned = self.rng.sample(defined[-6:], k=min(2, len(defined)))
        types = ", ".join(tensor.type for tensor in returned)
        names = ", ".join(tensor.name for tensor in returned)
        writable = ["", "", " {bufferization.writable = false}"]
        parameters = [f"{t.name}: {t.type}{self.rng.choice(writable)}" for t in self.arguments]
        constants = [f"%n{d} = arith.constant {size} : index" for d, size in enumerate(self.sizes)]
        constants += [f"%n{trips}_trips = arith.constant {trips} : index" for trips in range(3)]
        constants += ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]
        constants += ["%true = arith.constant true", "%false = arith.constant false"]
        body = "\n".join([*constants, *self.lines, f"return {names} : {types}"])
        text = f"func.func @main({', '.join(parameters)}) -> ({types}) {{\n{body}\n}}"
        arrays = [tensor.array for tensor in self.arguments if tensor.array is not None]
        return RandomOuts(text, arrays, [tensor.array for tensor in returned if tensor.array is not None])


_OPS: Sequence[tuple[Callable[[_Generator], None], int]] = (
    (_Generator.empty, 1),
    (_Generator.fill, 4),
    (_Generator.elementwise, 8),
    (_Generator.reduction, 3),
    (_Generator.broadcast, 2),
    (_Generator.place, 1),
    (_Generator.column, 2),
    (_Generator.cast, 1),
    (_Generator.loop, 2),
    (_Generator.branch, 2),
    (_Generator.two_results, 2),
)


def random_outs(seed: int) -> RandomOuts:
    """A program of about a dozen ops."""
    generator = _Generator(seed)
    for dimensions in ((0,), (0,), (0, 1), (0, 1)):
        generator.argument(dimensions)
    ops, weights = zip(*_OPS, strict=True)
    for op in generator.rng.choices(ops, weights=weights, k=generator.rng.randint(4, 16)):
        op(generator)
    return generator.finish()
