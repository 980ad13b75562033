"""Reading of signatures: what `func.func` and its attributes say of parameters and results.

A signature is read before any lowering, so errors speak of `tensor<4x4xf32>` and not of the memref that it becomes.
"""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import func

from ...passes.analysis.lifetimes.buffer_access import WRITE, accesses
from ...passes.framework.contract import BINDING, RESULT_NAME, SIZE_CHECKS
from .dtypes import UnsupportedTypeError, element_type
from .signature import BoundaryKind, Parameter, Signature, ValueType

__all__ = ["WRITABLE", "NameOf", "may_be_written", "name_in_location", "read_signature", "value_type"]

WRITABLE = "bufferization.writable"

NameOf = Callable[[ir.Location], "str | None"]
"""The name of the argument at a location, if it has one."""


def name_in_location(location: ir.Location) -> str | None:
    """The name that a location states, as `loc("lhs")` does."""
    return location.name_str if isinstance(location, ir.NameLoc) else None


def read_signature(function: func.FuncOp, name_of: NameOf = name_in_location) -> Signature:
    """The signature of a function with a body; `name_of` knows its parameters' names, of which MLIR keeps no other.

    Raises `UnsupportedTypeError`, which names the argument or result, when a type cannot cross the NumPy boundary.
    """
    name = ir.StringAttr(function.attributes["sym_name"]).value
    attributes = function.arg_attrs
    parameters: list[Parameter] = []
    for index, argument in enumerate(function.arguments):
        type_ = value_type(argument.type, f"argument {index} of '{name}'")
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
    results = (value_type(type_, f"result {index} of '{name}'") for index, type_ in enumerate(types))
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


def value_type(type_: ir.Type, what: str) -> ValueType:
    """The type of a parameter or result; raises `UnsupportedTypeError`, which says `what` has the type."""
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
