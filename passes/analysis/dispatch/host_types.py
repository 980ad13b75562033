"""Size and alignment of elements on the host."""

from __future__ import annotations

import math

from mlir import ir

__all__ = ["byte_size", "natural_alignment"]


def byte_size(type_: ir.Type) -> int:
    """Return the stride in bytes between elements of a buffer: 1 for i1, 4 for i24, 8 for index."""
    if isinstance(type_, ir.ComplexType):
        return 2 * byte_size(type_.element_type)
    if isinstance(type_, ir.VectorType):
        return _power_of_two(math.prod(type_.shape) * byte_size(type_.element_type))
    if isinstance(type_, ir.IndexType):
        return 8
    return _power_of_two((getattr(type_, "width", 64) + 7) // 8)


def natural_alignment(type_: ir.Type) -> int:
    """Return the alignment that native code expects of the address of an element, in bytes."""
    if isinstance(type_, ir.ComplexType):
        return byte_size(type_.element_type)
    return byte_size(type_)


def _power_of_two(number: int) -> int:
    return 1 << (max(number, 1) - 1).bit_length()
