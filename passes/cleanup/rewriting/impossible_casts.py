"""Impossible casts left by upstream's folding: MLIR refuses a `memref.cast` to a type that states another number.

Once a size turns out to be 2, a cast that promises 6 can never run, as in a branch that is never taken. Upstream folds
two casts in a row into one that the verifier refuses (LLVM 23). It becomes a `memref.reinterpret_cast`, which makes the
same promise:

    memref.cast %m : memref<2xf32> to memref<6xf32>
    memref.reinterpret_cast %m to offset: [0], sizes: [6], strides: [1] : memref<2xf32> to memref<6xf32>

Sizes, strides and offset are those of the result, and of the source where the result does not state them; 0 if the two
have different ranks, as after casts from and to an unranked memref.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlir import ir

from ....dialects.structured import extent
from ....dialects.subsets import reinterpret_cast, strided_metadata
from ....dialects.support.index_math import Number
from ....dialects.support.memref_types import has_strides

__all__ = ["rewrite_impossible_casts"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def rewrite_impossible_casts(casts: Iterable[ir.Operation]) -> int:
    """Replace those of the casts whose types state different numbers; return how many there were. Linear."""
    found = list(filter(_is_impossible, casts))
    for op in found:
        with ir.InsertionPoint(op), op.location:
            op.results[0].replace_all_uses_with(_reinterpreted(op.operands[0], ir.MemRefType(op.results[0].type)))
        op.erase()
    return len(found)


def _is_impossible(op: ir.Operation) -> bool:
    types = op.operands[0].type, op.results[0].type
    if not all(isinstance(type_, ir.MemRefType) and has_strides(type_) for type_ in types):
        return False
    if types[0].rank != types[1].rank:  # They were cast to an unranked memref in between.
        return True
    pairs = zip(*map(_numbers, types), strict=True)
    return any(_DYNAMIC not in (given, wanted) and given != wanted for given, wanted in pairs)


def _numbers(type_: ir.MemRefType) -> list[int]:
    """Return the sizes, strides and offset of a type; MLIR has one marker for all that are dynamic."""
    strides, offset = type_.get_strides_and_offset()
    return [*type_.shape, *strides, offset]


def _any_number(numbers: Sequence[int]) -> list[Number]:
    """Return 0 for those that are not known."""
    return [0 if number == _DYNAMIC else number for number in numbers]


def _reinterpreted(source: ir.Value, type_: ir.MemRefType) -> ir.Value:
    strides, offset = type_.get_strides_and_offset()
    begin: Number = offset
    steps: Sequence[Number] = strides
    if ir.MemRefType(source.type).rank != type_.rank:
        (begin,) = _any_number([offset])
        return reinterpret_cast(source, type_, begin, _any_number(type_.shape), _any_number(strides))
    if _DYNAMIC in (offset, *strides):
        begin, steps = strided_metadata(source)
    sizes = [extent(source, d) if size == _DYNAMIC else size for d, size in enumerate(type_.shape)]
    return reinterpret_cast(source, type_, begin, sizes, steps)
