"""Random loops that carry tensors under changing shapes, with their values: reshaped, updated, read late, swapped.

A loop may yield a reshaped view of what it carries. Whether that is the carried buffer or a copy of it depends on
layouts, which the analysis does not know; so what it concludes must hold for both. NumPy says what the values are.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

Values = dict[str, np.ndarray]
Step = Callable[[Values, int], None]

SHAPES = ((2, 3), (6,), (3, 2))
_TYPES = {shape: f"tensor<{'x'.join(map(str, shape))}xf32>" for shape in SHAPES}
_SHAPE_NAMES = {(2, 3): "%s23", (6,): "%s6", (3, 2): "%s32"}


class _Body:
    def __init__(self, generator: random.Random, carried: int) -> None:
        self.random = generator
        self.lines: list[str] = []
        self.steps: list[Step] = []
        self.shapes: dict[str, tuple[int, ...]] = {f"%a{n}": (2, 3) for n in range(carried)}
        self.shapes["%t"] = (2, 3)

    def add(self, text: str, shape: tuple[int, ...], compute: Callable[[Values, int], np.ndarray]) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"    {name} = {text}")
        self.steps.append(lambda values, i: values.update({name: compute(values, i)}))
        self.shapes[name] = shape
        return name

    def pick(self) -> str:
        return self.random.choice(list(self.shapes)[-4:])

    def reshape(self, source: str, shape: tuple[int, ...]) -> str:
        old = self.shapes[source]
        types = f"({_TYPES[old]}, tensor<{len(shape)}xindex>) -> {_TYPES[shape]}"
        text = f"tensor.reshape {source}({_SHAPE_NAMES[shape]}) : {types}"
        if self.random.random() < 0.5 and len(old) != len(shape):
            if len(shape) == 1:
                text = f"tensor.collapse_shape {source} [[0, 1]] : {_TYPES[old]} into {_TYPES[shape]}"
            else:
                sizes = f"output_shape [{shape[0]}, {shape[1]}]"
                text = f"tensor.expand_shape {source} [[0, 1]] {sizes} : {_TYPES[old]} into {_TYPES[shape]}"
        return self.add(text, shape, lambda values, i: values[source].reshape(shape))

    def step(self) -> None:
        source = self.pick()
        shape = self.shapes[source]
        kind = self.random.randrange(4)
        if kind == 0:
            self.reshape(source, self.random.choice([s for s in SHAPES if s != shape]))
        elif kind == 1:
            indices = ", ".join(["%i"] + ["%c0"] * (len(shape) - 1))
            position = (0,) * (len(shape) - 1)

            def insert(values: Values, i: int) -> np.ndarray:
                changed = values[source].copy()
                changed[(i, *position)] = 7
                return changed

            self.add(f"tensor.insert %seven into {source}[{indices}] : {_TYPES[shape]}", shape, insert)
        elif kind == 2:
            other = self.random.choice([name for name, s in self.shapes.items() if s == shape])
            type_ = _TYPES[shape]
            operands = f"ins({source}, {other} : {type_}, {type_}) outs({source} : {type_}) -> {type_}"
            self.add(f"linalg.sub {operands}", shape, lambda values, i: values[source] - values[other])
        else:
            type_ = _TYPES[shape]
            operands = f"ins({source} : {type_}) outs({source} : {type_}) -> {type_}"
            self.add(f"linalg.negf {operands}", shape, lambda values, i: -values[source])

    def yielded(self, argument: int) -> str:
        """What is carried on for an argument: often a view of what it was."""
        last = self.random.choice(list(self.shapes)[-3:])
        source = self.random.choice([last, last, f"%a{argument}"])
        return source if self.shapes[source] == (2, 3) else self.reshape(source, (2, 3))


def random_reshape_loop(seed: int, argument: np.ndarray, trips: int) -> tuple[str, list[np.ndarray]]:
    """Return the text of a module with @main(%x: tensor<2x3xf32>, %n: index) and what it returns for these values."""
    generator = random.Random(seed)
    carried = generator.choice([1, 1, 2])
    body = _Body(generator, carried)
    for _ in range(generator.randint(1, 5)):
        body.step()
    yields = [body.yielded(n) for n in range(carried)]
    values: Values = {"%t": -argument if generator.random() < 0.7 else argument.copy()}
    fresh = values["%t"][0, 0] != argument[0, 0]
    inits = ["%t" if generator.random() < 0.7 else "%x" for _ in range(carried)]
    state = [values["%t"] if name == "%t" else argument for name in inits]
    for i in range(trips):
        values.update({f"%a{n}": value for n, value in enumerate(state)})
        for step in body.steps:
            step(values, i)
        state = [values[name] for name in yields]
    matrix = _TYPES[(2, 3)]
    results = ", ".join([matrix] * (carried + 1))
    arguments = ", ".join(f"%a{n} = {name}" for n, name in enumerate(inits))
    made = f"linalg.negf ins(%x : {matrix}) outs(%e : {matrix}) -> {matrix}"
    if not fresh:
        made = f"tensor.cast %x : {matrix} to {matrix}"
    text = "\n".join(
        [
            f"func.func @main(%x: {matrix}, %n: index) -> ({results}) {{",
            "  %c0 = arith.constant 0 : index",
            "  %c1 = arith.constant 1 : index",
            "  %seven = arith.constant 7.0 : f32",
            "  %s23 = arith.constant dense<[2, 3]> : tensor<2xindex>",
            "  %s32 = arith.constant dense<[3, 2]> : tensor<2xindex>",
            "  %s6 = arith.constant dense<6> : tensor<1xindex>",
            f"  %e = tensor.empty() : {matrix}",
            f"  %t = {made}",
            f"  %r:{carried} = scf.for %i = %c0 to %n step %c1 iter_args({arguments})"
            f" -> ({', '.join([matrix] * carried)}) {{",
            *body.lines,
            f"    scf.yield {', '.join(yields)} : {', '.join([matrix] * carried)}",
            "  }",
            f"  return {', '.join(f'%r#{n}' for n in range(carried))}, %t : {results}",
            "}",
        ]
    )
    return text, [*state, values["%t"]]
