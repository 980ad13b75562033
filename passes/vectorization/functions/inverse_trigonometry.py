"""atan, atan2, asin and acos.

The coefficients were made as those of `exponentials.py`.
"""

from __future__ import annotations

from .formats import Both
from .vectors import Floats, polynomial

__all__ = ["acos", "asin", "atan", "atan2"]

# (atan x - x) / x^3 in x^2, |x| <= 1; relative to atan x the error is at most 2^-31.1, and 2^-54.6 in f64.
_ATAN = Both(
    (
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
    ),
    (
        -0.3333333333333307,
        0.1999999999995145,
        -0.14285714282574638,
        0.11111111007012407,
        -0.09090907002754331,
        0.07692279836603572,
        -0.06666404036154087,
        0.058805276897335744,
        -0.05253518005466194,
        0.047223203793770714,
        -0.042191741788737955,
        0.03664181417156303,
        -0.029903705761234727,
        0.021984666304634675,
        -0.013900384387418438,
        0.007196379091570297,
        -0.002884854732162903,
        0.0008312993998307634,
        -0.00015215601575084906,
        1.3224591196853948e-05,
    ),
)
# (asin x - x) / x^3 in x^2, |x| <= 0.625; relative to asin x the error is at most 2^-28.8, and 2^-58 in f64.
_ASIN = Both(
    (0.1666669, 0.07498561, 0.044945408, 0.027406279, 0.037645318, -0.023636855, 0.06401183),
    (
        0.16666666666666444,
        0.07500000000065195,
        0.044642857075867313,
        0.030381947936633586,
        0.022372050533413977,
        0.01735496610041528,
        0.013934055491219866,
        0.011859257798638759,
        0.007521496748309859,
        0.020428761858498717,
        -0.04046481938291248,
        0.14517682640857255,
        -0.28213714267085316,
        0.41255476108539635,
        -0.3527360928465996,
        0.1565297665555799,
    ),
)
_ASIN_SMALL = 0.625

_HALF_PI = Both((1.57079637, -4.37113883e-08), (1.5707963267948966, 6.123233995736766e-17))
"""pi / 2 as the float nearest, and the float nearest to what is left."""


def _atan_curve(t: Floats) -> Floats:
    """Return atan t - t, |t| <= 1."""
    square = t * t
    return t * square * polynomial(square, _ATAN)


def atan(x: Floats) -> Floats:
    """Arc tangent: a polynomial up to 1, from there pi / 2 minus that of 1 / x."""
    half_pi, half_pi_low = _HALF_PI.of(x.format)
    size = x.abs()
    inverted = size > 1.0
    t = inverted.select(1.0 / size, size)
    curve = _atan_curve(t)
    inverse = half_pi - (t + (curve - half_pi_low))
    return inverted.select(inverse, t + curve).with_sign_of(x)


def atan2(y: Floats, x: Floats) -> Floats:
    """The angle of (x, y): that of the smaller one by the larger one, taken from pi / 2 or from pi or from neither."""
    half_pi, half_pi_low = _HALF_PI.of(x.format)
    width, height = x.abs(), y.abs()
    steep = height > width
    less, more = steep.select(width, height), steep.select(height, width)
    # Both may be infinite, or zero.
    t = less.equals(more).select((more > 0.0).select(more.lift(1.0), 0.0), less / more)
    curve = _atan_curve(t)
    # From the axis that is next to it: the angle is added to that of the axis, or taken from it.
    right = (x.bits() >> (x.format.width - 1)).is_zero()
    added = steep ^ right
    high = steep.select(x.lift(half_pi), right.select(0.0, x.lift(2 * half_pi)))
    low = steep.select(x.lift(half_pi_low), right.select(0.0, x.lift(2 * half_pi_low)))
    angle = added.select(t, -t) + (added.select(curve, -curve) + low)
    return (high + angle).with_sign_of(y)


def _from_one(size: Floats) -> Floats:
    """Return the angle whose cosine is `size`, which is not small: twice the arc sine of sqrt((1 - size) / 2)."""
    square = (1.0 - size) * 0.5
    root = square.sqrt()
    half = (root * square).times_plus(polynomial(square, _ASIN), root)
    return half + half


def asin(x: Floats) -> Floats:
    """Arc sine: a polynomial up to 0.625, from there pi / 2 minus the angle from 1; NaN beyond 1."""
    half_pi, half_pi_low = _HALF_PI.of(x.format)
    size, square = x.abs(), x * x
    small = (x * square).times_plus(polynomial(square, _ASIN), x)
    large = half_pi - (_from_one(size) - half_pi_low)
    return (size < _ASIN_SMALL).select(small, large.with_sign_of(x))


def acos(x: Floats) -> Floats:
    """Arc cosine: pi / 2 minus the arc sine up to 0.625, the angle from 1 or from -1 beyond; NaN beyond 1."""
    half_pi, half_pi_low = _HALF_PI.of(x.format)
    size, square = x.abs(), x * x
    curve = x * square * polynomial(square, _ASIN)
    small = half_pi - (x + (curve - half_pi_low))
    angle = _from_one(size)
    large = (x > 0.0).select(angle, 2 * half_pi - (angle - 2 * half_pi_low))
    return (size < _ASIN_SMALL).select(small, large)
