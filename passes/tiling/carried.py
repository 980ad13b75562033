"""A second tensor beside one that a loop carries, with which it takes turns, as `analysis/ping_pong.py` has found."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import scf, tensor

from ...dialects.bufferizable import Subset
from ...dialects.structured import index_constant
from ...dialects.subsets import extract_slice, insert_slice
from ..analysis.ping_pong import PingPong, is_known_box, outside_of
from .smaller import slice_type

__all__ = ["alternate"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_PURE = frozenset(
    {"bufferization.alloc_tensor", "linalg.copy", "tensor.empty", "tensor.extract_slice", "tensor.insert_slice"}
)


def alternate(loop: ir.Operation, tensors: Sequence[PingPong]) -> ir.Operation:
    """Let `loop` carry another tensor for each of `tensors`, all of `loop`; return the loop that takes its place.

    A tensor that does not alternate starts from its own old version. Linear in the ops of the body, none of which is
    copied.
    """
    for one in tensors:
        if not one.alternates:
            _start_from(one, loop.regions[0].blocks[0].arguments[one.number + 1])
    tensors = [one for one in tensors if one.alternates]
    if not tensors:
        return loop
    with ir.InsertionPoint(loop), loop.location:
        lower, upper, step, *initial = loop.operands
        others = [_other(loop.operands[one.number + 3], one.written) for one in tensors]
        new = scf.ForOp(lower, upper, step, [*initial, *others]).operation
        for name in loop.attributes:
            new.attributes[name] = loop.attributes[name]
    old_body, body = loop.regions[0].blocks[0], new.regions[0].blocks[0]
    for before, after in zip(old_body.arguments, list(body.arguments), strict=False):
        before.replace_all_uses_with(after)
    for op in list(old_body.operations):
        body.append(op)
    for slot, one in enumerate(tensors):
        _start_from(one, body.arguments[1 + len(initial) + slot])
    *_, terminator = body.operations
    with ir.InsertionPoint(terminator), terminator.location:
        scf.yield_([*terminator.operands, *(body.arguments[one.number + 1] for one in tensors)])
    terminator.operation.erase()
    for result, after in zip(loop.results, list(new.results), strict=False):
        result.replace_all_uses_with(after)
    loop.erase()
    return new


def _start_from(one: PingPong, other: ir.Value) -> None:
    """Exchange the root, and erase what was only there to make it."""
    work = [one.user.operands[one.operand]]
    one.user.operands[one.operand] = other
    while work:
        value = work.pop()
        if value in work or isinstance(value.owner, ir.Block) or list(value.uses):
            continue
        if value.owner.operation.name not in _PURE:
            continue
        work.extend(value.owner.operation.operands)
        value.owner.operation.erase()


def _other(initial: ir.Value, written: Sequence[Subset]) -> ir.Value:
    """Return a tensor like `initial`, with its content where the loop writes nothing."""
    type_ = ir.RankedTensorType(initial.type)
    if written and not (len(written) == 1 and is_known_box(written[0], type_.shape)):
        attributes = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 1, 0])}
        return ir.Operation.create(
            "bufferization.alloc_tensor", results=[type_], operands=[initial], attributes=attributes
        ).result
    sizes = [
        tensor.dim(initial, index_constant(dimension)) if size == _DYNAMIC else size
        for dimension, size in enumerate(type_.shape)
    ]
    other = tensor.empty(sizes, type_.element_type)
    for subset in written:
        for part in outside_of(subset, type_.shape):
            other = insert_slice(extract_slice(initial, part, slice_type(initial, part)), other, part)
    return other
