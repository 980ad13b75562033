"""Rows that each iteration of a loop reads several times, from memory that is too large for the caches.

The first of the loops in the body that read a row waits for memory, and the others have it in the caches. While the
last of them computes, the next row can come already. Such a row is a subview of a buffer from outside of the loop, at
an offset that is the loop's index, which at least two of the loops in the body read vectors of. Each element is read
once by the last of these: all loops around the read move it. A row fits into a part of the second cache, next to the
row before it and what is computed of it. And the last loop computes for so long that memory is idle meanwhile: what
only sums up rows is as fast as memory all the time, and more requests make it slower.

Only the speed depends on what is found here. Linear in the ops, times the nesting of loops; nothing is changed.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from ....dialects.subsets import mixed_subset
from ....dialects.support.defining_ops import defining_op, parent_block
from ..ir.traversal import find_ops
from ..linalg.structured_op import type_bytes
from .machine import Machine

__all__ = ["ReusedRow", "find_reused_rows"]

_READ = "vector.transfer_read"
_SHARE = 4
"""A row may take this part of the second cache."""
_LEAST_WORK = 10
"""Ops on vectors for each vector read, from which on a loop leaves memory idle."""


@dataclass(frozen=True)
class ReusedRow:
    """What each iteration of a loop reads several times.

    Attributes:
        loop: an `scf.for`.
        view: the `memref.subview` in its body.
        reads: of vectors, by the last of the loops in the body that read the view.
    """

    loop: ir.Operation
    view: ir.Operation
    reads: list[ir.Operation]


def find_reused_rows(function: ir.Operation, machine: Machine) -> list[ReusedRow]:
    """Return the rows that are worth to be fetched an iteration ahead, in the order of the text."""
    return [row for loop in find_ops(function, "scf.for", reachable=True) for row in _rows_of(loop, machine)]


def _rows_of(loop: ir.Operation, machine: Machine) -> list[ReusedRow]:
    """Return the rows that change with `loop`."""
    body = loop.regions[0].blocks[0]
    views: dict[ir.Value, ir.Operation] = {}
    reads: dict[ir.Value, list[list[ir.Operation]]] = {}
    for op in body.operations:
        if op.operation.name == "memref.subview" and _is_row(op.operation, loop, machine):
            views[op.operation.results[0]] = op.operation
        elif views and op.operation.name == "scf.for":
            for view, own in _reads_of(op.operation, views).items():
                reads.setdefault(view, []).append(own)
    return [
        ReusedRow(loop, views[view], loops[-1])
        for view, loops in reads.items()
        if len(loops) > 1 and all(_is_moved(read, loop) for read in loops[-1]) and _computes(loops[-1])
    ]


def _is_row(view: ir.Operation, loop: ir.Operation, machine: Machine) -> bool:
    """Whether `view` is a part of large memory that moves with `loop`, as a whole and by nothing else inside of it."""
    body = loop.regions[0].blocks[0]
    type_, source = ir.MemRefType(view.results[0].type), view.operands[0]
    index = body.arguments[0]
    offsets = [one for one in mixed_subset(view, 1).offsets if not isinstance(one, int)]
    inner = [one for one in (*list(view.operands)[1:], source) if one != index and parent_block(one) == body]
    if inner or not any(one == index for one in offsets) or not type_.has_static_shape:
        return False
    whole = ir.MemRefType(_root(source).type)
    large = not whole.has_static_shape or type_bytes(whole) > machine.l2
    return large and type_bytes(type_) <= machine.l2 // _SHARE


def _root(buffer: ir.Value) -> ir.Value:
    """Return what `buffer` is a part of."""
    while (op := defining_op(buffer, "memref.cast", "memref.subview")) is not None:
        buffer = op.operands[0]
    return buffer


def _reads_of(op: ir.Operation, views: dict[ir.Value, ir.Operation]) -> dict[ir.Value, list[ir.Operation]]:
    """Return the reads of vectors in `op`, by the view of `views` that they read."""
    found: dict[ir.Value, list[ir.Operation]] = {}
    for read in find_ops(op, _READ, where=lambda read: read.operands[0] in views):
        found.setdefault(read.operands[0], []).append(read)
    return found


def _computes(reads: list[ir.Operation]) -> bool:
    """Whether the blocks of `reads` have much to compute for each of them."""
    blocks = {block.arguments[0]: block for block in (read.block for read in reads)}
    work = sum(
        op.operation.name.startswith(("arith.", "math.")) and isinstance(op.operation.results[0].type, ir.VectorType)
        for block in blocks.values()
        for op in block.operations
    )
    return work >= _LEAST_WORK * len(reads)


def _is_moved(read: ir.Operation, loop: ir.Operation) -> bool:
    """Whether all that is between `loop` and `read` are loops which have their index in that of the read."""
    indices = [*_summands(read)]
    parent = read.parent
    while parent is not None and parent.operation != loop:
        inner = parent.operation
        if inner.name != "scf.for" or inner.regions[0].blocks[0].arguments[0] not in indices:
            return False
        parent = inner.parent
    return True


def _summands(read: ir.Operation) -> list[ir.Value]:
    """Return the indices of a read, and what they are sums of."""
    rank = ir.MemRefType(read.operands[0].type).rank
    found = list(read.operands)[1 : 1 + rank]
    for value in found:
        op = defining_op(value, "arith.addi")
        found.extend(op.operands if op is not None else ())
    return found
