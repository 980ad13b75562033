"""The loop of Euclid, for the op `gcd` of `decompositions/native_ops.py`."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from .native_loops import of_elements, while_loop

__all__ = ["common_divisor"]

Values = Sequence[ir.Value]
Types = Sequence[ir.Type]


def common_divisor(operands: Values, types: Types) -> Values:
    """The greatest common divisor of two elements; of the least number and zero it is that number, as in PyTorch."""
    zero = arith.constant(ir.RankedTensorType(types[0]).element_type, 0)

    def absolute(number: ir.Value) -> ir.Value:
        is_negative = arith.cmpi(arith.CmpIPredicate.slt, number, zero)
        return arith.select(is_negative, arith.subi(zero, number), number)

    def goes_on(carried: list[ir.Value]) -> ir.Value:
        return arith.cmpi(arith.CmpIPredicate.ne, carried[0], zero)

    def step(carried: list[ir.Value]) -> Values:
        divisor, number = carried
        return [arith.remsi(number, divisor), divisor]

    return of_elements(operands, types[0], lambda given: while_loop(list(map(absolute, given)), goes_on, step)[1])
