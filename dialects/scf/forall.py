"""scf.forall and scf.parallel: loops whose iterations, *threads*, may overlap in time.

The outputs of ``scf.forall`` are shared: its argument is the buffer itself, which each thread's insertions copy into
unless the data is there already. On buffers the loop has no outputs and no results; its terminator is empty and follows
these copies.
"""

from __future__ import annotations

from mlir import ir

from ..bufferizable import Forwarding, OpModel, is_tensor
from ..common_models import NoReadModel, ParallelRegionModel
from ..rewriter import Rewriter
from ..support.cloning import attributes_of, recreate
from .trip_counts import runs_at_most_once

__all__ = ["FORALL_MODELS", "ForallModel", "ParallelModel"]


class ParallelLoopModel(ParallelRegionModel):
    """Loops of threads: a single thread is neither repeated nor does it overlap another one."""

    def is_repetitive_region(self, op: ir.Operation, region: int) -> bool:
        """Unless the bounds say that there is one thread at most."""
        return not runs_at_most_once(op)

    def is_parallel_region(self, op: ir.Operation, region: int) -> bool:
        """Unless the bounds say that there is one thread at most."""
        return not runs_at_most_once(op)


class ForallModel(NoReadModel, ParallelLoopModel):
    """``scf.forall``: a parallel loop; each output is an operand, an argument and a result."""

    op_names = ("scf.forall",)
    joins_buffer_types = True

    def forwardings(self, op: ir.Operation) -> tuple[Forwarding, ...]:
        """Output i reaches the i-th argument behind the indices, and result i."""
        first, indices = _outputs(op)
        return tuple(
            Forwarding(None, first + i, arguments=((0, indices + i),), results=(i,), shared=True)
            for i in range(len(op.results))
        )

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
        attributes = attributes_of(op)
        segments = list(ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"]))
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([*segments[:-1], 0])
        for argument in reversed(range(indices, indices + len(operands) - first)):
            block.erase_argument(argument)
        recreate(op, operands[:first], attributes=attributes)
        rewriter.replace(op, operands[first:])


def _outputs(op: ir.Operation) -> tuple[int, int]:
    """Return the number of the first output among the operands, and how many indices the body has."""
    count = len(op.results)
    return len(op.operands) - count, len(op.regions[0].blocks[0].arguments) - count


class ParallelModel(ParallelLoopModel):
    """``scf.parallel``: a parallel loop whose results are reductions; only of what is no tensor."""

    op_names = ("scf.parallel",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse reductions of tensors: it is not said who owns what a combiner returns."""
        found = next((result.type for result in op.results if is_tensor(result.type)), None)
        if found is None:
            return None
        return (
            f"'scf.parallel' reduces values of {found}, but tensors cannot be reduced; combine the "
            "tensors in an scf.for, or reduce their elements"
        )


class ReduceModel(ParallelRegionModel):
    """``scf.reduce``: combines two values at a time; the loop around it says what it refuses."""

    op_names = ("scf.reduce", "scf.reduce.return")


FORALL_MODELS: tuple[OpModel, ...] = (ForallModel(), OpModel("scf.forall.in_parallel"), ParallelModel(), ReduceModel())
