"""tensor: element and slice access, casts and reshapes. What makes new tensors is in ``tensor_creation.py``.

Views (extract_slice, cast, expand and collapse) read nothing; they tie their result to their source. Inserts write
their slice into the destination and tie the result to it. ``dim`` and ``rank`` ask for metadata only.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import memref

from .bufferizable import AliasingValue, OpModel, Relation, Rewriter, Subset
from .memref_types import collapsed_type, expanded_type, identity_type, reshaped_type
from .subsets import covers, mixed_subset, subview
from .tensor_creation import CREATION_MODELS

__all__ = ["MODELS"]


class CastModel(OpModel):
    """``tensor.cast``: the same buffer under a more or less static type."""

    op_names = ("tensor.cast",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """A cast reads nothing."""
        return False

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is the operand's buffer."""
        return (AliasingValue(0),)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse unranked tensors."""
        if any(isinstance(v.type, ir.UnrankedTensorType) for v in (op.operands[0], op.results[0])):
            return "'tensor.cast' between ranked and unranked tensors is not supported yet; give the tensors a rank"
        return None

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Cast the memref, keeping its layout."""
        buffer = rewriter.buffer(op, 0)
        type_ = reshaped_type(ir.MemRefType(buffer.type), ir.ShapedType(op.results[0].type).shape)
        rewriter.replace(op, [buffer if buffer.type == type_ else memref.cast(type_, buffer)])


class DimModel(OpModel):
    """``tensor.dim`` and ``tensor.rank``: metadata of the buffer; the content is not needed."""

    op_names = ("tensor.dim", "tensor.rank")

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """Sizes are not content."""
        return False

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


class InsertModel(OpModel):
    """``tensor.insert``: a store into the destination."""

    op_names = ("tensor.insert",)

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        """The destination is written."""
        return operand == 1

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is the destination."""
        return (AliasingValue(0),) if operand == 1 else ()

    def subset(self, op: ir.Operation, operand: int) -> Subset | None:
        """One element of the destination."""
        return _element(list(op.operands)[2:]) if operand == 1 else None

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Store the element."""
        operands = list(op.operands)
        buffer = rewriter.buffer(op, 1)
        memref.store(operands[0], buffer, operands[2:])
        rewriter.replace(op, [buffer])


class ExtractSliceModel(OpModel):
    """``tensor.extract_slice``: a subview of the source."""

    op_names = ("tensor.extract_slice",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """A view reads nothing."""
        return False

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is a part of the source, or all of it."""
        return (AliasingValue(0, Relation.VIEW if self.subset(op, 0) else Relation.EQUIVALENT),)

    def subset(self, op: ir.Operation, operand: int) -> Subset | None:
        """The slice, unless it is the whole source with all its dimensions."""
        subset = mixed_subset(op, 1)
        whole = covers(subset, op.operands[0].type) and op.operands[0].type == op.results[0].type
        return None if whole else subset

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Take a subview; out-of-place, copy that part into a buffer of its own size."""
        result = op.results[0]
        view = subview(rewriter.source_buffer(op, 0), mixed_subset(op, 1), ir.ShapedType(result.type).shape)
        rewriter.replace(op, [rewriter.settle_view(op, 0, view)])


class InsertSliceModel(OpModel):
    """``tensor.insert_slice``: copies the source into a subview of the destination, unless it is there already."""

    op_names = ("tensor.insert_slice",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """The source; and the destination, unless all of it is overwritten."""
        return operand == 0 or not covers(mixed_subset(op, 2), op.operands[1].type)

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        """The destination is written."""
        return operand == 1

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is the destination."""
        return (AliasingValue(0),) if operand == 1 else ()

    def subset(self, op: ir.Operation, operand: int) -> Subset | None:
        """The slice of the destination, unless the source replaces it with all its dimensions."""
        if operand == 0:
            return None
        subset = mixed_subset(op, 2)
        whole = covers(subset, op.operands[1].type) and op.operands[0].type == op.operands[1].type
        return None if whole else subset

    def redundant_source(self, op: ir.Operation, operand: int) -> int | None:
        """The source is what the slice holds afterwards."""
        return 0 if operand == 1 else None

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Copy the source into the slice."""
        target = rewriter.buffer(op, 1)
        if not rewriter.is_redundant_write(op, 1):
            shape = ir.ShapedType(op.operands[0].type).shape
            rewriter.copy(rewriter.buffer(op, 0), subview(target, mixed_subset(op, 2), shape))
        rewriter.replace(op, [target])


class ReshapeModel(OpModel):
    """``tensor.expand_shape`` and ``tensor.collapse_shape``: all elements under another shape."""

    op_names = ("tensor.expand_shape", "tensor.collapse_shape")

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """A view reads nothing."""
        return False

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is the source's memory, or a copy where a collapse needs contiguous dimensions."""
        return (AliasingValue(0, Relation.RESHAPED),)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Reshape the memref; a strided one that cannot be collapsed is copied first."""
        buffer = rewriter.buffer(op, 0)
        result = op.results[0]
        attributes = {name: op.attributes[name] for name in op.attributes}
        groups = [[ir.IntegerAttr(i).value for i in group] for group in op.attributes["reassociation"]]
        shape = ir.ShapedType(result.type).shape
        if op.name == "tensor.expand_shape":
            type_: ir.Type | None = expanded_type(ir.MemRefType(buffer.type), shape, groups)
        else:
            type_ = collapsed_type(ir.MemRefType(buffer.type), shape, groups)
        if type_ is None:
            buffer = rewriter.cast(buffer, identity_type(op.operands[0].type))
            rewriter.detach(result)
            type_ = identity_type(result.type)
        name = op.name.replace("tensor.", "memref.")
        operands = [buffer, *list(op.operands)[1:]]
        new = ir.Operation.create(name, results=[type_], operands=operands, attributes=attributes)
        rewriter.replace(op, [new.result])


def _element(indices: Sequence[ir.Value]) -> Subset:
    ones = (1,) * len(indices)
    return Subset(tuple(indices), ones, ones)


MODELS: tuple[OpModel, ...] = (
    CastModel(),
    DimModel(),
    ExtractModel(),
    InsertModel(),
    ExtractSliceModel(),
    InsertSliceModel(),
    ReshapeModel(),
    *CREATION_MODELS,
)
