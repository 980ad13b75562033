"""scf.forall and scf.parallel: runs of a body, *threads*, that may overlap in time.

The outputs of ``scf.forall`` are shared: its argument is the buffer itself, and what a thread inserts at its end goes
there, or is there already. On buffers the loop has no outputs and no results; its terminator is empty and stands behind
the copies that insert.
"""

from __future__ import annotations

from mlir import ir

from ..bufferizable import Forwarding, OpModel, is_tensor
from ..rewriter import Rewriter

__all__ = ["FORALL_MODELS", "ForallModel", "InParallelModel", "ParallelModel"]


class ForallModel(OpModel):
    """``scf.forall``: a parallel loop; each output is an operand, an argument and a result."""

    op_names = ("scf.forall",)
    joins_buffer_types = True

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """Handing a tensor over reads nothing."""
        return False

    def forwardings(self, op: ir.Operation) -> tuple[Forwarding, ...]:
        """Output i reaches the i-th argument behind the indices, and result i."""
        first, indices = _outputs(op)
        return tuple(
            Forwarding(None, first + i, arguments=((0, indices + i),), results=(i,), shared=True)
            for i in range(len(op.results))
        )

    def is_repetitive_region(self, op: ir.Operation, region: int) -> bool:
        """The body runs any number of times."""
        return True

    def is_parallel_region(self, op: ir.Operation, region: int) -> bool:
        """Runs of the body may overlap in time."""
        return True

    def enter(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Give the arguments their buffers."""
        first, indices = _outputs(op)
        arguments = list(op.regions[0].blocks[0].arguments)[indices:]
        for i, argument in enumerate(arguments):
            rewriter.hold(argument, rewriter.buffer(op, first + i))
            # The loop is about to be replaced; until then its operand remembers the buffer that it fills.
            op.operands[first + i] = rewriter.output_buffer(argument)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Recreate the loop without outputs."""
        first, indices = _outputs(op)
        operands, block = list(op.operands), op.regions[0].blocks[0]
        rewriter.sweep(op)
        attributes = {name: op.attributes[name] for name in op.attributes}
        segments = list(ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"]))
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([*segments[:-1], 0])
        new = ir.Operation.create("scf.forall", operands=operands[:first], attributes=attributes, regions=1)
        for argument in reversed(range(indices, indices + len(operands) - first)):
            block.erase_argument(argument)
        block.append_to(new.regions[0])
        rewriter.replace(op, operands[first:])


def _outputs(op: ir.Operation) -> tuple[int, int]:
    """Return the number of the first output among the operands, and how many indices the body has."""
    count = len(op.results)
    return len(op.operands) - count, len(op.regions[0].blocks[0].arguments) - count


class InParallelModel(OpModel):
    """``scf.forall.in_parallel``: holds what a thread inserts at its end."""

    op_names = ("scf.forall.in_parallel",)


class ParallelModel(OpModel):
    """``scf.parallel``: a parallel loop whose results are reductions; only of what is no tensor."""

    op_names = ("scf.parallel",)

    def is_repetitive_region(self, op: ir.Operation, region: int) -> bool:
        """The body runs any number of times."""
        return True

    def is_parallel_region(self, op: ir.Operation, region: int) -> bool:
        """Runs of the body may overlap in time."""
        return True

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse reductions of tensors: it is not said who owns what a combiner returns."""
        found = next((result.type for result in op.results if is_tensor(result.type)), None)
        if found is None:
            return None
        return (
            f"'scf.parallel' reduces values of {found}, but only what is no tensor can be reduced; combine the "
            "tensors in an scf.for, or reduce their elements"
        )


class ReduceModel(OpModel):
    """``scf.reduce``: combines two values at a time; the loop around it says what it refuses."""

    op_names = ("scf.reduce", "scf.reduce.return")

    def is_repetitive_region(self, op: ir.Operation, region: int) -> bool:
        """A combiner runs any number of times."""
        return True

    def is_parallel_region(self, op: ir.Operation, region: int) -> bool:
        """Combiners may run at the same time."""
        return True


FORALL_MODELS: tuple[OpModel, ...] = (ForallModel(), InParallelModel(), ParallelModel(), ReduceModel())
