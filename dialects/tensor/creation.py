"""Tensor ops that create a tensor: each allocates a buffer and fills it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from mlir import ir
from mlir.dialects import memref

from ..bufferizable import OpModel
from ..common_models import ParallelRegionModel
from ..rewriter import Rewriter
from ..structured import compute_elements, fill, index_constant
from ..support.memref_types import identity_type

__all__ = ["CREATION_MODELS"]


def _allocate(op: ir.Operation, rewriter: Rewriter, dynamic_sizes: Sequence[ir.Value]) -> ir.Value:
    result = op.results[0]
    return rewriter.allocate(ir.MemRefType(identity_type(result.type)), dynamic_sizes)


class EmptyModel(OpModel):
    """``tensor.empty``: a buffer without content."""

    op_names = ("tensor.empty",)

    def result_is_undefined(self, op: ir.Operation, result: int) -> bool:
        """There is no content to lose."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Allocate, if anything works in this buffer."""
        result = op.results[0]
        rewriter.replace(op, [_allocate(op, rewriter, list(op.operands)) if rewriter.needs_buffer(result) else None])


class FromElementsModel(OpModel):
    """``tensor.from_elements``: one store per element, row-major."""

    op_names = ("tensor.from_elements",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Allocate and store."""
        buffer = _allocate(op, rewriter, ())
        shape = ir.MemRefType(buffer.type).shape
        indices = [index_constant(i) for i in range(max(shape, default=0))]
        for value, position in zip(op.operands, product(*map(range, shape)), strict=True):
            memref.store(value, buffer, [indices[i] for i in position])
        rewriter.replace(op, [buffer])


class SplatModel(OpModel):
    """``tensor.splat``: a fill."""

    op_names = ("tensor.splat",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Allocate and fill."""
        operands = list(op.operands)
        buffer = _allocate(op, rewriter, operands[1:])
        fill(operands[0], buffer)
        rewriter.replace(op, [buffer])


class GenerateModel(ParallelRegionModel):
    """``tensor.generate``: the body becomes the payload of a ``linalg.generic`` over the new buffer."""

    op_names = ("tensor.generate",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Allocate and compute every element."""
        buffer = _allocate(op, rewriter, list(op.operands))
        rewriter.sweep(op)
        compute_elements(op.regions[0].blocks[0], buffer)
        rewriter.replace(op, [buffer])


CREATION_MODELS: tuple[OpModel, ...] = (EmptyModel(), FromElementsModel(), SplatModel(), GenerateModel())
