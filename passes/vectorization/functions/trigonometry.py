"""sin, cos and tan.

`x = n pi / 2 + r` with |r| <= pi / 4 (a little more where n was rounded the other way). r is x - n pi / 2 with pi / 2
in three parts: the first fma is exact, as its result is a multiple of 2^-24 below 1 (2^-53 in f64) and so fits; the
second rounds to half an ulp; the third adds what pi / 2 has beyond 2^-50 (2^-108). That is good for |x| <= 2^16 (2^30),
where rounding moves x 2 / pi by no more than 2^-8 (2^-23). Larger lanes are taken from libm (`branches.py`).

The coefficients were made as those of `exponentials.py`.
"""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import math as math_ops

from .branches import or_libm
from .formats import Both
from .vectors import Bits, Floats, polynomial

__all__ = ["LARGEST", "cos", "sin", "tan"]

LARGEST = Both(2.0**16, 2.0**30)
"""The largest number that is reduced here."""

_TWO_OVER_PI = Both(0.636619747, 0.6366197723675814)
_HALF_PI = Both(
    (1.57079637, -4.37113883e-08, -1.71512451e-15),
    (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
)
"""pi / 2 to 2^-76 (2^-160 in f64), in the float nearest to what is left each time."""

# (sin r - r) / r^3 in r^2, |r| <= 1.003 pi / 4; relative to sin r the error is at most 2^-27.8, and 2^-57.3 in f64.
_SIN = Both(
    (-0.16666654, 0.008332106, -0.00019507877),
    (
        -0.1666666666666663,
        0.008333333333321783,
        -0.00019841269829311118,
        2.755731352131572e-06,
        -2.5050731584067288e-08,
        1.5895264615541301e-10,
    ),
)
# (cos r - 1 + r^2 / 2) / r^4 in r^2, same interval; relative to cos r the error is at most 2^-32.9, and 2^-61.6 in f64.
_COS = Both(
    (0.041666646, -0.0013887307, 2.443188e-05),
    (
        0.0416666666666666,
        -0.0013888888888874264,
        2.4801587289431447e-05,
        -2.755731431051249e-07,
        2.0875714928571313e-09,
        -1.1359112329448397e-11,
    ),
)
# (tan r - r) / r^3 in r^2, same interval; relative to tan r the error is at most 2^-29.5, and 2^-56 in f64.
_TAN = Both(
    (0.3333335, 0.13332666, 0.054060508, 0.02127594, 0.01085802, 5.5464527e-05, 0.0043954616),
    (
        0.3333333333333338,
        0.13333333333325034,
        0.05396825397307013,
        0.0218694883947393,
        0.00886323799653468,
        0.003592100105879036,
        0.001456051066937052,
        0.0005888369100622377,
        0.0002438505084326031,
        8.330206875832176e-05,
        6.76945041747984e-05,
        -2.6237892708129976e-05,
        4.9145584729062985e-05,
        -2.4529009556956204e-05,
        9.856393142210544e-06,
    ),
)

_TINY = Both(2.0**-13, 2.0**-27)
"""Below, sin x and tan x are x but for a third of x^3, an eighth of an ulp; the sign of zero is kept."""


def _reduced(x: Floats) -> tuple[Bits, Floats]:
    """Return bits that end with n, and r."""
    raised = x.times_plus(_TWO_OVER_PI.of(x.format), x.format.rounder)
    n = raised - x.format.rounder
    r = x
    for part in _HALF_PI.of(x.format):
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
    return (chosen.bits() ^ ((n & 2) << (r.format.width - 2))).floats()


def _small_sin(x: Floats) -> Floats:
    n, r = _reduced(x)
    return (x.abs() < _TINY.of(x.format)).select(x, _quadrant(r, n))


def _small_cos(x: Floats) -> Floats:
    n, r = _reduced(x)
    return _quadrant(r, n + 1)


def _reduced_twice(x: Floats) -> tuple[Bits, Floats, Floats]:
    """Return bits that end with n, and r as a sum of two, so that the half ulp that `_reduced` loses is there."""
    raised = x.times_plus(_TWO_OVER_PI.of(x.format), x.format.rounder)
    n = raised - x.format.rounder
    large, middle, small = _HALF_PI.of(x.format)
    first = n.times_plus(-large, x)
    product = n * -middle
    rounding = n.times_plus(-middle, -product)
    total = first + product
    added = total - first
    low = (first - (total - added)) + (product - added) + n.times_plus(-small, rounding)
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
    return (x.abs() < _TINY.of(x.format)).select(x, result)


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
    return or_libm([x], x.abs() > LARGEST.of(x.format), result, libm)
