"""Elementwise arith and math on tensors: a ``linalg.generic`` over buffers whose payload is the op on elements.

The result may take the place of the first operand of its type: each element is read before it is written. Upstream does
not bufferize these ops.
"""

from __future__ import annotations

from mlir import ir

from .bufferizable import AliasingValue, OpModel, Rewriter
from .memref_types import identity_type

__all__ = ["ElementwiseModel"]


class ElementwiseModel(OpModel):
    """Ops that compute each element of their one result from the same elements of their operands."""

    def __init__(self, *names: str) -> None:
        self.op_names = names

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse what is not elementwise on ranked tensors of one shape."""
        types = [value.type for value in (*op.operands, *op.results)]
        if len(op.results) == 1 and all(isinstance(t, ir.RankedTensorType) and t.encoding is None for t in types):
            return None
        found = ", ".join(map(str, dict.fromkeys(types)))
        return (
            f"'{op.name}' needs ranked dense tensors for all operands and its one result, but has {len(op.results)} "
            f"results and types {found}; lower it to linalg first"
        )

    def _destination(self, op: ir.Operation) -> int | None:
        """Return the operand whose buffer the result may take."""
        wanted = op.results[0].type
        return next((i for i, value in enumerate(op.operands) if value.type == wanted), None)

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        """The result may be written over the first operand of its type."""
        return operand == self._destination(op)

    def discards_content(self, op: ir.Operation, operand: int) -> bool:
        """A fresh buffer is written completely."""
        return operand == self._destination(op)

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result may take the place of one operand."""
        return (AliasingValue(0),) if operand == self._destination(op) else ()

    def is_not_conflicting(self, op: ir.Operation, read: int, write: int) -> bool:
        """Each element is read before it is written, and no other one then."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Compute each element."""
        sources = [rewriter.source_buffer(op, i) for i in range(len(op.operands))]
        destination = self._destination(op)
        type_ = ir.MemRefType(identity_type(op.results[0].type))
        if destination is None:
            target = rewriter.allocate(type_, rewriter.sizes(sources[0]))
        else:
            target = rewriter.buffer(op, destination)
        maps = [ir.AffineMapAttr.get(ir.AffineMap.get_identity(type_.rank))] * (len(sources) + 1)
        generic = ir.Operation.create(
            "linalg.generic",
            operands=[*sources, target],
            attributes={
                "indexing_maps": ir.ArrayAttr.get(maps),
                "iterator_types": ir.ArrayAttr.get(
                    [ir.Attribute.parse("#linalg.iterator_type<parallel>")] * type_.rank
                ),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(sources), 1]),
            },
            regions=1,
        )
        elements = [ir.MemRefType(buffer.type).element_type for buffer in (*sources, target)]
        payload = ir.Block.create_at_start(generic.regions[0], elements)
        attributes = {name: op.attributes[name] for name in op.attributes}
        with ir.InsertionPoint(payload):
            arguments = list(payload.arguments)[:-1]
            scalar = ir.Operation.create(op.name, results=elements[-1:], operands=arguments, attributes=attributes)
            ir.Operation.create("linalg.yield", operands=[scalar.result])
        rewriter.replace(op, [target])
