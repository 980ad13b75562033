"""A second tensor beside one that a loop carries, to take turns with, as `schedule/double_buffering.py` has found."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import scf, tensor

from ....dialects.bufferizable import Subset
from ....dialects.subsets import insert_slice
from ....dialects.support.cloning import attributes_of
from ....dialects.support.defining_ops import defining_op
from ...analysis.schedule.double_buffering import DoubleBuffering, is_known_box, outside_of
from .generic import empty_for_copy
from .smaller import take_slice

__all__ = ["alternate"]

_INSERT = "tensor.insert_slice"
_PURE = frozenset(
    {"bufferization.alloc_tensor", "linalg.copy", "tensor.empty", "tensor.extract_slice", "tensor.insert_slice"}
)


def alternate(loop: ir.Operation, tensors: Sequence[DoubleBuffering]) -> None:
    """Let `loop` carry another tensor for each of `tensors`, all of `loop`; a new loop takes its place.

    A tensor that does not alternate starts from its own old version. Linear in the ops of the body, none of which is
    copied.
    """
    for one in tensors:
        if not one.alternates:
            _start_from(one, loop.regions[0].blocks[0].arguments[one.number + 1])
    tensors = [one for one in tensors if one.alternates]
    if not tensors:
        return
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
        _read_apart(one.user)
    *_, terminator = body.operations
    with ir.InsertionPoint(terminator), terminator.location:
        scf.yield_([*terminator.operands, *(body.arguments[one.number + 1] for one in tensors)])
    terminator.operation.erase()
    for result, after in zip(loop.results, list(new.results), strict=False):
        result.replace_all_uses_with(after)
    loop.erase()


def _start_from(one: DoubleBuffering, other: ir.Value) -> None:
    """Replace the root by `other`, and erase ops that only computed it."""
    work = [one.user.operands[one.operand]]
    one.user.operands[one.operand] = other
    while work:
        value = work.pop()
        op = defining_op(value, *_PURE)
        if op is None or value in work or list(value.uses):
            continue
        work.extend(op.operands)
        op.erase()


def _read_apart(insert: ir.Operation) -> None:
    """Let the op whose result is inserted read its init, a slice of a tensor, as an input.

    Otherwise the slice would have to be copied to the op's destination.
    """
    op = defining_op(insert.operands[0], "linalg.generic")
    if insert.name != _INSERT or op is None:
        return
    *inputs, init = op.operands
    is_slice = defining_op(init, "tensor.extract_slice") is not None
    block, type_ = op.regions[0].blocks[0], ir.RankedTensorType(init.type)
    *_, element = block.arguments
    *maps, last = ir.ArrayAttr(op.attributes["indexing_maps"])
    parallel = all("parallel" in str(kind) for kind in ir.ArrayAttr(op.attributes["iterator_types"]))
    # The map must cover the output: an element that is not written is that of the init.
    is_whole = parallel and ir.AffineMapAttr(last).value.is_permutation and type_.has_static_shape
    if len(op.results) != 1 or not is_whole or not is_slice or not list(element.uses):
        return
    with ir.InsertionPoint(op), op.location:
        empty = tensor.empty(type_.shape, type_.element_type)
        attributes = attributes_of(op)
        attributes["indexing_maps"] = ir.ArrayAttr.get([*maps, last, last])
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([len(inputs) + 1, 1])
        new = ir.Operation.create(
            op.name, results=[init.type], operands=[*inputs, init, empty], attributes=attributes, regions=1
        )
    block.append_to(new.regions[0])
    block.add_argument(element.type, op.location)
    op.results[0].replace_all_uses_with(new.results[0])
    op.erase()


def _other(initial: ir.Value, written: Sequence[Subset]) -> ir.Value:
    """Return a tensor of the type of `initial`, with its content outside of the slices `written`."""
    type_ = ir.RankedTensorType(initial.type)
    if written and not (len(written) == 1 and is_known_box(written[0], type_.shape)):
        attributes = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 1, 0])}
        return ir.Operation.create(
            "bufferization.alloc_tensor", results=[type_], operands=[initial], attributes=attributes
        ).result
    other = empty_for_copy(initial, type_.element_type, range(type_.rank))
    for subset in written:
        for part in outside_of(subset, type_.shape):
            other = insert_slice(take_slice(initial, part), other, part)
    return other
