"""Signatures: the parameters and results of an entry point, as in the source.

A signature is read before any lowering, so errors speak of `tensor<4x4xf32>` and not of the memref that it becomes.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from mlir import ir
from mlir.dialects import func

from ...passes.analysis.lifetimes.buffer_access import WRITE, accesses
from ...passes.framework.contract import BINDING, RESULT_NAME, SIZE_CHECKS
from .dtypes import ElementType, UnsupportedTypeError, element_type
from .names import python_names

WRITABLE = "bufferization.writable"

_FEW = 4
"""How many parameters a short description names."""

NameOf = Callable[[ir.Location], "str | None"]
"""The name of the argument at a location, if it has one."""


def name_in_location(location: ir.Location) -> str | None:
    """The name that a location states, as `loc("lhs")` does."""
    return location.name_str if isinstance(location, ir.NameLoc) else None


class BoundaryKind(enum.Enum):
    """The kind of a value at the boundary."""

    TENSOR = "tensor"
    MEMREF = "memref"
    SCALAR = "scalar"


@dataclass(frozen=True, repr=False)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True, repr=False)
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


def read_signature(function: func.FuncOp, name_of: NameOf = name_in_location) -> Signature:
    """The signature of a function with a body; `name_of` knows its parameters' names, of which MLIR keeps no other.

    Raises `UnsupportedTypeError`, which names the argument or result, when a type cannot cross the NumPy boundary.
    """
    name = ir.StringAttr(function.attributes["sym_name"]).value
    attributes = function.arg_attrs
    parameters: list[Parameter] = []
    for index, argument in enumerate(function.arguments):
        type_ = _value_type(argument.type, f"argument {index} of '{name}'")
        given = ir.BoolAttr(attributes[index][WRITABLE]).value if WRITABLE in attributes[index] else None
        slot = ir.DenseI64ArrayAttr(attributes[index][BINDING]) if BINDING in attributes[index] else None
        stated = type_.kind is BoundaryKind.TENSOR or slot is not None
        writable = bool(given) if stated else given is not False and may_be_written(argument)
        given_name = name_of(argument.location)
        if slot and given_name in (None, f"arg{index}"):  # The printer calls it so.
            given_name = f"set {slot[0]} binding {slot[1]}"
        parameters.append(Parameter(index, given_name, type_, writable, slot is not None))
    if SIZE_CHECKS in function.attributes:
        # Its native results are those of the checks.
        return Signature(name, tuple(parameters), (), _size_checks(function))
    types = function.type.results
    results = (_value_type(type_, f"result {index} of '{name}'") for index, type_ in enumerate(types))
    return Signature(name, tuple(parameters), tuple(results), result_names=_result_names(function, len(types)))


def _result_names(function: func.FuncOp, count: int) -> tuple[str | None, ...]:
    if "res_attrs" not in function.attributes:
        return (None,) * count
    return tuple(_result_name(ir.DictAttr(entry)) for entry in ir.ArrayAttr(function.attributes["res_attrs"]))


def _result_name(attributes: ir.DictAttr) -> str | None:
    name = attributes[RESULT_NAME] if RESULT_NAME in attributes else None  # noqa: SIM401 - it has no `get`
    return name.value or None if isinstance(name, ir.StringAttr) else None


def _size_checks(function: func.FuncOp) -> tuple[tuple[int, int], ...]:
    pairs = (ir.DenseI64ArrayAttr(pair) for pair in ir.ArrayAttr(function.attributes[SIZE_CHECKS]))
    return tuple((pair[0], pair[1]) for pair in pairs)


def _value_type(type_: ir.Type, what: str) -> ValueType:
    try:
        if isinstance(type_, (ir.RankedTensorType, ir.MemRefType)):
            kind = BoundaryKind.TENSOR if isinstance(type_, ir.RankedTensorType) else BoundaryKind.MEMREF
            shape = tuple(None if ir.ShapedType.is_dynamic_size(size) else size for size in type_.shape)
            return ValueType(str(type_), kind, element_type(type_.element_type), shape)
        if isinstance(type_, (ir.UnrankedTensorType, ir.UnrankedMemRefType)):
            raise UnsupportedTypeError(f"type {type_} has no rank; cast it to a ranked type inside an entry point")
        return ValueType(str(type_), BoundaryKind.SCALAR, element_type(type_))
    except UnsupportedTypeError as error:
        raise UnsupportedTypeError(f"{what}: {error}") from None


def may_be_written(value: ir.Value) -> bool:
    """Whether the memory of a memref argument may be written through it; True if it has an unknown user."""
    return isinstance(value.type, ir.MemRefType) and bool(accesses([value]) & WRITE)
