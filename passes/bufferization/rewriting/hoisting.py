"""Hoist an allocation out of its loops, as ``lifetimes/hoisting.py`` planned."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from ....dialects.support.defining_ops import is_inside
from ...analysis.lifetimes.hoisting import HoistableAllocation

__all__ = ["hoist"]


def hoist(found: HoistableAllocation) -> None:
    """Move one allocation, the ops that define its operands, and its deallocation."""
    for op in found.moves:
        # Another allocation may have taken it out of a loop further outside.
        if is_inside(op.results[0], found.loop):
            op.move_before(found.loop)
    found.allocation.move_before(found.loop)
    with ir.InsertionPoint(found.allocation), found.allocation.location:
        for number in found.clamped:
            size = found.allocation.operands[number]
            zero = arith.constant(ir.IndexType.get(), 0)
            found.allocation.operands[number] = arith.maxsi(size, zero)
    if found.deallocation is not None:
        found.deallocation.move_after(found.loop)
