"""arith on tensors: constants become globals, a select becomes a select of buffers."""

from __future__ import annotations

from mlir import ir

from .bufferizable import AliasingValue, OpModel, Relation, Rewriter, is_tensor
from .memref_types import identity_type, joint_type

__all__ = ["MODELS", "ConstantModel", "SelectModel"]


class ConstantModel(OpModel):
    """``arith.constant`` of a tensor: a ``memref.global``, which must not be written."""

    op_names = ("arith.constant",)

    def is_writable(self, op: ir.Operation, result: int) -> bool:
        """Never: other uses of the constant read the same memory."""
        return False

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Replace the constant by the address of a global."""
        type_ = ir.MemRefType(identity_type(op.results[0].type))
        rewriter.replace(op, [rewriter.constant(op.attributes["value"], type_)])


class SelectModel(OpModel):
    """``arith.select`` with a scalar condition: the result may be either operand's buffer."""

    op_names = ("arith.select",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse an elementwise select, which is a computation and not a choice of buffers."""
        if is_tensor(op.operands[0].type):
            return (
                "'arith.select' with a tensor condition works element by element and is not supported yet; "
                "lower it to linalg first (upstream pass convert-elementwise-to-linalg)"
            )
        return None

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """Choosing a buffer reads nothing."""
        return False

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result may be this operand's buffer, or the other one's."""
        return (AliasingValue(0, Relation.UNKNOWN, definite=False),)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Select between the two buffers, brought to one type."""
        buffers = [rewriter.buffer(op, 1), rewriter.buffer(op, 2)]
        type_ = joint_type(op.results[0].type, [buffer.type for buffer in buffers])
        buffers = [rewriter.cast(buffer, type_) for buffer in buffers]
        new = ir.Operation.create("arith.select", results=[type_], operands=[op.operands[0], *buffers])
        rewriter.replace(op, [new.result])


MODELS: tuple[OpModel, ...] = (ConstantModel(), SelectModel())
