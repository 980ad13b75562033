"""cf: branches, which forward tensors to the arguments of their successors.

The conversion rewrites the block arguments (``passes/bufferization/rewriting/branches.py``): a model only says which
operands reach which successor, and recreates its op with others. ``cf.assert`` has no tensors and stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from mlir import ir

from .bufferizable import OpModel
from .common_models import NoReadModel
from .support.cloning import attributes_of

__all__ = ["BRANCHES", "MODELS", "BlockBranchModel"]

_SEGMENTS = "operandSegmentSizes"
_CASES = "case_operand_segments"


class BlockBranchModel(NoReadModel):
    """``cf.br``, ``cf.cond_br`` and ``cf.switch``."""

    op_names = ("cf.br", "cf.cond_br", "cf.switch")

    def successor_operands(self, op: ir.Operation) -> tuple[range, ...]:
        """The operands after the condition, successor by successor."""
        if op.name == "cf.br":
            return (range(len(op.operands)),)
        sizes = list(ir.DenseI32ArrayAttr(op.attributes[_SEGMENTS]))
        if op.name == "cf.switch":
            sizes = [*sizes[:2], *ir.DenseI32ArrayAttr(op.attributes[_CASES])]
        return tuple(range(begin, end) for begin, end in pairwise(accumulate(sizes)))

    def with_successor_operands(self, op: ir.Operation, operands: Sequence[Sequence[ir.Value]]) -> ir.Operation:
        """The same condition, cases and weights."""
        attributes = attributes_of(op)
        condition = [] if op.name == "cf.br" else [op.operands[0]]
        counts = [len(values) for values in operands]
        if op.name == "cf.cond_br":
            attributes[_SEGMENTS] = ir.DenseI32ArrayAttr.get([1, *counts])
        elif op.name == "cf.switch":
            attributes[_SEGMENTS] = ir.DenseI32ArrayAttr.get([1, counts[0], sum(counts[1:])])
            attributes[_CASES] = ir.DenseI32ArrayAttr.get(counts[1:])
        return ir.Operation.create(
            op.name,
            operands=[*condition, *(value for values in operands for value in values)],
            successors=list(op.successors),
            attributes=attributes,
        )


BRANCHES = BlockBranchModel()

MODELS: tuple[OpModel, ...] = (BRANCHES,)
