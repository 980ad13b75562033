"""erf, rsqrt, cbrt and remf.

The coefficients were made as those of `exponentials.py`.
"""

from __future__ import annotations

from mlir.dialects import arith

from .branches import or_libm
from .exponentials import exp_without_limits
from .formats import Both
from .vectors import Floats, polynomial

__all__ = ["cbrt", "erf", "remf", "rsqrt"]

# erf(x) / x - 1 in x^2, |x| <= 0.9; relative to erf x the error is at most 2^-30.1, and 2^-56.2 in f64.
_ERF = Both(
    (0.12837917, -0.3761263, 0.11283624, -0.026855562, 0.005191765, -0.0008039978, 7.944478e-05),
    (
        0.1283791670955126,
        -0.3761263890318373,
        0.11283791670953731,
        -0.026866170644810682,
        0.005223977621636257,
        -0.0008548326756564297,
        0.00012055321094707873,
        -1.4925300837832402e-05,
        1.6455228905186198e-06,
        -1.627560428344779e-07,
        1.4046672768737726e-08,
        -8.483177434910135e-10,
    ),
)
_ERF_SMALL = 0.9

# log(1 - erf x), x from 0.9 to where erf x is 1; the error of erf x that comes of it is at most 2^-33.8 of it, and
# 2^-58.2 in f64, where it is a polynomial in x - 1: that has smaller coefficients, and so loses less.
_ERFC = Both(
    (
        0.00016892386,
        -1.129487,
        -0.63340366,
        -0.10821724,
        0.025078544,
        -0.004155454,
        0.00043122636,
        -2.081415e-05,
    ),
    (
        -1.8496055099332482,
        -2.6389675142347913,
        -0.8431072563584852,
        -0.04156109804652583,
        0.01003382543427363,
        -0.0019779030207420236,
        0.00023732470723903315,
        2.627035629793881e-05,
        -2.7140978880763544e-05,
        9.576845112793758e-06,
        -2.0174909508476205e-06,
        1.0079983408122868e-07,
        1.2930058814831768e-07,
        -7.019751157933797e-08,
        2.2723724093539093e-08,
        -5.351595599724546e-09,
        9.373215567141327e-10,
        -1.1731934070652975e-10,
        9.34481855490503e-12,
        -3.1030796999288305e-13,
        -1.3925248526548419e-14,
        1.2480036691016556e-15,
    ),
)
_ERF_ORIGIN = Both(0.0, 1.0)
_ERF_ONE = Both(3.95, 5.95)
"""From 3.92 on erf x rounds to 1; from 5.93 on in f64."""

# ((1 - e)^(-1/3) - 1) / e, |e| <= 0.1023: relative error 2^-18.4 of the power, and 2^-23.4 in f64.
_CBRT = Both(
    (0.3333298, 0.22347987, 0.1744064),
    (0.3333290895309582, 0.22221578658368923, 0.1744780416569535, 0.14579102243449082),
)
_CBRT_SHIFT = Both(8, 32)
"""How many of the lowest bits do not count for the first estimate of a root."""
_CBRT_START = Both(5546486.0, 1430186361.0)
"""What a third of the other bits is taken from: with this one |1 - x w^3| is smallest, 0.1022 at most."""
_CBRT_SMALL = Both(2.0**-80, 2.0**-900)
_CBRT_RAISE = Both(24, 60)
"""Below such numbers what is left of one would be denormal. The root of 2^3n times a number is 2^n times as large."""


def erf(x: Floats) -> Floats:
    """Error function: a polynomial below 0.9, from there 1 - e^q(|x|), of which the power is the smaller part."""
    square = x * x
    small = x.times_plus(polynomial(square, _ERF), x)
    size = x.abs()
    limited, origin = size.at_most(_ERF_ONE.of(x.format)), _ERF_ORIGIN.of(x.format)
    large = 1.0 - exp_without_limits(polynomial(limited - origin if origin else limited, _ERFC))
    # `small` keeps denormal numbers and the sign of zero: its fma adds to x what x is multiplied by.
    return (size < _ERF_SMALL).select(small, large.with_sign_of(x))


def rsqrt(x: Floats) -> Floats:
    """1 / sqrt(x), each of the two rounded as well as can be; infinite at zero with its sign, NaN below."""
    return 1.0 / x.sqrt()


def _inverse_cube_root(z: Floats) -> Floats:
    """Return z^(-1/3) for a normal `z` > 0, by no more than its bits and a polynomial.

    As an integer, the bits of a float are its logarithm, roughly. A third of it is taken as a float, next to
    2^mantissa, where the lowest bits of the sum are an integer. That is an estimate w; with e = 1 - z w^3 the right one
    is w (1 - e)^(-1/3).
    """
    format_, shift = z.format, _CBRT_SHIFT.of(z.format)
    one = 2.0**format_.mantissa
    number = ((z.bits() >> shift) | format_.bits_of(one)).floats()
    raised = number.times_plus(-1 / 3, float(round(one + one / 3 + _CBRT_START.of(format_))))
    w = (raised.bits() << shift).floats()
    lack = (z * w).times_plus(-(w * w), 1.0)
    return (w * lack).times_plus(polynomial(lack, _CBRT), w)


def cbrt(x: Floats) -> Floats:
    """Cube root, without division: w x^(1/3) = 1 for a w that is mended once more in f64, by Halley's cubic step.

    y = x w^2 is the root but for 2^-17 of it (2^-59 in f64 before it is rounded); what is wrong in y^3 mends it.
    """
    size, raised = x.abs(), _CBRT_RAISE.of(x.format)
    small = size < _CBRT_SMALL.of(x.format)
    z = small.select(size * 8.0**raised, size)
    w = _inverse_cube_root(z)
    if x.format.width == 64:
        lack = (z * w).times_plus(-(w * w), 1.0)
        w = (w * lack).times_plus(lack.times_plus(2 / 9, 1 / 3), w)
    inverse = w * w
    y = z * inverse
    square = y * y
    over = y.times_plus(y, -square).times_plus(y, y.times_plus(square, -z))
    root = (over * inverse).times_plus(-1 / 3, y) * small.select(x.lift(0.5**raised), 1.0)
    return (size < float("inf")).select(root.with_sign_of(x), x)


def remf(x: Floats, y: Floats) -> Floats:
    """What is left of `x` by a division with a quotient that is cut off: exact, with the sign of `x`.

    The rounded quotient is cut off to n, which is the right integer or the next one: those below 2^24 (2^53 in f64)
    are floats, so that rounding passes none of them. x - n y is exact in an fma: it is a multiple of the smaller of the
    two units, and at most |y|. With an n that is one too large its sign is wrong, and |y| is added. Larger quotients
    are libm's.
    """
    size, divisor = x.abs(), y.abs()
    quotient = size / divisor
    n = quotient.trunc()
    left = n.times_plus(-divisor, size)
    left = (left < 0.0).select(left + divisor, left)
    result = (size < divisor).select(size, left).with_sign_of(x)
    most = 2.0 ** (x.format.mantissa + 1)
    beyond = (quotient >= most) & (size < float("inf")) & (divisor > 0.0)
    return or_libm([x, y], beyond, result, arith.remf)
