"""vector transfers between tensors and vectors: loads and stores of buffers."""

from __future__ import annotations

from mlir import ir

from .bufferizable import AliasingValue, OpModel, Rewriter

__all__ = ["MODELS", "TransferReadModel", "TransferWriteModel"]


class TransferReadModel(OpModel):
    """``vector.transfer_read`` from a tensor."""

    op_names = ("vector.transfer_read",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Read from the buffer; the op is the same one on a memref."""
        op.operands[0] = rewriter.buffer(op, 0)
        rewriter.keep(op)


class TransferWriteModel(OpModel):
    """``vector.transfer_write`` to a tensor: writes some elements of the destination."""

    op_names = ("vector.transfer_write",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """The destination keeps what the vector does not cover."""
        return operand != 1 or not _covers_destination(op)

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        """The destination is written."""
        return operand == 1

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is the destination."""
        return (AliasingValue(0),) if operand == 1 else ()

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Write to the buffer."""
        buffer = rewriter.buffer(op, 1)
        operands = list(op.operands)
        operands[1] = buffer
        attributes = {name: op.attributes[name] for name in op.attributes}
        ir.Operation.create("vector.transfer_write", operands=operands, attributes=attributes)
        rewriter.replace(op, [buffer])


def _covers_destination(op: ir.Operation) -> bool:
    """Whether a transfer_write certainly writes every element of its destination."""
    operands = list(op.operands)
    vector, tensor = ir.VectorType(operands[0].type), ir.RankedTensorType(operands[1].type)
    identity = ir.AffineMap.get_identity(tensor.rank)
    segments = list(op.attributes["operandSegmentSizes"])
    return (
        segments[-1] == 0
        and vector.shape == tensor.shape
        and not any(vector.scalable_dims)
        and ir.AffineMapAttr(op.attributes["permutation_map"]).value == identity
        and all(_is_zero(index) for index in operands[2 : 2 + tensor.rank])
    )


def _is_zero(index: ir.Value) -> bool:
    owner = index.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "arith.constant":
        return False
    return ir.IntegerAttr(owner.operation.attributes["value"]).value == 0


MODELS: tuple[OpModel, ...] = (TransferReadModel(), TransferWriteModel())
