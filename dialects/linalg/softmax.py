"""linalg.softmax: three passes over each line of elements, in loops that need no buffer of their own.

The first pass finds the maximum of the line, the second writes the exponentials of the differences and adds them up,
the third divides. No element of a line is written before all of them were read once, and the second pass reads each
element before it writes it, so the result may be in the buffer of the input. Upstream leaves the op to a decomposition
on tensors, with two buffers more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, math, memref, scf

from ..common_models import OverwriteModel
from ..rewriter import Rewriter
from ..structured import build_loops, extent, index_constant, size_value

__all__ = ["SoftmaxModel"]

_Step = Callable[[ir.Value, list[ir.Value]], Sequence[ir.Value]]


class SoftmaxModel(OverwriteModel):
    """``linalg.softmax``."""

    op_names = ("linalg.softmax",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse elements that have no exponential."""
        element = ir.ShapedType(op.operands[0].type).element_type
        if isinstance(element, ir.FloatType):
            return None
        return f"'{op.name}' needs floating-point elements, but has {element}; convert them first"

    def is_not_conflicting(self, op: ir.Operation, read: int, write: int) -> bool:
        """A line is read completely before it is written, and then each element before it is written."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Build the loops."""
        source, target = rewriter.buffer(op, 0), rewriter.buffer(op, 1)
        dimension = ir.IntegerAttr(op.attributes["dimension"]).value
        zero, one, length = index_constant(0), index_constant(1), size_value(source, dimension)
        sizes = [1 if d == dimension else extent(source, d) for d in range(ir.MemRefType(source.type).rank)]

        def loop(start: Sequence[ir.Value], step: _Step) -> list[ir.Value]:
            for_ = scf.ForOp(zero, length, one, list(start))
            with ir.InsertionPoint(for_.body):
                scf.yield_(list(step(for_.induction_variable, list(for_.inner_iter_args))))
            return list(for_.results)

        def line(indices: list[ir.Value]) -> None:
            _line(source, target, lambda i: [*indices[:dimension], i, *indices[dimension + 1 :]], loop)

        build_loops(sizes, line)
        rewriter.replace(op, [target])


def _line(
    source: ir.Value,
    target: ir.Value,
    at: Callable[[ir.Value], list[ir.Value]],
    loop: Callable[[Sequence[ir.Value], _Step], list[ir.Value]],
) -> None:
    """Create the three passes over one line; ``at`` gives the indices of its elements, ``loop`` runs over them."""
    element = ir.MemRefType(source.type).element_type

    def maximum(index: ir.Value, largest: list[ir.Value]) -> list[ir.Value]:
        return [arith.maximumf(largest[0], memref.load(source, at(index)))]

    (largest,) = loop([arith.constant(element, ir.FloatAttr.get(element, float("-inf")))], maximum)

    def exponential(index: ir.Value, total: list[ir.Value]) -> list[ir.Value]:
        value = math.exp(arith.subf(memref.load(source, at(index)), largest))
        memref.store(value, target, at(index))
        return [arith.addf(total[0], value)]

    (total,) = loop([arith.constant(element, ir.FloatAttr.get(element, 0.0))], exponential)

    def divide(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        memref.store(arith.divf(memref.load(target, at(index)), total), target, at(index))
        return []

    loop([], divide)
