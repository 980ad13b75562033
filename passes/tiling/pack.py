"""Copies of slices into a packed tensor, built in front of the loop that reads them again and again."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, linalg, scf, tensor

from ...dialects.bufferizable import Subset
from ...dialects.subsets import extract_slice, insert_slice, mixed_subset
from ..analysis.packing import Packing, is_constant

__all__ = ["pack"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def pack(packing: Packing) -> None:
    """Build the packed tensor and let the slice be taken from it. Linear in the ops that compute indices."""
    op = packing.op
    with op.location:
        with ir.InsertionPoint(packing.reuse):
            trips = [_trips(loop) for loop in packing.panels]
            packed = _fill(packing, _empty(packing, trips))
        with ir.InsertionPoint(op):
            numbers = [_number(loop, loop.regions[0].blocks[0].arguments[0]) for loop in packing.panels]
            panel = _panel(packed, numbers, mixed_subset(op, 1).sizes, op.results[0].type)
    op.results[0].replace_all_uses_with(panel)
    op.erase()


def _trips(loop: ir.Operation) -> ir.Value:
    lower, upper, step = _bounds(loop)
    return arith.ceildivui(arith.subi(upper, lower), step)


def _bounds(loop: ir.Operation) -> list[ir.Value]:
    """Return the lower bound, the upper bound and the step of `loop`, to be used in front of it."""
    bounds = list(loop.operands)[:3]
    return [_again(ir.OpResult(value).owner.operation) if is_constant(value) else value for value in bounds]


def _again(constant: ir.Operation) -> ir.Value:
    return constant.clone(ir.InsertionPoint.current).operation.results[0]


def _number(loop: ir.Operation, variable: ir.Value) -> ir.Value:
    """Return which iteration of `loop` it is when its variable is `variable`."""
    lower, _, step = _bounds(loop)
    return arith.divui(arith.subi(variable, lower), step)


def _empty(packing: Packing, trips: Sequence[ir.Value]) -> ir.Value:
    sizes = [*trips, *packing.bounds]
    element = ir.RankedTensorType(packing.op.results[0].type).element_type
    return tensor.empty(sizes, element)


def _fill(packing: Packing, packed: ir.Value) -> ir.Value:
    """Build loops like the panel loops that copy each slice into its panel."""
    known: dict[ir.Value, ir.Value] = {}
    numbers: list[ir.Value] = []

    def nest(level: int, carried: ir.Value) -> ir.Value:
        if level == len(packing.panels):
            return _copy(packing, known, numbers, carried)
        panel = packing.panels[level]
        lower, upper, step = _bounds(panel)
        loop = scf.ForOp(lower, upper, step, [carried])
        known[panel.regions[0].blocks[0].arguments[0]] = loop.induction_variable
        with ir.InsertionPoint(loop.body):
            numbers.append(_number(panel, loop.induction_variable))
            scf.yield_([nest(level + 1, loop.inner_iter_args[0])])
        return loop.results[0]

    return nest(0, packed)


def _copy(packing: Packing, known: dict[ir.Value, ir.Value], numbers: Sequence[ir.Value], packed: ir.Value) -> ir.Value:
    """Copy the slice that has the values of `known` in place of those inside the reuse loop."""
    for one in (*packing.computed, packing.op):
        copy = one.clone(ir.InsertionPoint.current).operation
        for number, operand in enumerate(copy.operands):
            if operand in known:
                copy.operands[number] = known[operand]
        known.update(zip(one.results, copy.results, strict=True))
    source = known[packing.op.results[0]]
    sizes = mixed_subset(ir.OpResult(source).owner.operation, 1).sizes
    target = _panel(packed, numbers, sizes, source.type)
    copied = linalg.CopyOp([target.type], [source], [target])
    linalg.fill_builtin_region(copied.operation)
    return insert_slice(copied.operation.results[0], packed, _subset(numbers, sizes))


def _panel(packed: ir.Value, numbers: Sequence[ir.Value], sizes: Sequence[int | ir.Value], type_: ir.Type) -> ir.Value:
    return extract_slice(packed, _subset(numbers, sizes), type_)


def _subset(numbers: Sequence[ir.Value], sizes: Sequence[int | ir.Value]) -> Subset:
    rank = len(numbers) + len(sizes)
    return Subset((*numbers, *(0 for _ in sizes)), (*(1 for _ in numbers), *sizes), (1,) * rank)
