"""erf, rsqrt, cbrt and remf.

The coefficients were made as those of `exponentials.py`.
"""

from __future__ import annotations

from mlir.dialects import arith

from .branches import or_libm
from .exponentials import exp_without_limits, power_of_two, rounded
from .formats import Both
from .logarithms import split_any
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

# m^(-1/3), m from sqrt(1/2) to sqrt(2): relative error 2^-11.9, and 2^-20.1 in f64.
_CBRT = Both(
    (1.7307131, -1.2857008, 0.7132708, -0.15850623),
    (
        2.1099859122057687,
        -3.1515735279829142,
        4.438054601299536,
        -4.042385254452157,
        2.253577603159842,
        -0.7009178474504854,
        0.09325927525928876,
    ),
)
_ROOT_2, _ROOT_HALF = 2.0 ** (1 / 3), 2.0 ** (-1 / 3)


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


def cbrt(x: Floats) -> Floats:
    """Cube root, without division: |x| = 2^3q z, and w z^(1/3) = 1 for a w that a polynomial starts and a step mends.

    z = 2^j m with j from -1 to 1. The step is Halley's, cubic. y = z w^2 is the root of z but for 2^-36 or less of it
    (2^-59 in f64 before it is rounded); what y^3 lacks is added.
    """
    size = x.abs()
    e, f = split_any(size)
    n, bits = rounded(e, 1 / 3, x.format.bias)
    j = n.times_plus(-3.0, e)
    m, above, below = f + 1.0, j > 0.5, j < -0.5
    z = above.select(m + m, below.select(m * 0.5, m))
    w = polynomial(m, _CBRT) * above.select(m.lift(_ROOT_HALF), below.select(m.lift(_ROOT_2), 1.0))
    lack = 1.0 - z * w * (w * w)
    w = w.times_plus(lack * lack.times_plus(2 / 9, 1 / 3), w)
    inverse = w * w
    y = z * inverse
    square = y * y
    left = square.times_plus(-y, z) - y.times_plus(y, -square) * y
    root = (left * inverse).times_plus(1 / 3, y) * power_of_two(bits)
    special = (size > 0.0) & (size < float("inf"))
    return special.select(root.with_sign_of(x), x)


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
