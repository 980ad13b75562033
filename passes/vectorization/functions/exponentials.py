"""exp, exp2, expm1 and tanh.

`e^x = 2^n e^r` where n is the integer nearest to x / ln 2, so that |r| <= ln 2 / 2. r is x - n ln 2 with ln 2 in two
parts, each product exact in its fma: the error is half an ulp of r. The integer comes from adding 1.5 * 2^23, where
floats have no fraction; the bits of the sum end with n. The bias of the exponent of 2^n is added in the same step.

Coefficients are minimax, fitted for this file by Lawson's reweighted least squares on 3001 Chebyshev points: rounded to
f32 from the lowest on, with the others fitted again each time.
"""

from __future__ import annotations

from .vectors import Bits, Floats, polynomial

__all__ = ["exp", "exp2", "exp_without_limits", "expm1", "tanh"]

ROUNDER = 12582912.0
"""1.5 * 2^23: adding it rounds to an integer, ties to even."""

LOG2_E = 1.44269502
LN2_HIGH, LN2_LOW = 0.693147182, -1.90465421e-09
"""ln 2 to 2^-56: the f32 nearest, and the f32 nearest to what is left."""

# (e^r - 1 - r) / r^2, degree 4, |r| <= 1.002 ln 2 / 2; relative to e^r - 1 the error is at most 2^-26.1.
_EXP = (0.49999997, 0.16666545, 0.04166746, 0.008366432, 0.0013868435)

# (2^r - 1) / r, degree 5, |r| <= 0.501; relative to 2^r the error is at most 2^-28.3.
_EXP2 = (0.6931472, 0.24022648, 0.055503596, 0.009618506, 0.0013391025, 0.00015326781)

# (tanh x - x) / x^3 in x^2, degree 5, |x| <= 0.625; relative to tanh x the error is at most 2^-32.4.
_TANH = (-0.3333333, 0.13333221, -0.05394818, 0.021706894, -0.0081900135, 0.002152684)
_TANH_SMALL = 0.625

_TINY = 2.0**-25
"""Below, f(x) = x + x^2 / 2 + ... is x: it also keeps what has no bit to spare, and the sign of zero."""


def _rounded(x: Floats, factor: float, bias: int) -> tuple[Floats, Bits]:
    """Return the integer n next to `x` * `factor` (below 2^22), and bits that end with n + `bias`."""
    rounder = ROUNDER + bias
    raised = x + rounder if factor == 1 else x.times_plus(factor, rounder)
    return raised - rounder, raised.bits()


def _power_of_two(biased: Bits) -> Floats:
    """Return 2^n for bits that end with n + 127, -126 <= n <= 127; bits above do not matter, but for a NaN beside."""
    return (biased << 23).floats()


def _remainder(x: Floats, n: Floats) -> Floats:
    """Return x - n ln 2."""
    return n.times_plus(-LN2_LOW, n.times_plus(-LN2_HIGH, x))


def _halves(biased: Bits) -> tuple[Floats, Floats]:
    """Return two powers of two whose product is 2^n: itself it may be denormal, or too large, and they are not.

    The bits end with n + 254, as those of `ROUNDER` are zero there: so the parts of n have their bias of 127 each. Both
    powers are zero for n = -254.
    """
    half = (biased >> 1) << 23
    # Behind the shift, so that it does not wait for that of the half.
    rest = (biased << 23) - half
    return half.floats(), rest.floats()


def exp(x: Floats) -> Floats:
    """e^x: infinity from 88.73 on, denormal below -87.34, zero below -103.97.

    At the lower limit, which is far below that, n is -254, and so the parts of its power are zeros. What underflows
    instead is zero as well, but takes much longer on some processors; and masks are full of negative infinities.
    """
    x = x.at_most(89.0).at_least(-176.0)
    n, bits = _rounded(x, LOG2_E, 254)
    r = _remainder(x, n)
    # The square is there long before the polynomial is, which is two steps shorter then. 1 is added by the product with
    # one half of the power, which rounds once, as the sum would.
    less_one = polynomial(r, _EXP).times_plus(r * r, r)
    half, rest = _halves(bits)
    return less_one.times_plus(half, half) * rest


def exp_without_limits(x: Floats) -> Floats:
    """e^x where it is known to be a normal number with -87 < x < 88, or x is NaN."""
    n, bits = _rounded(x, LOG2_E, 127)
    return polynomial(_remainder(x, n), (1.0, 1.0, *_EXP)) * _power_of_two(bits)


def exp2(x: Floats) -> Floats:
    """2^x: infinity from 128 on, denormal below -126, zero from -150 on. x - n is exact. The limits are as in `exp`."""
    x = x.at_most(129.0).at_least(-254.0)
    n, bits = _rounded(x, 1, 254)
    power = polynomial(x - n, (1.0, *_EXP2))
    half, rest = _halves(bits)
    return power * half * rest


def expm1(x: Floats) -> Floats:
    """e^x - 1 = 2 (2^(n-1) (e^r - 1) + (2^(n-1) - 1/2)): 2^n itself has no room next to infinity."""
    limited = x.at_most(89.0).at_least(-20.0)
    n, bits = _rounded(limited, LOG2_E, 126)
    r = _remainder(limited, n)
    power, half = (r * r).times_plus(polynomial(r, _EXP), r), _power_of_two(bits)
    result = power.times_plus(half, half - 0.5) * 2.0
    return (x.abs() < _TINY).select(x, result)


def tanh(x: Floats) -> Floats:
    """1 - 2 / (e^2|x| + 1) with the sign of x, a polynomial where that would cancel; 1 from 9.02 on."""
    square = x * x
    small = (x * square).times_plus(polynomial(square, _TANH), x)
    size = x.abs()
    large = 1.0 - 2.0 / (exp_without_limits((size + size).at_most(20.0)) + 1.0)
    result = (size < _TANH_SMALL).select(small, large.with_sign_of(x))
    return (size < _TINY).select(x, result)
