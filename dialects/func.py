"""func: calls and returns. What a call does to its operands is known from the callee's summary, not from a model."""

from __future__ import annotations

from mlir import ir

from .bufferizable import OpModel, is_tensor
from .rewriter import Rewriter
from .support.cloning import recreate
from .support.memref_types import is_castable

__all__ = ["MODELS", "CallModel", "ReturnModel"]


class CallModel(OpModel):
    """``func.call``; the analysis asks the callee's summary for reads, writes and ties."""

    op_names = ("func.call",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Call with buffers, cast or copied to the layouts that the callee wants."""
        callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
        signature = rewriter.signature(callee)
        assert signature is not None, callee
        operands = [
            rewriter.buffer_as(op, i, wanted) if is_tensor(value.type) else value
            for i, (value, wanted) in enumerate(zip(op.operands, signature.inputs, strict=True))
        ]
        results: list[ir.Value] = list(recreate(op, operands, signature.results).results)
        for i, result in enumerate(results):
            same = rewriter.same_operand(op, i) if is_tensor(op.results[i].type) else None
            # A function owns what it returns, so freeing makes a clone of an argument that is returned. What is written
            # into the argument later, such as a slice that no insertion has to move, would not be in the clone.
            if same is not None and is_castable(operands[same].type, result.type):
                results[i] = rewriter.cast(operands[same], result.type)
        rewriter.replace(op, results)


class ReturnModel(OpModel):
    """``func.return``: reads what it returns; the boundary brings it to the type of the function's result."""

    op_names = ("func.return",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Return buffers."""
        for index, value in enumerate(op.operands):
            if is_tensor(value.type):
                op.operands[index] = rewriter.source_buffer(op, index)
        rewriter.keep(op)


MODELS: tuple[OpModel, ...] = (CallModel(), ReturnModel())
