"""exp, exp2, expm1 and tanh.

`e^x = 2^n e^r` where n is the integer nearest to x / ln 2, so that |r| <= ln 2 / 2. r is x - n ln 2 with ln 2 in two
parts, each product exact in its fma: the error is half an ulp of r. The integer comes from adding 1.5 * 2^23 (2^52 in
f64), where floats have no fraction; the bits of the sum end with n. The bias of the exponent of 2^n is added in the
same step.

Coefficients of f32 are minimax, fitted for this file by Lawson's reweighted least squares on 3001 Chebyshev points:
rounded to f32 from the lowest on, with the others fitted again each time. Those of f64 come from Remez exchanges in 200
bits, rounded.
"""

from __future__ import annotations

from .formats import Both
from .vectors import Bits, Floats, polynomial

__all__ = [
    "EXP_LIMITS",
    "LN2",
    "LOG2_E",
    "TINY",
    "exp",
    "exp2",
    "exp_without_limits",
    "expm1",
    "halves",
    "less_one",
    "power_of_two",
    "rounded",
    "scaled_exp",
    "tanh",
]

LOG2_E = Both(1.44269502, 1.4426950408889634)
LN2 = Both((0.693147182, -1.90465421e-09), (0.6931471805599453, 2.3190468138462996e-17))
"""ln 2 to 2^-56 (2^-110 in f64): the float nearest, and the float nearest to what is left."""

# (e^r - 1 - r) / r^2, |r| <= 1.002 ln 2 / 2; relative to e^r - 1 the error is at most 2^-26.1, and 2^-60 in f64.
_EXP = Both(
    (0.49999997, 0.16666545, 0.04166746, 0.008366432, 0.0013868435),
    (
        0.5,
        0.16666666666666677,
        0.041666666666666505,
        0.008333333333321513,
        0.0013888888888963506,
        0.00019841269889477662,
        2.480158717103766e-05,
        2.7557243803728487e-06,
        2.755740329611245e-07,
        2.510919530088071e-08,
        2.0875319875303726e-09,
    ),
)

# (2^r - 1) / r, |r| <= 0.501; relative to 2^r the error is at most 2^-28.3, and 2^-54.7 in f64.
_EXP2 = Both(
    (0.6931472, 0.24022648, 0.055503596, 0.009618506, 0.0013391025, 0.00015326781),
    (
        0.6931471805599453,
        0.24022650695910133,
        0.05550410866482005,
        0.009618129107593569,
        0.0013333558146780228,
        0.00015403530457876887,
        1.5252733489337331e-05,
        1.3215434870651032e-06,
        1.0178200501925857e-07,
        7.073858589987507e-09,
        4.434725260967535e-10,
    ),
)

_EXP_OF_HALVES = Both(
    *(tuple(2.0 ** (power + 1) * factor for power, factor in enumerate(one)) for one in (_EXP.f32, _EXP.f64))
)
"""The same for (e^2h - 1 - 2h) / 2h^2 in h."""

_TANH_ONE = Both(10.0, 22.0)
"""From here on tanh x rounds to 1."""

EXP_LIMITS = Both((-176.0, 89.0), (-1418.0, 711.0))
_EXP2_LIMITS = Both((-254.0, 129.0), (-2046.0, 1025.0))
_EXPM1_LIMITS = Both((-20.0, 89.0), (-40.0, 710.0))

TINY = Both(2.0**-25, 2.0**-54)
"""Below, f(x) = x + x^2 / 2 + ... is x: it also keeps what has no bit to spare, and the sign of zero."""


def rounded(x: Floats, factor: float, bias: int) -> tuple[Floats, Bits]:
    """Return the integer n next to `x` * `factor` (below 2^22), and bits that end with n + `bias`."""
    rounder = x.format.rounder + bias
    raised = x + rounder if factor == 1 else x.times_plus(factor, rounder)
    return raised - rounder, raised.bits()


def power_of_two(biased: Bits) -> Floats:
    """Return 2^n for bits that end with n + bias, normal; bits above do not matter, but for a NaN beside."""
    return (biased << biased.format.mantissa).floats()


def _remainder(x: Floats, n: Floats) -> Floats:
    """Return x - n ln 2."""
    high, low = LN2.of(x.format)
    return n.times_plus(-low, n.times_plus(-high, x))


