"""Slices that a loop rereads, and that are therefore packed into contiguous memory once, before the loop.

A slice is packed if a loop around it, the *reuse loop*, reads the same slices in each of its iterations: neither the
source nor the position of the slice depends on it. The loops between the reuse loop and the slice, the *panel loops*,
index the slices: each has its own panel in the packed tensor. Only slices that are inputs of linalg ops are considered,
and only with panel loops: a loop-invariant slice is in the cache anyway. Slices that are contiguous already, such as
some whole rows, gain nothing.

If such slices are the only users of a transposition, each is the transposition of a slice of its input: that is packed,
with or without panel loops, and the transposed tensor is never materialized.

Linear in the slices times the depth of loops; nothing is changed. Upstream counterpart:
`transform.structured.hoist_pad`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from mlir import ir

from ....dialects.subsets import mixed_subset
from ....dialects.support.constants import constant_integer
from ....dialects.support.defining_ops import defining_op, is_inside, parent_block
from ....dialects.support.frozen_classes import frozen
from ..ir.traversal import loops_around
from .own_producers import is_own_transposition

__all__ = ["Packing", "find_packings", "is_constant"]

_TRANSPOSE = "linalg.transpose"
_INDEX_OPS = ("arith.", "affine.")


@frozen
class Packing:
    """A slice to pack.

    Attributes:
        op: the `tensor.extract_slice`.
        reuse: the loop before which it is packed.
        panels: the loops inside that one which the slice depends on, outermost first.
        computed: the ops inside `reuse` that compute indices for the slice, in order.
        bounds: for each dimension of the slice its largest size; an integer, or a value that is defined before `reuse`.
        rows: a dimension in which all slices begin and end at the same places, if they are adjacent in the last one:
            rows of the source span all of them.
        transposition: the `linalg.transpose` whose result is sliced, if it is computed slice by slice.
    """

    op: ir.Operation
    reuse: ir.Operation
    panels: tuple[ir.Operation, ...]
    computed: tuple[ir.Operation, ...]
    bounds: tuple[int | ir.Value, ...]
    rows: int | None
    transposition: ir.Operation | None = None


def find_packings(slices: Iterable[ir.Operation]) -> list[Packing]:
    """Return the packings of those `slices` whose only uses are inputs of linalg ops."""
    found = [packing for op in slices if _is_input(op) and (packing := _packing(op)) is not None]
    transposed = _transposed(found)
    return [
        replace(packing, rows=None, transposition=ir.OpResult(packing.op.operands[0]).owner.operation)
        if packing.op.operands[0] in transposed
        else packing
        for packing in found
        if packing.op.operands[0] in transposed or (packing.panels and not _is_one_piece(packing.op))
    ]


def _is_one_piece(op: ir.Operation) -> bool:
    """Return whether the slice is contiguous: full in each dimension after the first with several elements."""
    source, subset = op.operands[0], mixed_subset(op, 1)
    shape = ir.RankedTensorType(source.type).shape
    first = next((number for number, size in enumerate(subset.sizes) if size != 1), len(shape))
    return all(stride == 1 for stride in subset.strides[first:]) and all(
        size == shape[number] or _is_size_of(size, source, number)
        for number, size in enumerate(subset.sizes)
        if number > first
    )


def _is_size_of(size: int | ir.Value, source: ir.Value, dimension: int) -> bool:
    """Return whether `size` is the `tensor.dim` of that dimension of `source`."""
    op = None if isinstance(size, int) else defining_op(size, "tensor.dim")
    return op is not None and op.operands[0] == source and constant_integer(op.operands[1]) == dimension


def _transposed(packings: Iterable[Packing]) -> set[ir.Value]:
    """Return the results of transpositions whose only users are packable slices."""
    sources = Counter(packing.op.operands[0] for packing in packings if not _drops_dimensions(packing.op))
    return {
        source
        for source, count in sources.items()
        if (op := defining_op(source, _TRANSPOSE)) and is_own_transposition(op) and count == len(list(source.uses))
    }


def _drops_dimensions(op: ir.Operation) -> bool:
    """Whether slice `op` has a lower rank than its source."""
    return ir.RankedTensorType(op.operands[0].type).rank != ir.RankedTensorType(op.results[0].type).rank


def _is_input(op: ir.Operation) -> bool:
    uses = list(op.results[0].uses)
    return bool(uses) and all(
        use.owner.name.startswith("linalg.")
        and "operandSegmentSizes" in use.owner.attributes
        and use.operand_number < ir.DenseI32ArrayAttr(use.owner.attributes["operandSegmentSizes"])[0]
        for use in uses
    )


def _packing(op: ir.Operation) -> Packing | None:
    """Return how `op` is packed before the outermost loop that allows it."""
    used = _Used(op)
    source = op.operands[0]
    best: Packing | None = None
    inside: list[ir.Operation] = []
    for reuse in loops_around(op):
        if is_inside(source, reuse):
            break
        if reuse.regions[0].blocks[0] not in used.blocks:
            best = _before(reuse, op, used, inside) or best
        inside.insert(0, reuse)
    return best


def _before(reuse: ir.Operation, op: ir.Operation, used: _Used, inside: list[ir.Operation]) -> Packing | None:
    """Return how `op` is packed before `reuse`; `inside` are the loops in it, outermost first."""
    panels = [loop for loop in inside if loop.regions[0].blocks[0] in used.blocks]
    # Other block arguments among the indices' operands are not defined before the loop.
    foreign = used.blocks - {loop.regions[0].blocks[0] for loop in panels}
    if any(is_inside(block.arguments[0], reuse) for block in foreign):
        return None
    if any(is_inside(bound, reuse) and not is_constant(bound) for loop in panels for bound in list(loop.operands)[:3]):
        return None
    computed = [one for one in used.computed if is_inside(one.results[0], reuse)]
    if not all(one.name.startswith(_INDEX_OPS) and not len(one.regions) for one in computed):
        return None
    bounds = [_bound(size, reuse) for size in mixed_subset(op, 1).sizes]
    known = tuple(bound for bound in bounds if bound is not None)
    if len(known) < len(bounds):
        return None
    return Packing(op, reuse, tuple(panels), tuple(computed), known, _rows(op, reuse))


def _rows(op: ir.Operation, reuse: ir.Operation) -> int | None:
    """Return the innermost dimension, except the last, with equal extents in all slices, if the last one differs."""
    if _drops_dimensions(op):
        return None
    subset = mixed_subset(op, 1)
    *others, last = (
        any(isinstance(value, ir.Value) and is_inside(value, reuse) for value in place)
        for place in zip(subset.offsets, subset.sizes, subset.strides, strict=True)
    )
    same = [dimension for dimension, moved in enumerate(others) if not moved]
    return same[-1] if last and same else None


def is_constant(value: ir.Value) -> bool:
    """Return whether `value` is an `arith.constant`, which can be rematerialized anywhere."""
    return defining_op(value, "arith.constant") is not None


def _bound(size: int | ir.Value, reuse: ir.Operation) -> int | ir.Value | None:
    """Return `size`, or its upper bound if it is computed inside `reuse`; None if there is none."""
    if isinstance(size, int) or not is_inside(size, reuse):
        return size
    op = defining_op(size, "affine.min")
    results = [] if op is None else list(ir.AffineMapAttr(op.attributes["map"]).value.results)
    return min((result.value for result in results if isinstance(result, ir.AffineConstantExpr)), default=None)


class _Used:
    """The dependences of the slice's offsets, sizes and strides: blocks, by their arguments, and ops, in order."""

    def __init__(self, op: ir.Operation) -> None:
        self.blocks: set[ir.Block] = set()
        self.computed: list[ir.Operation] = []
        self._seen: set[ir.Value] = set()
        for value in list(op.operands)[1:]:
            self._visit(value)

    def _visit(self, value: ir.Value) -> None:
        if value in self._seen:
            return
        self._seen.add(value)
        op = defining_op(value)
        if op is None:
            self.blocks.add(parent_block(value))
            return
        for operand in op.operands:
            self._visit(operand)
        self.computed.append(op)
