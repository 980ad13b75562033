"""Elementwise arith and math on tensors: a ``linalg.generic`` over buffers whose payload is the op on elements.

A result may be in the buffer of an operand of its type: each element is read before it is written. Upstream does not
bufferize these ops.
"""

from __future__ import annotations

from mlir import ir

from .bufferizable import AliasingValue, OpModel
from .rewriter import Rewriter
from .structured import parallel_generic
from .support.cloning import attributes_of
from .support.memref_types import identity_type

__all__ = ["ElementwiseModel"]


class ElementwiseModel(OpModel):
    """Ops that compute each element of their results from the same elements of their operands."""

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse what is not elementwise on ranked tensors of one shape."""
        types = [value.type for value in (*op.operands, *op.results)]
        dense = all(isinstance(t, ir.RankedTensorType) and t.encoding is None for t in types)
        if len(op.operands) and len(op.results) and dense:
            return None
        found = ", ".join(map(str, dict.fromkeys(types)))
        return (
            f"'{op.name}' needs ranked dense tensors for all operands and results, but has types {found}; "
            "lower it to linalg first"
        )

    def _destinations(self, op: ir.Operation) -> dict[int, int]:
        """Return the operands whose buffers results may take, with those results: the first free one of the type."""
        found: dict[int, int] = {}
        operands = [value.type for value in op.operands]
        for result, value in enumerate(op.results):
            free = (i for i, type_ in enumerate(operands) if i not in found and type_ == value.type)
            operand = next(free, None)
            if operand is not None:
                found[operand] = result
        return found

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        """A result may be written over an operand of its type."""
        return operand in self._destinations(op)

    def discards_content(self, op: ir.Operation, operand: int) -> bool:
        """A fresh buffer is written completely."""
        return operand in self._destinations(op)

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """A result may be in the buffer of one operand."""
        result = self._destinations(op).get(operand)
        return () if result is None else (AliasingValue(result),)

    def is_not_conflicting(self, op: ir.Operation, read: int, write: int) -> bool:
        """Each element is read before the same one is written."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Compute each element."""
        sources = [rewriter.source_buffer(op, i) for i in range(len(op.operands))]
        operands = {result: operand for operand, result in self._destinations(op).items()}
        targets: list[ir.Value] = []
        for result, value in enumerate(op.results):
            if result in operands:
                targets.append(rewriter.buffer(op, operands[result]))
            else:
                type_ = ir.MemRefType(identity_type(value.type))
                targets.append(rewriter.allocate(type_, rewriter.sizes(sources[0])))
        types = [ir.ShapedType(value.type).element_type for value in op.results]
        attributes = attributes_of(op)

        def payload(elements: list[ir.Value]) -> list[ir.Value]:
            operands = elements[: len(sources)]
            scalar = ir.Operation.create(op.name, results=types, operands=operands, attributes=attributes)
            return list(scalar.results)

        identity = ir.AffineMap.get_identity(ir.MemRefType(targets[0].type).rank)
        parallel_generic(sources, targets, [identity] * (len(sources) + len(targets)), payload)
        rewriter.replace(op, targets)
