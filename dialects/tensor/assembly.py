"""tensor.pad and tensor.concat: a new buffer, into which other tensors are copied."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir

from ..bufferizable import OpModel, Subset
from ..common_models import ParallelRegionModel
from ..rewriter import Rewriter
from ..structured import add_sizes, compute_elements, extent, fill
from ..subsets import static_entries, subview
from ..support.index_math import Number, as_value
from ..support.memref_types import identity_type

__all__ = ["ASSEMBLY_MODELS", "around", "constant_yield", "padding"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_LEAST_INSIDE = 1024
"""How many elements a padded tensor has at least if only what is beside them is filled."""


class PadModel(ParallelRegionModel):
    """``tensor.pad``: a buffer of the padded size, the source copied to its middle, the padding computed around it.

    It is computed everywhere where sizes are dynamic, or each element has another.
    """

    op_names = ("tensor.pad",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse padding that takes elements away: there is no place in the result for all of the source."""
        for name in ("static_low", "static_high"):
            for dimension, entry in enumerate(op.attributes[name]):
                if entry < 0 and entry != _DYNAMIC:
                    return (
                        f"'tensor.pad' has the padding {entry} in dimension {dimension}, but must not be negative; "
                        "take elements away with tensor.extract_slice"
                    )
        return None

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Allocate, fill with the padding, copy the source."""
        source = rewriter.buffer(op, 0)
        type_ = ir.MemRefType(identity_type(op.results[0].type))
        low, high = padding(op)
        extents = [extent(source, dimension) for dimension in range(type_.rank)]
        dynamic = [d for d in range(type_.rank) if type_.is_dynamic_dim(d)]
        buffer = rewriter.allocate(type_, [as_value(add_sizes(low[d], extents[d], high[d])) for d in dynamic])
        rewriter.sweep(op)
        constant = constant_yield(op.regions[0].blocks[0])
        if constant is None:
            compute_elements(op.regions[0].blocks[0], buffer)
        else:
            for part in around(low, extents, high) or [None]:
                fill(constant, buffer if part is None else subview(buffer, part, static_entries(part.sizes)))
        ones = (1,) * type_.rank
        middle = subview(buffer, Subset(tuple(low), tuple(extents), ones), ir.MemRefType(source.type).shape)
        rewriter.copy(source, middle)
        rewriter.replace(op, [buffer])


class ConcatModel(OpModel):
    """``tensor.concat``: a buffer for the result, and one copy for each part that is not known to be empty."""

    op_names = ("tensor.concat",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Allocate and copy the parts, one behind the other."""
        parts = [rewriter.buffer(op, operand) for operand in range(len(op.operands))]
        type_ = ir.MemRefType(identity_type(op.results[0].type))
        along = ir.IntegerAttr(op.attributes["dim"]).value
        begins: list[int | ir.Value] = [0]
        lengths = [extent(part, along) for part in parts]
        for length in lengths:
            begins.append(add_sizes(begins[-1], length))
        sizes = [begins[-1] if d == along else _size(parts[0], type_, d) for d in range(type_.rank)]
        buffer = rewriter.allocate(type_, [as_value(sizes[d]) for d in range(type_.rank) if type_.is_dynamic_dim(d)])
        for part, begin, length in zip(parts, begins, lengths, strict=False):
            if 0 not in ir.MemRefType(part.type).shape:
                offsets = [begin if d == along else 0 for d in range(type_.rank)]
                sizes[along] = length
                subset = Subset(tuple(offsets), tuple(sizes), (1,) * type_.rank)
                rewriter.copy(part, subview(buffer, subset, static_entries(sizes)))
        rewriter.replace(op, [buffer])


def _size(part: ir.Value, whole: ir.MemRefType, dimension: int) -> int | ir.Value:
    return extent(part, dimension) if whole.is_dynamic_dim(dimension) else whole.get_dim_size(dimension)


def padding(op: ir.Operation) -> tuple[list[int | ir.Value], list[int | ir.Value]]:
    """Return how many elements ``tensor.pad`` adds in front and behind, for each dimension."""
    sizes, operands = list(op.attributes["operandSegmentSizes"]), list(op.operands)
    entries: list[list[int | ir.Value]] = []
    for segment, attribute in ((1, "static_low"), (2, "static_high")):
        dynamic = iter(operands[sum(sizes[:segment]) : sum(sizes[: segment + 1])])
        entries.append([next(dynamic) if entry == _DYNAMIC else entry for entry in op.attributes[attribute]])
    return entries[0], entries[1]


def around(low: Sequence[Number], extents: Sequence[Number], high: Sequence[Number]) -> list[Subset]:
    """Return the parts of a padded tensor beside its source, each element in one of them.

    None are returned where all of it is to be filled: sizes are not static, or the source is small, beside the padding
    or as such, so that one loop is better than several.
    """
    rank = range(len(extents))
    static = [[size for size in sizes if isinstance(size, int)] for sizes in (low, extents, high)]
    if any(len(sizes) < len(rank) for sizes in static):
        return []
    before, inside, behind = static
    whole = [sum(sizes) for sizes in zip(*static, strict=True)]
    if math.prod(inside) < max(_LEAST_INSIDE, math.prod(whole) // 2):
        return []
    parts: list[Subset] = []
    for d in rank:
        for offset, size in ((0, before[d]), (before[d] + inside[d], behind[d])):
            if size > 0:
                offsets = tuple(before[i] if i < d else offset if i == d else 0 for i in rank)
                sizes = tuple(inside[i] if i < d else size if i == d else whole[i] for i in rank)
                parts.append(Subset(offsets, sizes, (1,) * len(rank)))
    return parts


def constant_yield(block: ir.Block) -> ir.Value | None:
    """Return what ``block`` yields if that is the same for every element, and available in front of it.

    A constant in ``block`` is cloned to the insertion point.
    """
    terminator = list(block.operations)[-1].operation
    value = terminator.operands[0]
    owner = value.owner
    if isinstance(owner, ir.Block):
        return value if owner != block else None
    operation = owner.operation
    if operation.block != block:
        return value
    if operation.name != "arith.constant":
        return None
    clone = operation.clone()
    return clone.results[0]


ASSEMBLY_MODELS: tuple[OpModel, ...] = (PadModel(), ConcatModel())
