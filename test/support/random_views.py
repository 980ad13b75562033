"""Random programs of views of matrices, with their values: slices, reshapes, casts, updates, static and dynamic sizes.

Where `random_programs.py` is about which buffers are shared, this is about where the elements lie in them: offsets,
strides, dropped dimensions, and copies where a layout does not allow a view. NumPy says what the values are, so no
other bufferization is trusted.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

INDICES = 5
"""The program's arguments %n0 … %n4 are these numbers: sizes and offsets that are known only at run time."""


@dataclass(frozen=True)
class Tensor:
    """A value of the program: its name, its shape as the type says it (None is dynamic), and its elements."""

    name: str
    shape: tuple[int | None, ...]
    elements: np.ndarray

    @property
    def type(self) -> str:
        sizes = "".join(f"{'?' if size is None else size}x" for size in self.shape)
        return f"tensor<{sizes}f32>"


class _Generator:
    def __init__(self, seed: int, arguments: list[np.ndarray]) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.values = [Tensor(f"%a{n}", (None, None) if n else (6, 8), a) for n, a in enumerate(arguments)]

    def define(self, text: str, shape: tuple[int | None, ...], elements: np.ndarray) -> Tensor:
        """Emit an op; {} in its text is the type of the result, which is named and kept."""
        tensor = Tensor(f"%v{self.count}", shape, np.ascontiguousarray(elements))
        self.count += 1
        self.lines.append(f"  {tensor.name} = {text.format(tensor.type)}")
        self.values.append(tensor)
        return tensor

    def pick(self, *ranks: int) -> Tensor | None:
        fitting = [value for value in self.values if value.elements.ndim in ranks and 0 not in value.elements.shape]
        return self.random.choice(fitting[-4:]) if fitting else None

    def entry(self, value: int) -> tuple[str, int | None]:
        """An offset, size or stride: a number, or an argument that has this value."""
        if value < INDICES and self.random.random() < 0.5:
            return f"%n{value}", None
        return str(value), value

    def slice_of(self, elements: np.ndarray) -> tuple[str, tuple[int | None, ...], tuple[slice, ...]]:
        """The text of a random slice, the static sizes it has, and the same slice for NumPy."""
        parts: list[list[str]] = [[], [], []]
        sizes: list[int | None] = []
        indices: list[slice] = []
        for extent in elements.shape:
            stride = self.random.choice([1, 1, 1, 2])
            offset = self.random.choice([0, 0, self.random.randrange(extent)])
            size = self.random.randint(1, (extent - offset + stride - 1) // stride)
            texts = [self.entry(number) for number in (offset, size, stride)]
            for part, (text, _) in zip(parts, texts, strict=True):
                part.append(text)
            sizes.append(texts[1][1])
            indices.append(slice(offset, offset + size * stride, stride))
        text = " ".join(f"[{', '.join(part)}]" for part in parts)
        return text, tuple(sizes), tuple(indices)

    def empty(self, like: Tensor) -> str:
        """An uninitialized tensor of the type of `like`."""
        name = f"%e{self.count}_{len(self.lines)}"
        dynamic = []
        for dimension, size in enumerate(like.shape):
            if size is None:
                self.lines.append(f"  {name}_{dimension} = tensor.dim {like.name}, %c{dimension} : {like.type}")
                dynamic.append(f"{name}_{dimension}")
        self.lines.append(f"  {name} = tensor.empty({', '.join(dynamic)}) : {like.type}")
        return name

    # One op each.

    def step_extract_slice(self) -> None:
        if source := self.pick(1, 2):
            text, sizes, indices = self.slice_of(source.elements)
            self.define(
                f"tensor.extract_slice {source.name}{text} : {source.type} to {{}}", sizes, source.elements[indices]
            )

    def step_drop_a_dimension(self) -> None:
        if source := self.pick(2):
            row, size = self.random.randrange(source.elements.shape[0]), source.elements.shape[1]
            (offset, _), (count, static) = self.entry(row), self.entry(size)
            self.define(
                f"tensor.extract_slice {source.name}[{offset}, 0] [1, {count}] [1, 1] : {source.type} to {{}}",
                (static,),
                source.elements[row, :],
            )

    def step_insert_slice(self) -> None:
        target = self.pick(1, 2)
        if target is None:
            return
        text, sizes, indices = self.slice_of(target.elements)
        source = self.pick(1, 2)
        assert source is not None
        wanted = target.elements[indices].shape
        if source.elements.shape != wanted or source.shape != sizes:
            part = self.define(
                f"tensor.extract_slice {target.name}{text} : {target.type} to {{}}", sizes, target.elements[indices]
            )
            source = self.negated(part, part.name)
        elements = target.elements.copy()
        elements[indices] = source.elements
        self.define(
            f"tensor.insert_slice {source.name} into {target.name}{text} : {source.type} into {{}}",
            target.shape,
            elements,
        )

    def negated(self, source: Tensor, target: str) -> Tensor:
        operands = f"ins({source.name} : {source.type}) outs({target} : {source.type})"
        return self.define(f"linalg.negf {operands} -> {{}}", source.shape, -source.elements)

    def step_negate(self) -> None:
        if source := self.pick(1, 2):
            self.negated(source, source.name if self.random.random() < 0.5 else self.empty(source))

    def step_copy(self) -> None:
        if source := self.pick(1, 2):
            target = self.empty(source)
            operands = f"ins({source.name} : {source.type}) outs({target} : {source.type})"
            self.define(f"linalg.copy {operands} -> {{}}", source.shape, source.elements)

    def step_collapse(self) -> None:
        if source := self.pick(2):
            size = None if None in source.shape else source.elements.size
            self.define(
                f"tensor.collapse_shape {source.name} [[0, 1]] : {source.type} into {{}}",
                (size,),
                source.elements.reshape(-1),
            )

    def step_expand(self) -> None:
        source = self.pick(1)
        if source is None:
            return
        factor = self.random.choice([f for f in (1, 2, 3, 4) if source.elements.size % f == 0])
        rows = source.elements.size // factor
        if source.shape[0] is None:
            if rows >= INDICES:
                return
            shape, first = (None, factor), f"%n{rows}"
        else:
            shape, first = (rows, factor), str(rows)
        text = f"tensor.expand_shape {source.name} [[0, 1]] output_shape [{first}, {factor}] : {source.type} into {{}}"
        self.define(text, shape, source.elements.reshape(rows, factor))

    def step_cast(self) -> None:
        if source := self.pick(1, 2):
            shape = tuple(self.random.choice([None, size]) for size in source.elements.shape)
            if shape != source.shape:
                self.define(f"tensor.cast {source.name} : {source.type} to {{}}", shape, source.elements)

    def step_pad(self) -> None:
        if source := self.pick(1):
            low, static = self.entry(self.random.randrange(3))
            before = static if static is not None else int(low[2:])
            known = static is not None and source.shape[0] is not None
            elements = np.pad(source.elements, (before, 1), constant_values=7)
            body = "{{\n  ^bb0(%i: index):\n    tensor.yield %seven : f32\n  }}"
            text = f"tensor.pad {source.name} low[{low}] high[1] {body} : {source.type} to {{}}"
            self.define(text, (elements.size if known else None,), elements)

    def step_update_one(self) -> None:
        if source := self.pick(1, 2):
            where = tuple(self.random.randrange(min(size, INDICES)) for size in source.elements.shape)
            elements = source.elements.copy()
            elements[where] = 7
            indices = ", ".join(f"%n{position}" for position in where)
            self.define(f"tensor.insert %seven into {source.name}[{indices}] : {{}}", source.shape, elements)

    def index(self, number: int) -> str:
        """An index that has this value, known or not."""
        if number < INDICES and self.random.random() < 0.5:
            return f"%n{number}"
        self.lines.append(f"  %k{len(self.lines)} = arith.constant {number} : index")
        return f"%k{len(self.lines) - 1}"

    def step_reshape(self) -> None:
        source = self.pick(1, 2)
        if source is None:
            return
        size = source.elements.size
        factors = [size // columns for columns in (1, 2, 3, 4, 6) if size % columns == 0]
        rows = self.random.choice(factors)
        elements = source.elements.reshape(self.random.choice([(size,), (rows, size // rows), (1, rows, size // rows)]))
        sizes = [self.index(extent) for extent in elements.shape]
        # A size that is named by a constant may be static.
        shape = tuple(
            extent if name.startswith("%k") and self.random.random() < 0.7 else None
            for name, extent in zip(sizes, elements.shape, strict=True)
        )
        holder, type_ = f"%s{len(self.lines)}", f"tensor<{len(sizes)}xindex>"
        self.lines.append(f"  {holder} = tensor.from_elements {', '.join(sizes)} : {type_}")
        self.define(f"tensor.reshape {source.name}({holder}) : ({source.type}, {type_}) -> {{}}", shape, elements)

    def step_concat(self) -> None:
        source = self.pick(1, 2)
        if source is None:
            return
        along = self.random.randrange(source.elements.ndim)
        parts = [source]
        for _ in range(self.random.randrange(2)):
            extent = source.elements.shape[along]
            first = self.random.randrange(extent)
            count = self.random.randint(1, extent - first)
            corner = [str(first) if d == along else "0" for d in range(source.elements.ndim)]
            sizes, shape = [], []
            for dimension, size in enumerate(source.elements.shape):
                text, static = self.entry(count if dimension == along else size)
                sizes.append(text)
                shape.append(static)
            ones = ", ".join("1" for _ in corner)
            text = f"tensor.extract_slice {source.name}[{', '.join(corner)}] [{', '.join(sizes)}] [{ones}]"
            elements = source.elements.take(range(first, first + count), along)
            parts.append(self.define(f"{text} : {source.type} to {{}}", tuple(shape), elements))
        elements = np.concatenate([part.elements for part in parts], along)
        shape = [None if any(part.shape[d] is None for part in parts) else e for d, e in enumerate(elements.shape)]
        if elements.size <= 400:
            names, types = ", ".join(part.name for part in parts), ", ".join(part.type for part in parts)
            self.define(f"tensor.concat dim({along}) {names} : ({types}) -> {{}}", tuple(shape), elements)

    def rows(self, source: Tensor) -> tuple[str, list[int]]:
        """A tensor of numbers of rows of `source`, no two of them equal."""
        extent = source.elements.shape[0]
        chosen = self.random.sample(range(extent), self.random.randint(1, min(3, extent)))
        name = f"%r{len(self.lines)}"
        numbers = ", ".join(f"[{number}]" for number in chosen)
        self.lines.append(f"  {name} = arith.constant dense<[{numbers}]> : tensor<{len(chosen)}x1xi32>")
        return name, chosen

    def step_gather(self) -> None:
        if source := self.pick(1, 2):
            name, chosen = self.rows(source)
            operands = f"{source.name}[{name}] gather_dims([0]) : ({source.type}, tensor<{len(chosen)}x1xi32>)"
            self.define(f"tensor.gather {operands} -> {{}}", (len(chosen), *source.shape[1:]), source.elements[chosen])

    def step_scatter(self) -> None:
        if target := self.pick(1, 2):
            name, chosen = self.rows(target)
            type_ = f"tensor<{len(chosen)}x1xi32>"
            gather = f"tensor.gather {target.name}[{name}] gather_dims([0]) : ({target.type}, {type_})"
            rows = self.define(f"{gather} -> {{}}", (len(chosen), *target.shape[1:]), target.elements[chosen])
            rows = self.negated(rows, rows.name)
            elements = target.elements.copy()
            elements[chosen] = rows.elements
            text = f"tensor.scatter {rows.name} into {target.name}[{name}] scatter_dims([0]) unique"
            self.define(f"{text} : ({rows.type}, {target.type}, {type_}) -> {{}}", target.shape, elements)

    def step_bitcast_and_back(self) -> None:
        if source := self.pick(1, 2):
            bits = source.type.replace("f32", "i32")
            self.lines.append(f"  %b{len(self.lines)} = tensor.bitcast {source.name} : {source.type} to {bits}")
            text = f"tensor.bitcast %b{len(self.lines) - 1} : {bits} to {{}}"
            self.define(text, source.shape, source.elements)

    def step_forget_the_rank(self) -> None:
        if source := self.pick(1, 2):
            self.lines.append(f"  %u{len(self.lines)} = tensor.cast {source.name} : {source.type} to tensor<*xf32>")
            text = f"tensor.cast %u{len(self.lines) - 1} : tensor<*xf32> to {{}}"
            self.define(
                text, tuple(self.random.choice([None, size]) for size in source.elements.shape), source.elements
            )


def random_views(seed: int, arguments: list[np.ndarray], steps: int = 9) -> tuple[str, list[np.ndarray]]:
    """Return the text of a module with the function @main and what it returns for `arguments`, a 6x8 and a 5x4 matrix.

    Its arguments are the matrices, then the numbers from 0 to INDICES - 1. The same seed gives the same program.
    """
    generator = _Generator(seed, arguments)
    choices = [getattr(generator, name) for name in dir(generator) if name.startswith("step_")]
    for _ in range(steps):
        generator.random.choice(choices)()
    results = generator.values[-3:]
    types = ", ".join(result.type for result in results)
    parameters = [f"{value.name}: {value.type}" for value in generator.values[:2]]
    parameters += [f"%n{number}: index" for number in range(INDICES)]
    text = "\n".join(
        [
            f"func.func @main({', '.join(parameters)}) -> ({types}) {{",
            "  %c0 = arith.constant 0 : index",
            "  %c1 = arith.constant 1 : index",
            "  %seven = arith.constant 7.0 : f32",
            *generator.lines,
            f"  return {', '.join(result.name for result in results)} : {types}",
            "}",
        ]
    )
    return text, [result.elements for result in results]
