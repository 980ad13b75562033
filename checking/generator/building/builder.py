"""Writes a program line by line, and keeps the scope of values that productions use and extend.

Values are chosen to cause conflicts: recent ones, those with users, and above all those that may have been overwritten
in place, since reading these again exposes a wrong alias.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from .draw import Draw
from .values import (
    CallableFunction,
    ConditionValue,
    IndexValue,
    Parameters,
    Scalar,
    Size,
    Tensor,
    largest,
    least,
    literal,
    shape_text,
    tensor_type,
)


class NothingFits(Exception):
    """A production found no operands, before it added any relevant op."""


@dataclass
class Scope:
    """The values that may be used at a point of the program."""

    tensors: list[Tensor] = field(default_factory=list)
    indices: list[IndexValue] = field(default_factory=list)
    conditions: list[ConditionValue] = field(default_factory=list)
    scalars: list[Scalar] = field(default_factory=list)
    overwritten: list[Tensor] = field(default_factory=list)
    """Tensors whose buffer may have been overwritten in place."""

    def copy(self) -> Scope:
        """Return a scope that can grow without this one."""
        return Scope(self.tensors[:], self.indices[:], self.conditions[:], self.scalars[:], self.overwritten[:])


@dataclass
class Module:
    """The state that all functions of a program share."""

    draw: Draw
    sets: int
    parameters: Parameters
    """The scalar parameters that all functions have."""
    produce: Callable[[Builder], None]
    """Adds one random op; nested regions call it too."""
    globals: list[tuple[str, Tensor, bool]] = field(default_factory=list)
    """Name, a tensor of its type, and whether it may change."""
    functions: list[str] = field(default_factory=list)
    features: Counter[str] = field(default_factory=Counter)
    """How often each production was used."""
    count: int = 0
    callable: list[CallableFunction] = field(default_factory=list)
    """The functions that may be called."""
    usual: tuple[int, ...] = ()
    """Static sizes that are frequent in the program, so that a slice of one tensor has the type of another one."""
    likeness: float = 0.4
    """How often a parameter has the shape of another one."""

    def name(self, prefix: str) -> str:
        """Return an unused name."""
        self.count += 1
        return f"{prefix}{self.count}"


class Builder:
    """The function under construction. `live` are the argument sets in which the current place is reached."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.draw = module.draw
        self.lines: list[str] = []
        self.depth = 0
        """How many regions enclose the current place."""
        self.indent = 1
        self.scope = Scope([], [*module.parameters.indices], [*module.parameters.conditions])
        self.live: tuple[int, ...] = tuple(range(module.sets))
        self.is_sequential = True
        """Whether no parallel region encloses the current place."""

    def produce(self) -> None:
        """Add one random op."""
        self.module.produce(self)

    # --- text --------------------------------------------------------------------------------------------------------

    def emit(self, text: str) -> None:
        """Add a line, or several."""
        self.lines += ["  " * self.indent + line for line in text.split("\n")]

    def name(self) -> str:
        """Return a new SSA name."""
        return self.module.name("%v")

    def op(self, text: str) -> str:
        """Add an op with one result, and return its name."""
        name = self.name()
        self.emit(f"{name} = {text}")
        return name

    def define(self, text: str, sizes: tuple[Size, ...], element: str) -> Tensor:
        """Add an op with one tensor result, which is kept; `{}` in the text is the type of the result."""
        tensor = Tensor(self.op(text.replace("{}", tensor_type(sizes, element))), sizes, element)
        self.scope.tensors.append(tensor)
        return tensor

    def define_like(self, model: Tensor, text: str) -> Tensor:
        """Add an op whose result, which is kept, has the type of `model`; that is `{}` in the text."""
        return self.define(text, model.sizes, model.element)

    def define_index(self, text: str, bounds: Callable[[int], tuple[int, int]]) -> IndexValue:
        """Add an op with one index result, of which `bounds` gives the least and largest in each argument set."""
        index = IndexValue(self.op(text), tuple(bounds(number) for number in range(self.module.sets)))
        self.scope.indices.append(index)
        return index

    @contextmanager
    def region(self, live: Sequence[int] | None = None, *, is_parallel: bool = False) -> Generator[Scope]:
        """Add ops to a region in the `with` block: their names go out of scope at its end. Yields the inner scope."""
        scope, before, was_sequential = self.scope, self.live, self.is_sequential
        self.is_sequential = was_sequential and not is_parallel
        self.scope = scope.copy()
        self.depth += 1
        self.indent += 1
        if live:
            self.live = tuple(live)
        yield self.scope
        # Tensors overwritten in the region stay preferred outside.
        kept = [tensor for tensor in self.scope.overwritten if tensor in scope.tensors]
        scope.overwritten = kept[-12:]
        self.scope, self.live, self.is_sequential = scope, before, was_sequential
        self.depth -= 1
        self.indent -= 1

    # --- sizes -------------------------------------------------------------------------------------------------------

    def same(self, one: Size, other: Size) -> bool:
        """Whether two sizes are equal in each live argument set."""
        if isinstance(one, IndexValue) and isinstance(other, IndexValue) and one.name == other.name:
            return True
        return all(least(one, n) == largest(one, n) == least(other, n) == largest(other, n) for n in self.live)

    def same_shape(self, one: Sequence[Size], other: Sequence[Size]) -> bool:
        """Whether two shapes are equal in each run."""
        return len(one) == len(other) and all(self.same(a, b) for a, b in zip(one, other, strict=True))

    def minimum(self, size: Size) -> int:
        """Return the least value of a size in any live argument set."""
        return min(least(size, n) for n in self.live)

    def maximum(self, size: Size) -> int:
        """Return the largest value of a size in any live argument set."""
        return max(largest(size, n) for n in self.live)

    def static_size(self, most: int) -> int:
        """Return a size from 1 to `most`, a usual one if possible."""
        usual = [size for size in self.module.usual if size <= most]
        return self.draw.choice(usual) if usual and self.draw.chance(0.6) else self.draw.between(1, most)

    def value(self, size: Size) -> IndexValue:
        """Return `size` as an SSA value."""
        return size if isinstance(size, IndexValue) else self.constant(size)

    def constant(self, number: int) -> IndexValue:
        """Return an index constant, an old one if there is one."""
        bounds = ((number, number),) * self.module.sets
        for index in self.scope.indices:
            if index.bounds == bounds and index.name.startswith("%c"):
                return index
        index = IndexValue(self.module.name(f"%c{number}_"), bounds)
        self.emit(f"{index.name} = arith.constant {number} : index")
        self.scope.indices.append(index)
        return index

    # --- choice ------------------------------------------------------------------------------------------------------

    def pick(self, fits: Callable[[Tensor], bool] = lambda tensor: True) -> Tensor:
        """Return a tensor that fits, as `find` does; raises `NothingFits`."""
        found = self.find(fits)
        if found is None:
            raise NothingFits
        return found

    def find(self, fits: Callable[[Tensor], bool] = lambda tensor: True) -> Tensor | None:
        """Return a tensor that fits, more likely a recent or an overwritten one; None if there is none."""
        tensors = [tensor for tensor in self.scope.tensors if fits(tensor)]
        if not tensors:
            return None
        if self.draw.chance(0.35):
            overwritten = [tensor for tensor in self.scope.overwritten if fits(tensor)]
            if overwritten:
                return self.draw.choice(overwritten[-6:])
        return self.draw.choice(tensors[-4:] if self.draw.chance(0.5) else tensors)

    def pick_index(self, fits: Callable[[IndexValue], bool] = lambda index: True) -> IndexValue | None:
        """Return an index that fits."""
        indices = [index for index in self.scope.indices if fits(index)]
        return self.draw.choice(indices) if indices else None

    def condition(self) -> ConditionValue:
        """Return some condition."""
        return self.draw.choice(self.scope.conditions)

    def scalar(self, element: str) -> Scalar:
        """Return a value of an element type: one in scope, or a constant."""
        known = [scalar for scalar in self.scope.scalars if scalar.element == element]
        if known and self.draw.chance(0.7):
            return self.draw.choice(known[-3:])
        scalar = Scalar(self.literal(element, self.draw.between(-9, 99)), element)
        self.scope.scalars.append(scalar)
        return scalar

    def literal(self, element: str, number: int) -> str:
        """Add a constant that is not kept, and return its name."""
        return self.op(f"arith.constant {literal(element, number)}{'' if element == 'i1' else f' : {element}'}")

    # --- tensors of given shapes --------------------------------------------------------------------------------------

    def empty(self, sizes: tuple[Size, ...], element: str) -> Tensor:
        """Add a tensor without content, which the caller must overwrite completely; it is not in scope."""
        tensor = Tensor(self.name(), sizes, element)
        kinds = ("tensor.empty", "bufferization.alloc_tensor")
        self.emit(f"{tensor.name} = {self.draw.weighted(kinds, (6, 1))}({tensor.dynamic}) : {tensor.type}")
        return tensor

    def filled(self, sizes: tuple[Size, ...], element: str) -> Tensor:
        """Add a new tensor with one number everywhere."""
        scalar = self.scalar(element)
        return self.fill(scalar.name, self.empty(sizes, element))

    def fill(self, scalar: str, target: Tensor) -> Tensor:
        """Write a number to all of a tensor."""
        types = f"ins({scalar} : {target.element}) outs({target.name} : {target.type})"
        return self.define_like(target, f"linalg.fill {types} -> {{}}")

    def constant_tensor(self, sizes: tuple[int, ...], element: str) -> Tensor:
        """Add a constant with elements that differ."""
        start = self.draw.between(-20, 60)

        def nested(dimension: int, position: int) -> str:
            if dimension == len(sizes):
                return literal(element, start + position)
            parts = (nested(dimension + 1, position * sizes[dimension] + i) for i in range(sizes[dimension]))
            return f"[{', '.join(parts)}]"

        return self.define(f"arith.constant dense<{nested(0, 0)}> : {{}}", sizes, element)

    def tensor_of(self, sizes: tuple[Size, ...], element: str, *, same_type: bool = False) -> Tensor:
        """Return a tensor of these sizes: one in scope if possible, else a new one.

        With `same_type` its type states exactly the sizes that are integers.
        """

        def fits(tensor: Tensor) -> bool:
            return tensor.element == element and self.same_shape(tensor.sizes, sizes)

        found = self.find(fits) if self.draw.chance(0.93) else None
        if found is None:
            static = tuple(size for size in sizes if isinstance(size, int))
            if len(static) == len(sizes) and self.draw.chance(0.3):
                return self.constant_tensor(static, element)
            return self.filled(sizes, element)
        return self.cast(found, sizes) if same_type else found

    def cast(self, tensor: Tensor, sizes: tuple[Size, ...]) -> Tensor:
        """Return `tensor` with a type that states exactly the integers of `sizes`, which are equal to its own."""
        if shape_text(tensor.sizes) == shape_text(sizes):
            return tensor
        if not _may_cast(tensor.sizes, sizes):
            tensor = self.cast(tensor, tuple(self.value(size) for size in tensor.sizes))
        return self.define(f"tensor.cast {tensor.name} : {tensor.type} to {{}}", sizes, tensor.element)

    def like(self, tensor: Tensor) -> Tensor:
        """Return a tensor of the same type."""
        return self.tensor_of(tensor.sizes, tensor.element, same_type=True)

    def destination(self, sizes: tuple[Size, ...], element: str) -> Tensor:
        """Return a destination to be overwritten completely without a read: an old tensor, or one without content."""
        if self.draw.chance(0.3):
            return self.empty(sizes, element)
        return self.written(self.tensor_of(sizes, element, same_type=True))

    def written(self, tensor: Tensor) -> Tensor:
        """Record that `tensor` may be overwritten in place, if all of its content is defined; return it."""
        if tensor in self.scope.tensors:
            self.scope.overwritten.append(tensor)
        return tensor

    def with_sizes_of(self, tensor: Tensor) -> Tensor:
        """Return `tensor` with dynamic sizes that are values at this place; for results of regions and calls."""
        sizes: list[Size] = []
        for dimension, size in enumerate(tensor.sizes):
            if isinstance(size, int):
                sizes.append(size)
                continue
            number = self.constant(dimension)
            text = f"tensor.dim {tensor.name}, {number.name} : {tensor.type}"
            sizes.append(self.define_index(text, lambda n, size=size: size.bounds[n]))
        return replace(tensor, sizes=tuple(sizes))


def _may_cast(one: Sequence[Size], other: Sequence[Size]) -> bool:
    """Whether a cast does not state two different integers for a size; equal sizes never do."""
    return all(not (isinstance(a, int) and isinstance(b, int) and a != b) for a, b in zip(one, other, strict=True))
