"""Ops that compute with channels last, and transpositions to where something reads them first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from mlir import ir
from mlir.dialects import arith, linalg, tensor

from ....dialects.bufferizable import Subset
from ....dialects.subsets import extract_slice, insert_slice
from ....dialects.support.defining_ops import defining_op
from ....dialects.tensor.shapes import reassociation
from ...analysis.linalg.structured_op import OperandIndex, Structured
from ...analysis.schedule.channels_last import HeldConvolution, MovedOp, MovedPadding, Step
from .generic import affine_map, create_generic, move_payload, renumbered
from .held_arguments import Rearrangement, rearrange
from .linalg_ops import erase_op

__all__ = ["move_channels"]

Item = TypeVar("Item")


def move_channels(steps: Sequence[Step]) -> dict[int, Rearrangement]:
    """Rewrite ops in their order; return how the held arguments that they read have to be laid out, by numbers.

    Linear in the ops, their payloads and their uses.
    """
    mover = _Mover()
    for step in steps:
        mover.move(step)
    mover.finish()
    return mover.rearranged


class _Mover:
    """The values that have channels last by now, by those with channels first that they stand for."""

    def __init__(self) -> None:
        self.rearranged: dict[int, Rearrangement] = {}
        self._last: dict[ir.Value, ir.Value] = {}
        self._old: list[ir.Operation] = []

    def move(self, step: Step) -> None:
        """Build the op of `step` with channels last; the old one stays until `finish`."""
        op = step.op if isinstance(step, MovedPadding) else step.structured.op
        with ir.InsertionPoint(op), op.location:
            if isinstance(step, HeldConvolution):
                self._last[step.result] = self._convolution(step)
            elif isinstance(step, MovedPadding):
                self._last[op.results[0]] = self._padding(step)
            else:
                self._moved(step)
        self._old.append(op)

    def finish(self) -> None:
        """Erase the old ops; what else reads their results reads transpositions."""
        for op in reversed(self._old):
            for result in op.results:
                if any(True for _ in result.uses):
                    with ir.InsertionPoint(op), op.location:
                        result.replace_all_uses_with(_first(self._last[result], result.type))
            erase_op(op)

    def _image(self, structured: Structured, operand: int) -> tuple[ir.Value, Sequence[OperandIndex]]:
        """Return an operand and its indices, with channels last if that is there."""
        value, indices = structured.op.operands[operand], structured.indices[operand]
        return (self._last[value], _turned(indices)) if value in self._last else (value, indices)

    # --- convolutions --------------------------------------------------------------------------------------------

    def _convolution(self, step: HeldConvolution) -> ir.Value:
        old, block = step.structured, step.block
        batch, filters = (index.loop or 0 for index in old.indices[2][:2])
        # Weights are read once if their blocks are outermost. Of loops over as many pixels the first is in registers.
        order = [filters, batch, *reversed(step.places), len(old.loops), *step.reductions]
        place = {loop: number for number, loop in enumerate(order)}
        image, indices = self._image(old, 0)
        weights = [OperandIndex({place[loop]: 1}) for loop in (filters, *step.reductions, len(old.loops))]
        result = [OperandIndex({place[loop]: 1}) for loop in (batch, *step.places, filters, len(old.loops))]
        shape = [old.size(loop) for loop in (batch, *step.places)]
        blocked = [*shape, old.size(filters) // block, block]
        start, added = self._start(old, blocked)
        maps = [affine_map(len(order), one) for one in (renumbered(indices, place), weights, result)]
        inputs = [(image, maps[0]), (self._packed(step, old), maps[1])]
        new = create_generic(old.op, inputs, [(start, maps[2])], [loop not in step.reductions for loop in order])
        move_payload(old, new, list(new.regions[0].blocks[0].arguments))
        groups = [*([dimension] for dimension in range(len(shape))), [len(shape), len(shape) + 1]]
        element = ir.RankedTensorType(start.type).element_type
        type_ = ir.RankedTensorType.get([*shape, old.size(filters)], element)
        found = tensor.collapse_shape(type_, new.results[0], reassociation(groups))
        return found if added is None else _sum(found, added)

    def _start(self, old: Structured, shape: Sequence[int]) -> tuple[ir.Value, ir.Value | None]:
        """Return what a sum starts from, and the init if that is to be added afterwards."""
        init = old.op.operands[2]
        element = ir.RankedTensorType(init.type).element_type
        fill = defining_op(init, "linalg.fill")
        scalar = arith.constant(element, 0.0) if fill is None else fill.operands[0]
        return _filled(scalar, shape, element), init if fill is None else None

    def _packed(self, step: HeldConvolution, old: Structured) -> ir.Value:
        """Lay out the weights: blocks of filters outermost, the filters of a block innermost."""
        weights, indices = old.op.operands[1], old.indices[1]
        filters, *others = (index.loop or 0 for index in indices)
        expanded = (old.size(filters) // step.block, step.block, *(old.size(loop) for loop in others))
        return self._rearrange(weights, expanded, (0, *(2 + others.index(loop) for loop in step.reductions), 1))

    def _rearrange(self, argument: ir.Value, expanded: tuple[int, ...], order: tuple[int, ...]) -> ir.Value:
        """Give a held argument the type that it has once it is laid out anew."""
        layout = self.rearranged[ir.BlockArgument(argument).arg_number] = Rearrangement(expanded, order)
        rearrange(argument, layout)
        return argument

    # --- other ops -----------------------------------------------------------------------------------------------

    def _moved(self, step: MovedOp) -> None:
        old = step.structured
        inits: list[tuple[ir.Value, Sequence[OperandIndex]]] = []
        for operand in old.outputs:
            value, indices = old.op.operands[operand], old.indices[operand]
            inits.append((self._init(value), _turned(indices)) if step.moved else (value, indices))
        inputs: list[tuple[ir.Value, Sequence[OperandIndex]]] = []
        for operand in range(old.inputs):
            if operand in step.held:
                inputs.append(self._held(old, operand, old.indices[step.inputs[0]][1].loop or 0))
            elif operand in step.inputs:
                inputs.append(self._image(old, operand))
            else:
                inputs.append((old.op.operands[operand], old.indices[operand]))
        # The loops in the order of the result.
        first = [loop for index in inits[0][1] for loop in index.coefficients]
        order = [*first, *(loop for loop in old.loops if loop not in first)]
        place = {loop: number for number, loop in enumerate(order)}
        mapped, starts = (
            [(value, affine_map(len(order), renumbered(indices, place))) for value, indices in values]
            for values in (inputs, inits)
        )
        new = create_generic(old.op, mapped, starts, [old.parallel[loop] for loop in order])
        move_payload(old, new, list(new.regions[0].blocks[0].arguments))
        for result, found in zip(old.op.results, new.results, strict=True):
            if step.moved:
                self._last[result] = found
            else:
                result.replace_all_uses_with(found)

    def _init(self, value: ir.Value) -> ir.Value:
        """Return an init with channels last: a known one, a fill, or an empty tensor where it is not read."""
        if value in self._last:
            return self._last[value]
        type_ = ir.RankedTensorType(value.type)
        fill = defining_op(value, "linalg.fill")
        shape, element = _turned(type_.shape), type_.element_type
        return tensor.empty(shape, element) if fill is None else _filled(fill.operands[0], shape, element)

    def _held(self, old: Structured, operand: int, channel: int) -> tuple[ir.Value, Sequence[OperandIndex]]:
        """Return a held argument with its channels as the last dimension."""
        indices = old.indices[operand]
        at = next(dimension for dimension, index in enumerate(indices) if index.loop == channel)
        order = (*(dimension for dimension in range(len(indices)) if dimension != at), at)
        value = old.op.operands[operand]
        shape = tuple(ir.RankedTensorType(value.type).shape)
        return self._rearrange(value, shape, order), [indices[dimension] for dimension in order]

    def _padding(self, step: MovedPadding) -> ir.Value:
        """Pad an image; a large one is inserted into a tensor of which only the border was filled before."""
        op, image = step.op, self._last[step.op.operands[0]]
        low, high = (_turned(list(ir.DenseI64ArrayAttr(op.attributes[name]))) for name in ("static_low", "static_high"))
        type_ = ir.RankedTensorType(op.results[0].type)
        type_ = ir.RankedTensorType.get(_turned(type_.shape), type_.element_type)
        value = list(op.regions[0].blocks[0].operations)[-1].operands[0]
        constant, maker = defining_op(value, "arith.constant"), defining_op(image)
        is_early = step.large and maker is not None and constant is not None
        with ir.InsertionPoint(maker if is_early and maker is not None else op):
            scalar = value if constant is None else constant.clone().results[0]
            if not is_early:
                return _padded(image, type_, low, high, scalar)
            target: ir.Value = tensor.empty(type_.shape, type_.element_type)
            sizes = tuple(ir.RankedTensorType(image.type).shape)
            for dimension, size in enumerate(sizes):
                for first, count in ((0, low[dimension]), (low[dimension] + size, high[dimension])):
                    place = _part(type_.shape, dimension, first, count)
                    if count:
                        target = insert_slice(_refilled(scalar, target, place), target, place)
        return insert_slice(image, target, Subset(tuple(low), sizes, (1,) * type_.rank))


def _padded(
    image: ir.Value, type_: ir.RankedTensorType, low: Sequence[int], high: Sequence[int], scalar: ir.Value
) -> ir.Value:
    """Build a `tensor.pad` of `image` by a value."""
    attributes: dict[str, ir.Attribute] = {
        "static_low": ir.DenseI64ArrayAttr.get(low),
        "static_high": ir.DenseI64ArrayAttr.get(high),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0]),
    }
    pad = ir.Operation.create("tensor.pad", results=[type_], operands=[image], attributes=attributes, regions=1)
    with ir.InsertionPoint(ir.Block.create_at_start(pad.regions[0], [ir.IndexType.get()] * type_.rank)):
        tensor.yield_(scalar)
    return pad.results[0]


def _part(whole: Sequence[int], dimension: int, first: int, count: int) -> Subset:
    """Return the elements of an image from `first` on, `count` of them, in one dimension."""
    offsets = tuple(first if one == dimension else 0 for one in range(len(whole)))
    sizes = tuple(count if one == dimension else size for one, size in enumerate(whole))
    return Subset(offsets, sizes, (1,) * len(whole))


def _turned(items: Sequence[Item]) -> list[Item]:
    """Return what belongs to the dimensions of an image in their order with channels last."""
    return [items[0], *items[2:], items[1]]


def _filled(scalar: ir.Value, shape: Sequence[int], element: ir.Type) -> ir.Value:
    return _fill(scalar, tensor.empty(shape, element))


def _refilled(scalar: ir.Value, target: ir.Value, place: Subset) -> ir.Value:
    """Build a fill of a part of `target`."""
    element = ir.RankedTensorType(target.type).element_type
    sizes = [size for size in place.sizes if isinstance(size, int)]
    return _fill(scalar, extract_slice(target, place, ir.RankedTensorType.get(sizes, element)))


def _fill(scalar: ir.Value, init: ir.Value) -> ir.Value:
    fill = linalg.FillOp([init.type], [scalar], [init]).operation
    linalg.fill_builtin_region(fill)
    return fill.results[0]


def _first(value: ir.Value, type_: ir.Type) -> ir.Value:
    """Build the transposition of an image back to channels first."""
    image = ir.RankedTensorType(type_)
    empty = tensor.empty(image.shape, image.element_type)
    order = [0, image.rank - 1, *range(1, image.rank - 1)]
    op = linalg.TransposeOp([image], value, empty, order).operation
    linalg.fill_builtin_region(op)
    return op.results[0]


def _sum(value: ir.Value, image: ir.Value) -> ir.Value:
    """Build the sum of `value` and an image with channels first."""
    type_ = ir.RankedTensorType(value.type)
    empty = tensor.empty(type_.shape, type_.element_type)
    identity = ir.AffineMap.get_identity(type_.rank)
    dimensions = [ir.AffineDimExpr.get(dimension) for dimension in range(type_.rank)]
    first = ir.AffineMap.get(type_.rank, 0, [dimensions[0], dimensions[-1], *dimensions[1:-1]])
    parallel = [linalg.IteratorType.parallel] * type_.rank
    op = linalg.GenericOp([type_], [value, image], [empty], [identity, first, identity], parallel)
    block = op.regions[0].blocks.append(*[type_.element_type] * 3)
    with ir.InsertionPoint(block):
        linalg.YieldOp([arith.addf(*block.arguments[:2])])
    return op.results[0]
