"""shape: a region that runs under an assumption hands its tensors out. Constraints themselves are left alone."""

from __future__ import annotations

from mlir import ir

from .bufferizable import Forwarding, OpModel, is_tensor
from .rewriter import Rewriter

__all__ = ["MODELS", "AssumingModel", "AssumingYieldModel"]


class AssumingModel(OpModel):
    """``shape.assuming``: its region runs once, and what it yields is the result."""

    op_names = ("shape.assuming",)
    joins_buffer_types = True

    def forwardings(self, op: ir.Operation) -> tuple[Forwarding, ...]:
        """Yield number i reaches result i."""
        return tuple(Forwarding(0, i, results=(i,)) for i, r in enumerate(op.results) if is_tensor(r.type))

    def reads_before_regions(self, op: ir.Operation) -> bool:
        """The only operand is the witness."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Recreate the op with memrefs for its tensors."""
        terminator = rewriter.terminator(op, 0)
        values = list(terminator.operands)
        with ir.InsertionPoint(terminator), terminator.location:
            for i, value in enumerate(values):
                if is_tensor(value.type):
                    values[i] = rewriter.yielded_buffer(terminator, i, None)
            ir.Operation.create("shape.assuming_yield", operands=values)
        terminator.erase()
        rewriter.sweep(op)
        attributes = {name: op.attributes[name] for name in op.attributes}
        new = ir.Operation.create(
            op.name,
            results=[value.type for value in values],
            operands=list(op.operands),
            attributes=attributes,
            regions=1,
        )
        op.regions[0].blocks[0].append_to(new.regions[0])
        rewriter.replace(op, list(new.results))


class AssumingYieldModel(OpModel):
    """``shape.assuming_yield``: forwards; the op around it does the rewriting."""

    op_names = ("shape.assuming_yield",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """Handing a tensor over reads nothing."""
        return False


MODELS: tuple[OpModel, ...] = (AssumingModel(), AssumingYieldModel())
