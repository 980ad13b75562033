"""Element types of scalars and vectors, for ops that take either."""

from __future__ import annotations

from mlir import ir

__all__ = ["number_type", "with_number_type"]


def number_type(type_: ir.Type) -> ir.Type | None:
    """Return the type of one number of a scalar or vector; None of tensors and memrefs."""
    if isinstance(type_, ir.VectorType):
        return type_.element_type
    return None if isinstance(type_, ir.ShapedType) else type_


def with_number_type(type_: ir.Type, number: ir.Type) -> ir.Type:
    """Return what `type_`, a scalar or vector, is with numbers of type `number`."""
    if isinstance(type_, ir.VectorType):
        return ir.VectorType.get(type_.shape, number, scalable=list(type_.scalable_dims))
    return number
