"""Arithmetic on sizes and offsets: Python integers where they are static, index values where they are dynamic.

Ops are built at the insertion point for values only; sums with 0 and products with 0 and 1 need none.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, tensor

__all__ = ["Number", "add", "as_value", "ceil_div", "index_constant", "multiply", "subtract", "tensor_size"]

Number = int | ir.Value
"""A static size or offset, or the index value that holds a dynamic one."""


def index_constant(value: int) -> ir.Value:
    """Create `arith.constant` of type index."""
    return arith.constant(ir.IndexType.get(), value)


def as_value(number: Number) -> ir.Value:
    """Return `number` as an index value, an `arith.constant` if it is static."""
    return number if isinstance(number, ir.Value) else index_constant(number)


def add(left: Number, right: Number) -> Number:
    """Return the sum."""
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    if isinstance(left, int) and left == 0:
        return right
    if isinstance(right, int) and right == 0:
        return left
    return arith.addi(as_value(left), as_value(right))


def subtract(left: Number, right: Number) -> Number:
    """Return the difference; a static `right` is added with the other sign."""
    return add(left, -right) if isinstance(right, int) else arith.subi(as_value(left), right)


def multiply(left: Number, right: Number) -> Number:
    """Return the product."""
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    for one, other in ((left, right), (right, left)):
        if isinstance(one, int) and one in (0, 1):
            return other if one else 0
    return arith.muli(as_value(left), as_value(right))


def ceil_div(number: Number, divisor: Number) -> Number:
    """Return the quotient of numbers that are not negative, rounded up."""
    if isinstance(number, int) and isinstance(divisor, int):
        return -(-number // divisor)
    return arith.ceildivui(as_value(number), as_value(divisor))


def tensor_size(value: ir.Value, dimension: int) -> Number:
    """Return the size of a dimension of tensor `value`, a `tensor.dim` if it is dynamic."""
    type_ = ir.RankedTensorType(value.type)
    if type_.is_dynamic_dim(dimension):
        return tensor.dim(value, as_value(dimension))
    return type_.get_dim_size(dimension)
