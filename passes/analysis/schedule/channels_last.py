"""Which ops of a function compute with channels last, and how weights that never change are laid out for that.

With channels first the lanes of a vector are pixels of a row, which in deep layers are fewer than lanes. A convolution
whose weights are *held* (arguments that are the same in each call) has filters in the lanes instead: its weights are
laid out once, in blocks of filters, and its result has channels last.

* A convolution is found by its maps: an image at `(n, c, s * y + d * i, ...)`, weights at `(f, c, i, ...)`, and a
  result at `(n, f, y, ...)`. The image may have channels first or last, as its elements are shared by all lanes.
* A block of filters fills two vectors, or one: two share the element of the image, and leave registers for many pixels.
* Ops that read what has channels last, and whose result has the same channels, have them last too: elementwise ops,
  poolings, paddings, means of pixels. Their other operands are read in rows of channels, or have the rank of an image.
* Everything else gets a transposition back, so a convolution must do some work for each element (`_LEAST_DEPTH`), and
  more if nothing around it has channels last (`_LEAST_ALONE`).

Ops of the first block of a function, with static sizes. Linear in them and their uses; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from ..linalg.products import is_sum_of_products
from ..linalg.structured_op import Structured, as_structured, type_bytes
from .machine import Machine

__all__ = ["HeldConvolution", "MovedOp", "MovedPadding", "Step", "find_steps"]

_LEAST_DEPTH = 16
"""How many products each element of a convolution must be the sum of: a transposition costs as much as a few."""

_LEAST_ALONE = 256
"""The same of one whose image and result have channels first for all others, so that all of it is transposed."""

_FEWEST = 3
"""The rank of an image with one spatial dimension."""


@frozen
class HeldConvolution:
    """A convolution with held weights.

    Attributes:
        structured: the op; its operands are image, weights and init.
        places: the loops over the pixels of the result.
        reductions: the loops over channels and window, in the order in which the new weights have them.
        block: how many filters are side by side.
    """

    structured: Structured
    places: tuple[int, ...]
    reductions: tuple[int, ...]
    block: int

    @property
    def result(self) -> ir.Value:
        """What gets its channels last."""
        return self.structured.op.results[0]


@frozen
class MovedOp:
    """A linalg op that reads images with channels last.

    Attributes:
        structured: the op.
        inputs: the inputs that have channels last.
        held: other inputs, held arguments, whose channels become the last dimension.
        moved: whether the results have channels last.
    """

    structured: Structured
    inputs: tuple[int, ...]
    held: tuple[int, ...]
    moved: bool


@frozen
class MovedPadding:
    """A `tensor.pad` by one value, of an image with channels last.

    Around a `large` one only the border is filled, since filling all of it would go through the second cache. That
    takes time to compile.
    """

    op: ir.Operation
    large: bool


Step = HeldConvolution | MovedOp | MovedPadding


def find_steps(block: ir.Block, held: Collection[ir.Value], machine: Machine) -> list[Step]:
    """Return the ops of `block` to compute with channels last, in program order; `held` are arguments of it."""
    planner = _Planner(held, machine)
    for op in block.operations:
        planner.visit(op.operation)
    return planner.steps


class _Planner:
    """The ops found so far, and the values that have channels last then."""

    def __init__(self, held: Collection[ir.Value], machine: Machine) -> None:
        self.steps: list[Step] = []
        self._held = {value for value in held if len(list(value.uses)) == 1}
        self._machine = machine
        self._last: set[ir.Value] = set()

    def visit(self, op: ir.Operation) -> None:
        """Add `op` if it is to have channels last."""
        if op.name == "tensor.pad":
            if op.operands[0] in self._last and _pads_by_value(op):
                large = type_bytes(op.results[0].type) > self._machine.l2
                self._add(MovedPadding(op, large), op.results)
            return
        structured = as_structured(op) if op.name.startswith("linalg.") else None
        if structured is None or None in structured.sizes or not len(op.results):
            return
        convolution = self._convolution(structured)
        if convolution is not None:
            self._add(convolution, op.results)
            return
        moved = self._moved(structured)
        if moved is not None:
            self._add(moved, op.results if moved.moved else ())

    def _add(self, step: Step, results: Sequence[ir.Value]) -> None:
        self.steps.append(step)
        self._last.update(results)

    def _convolution(self, op: Structured) -> HeldConvolution | None:
        """Return the convolution that an op is, None if it is none, or does not gain."""
        if not is_sum_of_products(op) or op.op.operands[1] not in self._held:
            return None
        weights, result = op.loops_of(1) or [], op.loops_of(2) or []
        if min(len(weights), len(result)) < 2:
            return None
        (filters, channel, *window), (batch, filters_of_result, *places) = weights, result
        image = op.indices[0]
        if filters != filters_of_result or len(image) != 2 + len(places) or len(window) != len(places):
            return None
        if image[0].loop != batch or image[1].loop != channel or not places:
            return None
        for index, place, inside in zip(image[2:], places, window, strict=True):
            if set(index.coefficients) != {place, inside} or index.constant or min(index.coefficients.values()) < 1:
                return None
        block = self._block(op, filters)
        depth = prod(op.size(loop) for loop in (channel, *window))
        is_last = op.op.operands[0] in self._last
        least = _LEAST_DEPTH if is_last or _is_read_by_others(op.op.results[0]) else _LEAST_ALONE
        if not block or depth < least or len(op.loops) != 3 + 2 * len(places):
            return None
        # Neighbours in memory one after the other.
        return HeldConvolution(op, tuple(places), (*window, channel) if is_last else (channel, *window), block)

    def _block(self, op: Structured, filters: int) -> int:
        """Return how many filters are side by side; 0 if they fill no vectors."""
        lanes = self._machine.lanes(8 * type_bytes(ir.ShapedType(op.op.operands[1].type).element_type))
        return next((block for block in (2 * lanes, lanes) if lanes > 1 and op.size(filters) % block == 0), 0)

    def _moved(self, op: Structured) -> MovedOp | None:
        """Return how an op reads images with channels last, None if it reads none or stays as it is."""
        inputs = tuple(operand for operand in range(op.inputs) if op.op.operands[operand] in self._last)
        channels = {op.indices[operand][1].loop for operand in inputs}
        if len(channels) != 1 or None in channels or op.asks_for_iterations:
            return None
        (channel,) = channels
        rank = len(op.indices[inputs[0]])
        moved = all(_is_image(op, operand, channel, rank) and self._has_start(op, operand) for operand in op.outputs)
        if not moved and not (op.inputs == 1 and op.reduction_loops and op.parallel[channel or 0]):
            return None
        held: list[int] = []
        for operand in range(op.inputs):
            if operand in inputs or not op.depends(operand, channel or 0) or op.is_contiguous(operand, channel or 0):
                continue
            if _is_image(op, operand, channel, rank) and all(op.parallel):
                continue  # It is transposed in registers.
            if op.op.operands[operand] not in self._held or not _is_permuted(op, operand):
                return None
            held.append(operand)
        return MovedOp(op, inputs, tuple(held), moved)

    def _has_start(self, op: Structured, operand: int) -> bool:
        """Whether an init is not read, a fill, or has channels last."""
        value = op.op.operands[operand]
        return not op.reads[operand] or value in self._last or defining_op(value, "linalg.fill") is not None


def _is_read_by_others(value: ir.Value) -> bool:
    """Whether an op reads `value` that may have channels last, too."""
    return any(use.owner.operation.name.startswith(("linalg.", "tensor.pad")) for use in value.uses)


def _is_permuted(op: Structured, operand: int) -> bool:
    """Whether each index of an operand is another loop, or 0."""
    moving = [index for index in op.indices[operand] if index.coefficients or index.constant]
    loops = {index.loop for index in moving}
    return None not in loops and len(loops) == len(moving)


def _is_image(op: Structured, operand: int, channel: int | None, rank: int) -> bool:
    """Whether an operand has the rank of an image, and its channels where an image has them."""
    indices = op.indices[operand]
    return rank >= _FEWEST and len(indices) == rank and indices[1].loop == channel


def _pads_by_value(op: ir.Operation) -> bool:
    """Whether a `tensor.pad` of static sizes adds elements of one value, which a constant or a value before it is."""
    block = op.regions[0].blocks[0]
    *others, end = (one.operation for one in block.operations)
    entries = [entry for name in ("static_low", "static_high") for entry in ir.DenseI64ArrayAttr(op.attributes[name])]
    is_static = ir.RankedTensorType(op.results[0].type).has_static_shape and len(op.operands) == 1
    is_one = end.operands[0].owner != block and all(one.name == "arith.constant" for one in others)
    return is_static and is_one and min(entries, default=0) >= 0
