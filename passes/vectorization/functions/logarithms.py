"""log, log2, log10 and log1p.

`x = 2^e m` with m between sqrt(1/2) and sqrt(2), from the bits of x; f = m - 1 is exact, and
log x = e log 2 + log(1 + f). Denormal numbers are multiplied by 2^23 before. In base b the product of log(1 + f) and
1 / ln b is made in two parts, as is e log_b 2, so that what is added last is large and was rounded once.

The coefficients were made as those of `exponentials.py`.
"""

from __future__ import annotations

from .vectors import INFINITY, NAN, Bits, Floats, bits_of, polynomial

__all__ = ["log", "log1p", "log2", "log10"]

# (log(1 + f) - f) / f^2, degree 9, f from -0.2930 to 0.4143, the first coefficient given: error 2^-30.3 of log(1 + f).
_LOG = (
    -0.5,
    0.33333313,
    -0.2500001,
    0.20002073,
    -0.16667992,
    0.14220311,
    -0.12406115,
    0.11883875,
    -0.11671167,
    0.06749837,
)

_ROOT = bits_of(0.70710677)
_SMALLEST_NORMAL = 2.0**-126

_LN2 = (0.693147182, -1.90465421e-09)
_LOG2_E = (1.44269502, 1.92596303e-08)
_LOG10_E = (0.434294492, -1.010305e-08)
_LOG10_2 = (0.30103001, -1.43209888e-08)
"""Constants as the f32 nearest, and the f32 nearest to what is left."""


def _split(x: Floats) -> tuple[Bits, Floats]:
    """Return e and f = m - 1 of a positive normal `x`."""
    bits = x.bits()
    exponent = (bits - _ROOT) >> 23
    return exponent, (bits - (exponent << 23)).floats() - 1.0


def _split_any(x: Floats) -> tuple[Floats, Floats]:
    """Return e, as a number, and f of a positive `x`."""
    denormal = x < _SMALLEST_NORMAL
    exponent, f = _split(denormal.select(x * 2.0**23, x))
    return exponent.converted() + denormal.select(f.lift(-23.0), 0.0), f


def _curve(f: Floats) -> Floats:
    """Return log(1 + f) - f."""
    return f * f * polynomial(f, _LOG)


def _special(x: Floats, result: Floats, zero: float = 0.0) -> Floats:
    """Return `result` but where `x` is NaN, infinite, at `zero` or below."""
    result = (x > zero).select(result, x.equals(zero).select(-INFINITY, x.lift(NAN)))
    return x.equals(INFINITY).select(x, result)


def log(x: Floats) -> Floats:
    """Natural logarithm; -infinity at both zeros, NaN below."""
    e, f = _split_any(x)
    low = e.times_plus(_LN2[1], _curve(f))
    return _special(x, e.times_plus(_LN2[0], f + low))


def log2(x: Floats) -> Floats:
    """Logarithm in base 2; exact for powers of two."""
    e, f = _split_any(x)
    low = f.times_plus(_LOG2_E[1], _curve(f) * _LOG2_E[0])
    return _special(x, e + f.times_plus(_LOG2_E[0], low))


def log10(x: Floats) -> Floats:
    """Logarithm in base 10."""
    e, f = _split_any(x)
    low = e.times_plus(_LOG10_2[1], f.times_plus(_LOG10_E[1], _curve(f) * _LOG10_E[0]))
    return _special(x, e.times_plus(_LOG10_2[0], f.times_plus(_LOG10_E[0], low)))


def log1p(x: Floats) -> Floats:
    """log(1 + x) = log u + log(1 + c / u), u being 1 + x rounded and c what that lost; c joins f before the curve.

    From 2^26 on c does not count, and below 2^-25 the result is x.
    """
    u = x + 1.0
    back = u - 1.0
    lost = (1.0 - (u - back)) + (x - back)
    exponent, f = _split(u)
    # c * 2^-e: for u = 2^e m both f and c are counted in units of 2^e.
    scale = (f.lift(1.0).bits() - (exponent << 23)).floats()
    f = (x < 2.0**26).select(lost.times_plus(scale, f), f)
    e = exponent.converted()
    low = e.times_plus(_LN2[1], _curve(f))
    result = _special(x, e.times_plus(_LN2[0], f + low), zero=-1.0)
    return (x.abs() < 2.0**-25).select(x, result)
