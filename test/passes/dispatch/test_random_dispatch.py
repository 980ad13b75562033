"""Random kernels on bindings, run and compared with the same steps in NumPy.

Loads and stores of overlapping slices, in and around loops and branches, with values that are computed in new tensors
or in those that were loaded. Any hazard between memory and values that promotion or the analysis overlooks shows as a
wrong number.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fast_run import seeds

import mlir_inplace as mi

Array = np.ndarray[Any, Any]
Frame = dict[str, Any]
Step = Callable[[Frame], None]

_LENGTH, _TILE = 16, 4
_ACCESS = {"a": "readonly", "b": "readwrite", "c": "readwrite", "d": "writeonly"}
_VALUE = f"tensor<{_TILE}xf32>"


class Kernel:
    """A random kernel: its text, and its steps on a frame that maps names to numbers and arrays."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._names = 0
        self._lines: list[str] = []
        steps = self._block([], [], 3, self._draw.randint(4, 8))
        declared = [f"%{b} = dispatch.binding set(0) binding({n}) : {self._type(b)}" for n, b in enumerate(_ACCESS)]
        numbers = [f"%n{n} = arith.constant {n} : index" for n in range(_LENGTH + 1)]
        pushed = ["%p = dispatch.push_constant 0 : index"]
        self.text = "\n".join(["func.func @main() {", *declared, *numbers, *pushed, *self._lines, "return", "}"])
        self._steps = steps

    def run(self, arrays: list[Array], pushed: int) -> None:
        """Do on `arrays` what the program does."""
        frame: Frame = {**dict(zip(_ACCESS, arrays, strict=True)), "p": pushed}
        for step in self._steps:
            step(frame)

    def _type(self, binding: str) -> str:
        return f"!dispatch.{_ACCESS[binding]}<tensor<{_LENGTH}xf32>>"

    def _name(self) -> str:
        self._names += 1
        return f"v{self._names}"

    def _offset(self, indices: list[str]) -> tuple[str, Callable[[Frame], int]]:
        if indices and self._draw.random() < 0.6:
            index = self._draw.choice(indices)
            if self._draw.random() < 0.5:
                return f"%{index}", lambda frame: frame[index]
            name = self._name()
            self._lines.append(f"%{name} = arith.addi %{index}, %n4 : index")
            return f"%{name}", lambda frame: frame[index] + 4
        number = self._draw.randint(0, _LENGTH - _TILE)
        return str(number), lambda _frame: number

    def _load(self, values: list[str], indices: list[str]) -> Step:
        binding, name = self._draw.choice("abc"), self._name()
        text, offset = self._offset(indices)
        self._lines.append(f"%{name} = dispatch.load %{binding}[{text}] [4] [1] : {self._type(binding)} -> {_VALUE}")
        values.append(name)

        def step(frame: Frame) -> None:
            frame[name] = frame[binding][offset(frame) : offset(frame) + _TILE].copy()

        return step

    def _compute(self, values: list[str], _indices: list[str]) -> Step:
        name, x, y = self._name(), self._draw.choice(values), self._draw.choice(values)
        into = self._draw.choice(values)
        if self._draw.random() < 0.5:
            into = self._name()
            self._lines.append(f"%{into} = tensor.empty() : {_VALUE}")
        self._lines.append(
            f"%{name} = linalg.add ins(%{x}, %{y} : {_VALUE}, {_VALUE}) outs(%{into} : {_VALUE}) -> {_VALUE}"
        )
        values.append(name)

        def step(frame: Frame) -> None:
            frame[name] = frame[x] + frame[y]

        return step

    def _store(self, values: list[str], indices: list[str]) -> Step:
        binding, value = self._draw.choice("bcd"), self._draw.choice(values)
        text, offset = self._offset(indices)
        self._lines.append(f"dispatch.store %{value}, %{binding}[{text}] [4] [1] : {_VALUE} -> {self._type(binding)}")

        def step(frame: Frame) -> None:
            frame[binding][offset(frame) : offset(frame) + _TILE] = frame[value]

        return step

    def _loop(self, values: list[str], indices: list[str], depth: int) -> Step:
        index, begin, stride = self._name(), self._draw.randint(0, 4), self._draw.choice([1, 3, 4])
        end = self._draw.randint(begin, 9)
        result, argument, first = self._name(), self._name(), self._draw.choice(values)
        self._lines.append(
            f"%{result} = scf.for %{index} = %n{begin} to %n{end} step %n{stride} iter_args(%{argument} = %{first}) "
            f"-> ({_VALUE}) {{"
        )
        inner = [*values, argument]
        body = self._block(inner, [*indices, index], depth - 1, self._draw.randint(2, 5))
        last = self._draw.choice(inner)
        self._lines.extend([f"scf.yield %{last} : {_VALUE}", "}"])
        values.append(result)

        def step(frame: Frame) -> None:
            frame[result] = frame[first]
            for number in range(begin, end, stride):
                frame[index], frame[argument] = number, frame[result]
                for part in body:
                    part(frame)
                frame[result] = frame[last]

        return step

    def _branch(self, values: list[str], indices: list[str], depth: int) -> Step:
        name, limit = self._name(), self._draw.randint(0, 4)
        subject = self._draw.choice([*indices, "p"])
        self._lines.extend([f"%{name} = arith.cmpi sgt, %{subject}, %n{limit} : index", f"scf.if %{name} {{"])
        first = self._block([*values], indices, depth - 1, self._draw.randint(1, 3))
        second: list[Step] = []
        if self._draw.random() < 0.5:
            self._lines.append("} else {")
            second = self._block([*values], indices, depth - 1, self._draw.randint(1, 3))
        self._lines.append("}")

        def step(frame: Frame) -> None:
            for part in first if frame[subject] > limit else second:
                part(frame)

        return step

    def _threads(self, values: list[str], _indices: list[str]) -> Step:
        """Threads that load what nobody stores, or their own slices, and store to those."""
        index = self._name()
        self._lines.append(f"scf.forall (%{index}) = (0) to ({_LENGTH}) step ({_TILE}) {{")
        inner, steps = [*values], []
        for _ in range(self._draw.randint(2, 5)):
            kind = self._draw.randint(0, 2)
            if kind == 0:
                steps.append(self._own_load(inner, index))
            elif kind == 1:
                steps.append(self._compute(inner, []))
            else:
                steps.append(self._own_store(inner, index))
        self._lines.append("}")

        def step(frame: Frame) -> None:
            for number in range(0, _LENGTH, _TILE):
                frame[index] = number
                for part in steps:
                    part(frame)

        return step

    def _own_load(self, values: list[str], index: str) -> Step:
        binding, name = self._draw.choice("abc"), self._name()
        self._lines.append(f"%{name} = dispatch.load %{binding}[%{index}] [4] [1] : {self._type(binding)} -> {_VALUE}")
        values.append(name)

        def step(frame: Frame) -> None:
            frame[name] = frame[binding][frame[index] : frame[index] + _TILE].copy()

        return step

    def _own_store(self, values: list[str], index: str) -> Step:
        binding, value = self._draw.choice("bcd"), self._draw.choice(values)
        self._lines.append(f"dispatch.store %{value}, %{binding}[%{index}] [4] [1] : {_VALUE} -> {self._type(binding)}")

        def step(frame: Frame) -> None:
            frame[binding][frame[index] : frame[index] + _TILE] = frame[value]

        return step

    def _block(self, values: list[str], indices: list[str], depth: int, count: int) -> list[Step]:
        steps = [self._load(values, indices)]
        for _ in range(count):
            kind = self._draw.random()
            if depth and kind < 0.2:
                steps.append(self._loop(values, indices, depth))
            elif depth and kind < 0.35:
                steps.append(self._branch(values, indices, depth))
            elif kind < 0.42:
                steps.append(self._threads(values, indices))
            else:
                steps.append(self._draw.choice([self._load, self._compute, self._store, self._store])(values, indices))
        return steps


def run(seed: int) -> None:
    kernel = Kernel(seed)
    program = mi.compile(kernel.text)
    for pushed in (0, 3):
        arrays = [np.arange(n * 100, n * 100 + _LENGTH, dtype=np.float32) for n in range(1, 5)]
        wanted = [array.copy() for array in arrays]
        kernel.run(wanted, pushed)
        program.main(*arrays, pushed)
        for array, expected in zip(arrays, wanted, strict=True):
            np.testing.assert_array_equal(array, expected, err_msg=f"seed {seed}\n{kernel.text}")


@pytest.mark.parametrize("seed", seeds(40, least=5))
def test_random_kernels(seed: int) -> None:
    run(seed)
