"""Functions that few lanes have another way for, in a branch that is not taken as long as there is none: often libm's.

The other lanes are not computed by libm, so that what a lane gives does not depend on its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, scf, vector

from .vectors import Floats, Mask

__all__ = ["or_libm", "unless_all"]

Libm = Callable[..., ir.Value]


def or_libm(arguments: Sequence[Floats], beyond: Mask, result: Floats, libm: Libm) -> Floats:
    """Build branches that replace the lanes of `result` that are `beyond` by what `libm` makes of the `arguments`."""
    operands = zip(*(argument.values for argument in arguments), strict=True)
    parts = zip(operands, beyond.values, result.values, strict=True)
    return Floats([_branch_of_one(*part, libm) for part in parts])


def unless_all(common: Mask, result: Floats, rest: Callable[[], Floats]) -> Floats:
    """Build a branch that is `result` if all lanes are `common`, and else what `rest` builds, for all vectors at once.

    In `common` lanes both must be the same, so that what a lane gives does not depend on its neighbours.
    """
    every, *others = map(_flat, common.values)
    for other in others:
        every = arith.andi(every, other)
    condition = vector.reduction(ir.VectorType(every.type).element_type, ir.Attribute.parse("#vector.kind<and>"), every)
    choice = scf.IfOp(condition, [value.type for value in result.values], has_else=True)
    with ir.InsertionPoint(choice.thenRegion.blocks[0]):
        scf.YieldOp(result.values)
    with ir.InsertionPoint(choice.elseRegion.blocks[0]):
        scf.YieldOp(rest().values)
    return Floats(list(choice.results))


def _branch_of_one(operands: Sequence[ir.Value], beyond: ir.Value, result: ir.Value, libm: Libm) -> ir.Value:
    """Build the branch for one vector: `libm` in the lanes that are `beyond`, `result` in the others."""
    large = _flat(beyond)
    any_large = vector.reduction(ir.VectorType(large.type).element_type, ir.Attribute.parse("#vector.kind<or>"), large)
    choice = scf.IfOp(any_large, [result.type], has_else=True)
    with ir.InsertionPoint(choice.thenRegion.blocks[0]):
        scf.YieldOp([_lane_by_lane(operands, large, result, libm)])
    with ir.InsertionPoint(choice.elseRegion.blocks[0]):
        scf.YieldOp([result])
    return choice.results[0]


def _flat(x: ir.Value) -> ir.Value:
    """A vector of one dimension with the lanes of `x`."""
    type_ = ir.VectorType(x.type)
    if type_.rank == 1:
        return x
    return vector.shape_cast(ir.VectorType.get([math.prod(type_.shape)], type_.element_type), x)


def _lane_by_lane(operands: Sequence[ir.Value], large: ir.Value, result: ir.Value, libm: Libm) -> ir.Value:
    """Build a loop that replaces the lanes of `result` that are `large` by what `libm` makes of those of `operands`.

    Each has a branch of its own: an op on the whole vector, which may be computed though it is not needed, is moved in
    front of the branch by LLVM where a sine and a cosine of one vector are wanted.
    """
    numbers, old = [_flat(operand) for operand in operands], _flat(result)
    index, dynamic = ir.IndexType.get(), [ir.ShapedType.get_dynamic_size()]
    first, end, step = (arith.constant(index, value) for value in (0, ir.VectorType(old.type).shape[0], 1))
    loop = scf.ForOp(first, end, step, [old])
    with ir.InsertionPoint(loop.body):
        lane, lanes = loop.induction_variable, loop.inner_iter_args[0]
        choice = scf.IfOp(vector.extract(large, [lane], dynamic), [old.type], has_else=True)
        with ir.InsertionPoint(choice.thenRegion.blocks[0]):
            value = libm(*(vector.extract(number, [lane], dynamic) for number in numbers))
            scf.YieldOp([vector.insert(value, lanes, [lane], dynamic)])
        with ir.InsertionPoint(choice.elseRegion.blocks[0]):
            scf.YieldOp([lanes])
        scf.YieldOp([choice.results[0]])
    done = loop.results[0]
    return done if done.type == result.type else vector.shape_cast(result.type, done)
