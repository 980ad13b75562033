"""Shapes: dimensions dropped by rank reduction, static sizes of types, reassociation."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir

from .attributes import DYNAMIC
from .errors import EvaluationError

__all__ = ["expanded_shape", "fits", "groups_of", "kept_dimensions", "require_static"]


def kept_dimensions(sizes: Sequence[int], static: Sequence[int]) -> list[int]:
    """The dimensions of a slice that its type keeps, if it has fewer: what it drops is a 1, at the earliest.

    Both are as written, so a dynamic size is only equal to a dynamic one.
    """
    kept: list[int] = []
    for i, size in enumerate(sizes):
        if len(kept) < len(static) and size == static[len(kept)]:
            kept.append(i)
        elif size != 1:
            break
    else:
        if len(kept) == len(static):
            return kept
    raise EvaluationError(f"sizes {list(sizes)} do not reduce to {list(static)}")


def fits(type_: ir.Type, shape: Sequence[int]) -> bool:
    """Whether a shaped type's rank and static sizes, if it has a rank, are those of `shape`."""
    shaped = ir.ShapedType(type_)
    if not shaped.has_rank:
        return True
    static = shaped.shape
    return len(static) == len(shape) and all(a in (DYNAMIC, b) for a, b in zip(static, shape, strict=True))


def require_static(type_: ir.Type, shape: Sequence[int]) -> None:
    """Raise an error if `shape` does not match a type."""
    if not fits(type_, shape):
        raise EvaluationError(f"a value of sizes {list(shape)} is not a {type_}")


def groups_of(op: ir.Operation) -> list[list[int]]:
    """The reassociation of expand_shape and collapse_shape."""
    groups = ir.ArrayAttr(op.attributes["reassociation"])
    return [[ir.IntegerAttr(i).value for i in ir.ArrayAttr(group)] for group in groups]


def expanded_shape(shape: Sequence[int], groups: Sequence[Sequence[int]], sizes: Sequence[int]) -> None:
    """Raise an error unless the sizes of each group multiply to the dimension that it expands."""
    for length, group in zip(shape, groups, strict=True):
        if math.prod(sizes[i] for i in group) != length:
            raise EvaluationError(f"dimension of size {length} cannot be expanded to {[sizes[i] for i in group]}")
