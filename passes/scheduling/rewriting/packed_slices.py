"""Copies of slices into a packed tensor, before the loop that reads them many times."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, linalg, scf, tensor

from ....dialects.bufferizable import Subset
from ....dialects.subsets import extract_slice, insert_slice, mixed_subset
from ....dialects.support.cloning import clone_with
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.index_math import Number
from ...analysis.schedule.packing import Packing
from .loops import build_loop, segments
from .smaller import take_slice

__all__ = ["pack"]

_STREAMS = 8
"""How many rows of the source are read as parallel streams: hardware prefetches that many, and the writes touch a page
of a panel for each."""


def pack(packing: Packing) -> None:
    """Build the packed tensor and read the slice from it. Linear in the ops that compute indices."""
    op = packing.op
    with op.location:
        with ir.InsertionPoint(packing.reuse):
            trips = [_trips(loop) for loop in packing.panels]
            element = ir.RankedTensorType(op.results[0].type).element_type
            packed = _fill(packing, tensor.empty([*trips, *packing.bounds], element))
        with ir.InsertionPoint(op):
            numbers = [_number(loop, loop.regions[0].blocks[0].arguments[0]) for loop in packing.panels]
            sizes = mixed_subset(op, 1).sizes
            panel = extract_slice(packed, _subset(numbers, sizes, [0] * len(sizes)), op.results[0].type)
    op.results[0].replace_all_uses_with(panel)
    op.erase()
    transposition = packing.transposition
    if transposition is not None and not any(True for _ in transposition.results[0].uses):
        transposition.erase()


def _trips(loop: ir.Operation) -> ir.Value:
    lower, upper, step = _bounds(loop)
    return arith.ceildivui(arith.subi(upper, lower), step)


def _bounds(loop: ir.Operation) -> list[ir.Value]:
    """Return the lower bound, the upper bound and the step of `loop`, as values that are defined before it."""
    bounds = list(loop.operands)[:3]
    return [clone_with(op, {}).results[0] if (op := defining_op(one, "arith.constant")) else one for one in bounds]


def _number(loop: ir.Operation, variable: ir.Value) -> ir.Value:
    """Build the number of the iteration of `loop` whose induction variable is `variable`."""
    lower, _, step = _bounds(loop)
    return arith.divui(arith.subi(variable, lower), step)


def _fill(packing: Packing, packed: ir.Value) -> ir.Value:
    """Build loops like the panel loops that copy each slice into its panel.

    Where rows of the source go through all slices, a few rows are copied to all panels before the next few: then memory
    is read along its rows, which it prefetches.
    """
    if packing.rows is None:
        return _Copies(packing).build(0, packed)
    for segment in segments(packing.bounds[packing.rows], 1, _STREAMS):

        def body(number: Number, carried: list[ir.Value], count: int = segment.count) -> list[ir.Value]:
            return [_Copies(packing, number, count).build(0, *carried)]

        (packed,) = build_loop(segment, [packed], body)
    return packed


class _Copies:
    """Builds the copies of slices into their panels: of `count` rows from `first` on, or all of them."""

    def __init__(self, packing: Packing, first: Number = 0, count: int | None = None) -> None:
        self.packing = packing
        self.first = first
        self.count = count
        self.known: dict[ir.Value, ir.Value] = {}
        self.numbers: list[ir.Value] = []

    def build(self, level: int, carried: ir.Value) -> ir.Value:
        """Build the loops for panel loop number `level` and those inside."""
        if level == len(self.packing.panels):
            return self._copy(carried)
        panel = self.packing.panels[level]
        lower, upper, step = _bounds(panel)
        loop = scf.ForOp(lower, upper, step, [carried])
        self.known[panel.regions[0].blocks[0].arguments[0]] = loop.induction_variable
        with ir.InsertionPoint(loop.body):
            self.numbers.append(_number(panel, loop.induction_variable))
            scf.yield_([self.build(level + 1, loop.inner_iter_args[0])])
        return loop.results[0]

    def _copy(self, packed: ir.Value) -> ir.Value:
        """Copy the slice that is computed from the values in `known` instead of those inside the reuse loop."""
        for one in self.packing.computed:
            clone_with(one, self.known)
        op = clone_with(self.packing.op, self.known)
        if self.packing.transposition is not None:
            return self._transpose(self.packing.transposition, op, packed)
        source, sizes = op.results[0], mixed_subset(op, 1).sizes
        if self.count is not None:
            sizes = tuple(self.count if at == self.packing.rows else size for at, size in enumerate(sizes))
            part = Subset(tuple(self._offsets(len(sizes))), sizes, (1,) * len(sizes))
            source = take_slice(source, part)
        subset = _subset(self.numbers, sizes, self._offsets(len(sizes)))
        target = extract_slice(packed, subset, source.type)
        copied = linalg.CopyOp([target.type], [source], [target])
        linalg.fill_builtin_region(copied.operation)
        return insert_slice(copied.operation.results[0], packed, subset)

    def _transpose(self, transposition: ir.Operation, op: ir.Operation, packed: ir.Value) -> ir.Value:
        """Compute slice `op` of the result of `transposition` from a slice of its input; `op` is erased."""
        order = list(ir.DenseI64ArrayAttr(transposition.attributes["permutation"]))
        of_result, type_ = mixed_subset(op, 1), op.results[0].type
        op.erase()
        # Dimension `i` of the result is dimension `order[i]` of the input.
        places = [order.index(dimension) for dimension in range(len(order))]
        entries = (of_result.offsets, of_result.sizes, of_result.strides)
        of_input = Subset(*(tuple(entry[place] for place in places) for entry in entries))
        source = take_slice(transposition.operands[0], of_input)
        subset = _subset(self.numbers, of_result.sizes, [0] * len(order))
        target = extract_slice(packed, subset, type_)
        turned = linalg.TransposeOp([type_], source, target, order).operation
        linalg.fill_builtin_region(turned)
        return insert_slice(turned.results[0], packed, subset)

    def _offsets(self, rank: int) -> list[Number]:
        return [self.first if dimension == self.packing.rows else 0 for dimension in range(rank)]


def _subset(numbers: Sequence[ir.Value], sizes: Sequence[int | ir.Value], offsets: Sequence[Number]) -> Subset:
    rank = len(numbers) + len(sizes)
    return Subset((*numbers, *offsets), (*(1 for _ in numbers), *sizes), (1,) * rank)
