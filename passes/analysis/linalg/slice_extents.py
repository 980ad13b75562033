"""The possible sizes of a dimension of a slice in a tiled loop: the full tile, or the remainder tile.

A tile whose size does not divide the trip count has a dynamic type, since `affine.min` computes its size. If the bounds
of the loop are known, there are at most two sizes. They follow from a slice whose size in a dimension is

    affine.min(T, C - i)    with i from scf.for %i = L to U step S

where L, U, S, T and C are constants. `C - i` decreases, so if the size is T in the next-to-last iteration, it is T in
all earlier ones, and only the last one may differ.

Constant time; nothing is changed. Upstream counterpart: `affine::simplifyAffineMinOp`, which finds a single constant
only.
"""

from __future__ import annotations

from mlir import ir

from ....dialects.subsets import mixed_subset
from ....dialects.support.constants import constant_integer
from ....dialects.support.defining_ops import defining_op

__all__ = ["slice_extents"]


def slice_extents(value: ir.Value, dimension: int) -> frozenset[int]:
    """Return the possible sizes of `dimension` of `value`, at most two; nothing if they are not known."""
    op = defining_op(value, "tensor.extract_slice")
    if op is None:
        return frozenset()
    subset = mixed_subset(op, 1)
    if len(subset.sizes) != ir.RankedTensorType(value.type).rank:
        return frozenset()
    size = subset.sizes[dimension]
    return frozenset({size}) if isinstance(size, int) else _sizes_of_minimum(size)


def _sizes_of_minimum(size: ir.Value) -> frozenset[int]:
    op = defining_op(size, "affine.min")
    if op is None or len(op.operands) != 1:
        return frozenset()
    first_last = _last_two(op.operands[0])
    pair = _minimum(ir.AffineMapAttr(op.attributes["map"]).value)
    if first_last is None or pair is None:
        return frozenset()
    most, end = pair
    before, last = (min(most, end - number) for number in first_last)
    # They are equal and below T only if there is one iteration.
    return frozenset({before, last}) if before in {most, last} and last > 0 else frozenset()


def _minimum(map_: ir.AffineMap) -> tuple[int, int] | None:
    """Return T and C of a map `(i) -> (T, C - i)`, in any order."""
    constants: list[int] = []
    ends: list[int] = []
    at = ir.AffineDimExpr.get(0) if map_.n_dims else ir.AffineSymbolExpr.get(0)
    for result in map_.results:
        end = (result + at).maybe_downcast()
        if isinstance(result, ir.AffineConstantExpr):
            constants.append(result.value)
        elif isinstance(end, ir.AffineConstantExpr):
            ends.append(end.value)
    if len(map_.results) != 2 or len(constants) != 1 or len(ends) != 1:
        return None
    return constants[0], ends[0]


def _last_two(variable: ir.Value) -> tuple[int, int] | None:
    """Return the induction variable of a loop with static bounds in the last two iterations."""
    block = variable.owner
    if not isinstance(block, ir.Block) or block.owner.name != "scf.for" or block.arguments[0] != variable:
        return None
    lower, upper, step = (constant_integer(value) for value in list(block.owner.operands)[:3])
    if lower is None or upper is None or step is None or lower >= upper or step < 1:
        return None
    last = lower + (upper - lower - 1) // step * step
    return max(lower, last - step), last
