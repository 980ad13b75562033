"""Payloads: a few scalar ops whose results stay small or wrap around, and do not depend on rounding."""

from __future__ import annotations

from collections.abc import Sequence

from .builder import Builder
from .values import FLOATS

_FLOAT = ("arith.addf", "arith.subf", "arith.maximumf", "arith.minimumf", "arith.subf")
_INTEGER = ("arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi", "arith.xori", "arith.maxui")
_BOOLEAN = ("arith.xori", "arith.andi", "arith.ori")
_ANY_ORDER_FLOAT = ("arith.addf", "arith.maximumf", "arith.minimumf")
_ANY_ORDER_ROUGH = ("arith.maximumf", "arith.minimumf")
_ANY_ORDER_INTEGER = ("arith.addi", "arith.maxsi", "arith.minsi", "arith.xori")


def binary_op(builder: Builder, element: str, *, is_reduction: bool = False) -> str:
    """Return the name of an op on two elements; for a reduction one that gives the same in any order."""
    if element == "i1":
        return builder.draw.choice(_BOOLEAN)
    if element in FLOATS:
        if not is_reduction:
            return builder.draw.choice(_FLOAT)
        return builder.draw.choice(_ANY_ORDER_ROUGH if element in ("f16", "bf16") else _ANY_ORDER_FLOAT)
    return builder.draw.choice(_ANY_ORDER_INTEGER if is_reduction else _INTEGER)


def emit_binary(builder: Builder, element: str, one: str, other: str, *, is_reduction: bool = False) -> str:
    """Add an op on two elements, and return the name of its result."""
    return builder.op(f"{binary_op(builder, element, is_reduction=is_reduction)} {one}, {other} : {element}")


def emit_expression(builder: Builder, element: str, values: Sequence[str]) -> str:
    """Add ops that compute one element from `values`, each of which counts, and return the name of the result."""
    rest = builder.draw.shuffled(values)
    if not rest:
        return builder.literal(element, builder.draw.between(-9, 99))
    result = rest[0]
    for value in rest[1:]:
        result = emit_binary(builder, element, result, value)
    if len(rest) == 1 or builder.draw.chance(0.3):
        result = emit_binary(builder, element, result, builder.literal(element, builder.draw.between(1, 9)))
    return result
