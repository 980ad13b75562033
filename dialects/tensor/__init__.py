"""tensor: access to elements and slices. The other ops of the dialect are in files of their own.

A slice is a view: it reads nothing and ties its result to its source. Inserts write their slice into the destination
and tie the result to it. ``dim`` and ``rank`` ask for metadata only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import memref

from ..bufferizable import AliasingValue, OpModel, Relation, Subset
from ..common_models import CopyModel, DestinationModel, NoReadModel
from ..rewriter import Rewriter
from ..subsets import covers, mixed_subset, overwrites, subset_type, subview
from .assembly import ASSEMBLY_MODELS
from .casts import CAST_MODELS
from .creation import CREATION_MODELS
from .gathers import INDEXED_MODELS
from .parallel_inserts import ParallelInsertSliceModel
from .shapes import SHAPE_MODELS

__all__ = ["MODELS"]


class DimModel(NoReadModel):
    """``tensor.dim`` and ``tensor.rank``: metadata of the buffer; the content is not needed."""

    op_names = ("tensor.dim", "tensor.rank")

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Ask the memref instead."""
        operands = [rewriter.source_buffer(op, 0), *list(op.operands)[1:]]
        name = op.name.replace("tensor.", "memref.")
        new = ir.Operation.create(name, results=[op.results[0].type], operands=operands)
        rewriter.replace(op, [new.result])


class ExtractModel(OpModel):
    """``tensor.extract``: a load."""

    op_names = ("tensor.extract",)

    def subset(self, op: ir.Operation, operand: int) -> Subset | None:
        """One element."""
        return _element(list(op.operands)[1:])

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Load the element."""
        rewriter.replace(op, [memref.load(rewriter.buffer(op, 0), list(op.operands)[1:])])


class InsertModel(DestinationModel):
    """``tensor.insert``: a store into the destination."""

    op_names = ("tensor.insert",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """The other elements of the destination stay as they are, if there are any."""
        return any(size != 1 for size in ir.ShapedType(op.operands[1].type).shape)

    def subset(self, op: ir.Operation, operand: int) -> Subset | None:
        """One element of the destination."""
        return _element(list(op.operands)[2:]) if operand == 1 else None

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Store the element."""
        operands = list(op.operands)
        buffer = rewriter.buffer(op, 1)
        memref.store(operands[0], buffer, operands[2:])
        rewriter.replace(op, [buffer])


class ExtractSliceModel(NoReadModel):
    """``tensor.extract_slice``: a subview of the source."""

    op_names = ("tensor.extract_slice",)

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is a part of the source, or all of it."""
        return (AliasingValue(0, Relation.VIEW if self.subset(op, 0) else Relation.EQUIVALENT),)

    def subset(self, op: ir.Operation, operand: int) -> Subset | None:
        """The slice, unless it is the whole source with all its dimensions."""
        subset = mixed_subset(op, 1)
        whole = covers(subset, op.operands[0].type) and op.operands[0].type == op.results[0].type
        return None if whole else subset

    def buffer_type(self, op: ir.Operation, result: int, operands: Mapping[int, ir.Type]) -> ir.Type | None:
        """That of the subview."""
        shape = ir.ShapedType(op.results[0].type).shape
        return subset_type(ir.MemRefType(operands[0]), mixed_subset(op, 1), shape)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Take a subview; out-of-place, copy that part into a buffer of its own size."""
        view, result = rewriter.source_buffer(op, 0), op.results[0]
        if not rewriter.is_whole_slice(op, 0):
            view = subview(view, mixed_subset(op, 1), ir.ShapedType(result.type).shape)
        rewriter.replace(op, [rewriter.settle_view(op, 0, view)])


class InsertSliceModel(CopyModel):
    """``tensor.insert_slice``: copies the source into a subview of the destination, unless it is there already."""

    op_names = ("tensor.insert_slice",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """The source; and the destination, unless all of it is overwritten."""
        return operand == 0 or not overwrites(mixed_subset(op, 2), op.operands[1].type)

    def subset(self, op: ir.Operation, operand: int) -> Subset | None:
        """The slice of the destination, unless the source replaces it with all its dimensions."""
        if operand == 0:
            return None
        subset = mixed_subset(op, 2)
        whole = overwrites(subset, op.operands[1].type) and op.operands[0].type == op.operands[1].type
        return None if whole else subset

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Copy the source into the slice."""
        target = rewriter.buffer(op, 1)
        if not rewriter.is_redundant_write(op, 1):
            part = target
            if not rewriter.is_whole_slice(op, 1):
                part = subview(target, mixed_subset(op, 2), ir.ShapedType(op.operands[0].type).shape)
            rewriter.copy(rewriter.buffer(op, 0), part)
        rewriter.replace(op, [target])


def _element(indices: Sequence[ir.Value]) -> Subset:
    ones = (1,) * len(indices)
    return Subset(tuple(indices), ones, ones)


MODELS: tuple[OpModel, ...] = (
    ParallelInsertSliceModel(),
    DimModel(),
    ExtractModel(),
    InsertModel(),
    ExtractSliceModel(),
    InsertSliceModel(),
    *CAST_MODELS,
    *SHAPE_MODELS,
    *CREATION_MODELS,
    *ASSEMBLY_MODELS,
    *INDEXED_MODELS,
)
