"""Signatures: the parameters and results of an entry point, as in the source."""

from __future__ import annotations

import enum
from functools import cached_property

from ...dialects.support.frozen_classes import frozen
from .dtypes import ElementType
from .names import python_names

_FEW = 4
"""How many parameters a short description names."""


class BoundaryKind(enum.Enum):
    """The kind of a value at the boundary."""

    TENSOR = "tensor"
    MEMREF = "memref"
    SCALAR = "scalar"


@frozen
class ValueType:
    """The type of a parameter or result: `spelling` is MLIR's text, a size of None is dynamic, a scalar has none."""

    spelling: str
    kind: BoundaryKind
    element: ElementType
    shape: tuple[int | None, ...] = ()

    @property
    def is_array(self) -> bool:
        """Whether it is an array of any rank in NumPy, and not a scalar."""
        return self.kind is not BoundaryKind.SCALAR

    @property
    def is_static(self) -> bool:
        """Whether all sizes are known."""
        return None not in self.shape

    @property
    def shape_text(self) -> str:
        """`4x?`, or `rank 0`."""
        return "x".join("?" if size is None else str(size) for size in self.shape) or "rank 0"

    @property
    def numpy_text(self) -> str:
        """`array of float32 (4x?)`, or a scalar's dtype."""
        return f"array of {self.element.dtype} ({self.shape_text})" if self.is_array else str(self.element.dtype)

    def __repr__(self) -> str:
        return self.spelling


@frozen
class Parameter:
    """One parameter. `writable`: the call changes the array in place; otherwise it is left as it is."""

    index: int
    name: str | None
    type: ValueType
    writable: bool
    binding: bool = False
    """Whether it is a binding of a dispatch function."""
    told_as: str = ""
    """Its name in messages, where arguments are held, so that numbers in calls differ (`call/held_arguments.py`)."""

    @property
    def exclusive(self) -> bool:
        """Whether it is written and may not share memory with another argument."""
        return self.writable and (self.binding or self.type.kind is BoundaryKind.TENSOR)

    @property
    def label(self) -> str:
        """Its name in messages: `argument 0`, or `argument 0 ('a')` if its name says more."""
        if self.told_as:
            return self.told_as
        named = self.name and self.name not in (str(self.index), f"arg{self.index}")
        return f"argument {self.index} ({self.name!r})" if named else f"argument {self.index}"


@frozen
class Signature:
    """One entry point: its name, parameters and results."""

    name: str
    parameters: tuple[Parameter, ...]
    results: tuple[ValueType, ...]
    size_checks: tuple[tuple[int, int], ...] | None = None
    """The argument and dimension of each check that a dispatch function makes before it runs."""
    result_names: tuple[str | None, ...] = ()
    """What results are called, where a frontend names them."""

    @property
    def outcomes(self) -> tuple[tuple[str, ValueType], ...]:
        """The results, or the bindings that a dispatch function writes, each with a name."""
        if self.written:
            return tuple((parameter.name or "binding", parameter.type) for parameter in self.written)
        several = len(self.results) > 1
        numbered = (f"result {n}" if several else "result" for n in range(len(self.results)))
        names = (given or number for given, number in zip(self.result_names, numbered, strict=True))
        return tuple(zip(names, self.results, strict=True))

    @property
    def written(self) -> tuple[Parameter, ...]:
        """The bindings that a dispatch function writes."""
        return tuple(parameter for parameter in self.parameters if parameter.binding and parameter.writable)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters in calls, all of them different."""
        return python_names([parameter.name for parameter in self.parameters])

    @property
    def brief(self) -> str:
        """The names alone, of four parameters at most: `add(a, b)`."""
        more = ("…",) if len(self.names) > _FEW else ()
        return f"{self.name}({', '.join((*self.names[:_FEW], *more))})"

    def __repr__(self) -> str:
        return f"<Signature {self.brief}>"

    def __str__(self) -> str:
        parameters = ", ".join(
            f"{name}: {parameter.type.spelling}" for name, parameter in zip(self.names, self.parameters, strict=True)
        )
        results = ", ".join(result.spelling for result in self.results)
        return f"{self.name}({parameters})" + (f" -> {results}" if len(self.results) == 1 else f" -> ({results})")
