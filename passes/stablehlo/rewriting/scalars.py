"""Tensors of rank 0 as scalars, and integers with and without a sign.

StableHLO knows tensors only: what a loop counts, and what the region of an op computes, are tensors of rank 0. Here
they become scalars, so that no buffer holds them. Unsigned integers stay unsigned until the legalizer has lowered the
ops that tell them from signed ones; `unrealized_conversion_cast` stands between the two until then.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, tensor

from ....dialects.support.index_math import index_constant

__all__ = [
    "as_tensor",
    "as_type",
    "element_of",
    "index_of",
    "integer_of",
    "is_integer",
    "is_unsigned",
    "scalar_of",
    "signless",
]


def signless(type_: ir.Type) -> ir.Type:
    """Return the integer type of the same width that `arith` works on; other types as they are."""
    if isinstance(type_, ir.IntegerType) and not type_.is_signless:
        return ir.IntegerType.get_signless(type_.width)
    return type_


def is_unsigned(type_: ir.Type) -> bool:
    """Whether numbers of `type_` have no sign; i1 is such a type too."""
    return isinstance(type_, ir.IntegerType) and (type_.is_unsigned or type_.width == 1)


def is_integer(type_: ir.Type) -> bool:
    """Whether `type_` is an integer of more than a bit."""
    return isinstance(type_, ir.IntegerType) and type_.width > 1


def as_type(value: ir.Value, type_: ir.Type) -> ir.Value:
    """Return `value` as one of `type_`, which differs in the sign of integers at most."""
    if value.type == type_:
        return value
    return ir.Operation.create("builtin.unrealized_conversion_cast", [type_], [value]).result


def scalar_of(value: ir.Value) -> ir.Value:
    """Return the number that a tensor of rank 0 holds; any other value as it is."""
    type_ = value.type
    return tensor.extract(value, []) if isinstance(type_, ir.RankedTensorType) and type_.rank == 0 else value


def element_of(value: ir.Value) -> ir.Value:
    """Return the number that a tensor of one element holds; any other value as it is."""
    type_ = value.type
    if not isinstance(type_, ir.RankedTensorType):
        return value
    return tensor.extract(value, [index_constant(0) for _ in range(type_.rank)])


def as_tensor(value: ir.Value, type_: ir.Type) -> ir.Value:
    """Return the tensor of `type_` that `scalar_of` or `element_of` made `value` of."""
    return value if value.type == type_ else tensor.from_elements(type_, [value])


def index_of(number: ir.Value) -> ir.Value:
    """Return an integer as an index: extended by its sign, if its type has one."""
    type_ = number.type
    if isinstance(type_, ir.IndexType):
        return number
    cast = arith.index_castui if is_unsigned(type_) else arith.index_cast
    return cast(ir.IndexType.get(), as_type(number, signless(type_)))


def integer_of(index: ir.Value, type_: ir.Type) -> ir.Value:
    """Return an index as an integer of `type_`."""
    return as_type(arith.index_cast(signless(type_), index), type_)
