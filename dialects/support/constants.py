"""What constants of the program are, as Python numbers."""

from __future__ import annotations

from mlir import ir

__all__ = ["constant_integer"]


def constant_integer(value: ir.Value) -> int | None:
    """Return the integer that an `arith.constant` gives as `value`; None for any other value."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "arith.constant":
        return None
    attribute = owner.operation.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None
