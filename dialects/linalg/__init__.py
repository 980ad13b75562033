"""Structured linalg ops: one rule for all of them, named or generic.

Inputs are read if the payload uses them. The init of a tensor output is written in place and tied to the result. Its
old content is needed

* when the payload reads it (the block argument has a use), and also
* when the op does not write every element: the output map misses some, or a loop that is not one of the output's may
  run zero times (``output_coverage.py``). Upstream takes such an init as fully overwritten; an element that is never
  written would then be garbage.

An input without content that the payload does not use, such as the window of a pooling op, is there for its shape. It
gets a view with strides of 0 of another operand: a memref of that shape that costs no memory.

The payload may capture tensors through ``tensor.extract``; the analysis sees those as reads inside of the op.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import linalg

from ..bufferizable import AliasingValue, OpModel, is_tensor
from ..common_models import ParallelRegionModel
from ..rewriter import Rewriter
from ..subsets import reinterpret_cast
from ..support.cloning import recreate
from .output_coverage import why_uncovered
from .packing import PACKING_MODELS
from .softmax import SoftmaxModel

__all__ = ["MODELS", "StructuredOpModel"]

_ONE_INIT = frozenset({"linalg.map", "linalg.transpose", "linalg.broadcast"})
_WINOGRAD = "linalg.winograd_"
_FIRST_RESULT = (AliasingValue(0),)


def init_count(op: ir.Operation) -> int:
    """Return how many trailing operands of a structured op are inits."""
    try:
        return op.attributes["operandSegmentSizes"][1]
    except KeyError:
        pass
    return 1 if op.name in _ONE_INIT else len(op.operands) // 2


class StructuredOpModel(ParallelRegionModel):
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
        if _is_used(op, operand):
            return True
        if operand < len(op.operands) - init_count(op) or ir.AffineMapAttr(_maps(op)[operand]).value.is_permutation:
            return False  # A permutation writes everything.
        return why_uncovered(op, _maps(op), operand) is not None

    def only_keeps_content(self, op: ir.Operation, operand: int) -> bool:
        """What the payload does not use stays where the op does not write."""
        return not _is_used(op, operand)

    def why_content_is_needed(self, op: ir.Operation, operand: int) -> str:
        """The payload, or what the op does not write."""
        if _is_used(op, operand):
            return "the payload uses it"
        return why_uncovered(op, _maps(op), operand) or super().why_content_is_needed(op, operand)

    def needs_only_shape(self, op: ir.Operation, operand: int) -> bool:
        """An unused ``tensor.empty``, if another operand can lend its memory."""
        return _lender(op, operand) >= 0

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        """Inits are written."""
        return operand >= len(op.operands) - init_count(op)

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """An init is tied to the result of the same rank among the tensor inits."""
        first = len(op.operands) - init_count(op)
        if operand <= first:
            return () if operand < first else _FIRST_RESULT
        operands = list(op.operands)
        return (AliasingValue(sum(is_tensor(operands[i].type) for i in range(first, operand))),)

    def is_not_conflicting(self, op: ir.Operation, read: int, write: int) -> bool:
        """An input may share an init's buffer when every iteration touches one element of each, the same one."""
        if read >= len(op.operands) - init_count(op):
            return False
        maps = _maps(op)
        return maps[read] == maps[write] and ir.AffineMapAttr(maps[write]).value.is_permutation

    def writes_at_once(self, op: ir.Operation, first: int, second: int) -> bool:
        """Two inits may share a buffer when every iteration reads, then writes one element of each, the same one."""
        maps = _maps(op)
        return maps[first] == maps[second] and ir.AffineMapAttr(maps[first]).value.is_permutation

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Recreate the op on memrefs; the payload region moves over."""
        operands = list(op.operands)
        first = len(operands) - init_count(op)
        lenders = [_lender(op, i) if i < first else -1 for i in range(len(operands))]
        buffers = [
            rewriter.buffer(op, i) if is_tensor(v.type) and lenders[i] < 0 else v for i, v in enumerate(operands)
        ]
        for i, lender in enumerate(lenders):
            if lender >= 0:
                buffers[i] = _shape_of(operands[i].type, buffers[lender])
        if op.name != "linalg.copy" or buffers[0] != buffers[1]:  # The same memory is left as it is.
            rewriter.sweep(op)
            recreate(op, buffers)
        rewriter.replace(op, [buffers[i] for i in range(first, len(operands)) if is_tensor(operands[i].type)])


def _is_used(op: ir.Operation, operand: int) -> bool:
    """Whether the payload uses ``operand``."""
    return next(iter(op.regions[0].blocks[0].arguments[operand].uses), None) is not None


def _lender(op: ir.Operation, operand: int) -> int:
    """Return the operand whose memory gives input ``operand``, of which nothing but the shape is needed, an address.

    -1 if its content is needed, if it has one that others may need, or if there is no such memory.
    """
    operands = op.operands
    value = operands[operand]
    if not isinstance(value, ir.OpResult) or ir.OpResult(value).owner.name != "tensor.empty":
        return -1
    first = len(operands) - init_count(op)
    if operand >= first:
        return -1
    type_ = ir.RankedTensorType(value.type)
    if _is_used(op, operand) or not type_.has_static_shape:
        return -1
    inits = range(first, len(op.operands))
    return next((i for i in inits if _lends(op.operands[i].type, type_.element_type)), -1)


def _lends(type_: ir.Type, element_type: ir.Type) -> bool:
    return isinstance(type_, ir.RankedTensorType) and type_.element_type == element_type


def _shape_of(tensor: ir.Type, buffer: ir.Value) -> ir.Value:
    """Return a memref with the shape of ``tensor`` all of whose elements are the first one of ``buffer``."""
    shape, lender = ir.ShapedType(tensor).shape, ir.MemRefType(buffer.type)
    zeros = [0] * len(shape)
    layout = ir.StridedLayoutAttr.get(0, zeros)
    type_ = ir.MemRefType.get(shape, lender.element_type, layout, lender.memory_space)
    return reinterpret_cast(buffer, type_, 0, shape, zeros)


def _maps(op: ir.Operation) -> ir.ArrayAttr:
    maps = linalg.get_indexing_maps(op)
    assert maps is not None, op.name
    return maps


MODELS: tuple[OpModel, ...] = (StructuredOpModel(), SoftmaxModel(), *PACKING_MODELS)
