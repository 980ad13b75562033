"""arith on tensors: constants become globals, a scalar select one of buffers, everything else is elementwise."""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir

from .bufferizable import AliasingValue, OpModel, Relation, is_tensor
from .elementwise import ElementwiseModel
from .rewriter import Rewriter
from .support.dense_elements import elements
from .support.memref_types import identity_type, joint_type

__all__ = ["MODELS", "ConstantModel", "SelectModel"]


class ConstantModel(OpModel):
    """``arith.constant`` of a tensor: a ``memref.global``, which must not be written."""

    op_names = ("arith.constant",)

    def is_writable(self, op: ir.Operation, result: int) -> bool:
        """Never: other uses of the constant read the same memory."""
        return False

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Replace the constant by the address of a global."""
        tensor = op.results[0].type
        value = elements(op, "value", tensor)
        rewriter.replace(op, [rewriter.constant(value, ir.MemRefType(identity_type(tensor)))])


class SelectModel(ElementwiseModel):
    """``arith.select``: with a scalar condition the result may be either operand's buffer, else it is elementwise."""

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse only an elementwise select that is not one on ranked tensors."""
        return super().refuse(op) if _is_elementwise(op) else None

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """Choosing a buffer reads nothing."""
        return _is_elementwise(op)

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        """Choosing a buffer writes nothing."""
        return _is_elementwise(op) and super().bufferizes_to_memory_write(op, operand)

    def discards_content(self, op: ir.Operation, operand: int) -> bool:
        """A scalar select needs the content of both."""
        return _is_elementwise(op) and super().discards_content(op, operand)

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result may be this operand's buffer, or the other one's."""
        if _is_elementwise(op):
            return super().aliasing_values(op, operand)
        return (AliasingValue(0, Relation.EQUIVALENT, definite=False),)

    def buffer_type(self, op: ir.Operation, result: int, operands: Mapping[int, ir.Type]) -> ir.Type | None:
        """A scalar select has the joint layout of both."""
        if _is_elementwise(op):
            return super().buffer_type(op, result, operands)
        return joint_type(op.results[0].type, list(operands.values()))

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Select between the two buffers, brought to one type."""
        if _is_elementwise(op):
            super().bufferize(op, rewriter)
            return
        buffers = [rewriter.buffer(op, 1), rewriter.buffer(op, 2)]
        type_ = joint_type(op.results[0].type, [buffer.type for buffer in buffers])
        buffers = [rewriter.cast(buffer, type_) for buffer in buffers]
        new = ir.Operation.create("arith.select", results=[type_], operands=[op.operands[0], *buffers])
        rewriter.replace(op, [new.result])


def _is_elementwise(select: ir.Operation) -> bool:
    return is_tensor(select.operands[0].type)


MODELS: tuple[OpModel, ...] = (ConstantModel(), SelectModel("arith.select"), ElementwiseModel("arith.*"))
