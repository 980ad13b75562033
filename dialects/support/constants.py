"""Constants of the program: integers and floats as Python numbers, tensors of one number."""

from __future__ import annotations

from mlir import ir

from .defining_ops import defining_op

__all__ = ["constant_float", "constant_integer", "is_splat", "number_of"]


def constant_integer(value: ir.Value) -> int | None:
    """Return the integer that an `arith.constant` gives as `value`; None for any other value."""
    owner = value.owner  # Asked for every bound of every loop.
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    attribute = owner.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


def constant_float(value: ir.Value) -> float | None:
    """Return the float that `value` is, or that all of its elements are; None if that is not known or is no float."""
    op = defining_op(value, "arith.constant")
    attribute = op.attributes["value"] if op is not None else None
    if is_splat(value):
        attribute = number_of(value)
    return attribute.value if isinstance(attribute, ir.FloatAttr) else None


def is_splat(value: ir.Value) -> bool:
    """Whether `value` is a splat constant of an element type that `linalg.fill` takes."""
    op = defining_op(value, "arith.constant")
    if op is None or not isinstance(value.type, ir.ShapedType):
        return False
    # The bindings cannot return elements of other types.
    element = ir.ShapedType(value.type).element_type
    if not isinstance(element, ir.IntegerType | ir.IndexType | ir.FloatType):
        return False
    elements = op.attributes["value"]
    return isinstance(elements, ir.DenseElementsAttr) and elements.is_splat


def number_of(splat: ir.Value) -> ir.Attribute:
    """Return the number that all elements of `splat` are, a constant of which `is_splat` is true."""
    op = defining_op(splat, "arith.constant")
    assert op is not None, "a constant has an op"
    return ir.DenseElementsAttr(op.attributes["value"]).get_splat_value()
