"""Facts about the values of a program under construction: tensor sizes, index bounds, conditions, functions.

Every run of a program is one of a few argument sets, so an index is known by its bounds in each of them; that makes
all slices, loops and element accesses right by construction, for sizes of 0 and 1 too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Bounds: TypeAlias = tuple[tuple[int, int], ...]
"""The least and the largest value in each argument set."""


@dataclass(frozen=True)
class IndexValue:
    """A value of type index: its SSA name and its bounds."""

    name: str
    bounds: Bounds

    @property
    def is_exact(self) -> bool:
        """Whether it is a single number in each argument set, in every iteration."""
        return all(low == high for low, high in self.bounds)


Size: TypeAlias = int | IndexValue
"""A size that the type states, or a dynamic one with the value that it has."""


@dataclass(frozen=True)
class ConditionValue:
    """A value of type i1, and its value in each argument set where that is known."""

    name: str
    known: tuple[bool | None, ...]


@dataclass(frozen=True)
class Scalar:
    """A value of an element type."""

    name: str
    element: str


@dataclass(frozen=True)
class Tensor:
    """A value of a ranked tensor type."""

    name: str
    sizes: tuple[Size, ...]
    element: str

    @property
    def type(self) -> str:
        """The type as MLIR writes it."""
        return tensor_type(self.sizes, self.element)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.sizes)

    @property
    def dynamic(self) -> str:
        """`%n, …`: the sizes that the type does not state."""
        return ", ".join(size.name for size in self.sizes if isinstance(size, IndexValue))

    @property
    def is_static(self) -> bool:
        """Whether the type states all sizes."""
        return all(isinstance(size, int) for size in self.sizes)


@dataclass(frozen=True)
class Parameters:
    """The scalar parameters of every function."""

    indices: tuple[IndexValue, ...]
    conditions: tuple[ConditionValue, ...]

    @property
    def declared(self) -> str:
        """`%n: index, …` as functions declare them."""
        return ", ".join([f"{i.name}: index" for i in self.indices] + [f"{c.name}: i1" for c in self.conditions])

    @property
    def passed(self) -> str:
        """`%n, …` as calls pass them."""
        return ", ".join(value.name for value in (*self.indices, *self.conditions))

    @property
    def types(self) -> str:
        """`index, …`."""
        return ", ".join(["index"] * len(self.indices) + ["i1"] * len(self.conditions))


@dataclass(frozen=True)
class CallableFunction:
    """A private function that can be called. `is_recursive`: its first parameter counts down."""

    name: str
    arguments: tuple[Tensor, ...]
    results: tuple[Tensor, ...]
    is_recursive: bool
    is_pure: bool


FLOATS = ("f32", "f64", "f16", "bf16")
INTEGERS = ("i32", "i64", "i8", "index")
ELEMENTS = (*FLOATS, *INTEGERS, "i1")
ELEMENT_WEIGHTS = (10, 2, 1, 1, 4, 1.5, 1, 1, 0.7)


def shape_text(sizes: tuple[Size, ...]) -> str:
    """Return `4x?x`."""
    return "".join(f"{size}x" if isinstance(size, int) else "?x" for size in sizes)


def tensor_type(sizes: tuple[Size, ...], element: str) -> str:
    """Return the type of a tensor as MLIR writes it."""
    return f"tensor<{shape_text(sizes)}{element}>"


def literal(element: str, number: int) -> str:
    """Return a constant of an element type; `number` is a small integer, and wraps in i8."""
    if element in FLOATS:
        return f"{number}.0"
    if element == "i1":
        return "true" if number % 2 else "false"
    return str(number % 256 if element == "i8" and number > 255 else number)


def least(size: Size, argument_set: int) -> int:
    """Return the least that `size` is in an argument set."""
    return size if isinstance(size, int) else size.bounds[argument_set][0]


def largest(size: Size, argument_set: int) -> int:
    """Return the largest that `size` is in an argument set."""
    return size if isinstance(size, int) else size.bounds[argument_set][1]