def halves(biased: Bits) -> tuple[Floats, Floats]:
    """Return two powers of two whose product is 2^n: itself it may be denormal, or too large, and they are not.

    The bits end with n + 254 (2046 in f64), as those of the rounder are zero there: so the parts of n have their bias
    of 127 each. Both powers are zero for n = -254.
    """
    mantissa = biased.format.mantissa
    half = (biased >> 1) << mantissa
    # Behind the shift, so that it does not wait for that of the half.
    rest = (biased << mantissa) - half
    return half.floats(), rest.floats()


def less_one(r: Floats, low: Floats | None = None) -> Floats:
    """Return e^(r + low) - 1 for |r| up to ln 2 / 2, and a `low` that is a few ulp of 1 at most.

    The square is there long before the polynomial is, which is two steps shorter then.
    """
    curve = polynomial(r, _EXP)
    if low is None:
        return curve.times_plus(r * r, r)
    return r + curve.times_plus(r * r, low.times_plus(r, low))


def scaled_exp(x: Floats, shift: int) -> Floats:
    """Return e^x * 2^`shift` for `x` between the limits of `exp`.

    1 is added by the product with one half of the power, which rounds once, as the sum would.
    """
    n, bits = rounded(x, LOG2_E.of(x.format), 2 * x.format.bias + shift)
    power = less_one(_remainder(x, n))
    half, rest = halves(bits)
    return power.times_plus(half, half) * rest


def exp(x: Floats) -> Floats:
    """e^x: infinity from 88.73 on, denormal below -87.34, zero below -103.97 (709.79, -708.4 and -745.2 in f64).

    At the lower limit, which is far below that, n is -254, and so the parts of its power are zeros. What underflows
    instead is zero as well, but takes much longer on some processors; and masks are full of negative infinities.
    """
    least, most = EXP_LIMITS.of(x.format)
    return scaled_exp(x.at_most(most).at_least(least), 0)


def exp_without_limits(x: Floats) -> Floats:
    """e^x where it is known to be a normal number with -87 < x < 88, or x is NaN."""
    n, bits = rounded(x, LOG2_E.of(x.format), x.format.bias)
    return polynomial(_remainder(x, n), _EXP, start=(1.0, 1.0)) * power_of_two(bits)


def exp2(x: Floats) -> Floats:
    """2^x: infinity from 128 on, denormal below -126, zero from -150 on. x - n is exact. The limits are as in `exp`."""
    least, most = _EXP2_LIMITS.of(x.format)
    x = x.at_most(most).at_least(least)
    n, bits = rounded(x, 1, 2 * x.format.bias)
    power = polynomial(x - n, _EXP2, start=(1.0,))
    half, rest = halves(bits)
    return power * half * rest


def expm1(x: Floats) -> Floats:
    """e^x - 1 = 2 (2^(n-1) (e^r - 1) + (2^(n-1) - 1/2)): 2^n itself has no room next to infinity."""
    least, most = _EXPM1_LIMITS.of(x.format)
    limited = x.at_most(most).at_least(least)
    n, bits = rounded(limited, LOG2_E.of(x.format), x.format.bias - 1)
    r = _remainder(limited, n)
    power, half = (r * r).times_plus(polynomial(r, _EXP), r), power_of_two(bits)
    result = power.times_plus(half, half - 0.5) * 2.0
    return (x.abs() < TINY.of(x.format)).select(x, result)


def tanh(x: Floats) -> Floats:
    """Return q = p / (p + 1) for p = (e^2|x| - 1) / 2, with the sign of x; 1 from 9.02 on (19.1 in f64).

    What the division leaves, and what p + 1 loses by rounding, is added: the latter not for a large p, where 1 - q, the
    reciprocal of p + 1, has few digits, and it is less than an ulp. An error of p counts less, the larger p is: in f32
    ln 2 needs no second part, which is below 2^-28 of it. |x| is not doubled: h is half of the remainder.
    """
    size = x.abs().at_most(_TANH_ONE.of(x.format))
    n, bits = rounded(size, 2 * LOG2_E.of(x.format), x.format.bias)
    high, low = LN2.of(x.format)
    half = n.times_plus(-high / 2, size)
    if x.format.width == 64:
        half = n.times_plus(-low / 2, half)
    power = power_of_two(bits)
    curve = (half * half).times_plus(polynomial(half, _EXP_OF_HALVES), half)
    p = curve.times_plus(power, power.times_plus(0.5, -0.5))
    divisor = p + 1.0
    q, gained = p / divisor, (p < 1024.0).select((divisor - 1.0) - p, 0.0)
    left = q.times_plus(gained, q.times_plus(-divisor, p))
    return left.times_plus(1.0 - q, q).with_sign_of(x)
