"""Cumulative sums, products and extremes: `stablehlo.reduce_window` whose windows reach from one end to each element.

Each element is computed of the one before: n steps along a dimension of n elements in place of n^2 / 2. The function of
a reduction is associative, says the specification of StableHLO. Padding holds the init, which counts once here and once
for each element of padding there; so it must be one that leaves values as they are, or a maximum or minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import tensor

from ....dialects.bufferizable import Subset
from ....dialects.subsets import extract_slice, insert_slice
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import add, as_value, multiply, subtract
from .attributes import integers
from .cumulative_squares import ROWS, squares_of
from .loops import Values, loop, loop_nest
from .regions import compute_on_scalars

__all__ = ["Cumulative", "find_cumulative", "lower_cumulative"]

_ANY = object()
_INITS: dict[str, object] = {
    "stablehlo.add": 0,
    "stablehlo.multiply": 1,
    "stablehlo.maximum": _ANY,
    "stablehlo.minimum": _ANY,
}
"""The functions that are known, and the init that leaves values as they are; any, if it may count several times."""

_CHAINS = 8
"""How many rows are computed together, as each step of one waits for the step before."""


@frozen
class Cumulative:
    """A cumulative `stablehlo.reduce_window`: along which dimension, from its end or its beginning."""

    op: ir.Operation
    function: str
    shape: Sequence[int]
    axis: int
    from_end: bool


def find_cumulative(op: ir.Operation) -> Cumulative | None:
    """Read `op`, a `stablehlo.reduce_window`; None if it is not cumulative. Changes nothing."""
    if len(op.operands) != 2 or not ir.RankedTensorType(op.operands[0].type).has_static_shape:
        return None
    type_ = ir.RankedTensorType(op.operands[0].type)
    shape, ones = list(type_.shape), [1] * type_.rank
    steps = ("window_strides", "base_dilations", "window_dilations")
    if any(integers(op, name, ones) != ones for name in steps) or type_ != op.results[0].type:
        return None
    windows, padding = integers(op, "window_dimensions", ones), integers(op, "padding", [0, 0] * type_.rank)
    axes = [axis for axis, window in enumerate(windows) if window > 1]
    if len(axes) != 1 or windows[axes[0]] != shape[axes[0]] or 0 in shape:
        return None
    (axis,) = axes
    sides = padding[2 * axis], padding[2 * axis + 1]
    if sorted(sides) != [0, shape[axis] - 1] or sum(padding) != shape[axis] - 1:
        return None
    function = _function(op, type_.element_type)
    return None if function is None else Cumulative(op, function, shape, axis, from_end=sides[0] == 0)


def _function(op: ir.Operation, element: ir.Type) -> str | None:
    """The op that the region of `op` consists of, if it is a known one on numbers; None otherwise."""
    block = op.regions[0].blocks[0]
    inner = [one.operation for one in block.operations]
    if len(inner) != 2 or inner[0].name not in _INITS or list(inner[1].operands) != list(inner[0].results):
        return None
    if {*inner[0].operands} != {*block.arguments} or any(a.type.element_type != element for a in block.arguments):
        return None
    is_number = isinstance(element, ir.FloatType) or (
        isinstance(element, ir.IntegerType) and element.is_signless and element.width > 1
    )
    wanted = _INITS[inner[0].name]
    is_init = wanted is _ANY or _number(op.operands[1]) == wanted
    return inner[0].name if is_number and is_init else None


def _number(value: ir.Value) -> float | None:
    """The number that a constant gives a tensor of rank 0."""
    while (broadcast := defining_op(value, "stablehlo.broadcast_in_dim")) is not None:
        value = broadcast.operands[0]
    op = defining_op(value, "stablehlo.constant")
    attribute: Any = op.attributes["value"] if op is not None else None
    if not isinstance(attribute, ir.DenseElementsAttr) or not attribute.is_splat:
        return None
    number: Any = attribute.get_splat_value()
    return number.value if isinstance(number, ir.FloatAttr | ir.IntegerAttr) else None


def lower_cumulative(found: Cumulative) -> None:
    """Replace the op by loops that update a tensor from one end to the other."""
    type_ = ir.RankedTensorType(found.op.results[0].type)
    empty = ir.Operation.create("tensor.empty", [type_]).result
    build = _along_rows if found.axis == type_.rank - 1 else _across_rows
    found.op.results[0].replace_all_uses_with(build(found, empty))
    found.op.erase()


def _position(found: Cumulative, step: Any) -> Any:
    """The index of step number `step`."""
    return subtract(found.shape[found.axis] - 1, step) if found.from_end else step


def _across_rows(found: Cumulative, empty: ir.Value) -> ir.Value:
    """Rows, or what follows the dimension, are added to each other as a whole."""
    source, init = found.op.operands
    rest, ones = found.shape[found.axis + 1 :], (1,) * len(found.shape)
    type_ = ir.RankedTensorType.get(rest, ir.RankedTensorType(source.type).element_type)
    none = {"broadcast_dimensions": ir.DenseI64ArrayAttr.get([])}

    def at(indices: Sequence[ir.Value], step: Any) -> Subset:
        offsets = (*indices, _position(found, step), *[0] * len(rest))
        return Subset(offsets, (*[1] * (found.axis + 1), *rest), ones)

    def next_row(old: ir.Value, target: ir.Value, place: Subset) -> ir.Value:
        new = ir.Operation.create(found.function, [type_], [old, extract_slice(source, place, type_)]).result
        return insert_slice(new, target, place)

    def block(indices: list[ir.Value], carried: list[ir.Value]) -> Values:
        start = ir.Operation.create("stablehlo.broadcast_in_dim", [type_], [init], none).result
        first = next_row(start, carried[0], at(indices, 0))

        def step(number: ir.Value, inner: list[ir.Value]) -> Values:
            before = extract_slice(inner[0], at(indices, subtract(number, 1)), type_)
            return [next_row(before, inner[0], at(indices, number))]

        return loop(1, found.shape[found.axis], [first], step)

    return loop_nest(found.shape[: found.axis], [empty], block)[0]


def _along_rows(found: Cumulative, empty: ir.Value) -> ir.Value:
    """Elements of a row are added up one by one: in squares of rows, where there are such, else in some at a time."""
    source, init = found.op.operands
    element = ir.RankedTensorType(source.type).element_type
    *outer, _ = found.shape
    rows = outer[-1] if outer else 1
    start = tensor.extract(init, [])
    squares = squares_of(found.function, found.shape, element, from_end=found.from_end)
    in_squares = 0 if squares is None else rows - rows % ROWS

    def block(indices: list[ir.Value], carried: list[ir.Value]) -> Values:
        assert squares is not None
        first = [*indices[:-1], as_value(multiply(indices[-1], ROWS))]
        new, totals = squares.build(source, carried[0], start, first)
        return [_one_by_one(found, new, first, totals, squares.done)]

    target = loop_nest([*outer[:-1], in_squares // ROWS], [empty], block)[0] if in_squares else empty
    left = rows - in_squares
    if left == 0:
        return target
    chains = next(count for count in range(_CHAINS, 0, -1) if left % count == 0)

    def chain(indices: list[ir.Value], carried: list[ir.Value]) -> Values:
        own = [as_value(add(multiply(number, chains), in_squares)) for number in indices[-1:]]
        return [_one_by_one(found, carried[0], [*indices[:-1], *own], [start] * chains, 0)]

    return loop_nest([*outer[:-1], left // chains] if outer else [], [target], chain)[0]


def _one_by_one(
    found: Cumulative, target: ir.Value, row: Sequence[ir.Value], totals: Sequence[ir.Value], done: int
) -> ir.Value:
    """Build the loop that computes each element of some rows from number `done` on; `row` is the place of the first."""
    source = found.op.operands[0]
    body = found.op.regions[0].blocks[0]
    if done == found.shape[found.axis]:
        return target
    bases = [[*row[:-1], *[as_value(add(number, chain)) for number in row[-1:]]] for chain in range(len(totals))]

    def step(index: ir.Value, inner: list[ir.Value]) -> Values:
        new, *before = inner
        news: list[ir.Value] = []
        for base, total in zip(bases, before, strict=True):
            place = [*base, as_value(_position(found, index))]
            news += compute_on_scalars(body, [total, tensor.extract(source, place)])
            new = tensor.insert(news[-1], new, place)
        return [new, *news]

    return loop(done, found.shape[found.axis], [target, *totals], step)[0]
