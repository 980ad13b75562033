"""sin, cos and tan.

`x = n pi / 2 + r` with |r| <= pi / 4 (a little more where n was rounded the other way). r is x - n pi / 2 with pi / 2
in three parts: the first fma is exact, as its result is a multiple of 2^-24 below 1 and so fits; the second rounds to
half an ulp; the third adds what pi / 2 has beyond 2^-50. That is good for |x| <= 2^16, where rounding moves x 2 / pi by
no more than 2^-8. Larger lanes are taken from libm, in a branch that is not taken as long as there is none; the others
are not, so that what a lane gives does not depend on its neighbours.

The coefficients were made as those of `exponentials.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from mlir import ir
from mlir.dialects import arith, scf, vector
from mlir.dialects import math as math_ops

from .exponentials import ROUNDER
from .vectors import Bits, Floats, polynomial

__all__ = ["LARGEST", "cos", "sin", "tan"]

LARGEST = 65536.0
"""The largest number that is reduced here."""

_TWO_OVER_PI = 0.636619747
_HALF_PI = (1.57079637, -4.37113883e-08, -1.71512451e-15)
"""pi / 2 to 2^-76, in the f32 nearest to what is left each time."""

# (sin r - r) / r^3 in r^2, degree 2, |r| <= 1.003 pi / 4; relative to sin r the error is at most 2^-27.8.
_SIN = (-0.16666654, 0.008332106, -0.00019507877)
# (cos r - 1 + r^2 / 2) / r^4 in r^2, degree 2, same interval; relative to cos r the error is at most 2^-32.9.
_COS = (0.041666646, -0.0013887307, 2.443188e-05)
# (tan r - r) / r^3 in r^2, degree 6, same interval; relative to tan r the error is at most 2^-29.5.
_TAN = (0.3333335, 0.13332666, 0.054060508, 0.02127594, 0.01085802, 5.5464527e-05, 0.0043954616)

_TINY = 2.0**-13
"""Below, sin x and tan x are x but for a third of x^3, an eighth of an ulp; the sign of zero is kept."""


def _reduced(x: Floats) -> tuple[Bits, Floats]:
    """Return bits that end with n, and r."""
    raised = x.times_plus(_TWO_OVER_PI, ROUNDER)
    n = raised - ROUNDER
    r = x
    for part in _HALF_PI:
        r = n.times_plus(-part, r)
    return raised.bits(), r


def _sine(r: Floats, square: Floats) -> Floats:
    return (r * square).times_plus(polynomial(square, _SIN), r)


def _cosine(square: Floats) -> Floats:
    rest = square * square * polynomial(square, _COS)
    return square.times_plus(-0.5, 1.0) + rest


def _quadrant(r: Floats, n: Bits) -> Floats:
    """Return sin(r + n pi / 2): sine or cosine by the last bit of n, the sign by the one before."""
    square = r * r
    chosen = (n & 1).is_zero().select(_sine(r, square), _cosine(square))
    return (chosen.bits() ^ ((n & 2) << 30)).floats()


def _small_sin(x: Floats) -> Floats:
    n, r = _reduced(x)
    return (x.abs() < _TINY).select(x, _quadrant(r, n))


def _small_cos(x: Floats) -> Floats:
    n, r = _reduced(x)
    return _quadrant(r, n + 1)


def _reduced_twice(x: Floats) -> tuple[Bits, Floats, Floats]:
    """Return bits that end with n, and r as a sum of two, so that the half ulp that `_reduced` loses is there."""
    raised = x.times_plus(_TWO_OVER_PI, ROUNDER)
    n = raised - ROUNDER
    first = n.times_plus(-_HALF_PI[0], x)
    product = n * -_HALF_PI[1]
    rounding = n.times_plus(-_HALF_PI[1], -product)
    total = first + product
    added = total - first
    low = (first - (total - added)) + (product - added) + n.times_plus(-_HALF_PI[2], rounding)
    high = total + low
    return raised.bits(), high, low - (high - total)


def _small_tan(x: Floats) -> Floats:
    n, r, low = _reduced_twice(x)
    square = r * r
    # The derivative of tan is 1 + tan^2, near enough to 1 + r^2 for what is less than an ulp.
    curve = (r * square).times_plus(polynomial(square, _TAN), low.times_plus(square, low))
    tangent = r + curve
    # The quotient is corrected by what it lost itself, and by what `tangent` lost.
    lost = (r - tangent) + curve
    quotient = -1.0 / tangent
    left = quotient.times_plus(lost, quotient.times_plus(tangent, 1.0))
    result = (n & 1).is_zero().select(tangent, quotient.times_plus(left, quotient))
    return (x.abs() < _TINY).select(x, result)


def sin(x: Floats) -> Floats:
    """Sine; NaN at the infinities."""
    return _branch(x, _small_sin, math_ops.sin)


def cos(x: Floats) -> Floats:
    """Cosine; NaN at the infinities."""
    return _branch(x, _small_cos, math_ops.cos)


def tan(x: Floats) -> Floats:
    """Tangent; NaN at the infinities."""
    return _branch(x, _small_tan, math_ops.tan)


def _branch(x: Floats, small: Callable[[Floats], Floats], libm: Callable[[ir.Value], ir.Value]) -> Floats:
    """Build `small`, and branches to `libm` for lanes beyond `LARGEST`; NaN goes with the small ones."""
    result = small(x)
    beyond = x.abs() > LARGEST
    parts = zip(x.values, beyond.values, result.values, strict=True)
    return Floats([_branch_of_one(*part, libm) for part in parts])


def _branch_of_one(x: ir.Value, beyond: ir.Value, result: ir.Value, libm: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """Build the branch for one vector: `libm` in the lanes that are `beyond`, `result` in the others."""
    large = _flat(beyond)
    any_large = vector.reduction(ir.VectorType(large.type).element_type, ir.Attribute.parse("#vector.kind<or>"), large)
    choice = scf.IfOp(any_large, [x.type], has_else=True)
    with ir.InsertionPoint(choice.thenRegion.blocks[0]):
        scf.YieldOp([_lane_by_lane(x, large, result, libm)])
    with ir.InsertionPoint(choice.elseRegion.blocks[0]):
        scf.YieldOp([result])
    return choice.results[0]


def _flat(x: ir.Value) -> ir.Value:
    """A vector of one dimension with the lanes of `x`."""
    type_ = ir.VectorType(x.type)
    if type_.rank == 1:
        return x
    return vector.shape_cast(ir.VectorType.get([math.prod(type_.shape)], type_.element_type), x)


def _lane_by_lane(x: ir.Value, large: ir.Value, result: ir.Value, libm: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """Build a loop that replaces the lanes of `result` that are `large` by what `libm` makes of those of `x`.

    Each has a branch of its own: an op on the whole vector, which may be computed though it is not needed, is moved in
    front of the branch by LLVM where a sine and a cosine of one vector are wanted.
    """
    numbers, old = _flat(x), _flat(result)
    index, dynamic = ir.IndexType.get(), [ir.ShapedType.get_dynamic_size()]
    first, end, step = (arith.constant(index, value) for value in (0, ir.VectorType(old.type).shape[0], 1))
    loop = scf.ForOp(first, end, step, [old])
    with ir.InsertionPoint(loop.body):
        lane, lanes = loop.induction_variable, loop.inner_iter_args[0]
        choice = scf.IfOp(vector.extract(large, [lane], dynamic), [old.type], has_else=True)
        with ir.InsertionPoint(choice.thenRegion.blocks[0]):
            value = libm(vector.extract(numbers, [lane], dynamic))
            scf.YieldOp([vector.insert(value, lanes, [lane], dynamic)])
        with ir.InsertionPoint(choice.elseRegion.blocks[0]):
            scf.YieldOp([lanes])
        scf.YieldOp([choice.results[0]])
    done = loop.results[0]
    return done if done.type == x.type else vector.shape_cast(x.type, done)
