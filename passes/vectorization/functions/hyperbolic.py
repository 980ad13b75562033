"""sinh, cosh, and the inverses asinh, acosh and atanh.

The coefficients were made as those of `exponentials.py`.
"""

from __future__ import annotations

from .exponentials import LN2, scaled_exp
from .formats import Both
from .logarithms import log1p
from .vectors import NAN, Floats, polynomial

__all__ = ["acosh", "asinh", "atanh", "cosh", "sinh"]

# (sinh x - x) / x^3 in x^2, |x| <= 1; relative to sinh x the error is at most 2^-27.5, and 2^-56.6 in f64.
_SINH = Both(
    (0.16666667, 0.00833335, 0.0001983616, 2.8169509e-06),
    (
        0.16666666666666669,
        0.008333333333333148,
        0.00019841269841431637,
        2.755731915713664e-06,
        2.5052123128007948e-08,
        1.6057260333837726e-10,
        7.758734706125473e-13,
    ),
)
_MOST = Both(90.0, 712.0)
_FAR = Both(2.0**14, 2.0**28)
"""From here on sqrt(x^2 + 1) and sqrt(x^2 - 1) are x."""


def _halves_of_powers(size: Floats) -> tuple[Floats, Floats]:
    """Return e^size / 2 and e^-size / 2."""
    power = scaled_exp(size.at_most(_MOST.of(size.format)), -1)
    return power, 0.25 / power


def sinh(x: Floats) -> Floats:
    """(e^x - e^-x) / 2, a polynomial up to 1, where that would cancel."""
    size, square = x.abs(), x * x
    small = (x * square).times_plus(polynomial(square, _SINH), x)
    up, down = _halves_of_powers(size)
    return (size < 1.0).select(small, (up - down).with_sign_of(x))


def cosh(x: Floats) -> Floats:
    """(e^x + e^-x) / 2."""
    up, down = _halves_of_powers(x.abs())
    return up + down


def _logarithm(one_less: Floats, low: Floats | None, size: Floats) -> Floats:
    """Return log(1 + `one_less` + `low`), or log(2 `size`) where `size` is far from 1."""
    far = size > _FAR.of(size.format)
    low = low if low is None else far.select(0.0, low)
    logarithm = log1p(far.select(size - 1.0, one_less), low)
    return logarithm + far.select(size.lift(LN2.of(size.format)[0]), 0.0)


def asinh(x: Floats) -> Floats:
    """log(|x| + sqrt(x^2 + 1)) with the sign of x."""
    size, square = x.abs(), x * x
    return _logarithm(size + square / ((square + 1.0).sqrt() + 1.0), None, size).with_sign_of(x)


def acosh(x: Floats) -> Floats:
    """log(x + sqrt(x^2 - 1)); NaN below 1."""
    above = x - 1.0
    root = above.times_plus(above, above + above).sqrt()
    total = root + above
    # The root is the larger one: this is what the sum lost.
    low = above - (total - root)
    return (x >= 1.0).select(_logarithm(total, low, x), x.lift(NAN))


def atanh(x: Floats) -> Floats:
    """log(1 + q) / 2 with the quotient q = 2x / (1 - x); infinite at 1 and -1, NaN beyond.

    What q and the divisor lose by rounding changes q by 1 / (1 - x) of it, which is 1 + q / 2.
    """
    size = x.abs()
    divisor, twice = 1.0 - size, size + size
    quotient = twice / divisor
    lost = (1.0 - divisor) - size
    low = quotient.times_plus(-lost, quotient.times_plus(-divisor, twice)) * quotient.times_plus(0.5, 1.0)
    return (log1p(quotient, low) * 0.5).with_sign_of(x)
