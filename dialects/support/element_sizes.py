"""Sizes of element types in bytes."""

from __future__ import annotations

from math import prod

from mlir import ir

__all__ = ["buffer_bytes", "element_bytes", "least_bytes"]


def element_bytes(type_: ir.Type) -> int:
    """Return how many bytes a number of ``type_`` takes in a memref on a 64-bit host: i1 takes one, index eight.

    Raises:
        ValueError: it is no number; ABIs pad vectors, and what other types take is not known.
    """
    if isinstance(type_, ir.ComplexType):
        return 2 * element_bytes(type_.element_type)
    if isinstance(type_, ir.IndexType):
        return 8
    if not isinstance(type_, ir.IntegerType | ir.FloatType):
        raise ValueError(f"the size of {type_} is not known")
    # The elements of a memref lie at powers of two: 3 bytes take 4.
    wanted = -(-type_.width // 8)
    return 1 << max(wanted - 1, 0).bit_length()


def buffer_bytes(type_: ir.RankedTensorType | ir.MemRefType) -> int | None:
    """Return the size in bytes of a contiguous buffer of ``type_``; None if it is unknown."""
    try:
        return prod(type_.shape) * element_bytes(type_.element_type) if type_.has_static_shape else None
    except ValueError:
        return None


def least_bytes(type_: ir.MemRefType) -> int:
    """Return the bytes of the elements of a memref with each dynamic size 1; vectors are their lanes, without padding.

    Raises:
        ValueError: the size of the elements is not known.
    """
    sizes = (size for dimension, size in enumerate(type_.shape) if not type_.is_dynamic_dim(dimension))
    element = type_.element_type
    lanes, number = (element.shape, element.element_type) if isinstance(element, ir.VectorType) else ([], element)
    return prod(sizes) * prod(lanes) * element_bytes(number)
