"""Descriptors of ranked memrefs in the LLVM dialect: structs of two pointers, an offset, sizes and strides."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mlir import ir

__all__ = ["descriptor_of", "descriptor_type", "words_of"]


def descriptor_type(rank: int) -> ir.Type:
    """Return the LLVM struct that a ranked memref is lowered to."""
    arrays = f", array<{rank} x i64>, array<{rank} x i64>" if rank else ""
    return ir.Type.parse(f"!llvm.struct<(ptr, ptr, i64{arrays})>")


def descriptor_of(words: Sequence[ir.Value], rank: int) -> ir.Value:
    """Build a descriptor of its words: allocated and aligned pointer, offset, sizes, strides."""
    type_ = descriptor_type(rank)
    descriptor: ir.Value = ir.Operation.create("llvm.mlir.poison", [type_]).result
    for word, place in zip(words, _places(rank), strict=True):
        position = {"position": ir.DenseI64ArrayAttr.get(place)}
        descriptor = ir.Operation.create("llvm.insertvalue", [type_], [descriptor, word], position).result
    return descriptor


def words_of(descriptor: ir.Value, types: Sequence[ir.Type], rank: int) -> list[ir.Value]:
    """Build the words of a descriptor, which are of `types`."""
    return [
        ir.Operation.create(
            "llvm.extractvalue", [type_], [descriptor], {"position": ir.DenseI64ArrayAttr.get(place)}
        ).result
        for type_, place in zip(types, _places(rank), strict=True)
    ]


@lru_cache(maxsize=16)
def _places(rank: int) -> tuple[tuple[int, ...], ...]:
    """Return where the words of a descriptor are in the struct."""
    return ((0,), (1,), (2,), *((3, axis) for axis in range(rank)), *((4, axis) for axis in range(rank)))
