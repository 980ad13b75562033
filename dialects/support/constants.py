"""Constants of the program as Python numbers."""

from __future__ import annotations

from mlir import ir

from .defining_ops import defining_op

__all__ = ["constant_integer"]


def constant_integer(value: ir.Value) -> int | None:
    """Return the integer that an `arith.constant` gives as `value`; None for any other value."""
    op = defining_op(value, "arith.constant")
    attribute = op.attributes["value"] if op is not None else None
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None
