"""Element types and constants of scalars and vectors, for ops that take either."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

__all__ = ["number_attribute", "number_constant", "number_type", "with_number_type"]


def number_type(type_: ir.Type) -> ir.Type | None:
    """Return the type of one number of a scalar or vector; None of tensors and memrefs."""
    if isinstance(type_, ir.VectorType):
        return type_.element_type
    return None if isinstance(type_, ir.ShapedType) else type_


def number_attribute(type_: ir.Type, number: float) -> ir.Attribute:
    """Return the value of a constant of `type_`, a scalar or vector, with `number` everywhere."""
    element = number_type(type_) or type_
    attribute = (
        ir.FloatAttr.get(element, number)
        if isinstance(element, ir.FloatType)
        else ir.IntegerAttr.get(element, int(number))
    )
    return ir.DenseElementsAttr.get_splat(type_, attribute) if isinstance(type_, ir.VectorType) else attribute


def number_constant(type_: ir.Type, number: float) -> ir.Value:
    """Build a constant of `type_`, a scalar or vector, with `number` everywhere, at the insertion point."""
    return arith.constant(type_, number_attribute(type_, number))


def with_number_type(type_: ir.Type, number: ir.Type) -> ir.Type:
    """Return what `type_`, a scalar or vector, is with numbers of type `number`."""
    if isinstance(type_, ir.VectorType):
        return ir.VectorType.get(type_.shape, number, scalable=list(type_.scalable_dims))
    return number
