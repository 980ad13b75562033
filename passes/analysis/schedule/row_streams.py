"""Rows of a large buffer that a loop reads one after the other while it computes: to be prefetched.

Hardware prefetches along a row of addresses too, but not beyond a page, and not early enough where each line is needed
after a few cycles: packed weights of a convolution come from the last-level cache at half of its bandwidth then.

A stream is the reads of one buffer in the body of an innermost loop. The buffer is row-major, of static shape, and
larger than the L1 cache. The reads of an iteration are one row of it, its last dimension, and the row's number is
the loop's induction variable, so the next iteration reads the next row. A row is one or two vectors, with which the
loop computes several times: where it reads more, the load ports are saturated.

The answer affects speed only. Linear in the ops; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Collection

from mlir import ir

from ....dialects.support.constants import constant_integer
from ....dialects.support.frozen_classes import frozen
from ..ir.traversal import find_ops
from ..linalg.structured_op import type_bytes
from .machine import Machine

__all__ = [
    "LEAST_WORK",
    "READ",
    "RowStream",
    "find_row_streams",
    "is_plain",
    "is_row",
    "vector_reads",
    "vector_work",
]

READ = "vector.transfer_read"
_LOOP = "scf.for"
_MOST_READS = 2
"""How many vectors of a row an iteration may read."""
_MATRIX = 2
"""The rank of a buffer that has rows."""
LEAST_WORK = 4
"""How many vector ops there must be for each vector read."""


@frozen
class RowStream:
    """The reads of a buffer in an innermost loop, which together are one row in each iteration.

    Attributes:
        loop: an `scf.for` without loops in its body.
        reads: `vector.transfer_read` ops of one buffer, in its body.
    """

    loop: ir.Operation
    reads: tuple[ir.Operation, ...]


def find_row_streams(function: ir.Operation, machine: Machine, apart: Collection[ir.Operation] = ()) -> list[RowStream]:
    """Return the streams in `function`, in program order, but for those in the loops `apart`."""
    loops = [loop for loop in find_ops(function, _LOOP, reachable=True) if loop not in apart]
    return [one for loop in loops for one in _streams_of(loop, machine)]


def _streams_of(loop: ir.Operation, machine: Machine) -> list[RowStream]:
    reads = vector_reads(loop)
    work = vector_work(loop) if reads else 0
    return [
        RowStream(loop, tuple(own))
        for buffer, own in reads.items()
        if len(own) <= _MOST_READS
        and work >= LEAST_WORK * len(own)
        and _is_large(buffer, machine)
        and is_row(own, loop)
    ]


def vector_reads(loop: ir.Operation) -> dict[ir.Value, list[ir.Operation]]:
    """Return the reads of vectors in the body of a loop, by buffer; none if it has loops or branches in it."""
    reads: dict[ir.Value, list[ir.Operation]] = {}
    for op in loop.regions[0].blocks[0].operations:
        if len(op.operation.regions):
            return {}
        if op.operation.name == READ and isinstance(op.operation.operands[0].type, ir.MemRefType):
            reads.setdefault(op.operation.operands[0], []).append(op.operation)
    return reads


def vector_work(loop: ir.Operation) -> int:
    """Return how many ops in the body of a loop compute vectors."""
    return sum(_is_vector_work(op.operation) for op in loop.regions[0].blocks[0].operations)


def _is_vector_work(op: ir.Operation) -> bool:
    return (
        op.name.startswith(("arith.", "math.", "vector.fma"))
        and len(op.results) == 1
        and isinstance(op.results[0].type, ir.VectorType)
    )


def _is_large(buffer: ir.Value, machine: Machine) -> bool:
    """Whether a buffer is row-major, of static shape, and larger than the first cache."""
    type_ = ir.MemRefType(buffer.type)
    return is_plain(type_) and type_bytes(type_) > machine.l1


def is_plain(type_: ir.MemRefType) -> bool:
    """Whether a buffer has rows one after the other, of static number and length."""
    identity = ir.AffineMap.get_identity(type_.rank)
    return type_.has_static_shape and type_.rank > 1 and type_.layout == ir.AffineMapAttr.get(identity)


def is_row(reads: list[ir.Operation], loop: ir.Operation) -> bool:
    """Whether the reads are all of one row, with the loop's variable as its number."""
    variable = loop.regions[0].blocks[0].arguments[0]
    type_ = ir.MemRefType(reads[0].operands[0].type)
    rank, columns = type_.rank, list[int]()
    if rank < _MATRIX or constant_integer(loop.operands[2]) != 1:
        return False
    for read in reads:
        *others, row, column = list(read.operands)[1 : 1 + rank]
        first = constant_integer(column)
        inside = any(value == variable for value in others)
        if row != variable or inside or first is None or read.attributes["permutation_map"] != _last(rank):
            return False
        columns.append(first)
    width = ir.VectorType(reads[0].results[0].type).shape[-1]
    return sorted(columns) == list(range(0, type_.shape[-1], width))


def _last(rank: int) -> ir.AffineMapAttr:
    return ir.AffineMapAttr.get(ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(rank - 1)]))
