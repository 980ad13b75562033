"""Sums of products: what convolutions and products of matrices compute, found by the payload."""

from __future__ import annotations

from mlir import ir

from .structured_op import Structured

__all__ = ["is_sum_of_products"]


def is_sum_of_products(op: Structured) -> bool:
    """Whether the payload adds the product of the two inputs, floats of one type, to the init."""
    if op.inputs != 2 or len(op.outputs) != 1:
        return False
    one, other, total = op.payload.arguments
    operations = [inside.operation for inside in op.payload.operations]
    if not isinstance(total.type, ir.FloatType) or not one.type == other.type == total.type:
        return False
    if [inside.name for inside in operations] != ["arith.mulf", "arith.addf", "linalg.yield"]:
        return False
    product, addition, end = operations
    return (
        set(product.operands) == {one, other}
        and set(addition.operands) == {product.results[0], total}
        and end.operands[0] == addition.results[0]
    )
