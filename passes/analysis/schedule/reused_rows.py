"""Rows of a buffer larger than the caches that each iteration of a loop reads several times: to be prefetched.

The first loop in the body that reads a row waits for memory; later ones hit the caches. While the last of them
computes, the next row can be prefetched. Such a row is a subview of a buffer from outside of the loop, at an offset
that is the loop's induction variable, and at least two of the loops in the body read vectors of it. The last of these
reads each element once: the index of the read moves with all loops around it. A row fits into a part of the second
cache, beside the row before it and the results. And the last loop computes for so long that memory is idle meanwhile: a
loop that only sums a row keeps memory busy all the time, and more requests slow it down.

The answer affects speed only. Linear in the ops, times the nesting of loops; nothing is changed.
"""

from __future__ import annotations

from mlir import ir

from ....dialects.subsets import mixed_subset
from ....dialects.support.defining_ops import defining_op, parent_block
from ....dialects.support.frozen_classes import frozen
from ..ir.traversal import find_ops
from ..linalg.structured_op import type_bytes
from .machine import Machine

__all__ = ["ReusedRow", "find_reused_rows"]

_READ = "vector.transfer_read"
_SHARE = 4
"""The second cache divided by this bounds the size of a row."""
_LEAST_WORK = 10
"""With this many vector ops for each vector read, a loop leaves memory idle."""


@frozen
class ReusedRow:
    """A view that each iteration of a loop reads several times.

    Attributes:
        loop: an `scf.for`.
        view: the `memref.subview` in its body.
        reads: the reads of vectors in the last of the loops in the body that read the view.
    """

    loop: ir.Operation
    view: ir.Operation
    reads: list[ir.Operation]


def find_reused_rows(function: ir.Operation, machine: Machine) -> list[ReusedRow]:
    """Return the rows that are worth prefetching an iteration ahead, in program order."""
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
    """Whether `view` is a part of large memory whose position depends on `loop`, and on nothing else inside of it."""
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
    """Return the buffer that `buffer` is a view of."""
    while (op := defining_op(buffer, "memref.cast", "memref.subview")) is not None:
        buffer = op.operands[0]
    return buffer


def _reads_of(op: ir.Operation, views: dict[ir.Value, ir.Operation]) -> dict[ir.Value, list[ir.Operation]]:
    """Return the vector reads in `op`, grouped by the view of `views` that they read."""
    found: dict[ir.Value, list[ir.Operation]] = {}
    for read in find_ops(op, _READ, where=lambda read: read.operands[0] in views):
        found.setdefault(read.operands[0], []).append(read)
    return found


def _computes(reads: list[ir.Operation]) -> bool:
    """Whether the blocks of `reads` have enough compute for each read."""
    blocks = {block.arguments[0]: block for block in (read.block for read in reads)}
    work = sum(
        op.operation.name.startswith(("arith.", "math.")) and isinstance(op.operation.results[0].type, ir.VectorType)
        for block in blocks.values()
        for op in block.operations
    )
    return work >= _LEAST_WORK * len(reads)


def _is_moved(read: ir.Operation, loop: ir.Operation) -> bool:
    """Whether all ops between `loop` and `read` are loops whose induction variables are in the read's indices."""
    indices = [*_summands(read)]
    parent = read.parent
    while parent is not None and parent.operation != loop:
        inner = parent.operation
        if inner.name != "scf.for" or inner.regions[0].blocks[0].arguments[0] not in indices:
            return False
        parent = inner.parent
    return True


def _summands(read: ir.Operation) -> list[ir.Value]:
    """Return the indices of a read, and the summands of these."""
    rank = ir.MemRefType(read.operands[0].type).rank
    found = list(read.operands)[1 : 1 + rank]
    for value in found:
        op = defining_op(value, "arith.addi")
        found.extend(op.operands if op is not None else ())
    return found
