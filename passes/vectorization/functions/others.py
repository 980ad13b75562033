"""erf, rsqrt and atan.

The coefficients were made as those of `exponentials.py`.
"""

from __future__ import annotations

from .exponentials import exp_without_limits
from .vectors import Floats, polynomial

__all__ = ["atan", "erf", "rsqrt"]

# erf(x) / x - 1 in x^2, degree 6, |x| <= 0.9; relative to erf x the error is at most 2^-30.1.
_ERF = (0.12837917, -0.3761263, 0.11283624, -0.026855562, 0.005191765, -0.0008039978, 7.944478e-05)
_ERF_SMALL = 0.9

# log(1 - erf x), degree 7, x from 0.9 to 3.95; the error of erf x that comes of it is at most 2^-33.8 of it.
_ERFC = (
    0.00016892386,
    -1.129487,
    -0.63340366,
    -0.10821724,
    0.025078544,
    -0.004155454,
    0.00043122636,
    -2.081415e-05,
)
_ERF_ONE = 3.95
"""From 3.92 on erf x rounds to 1."""

# (atan x - x) / x^3 in x^2, degree 9, |x| <= 1; relative to atan x the error is at most 2^-31.1.
_ATAN = (
    -0.33333328,
    0.19999716,
    -0.14280343,
    0.110612325,
    -0.08821454,
    0.06763613,
    -0.044982463,
    0.022776667,
    -0.007424778,
    0.0011343764,
)
_HALF_PI = 1.57079637
_HALF_PI_LOW = -4.37113883e-08


def erf(x: Floats) -> Floats:
    """Error function: a polynomial below 0.9, from there 1 - e^q(|x|), of which the power is the smaller part."""
    square = x * x
    small = x.times_plus(polynomial(square, _ERF), x)
    size = x.abs()
    large = 1.0 - exp_without_limits(polynomial(size.at_most(_ERF_ONE), _ERFC))
    # `small` keeps denormal numbers and the sign of zero: its fma adds to x what x is multiplied by.
    return (size < _ERF_SMALL).select(small, large.with_sign_of(x))


def rsqrt(x: Floats) -> Floats:
    """1 / sqrt(x), each of the two rounded as well as can be; infinite at zero with its sign, NaN below."""
    return 1.0 / x.sqrt()


def atan(x: Floats) -> Floats:
    """Arc tangent: a polynomial up to 1, from there pi / 2 minus that of 1 / x."""
    size = x.abs()
    inverted = size > 1.0
    t = inverted.select(1.0 / size, size)
    square = t * t
    curve = t * square * polynomial(square, _ATAN)
    inverse = _HALF_PI - (t + (curve - _HALF_PI_LOW))
    return inverted.select(inverse, t + curve).with_sign_of(x)
