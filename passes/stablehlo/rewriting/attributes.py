"""Attributes of StableHLO ops as Python values."""

from __future__ import annotations

import re
from typing import Any

from mlir import ir

from ....dialects.stablehlo import bindings
from ....dialects.support.defining_ops import defining_op

__all__ = ["comparison_direction", "dimension_numbers", "enum_value", "integers", "splat_integer"]


def splat_integer(value: ir.Value) -> int | None:
    """Return the integer that a `stablehlo.constant` gives every element of `value`; None for any other value."""
    op = defining_op(value, "stablehlo.constant", "arith.constant")
    attribute: Any = op.attributes["value"] if op is not None else None
    if not isinstance(attribute, ir.DenseIntElementsAttr) or not attribute.is_splat:
        return None
    return int(ir.IntegerAttr(attribute.get_splat_value()).value)


def enum_value(op: ir.Operation, name: str, default: str = "") -> str:
    """Return the word of an enum attribute of StableHLO, `LT` of `#stablehlo<comparison_direction LT>`."""
    if name not in op.attributes:
        return default
    found = re.fullmatch(r"#stablehlo<\w+ (\w+)>", str(op.attributes[name]))
    return found[1] if found else default


def comparison_direction(op: ir.Operation) -> str:
    """Return the direction of a `stablehlo.compare`: EQ, NE, GE, GT, LE or LT."""
    return enum_value(op, "comparison_direction")


def dimension_numbers(op: ir.Operation, name: str, class_name: str) -> Any:
    """Return the attribute `name` as an object of class `class_name` of the StableHLO bindings."""
    return getattr(bindings(), class_name)(op.attributes[name])


def integers(op: ir.Operation, name: str, default: list[int]) -> list[int]:
    """Return an attribute of integers, a dense array or dense elements, row-major; `default` if there is none."""
    if name not in op.attributes:
        return default
    attribute: Any = op.attributes[name]
    return [int(number) for number in attribute]
