"""Structured linalg ops: one rule for all of them, named or generic.

Inputs are read if the payload uses them. The init of a tensor output is written in place and tied to the result. Its
old content is needed

* when the payload reads it (the block argument has a use), and also
* when the op does not write every element: the output map misses some, or a loop that is not one of the output's may
  run zero times (``output_coverage.py``). Upstream takes such an init as fully overwritten; an element that is never
  written would then be garbage.

The payload may capture tensors through ``tensor.extract``; the analysis sees those as reads inside of the op.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import linalg

from .bufferizable import AliasingValue, OpModel, is_tensor
from .linalg_packing import PACKING_MODELS
from .linalg_softmax import SoftmaxModel
from .output_coverage import why_uncovered
from .rewriter import Rewriter

__all__ = ["MODELS", "StructuredOpModel"]

_ONE_INIT = frozenset({"linalg.map", "linalg.transpose", "linalg.broadcast"})
_WINOGRAD = "linalg.winograd_"


def init_count(op: ir.Operation) -> int:
    """Return how many trailing operands of a structured op are inits."""
    attributes = op.attributes
    if "operandSegmentSizes" in attributes:
        return attributes["operandSegmentSizes"][1]
    return 1 if op.name in _ONE_INIT else len(op.operands) // 2


class StructuredOpModel(OpModel):
    """Every linalg op with an iteration space and a payload."""

    op_names = ("linalg.*",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse the ops that have no payload and nothing else to go by."""
        if op.name.startswith(_WINOGRAD):
            return (
                f"'{op.name}' has no payload that says what it computes; decompose it to structured ops first "
                "(upstream's transform.structured.decompose_winograd_op)"
            )
        return None

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """What the payload uses; an init also when its content survives (see the module's text)."""
        argument = op.regions[0].blocks[0].arguments[operand]
        if next(iter(argument.uses), None) is not None:
            return True
        return (
            operand >= len(op.operands) - init_count(op) and why_uncovered(op, _indexing_maps(op), operand) is not None
        )

    def why_content_is_needed(self, op: ir.Operation, operand: int) -> str:
        """The payload, or what the op does not write."""
        if next(iter(op.regions[0].blocks[0].arguments[operand].uses), None) is not None:
            return "the payload uses it"
        return why_uncovered(op, _indexing_maps(op), operand) or super().why_content_is_needed(op, operand)

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        """Inits are written."""
        return operand >= len(op.operands) - init_count(op)

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """An init is tied to the result of the same rank among the tensor inits."""
        first = len(op.operands) - init_count(op)
        if operand < first:
            return ()
        operands = list(op.operands)
        return (AliasingValue(sum(is_tensor(operands[i].type) for i in range(first, operand))),)

    def is_not_conflicting(self, op: ir.Operation, read: int, write: int) -> bool:
        """An input may share an init's buffer when every iteration touches one element of each, the same one."""
        if read >= len(op.operands) - init_count(op):
            return False
        maps = _indexing_maps(op)
        return maps[read] == maps[write] and maps[write].is_permutation

    def is_repetitive_region(self, op: ir.Operation, region: int) -> bool:
        """The payload runs once per iteration."""
        return True

    def is_parallel_region(self, op: ir.Operation, region: int) -> bool:
        """Iterations may run in any order and overlap."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Recreate the op on memrefs; the payload region moves over."""
        operands = list(op.operands)
        buffers = [rewriter.buffer(op, i) if is_tensor(v.type) else v for i, v in enumerate(operands)]
        attributes = {attribute: op.attributes[attribute] for attribute in op.attributes}
        rewriter.sweep(op)
        new = ir.Operation.create(op.name, operands=buffers, attributes=attributes, regions=1)
        op.regions[0].blocks[0].append_to(new.regions[0])
        first = len(operands) - init_count(new)
        rewriter.replace(op, [buffers[i] for i in range(first, len(operands)) if is_tensor(operands[i].type)])


def _indexing_maps(op: ir.Operation) -> list[ir.AffineMap]:
    maps = linalg.get_indexing_maps(op)
    assert maps is not None, op.name
    return [ir.AffineMapAttr(attribute).value for attribute in maps]


MODELS: tuple[OpModel, ...] = (StructuredOpModel(), SoftmaxModel(), *PACKING_MODELS)
