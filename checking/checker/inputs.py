"""Generated inputs: distinct values, and sizes that expose a wrong alias.

Floats are distinct multiples of 1/4, across all arguments of a set, so that sums and products are exact in any order.
The first sets have equal sizes, since most programs require some sizes to be equal, and 0 and 1 are among them; later
ones vary. The reference decides whether a program accepts an input set; `InputMaker` only proposes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...runtime.interface.dtypes import ElementType
from ...runtime.interface.signature import Parameter, Signature

Array = np.ndarray[Any, Any]

# Sizes of the first sets. 1 and 0 are the edges; 7 fits no tile.
_SIZES = (4, 1, 0, 7, 2, 8, 3, 16)
_LONGEST = 20


@dataclass(frozen=True)
class Demands:
    """The requirements of a program: sizes by (argument, dimension), and values of scalars by argument."""

    sizes: dict[tuple[int, int], int] = field(default_factory=dict)
    scalars: dict[int, int] = field(default_factory=dict)


class InputMaker:
    """Input sets for one signature; the same ones for the same seed.

    `varied`: whether sets differ in more than their values, so that several are worth a run. `attempts`: the most
    proposals for one set.
    """

    attempts = 8

    def __init__(self, signature: Signature, seed: int) -> None:
        self._signature = signature
        self._seed = seed
        types = [parameter.type for parameter in signature.parameters]
        self.varied = any(not type_.is_static or not type_.is_array for type_ in types)

    def make(self, number: int, attempt: int, demands: Demands) -> tuple[Any, ...]:
        """One proposal that satisfies `demands`."""
        random = np.random.default_rng((self._seed, number, attempt))
        base = _SIZES[number] if number < len(_SIZES) else int(random.integers(0, _LONGEST))
        other = int(random.integers(0, _LONGEST)) if attempt else base
        filler = _Filler(random, signed=number % 2 == 1, small=attempt % 2 == 1, limit=max(1, min(base, other)))
        return tuple(
            self._argument(parameter, (base, other), attempt, filler, demands)
            for parameter in self._signature.parameters
        )

    def _argument(
        self, parameter: Parameter, sizes: tuple[int, int], attempt: int, filler: _Filler, demands: Demands
    ) -> Any:
        if not parameter.type.is_array:
            if parameter.index in demands.scalars:
                return demands.scalars[parameter.index]
            return filler.scalar(parameter, sizes[0], attempt)
        by_dimension = attempt % 3 == 1
        shape: list[int] = []
        for dimension, static in enumerate(parameter.type.shape):
            drawn = sizes[dimension % 2] if by_dimension else sizes[int(filler.random.integers(0, 2))]
            wanted = demands.sizes.get((parameter.index, dimension), drawn)
            shape.append(wanted if static is None else static)
        return filler.array(tuple(shape), parameter.type.element)


@dataclass
class _Filler:
    """Makes values; `next` is the first unused number, so that no two arguments share a value."""

    random: np.random.Generator
    signed: bool
    small: bool
    limit: int
    next: int = 1

    def scalar(self, parameter: Parameter, size: int, attempt: int) -> Any:
        """A size, a small number or a value of its own."""
        element = parameter.type.element
        kind = element.kind
        if kind == "b":
            return bool(self.random.integers(0, 2)) if attempt or self.signed else True
        if kind in "iu":
            limit = (1 << (element.width - (kind == "i"))) - 1
            largest = min(size, 100, limit)
            return largest if attempt in (0, 4) else int(self.random.integers(0, min(max(largest, 3), limit) + 1))
        self.next += 1
        return complex(self.next / 4, 1) if kind == "c" else self.next / 4

    def array(self, shape: tuple[int, ...], element: ElementType) -> Array:
        """Distinct elements in random order, as far as the type has enough values."""
        count = int(np.prod(shape, dtype=np.int64))
        if element.kind == "b":
            return self.random.integers(0, 2, shape) == 1
        if element.kind in "iu" and (self.small or element.spelling == "index"):
            return self.random.integers(0, self.limit, shape).astype(element.dtype)
        numbers = self.random.permutation(np.arange(self.next, self.next + count))
        self.next += count
        if self.signed and element.kind != "u":
            numbers = np.where(numbers % 2 == 0, numbers, -numbers)
        return _typed(numbers.reshape(shape), element)


def _typed(numbers: Array, element: ElementType) -> Array:
    if element.kind in "iu":
        with np.errstate(over="ignore"):
            return numbers.astype(element.dtype)
    if element.kind == "c":
        return (numbers / 4 + 1j * (numbers + 1) / 4).astype(element.dtype)
    return np.asarray(numbers / 4).astype(element.dtype)
