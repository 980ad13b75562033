"""tensor.parallel_insert_slice: inserts one thread's slice into a shared output of the loop."""

from __future__ import annotations

from mlir import ir

from ..bufferizable import Subset
from ..common_models import CopyModel
from ..rewriter import Rewriter
from ..subsets import mixed_subset, overwrites, subview

__all__ = ["ParallelInsertSliceModel"]

_SOURCE, _DESTINATION = 0, 1
_OFFSETS = 2


class ParallelInsertSliceModel(CopyModel):
    """``tensor.parallel_insert_slice``: like ``insert_slice``, but its result is the result of the loop around it.

    What lies outside of the slice is left to the other threads and the loop: the op does not read it.
    """

    op_names = ("tensor.parallel_insert_slice",)

    def subset(self, op: ir.Operation, operand: int) -> Subset | None:
        """The slice of the destination, unless the source replaces it with all its dimensions."""
        if operand != _DESTINATION:
            return None
        subset, type_ = mixed_subset(op, _OFFSETS), op.operands[_DESTINATION].type
        return None if overwrites(subset, type_) and op.operands[_SOURCE].type == type_ else subset

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Copy the source into the slice, in front of the terminator that holds the op."""
        if not rewriter.is_redundant_write(op, _DESTINATION):
            terminator = op.parent
            assert terminator is not None
            with ir.InsertionPoint(terminator):
                target = rewriter.inserted_buffer(op, _DESTINATION)
                shape = ir.ShapedType(op.operands[_SOURCE].type).shape
                rewriter.copy(rewriter.buffer(op, _SOURCE), subview(target, mixed_subset(op, _OFFSETS), shape))
        rewriter.replace(op, [])
