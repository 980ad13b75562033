"""log, log2, log10 and log1p.

`x = 2^e m` with m between sqrt(1/2) and sqrt(2), from the bits of x; f = m - 1 is exact, and
log x = e log 2 + log(1 + f). Denormal numbers are multiplied by 2^23 before (2^52 in f64). In base b the product of
log(1 + f) and 1 / ln b is made in two parts, as is e log_b 2, so that what is added last is large and was rounded once.

log(1 + f) of f32 is a polynomial. In f64 that would have 21 coefficients; with s = f / (2 + f), log(1 + f) is
2s + s R(s^2), and 2s = f - s f.

The coefficients were made as those of `exponentials.py`.
"""

from __future__ import annotations

from collections.abc import Callable

from .branches import unless_all
from .exponentials import LN2, TINY
from .formats import Both
from .vectors import INFINITY, NAN, Bits, Floats, Mask, polynomial

__all__ = ["is_normal", "log", "log1p", "log2", "log10", "split_any", "split_normal", "unless_denormal"]

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
# (log((1 + s) / (1 - s)) - 2s) / s^3 in s^2, |s| <= 0.1717: error 2^-58.9 of the logarithm.
_LOG_QUOTIENT = (
    0.6666666666666683,
    0.399999999996863,
    0.2857142869117468,
    0.22222203198084398,
    0.18183347734410438,
    0.153191257279023,
    0.1474889054367541,
)
_SERIES = Both(_LOG, _LOG_QUOTIENT)

_ROOT = Both(0.70710677, 0.7071067811865476)
_LOG2_E = Both((1.44269502, 1.92596303e-08), (1.4426950408889634, 2.0355273740931033e-17))
_LOG10_E = Both((0.434294492, -1.010305e-08), (0.4342944819032518, 1.098319650216765e-17))
_LOG10_2 = Both((0.30103001, -1.43209888e-08), (0.3010299956639812, -2.8037281277851704e-18))
"""Constants as the float nearest, and the float nearest to what is left."""

_ALONE = Both(2.0**26, 2.0**55)
"""From here on 1 + x is x, as far as its logarithm is concerned."""


def _biased(x: Floats) -> tuple[Bits, Floats]:
    """Return the bias plus e, and f = m - 1, of a positive normal `x`."""
    format_ = x.format
    root, one = format_.bits_of(_ROOT.of(format_)), format_.bits_of(1.0)
    raised = x.bits() + (one - root)
    mantissa = (raised & ((1 << format_.mantissa) - 1)) + root
    return raised >> format_.mantissa, mantissa.floats() - 1.0


def _number(biased: Bits, bias: Floats | float) -> Floats:
    """Return `biased`, from which `bias` plus 2^mantissa is taken, as a number."""
    return (biased | biased.format.bits_of(2.0**biased.format.mantissa)).floats() - bias


def split(x: Floats) -> tuple[Bits, Floats, Floats]:
    """Return the bias plus e, e as a number, and f = m - 1 of a positive normal `x`."""
    biased, f = _biased(x)
    return biased, _number(biased, 2.0**x.format.mantissa + x.format.bias), f


def is_normal(x: Floats) -> Mask:
    """Tell which numbers are positive, finite, and not denormal."""
    least, end = (x.format.bits_of(number) for number in (x.format.least_normal, INFINITY))
    return (x.bits() - least).is_below(end - least)


def unless_denormal(x: Floats, result: Floats, of_any: Callable[[], Floats]) -> Floats:
    """Return `result` unless some lane of `x` is denormal, and then what `of_any` builds."""
    # One less than zero is the largest integer without a sign.
    common = (x.bits() - 1).is_at_least(x.format.bits_of(x.format.least_normal) - 1)
    return unless_all(common, result, of_any)


def split_normal(x: Floats) -> tuple[Floats, Floats]:
    """Return e, as a number, and f of a positive normal `x`; anything for others.

    In f32 e is converted: processors without AVX-512 have no conversion of i64.
    """
    if x.format.width == 64:
        return split(x)[1:]
    root = x.format.bits_of(_ROOT.of(x.format))
    above = x.bits() - root
    mantissa = (above & ((1 << x.format.mantissa) - 1)) + root
    return above.shifted_with_sign(x.format.mantissa).rounded(), mantissa.floats() - 1.0


def split_any(x: Floats) -> tuple[Floats, Floats]:
    """Return e, as a number, and f of a positive `x`."""
    format_ = x.format
    denormal = x < format_.least_normal
    biased, f = _biased(denormal.select(x * 2.0**format_.mantissa, x))
    bias = 2.0**format_.mantissa + format_.bias
    return _number(biased, denormal.select(x.lift(bias + format_.mantissa), bias)), f


def _curve(f: Floats) -> Floats:
    """Return log(1 + f) - f."""
    if f.format.width == 32:
        return f * f * polynomial(f, _SERIES)
    s = f / (f + 2.0)
    square, half = s * s, f * f * 0.5
    return s.times_plus(square.times_plus(polynomial(square, _SERIES), half), -half)


def _special(x: Floats, result: Floats, zero: float = 0.0) -> Floats:
    """Return `result` but where `x` is NaN, infinite, at `zero` or below."""
    result = (x > zero).select(result, x.equals(zero).select(-INFINITY, x.lift(NAN)))
    return x.equals(INFINITY).select(x, result)


def _logarithm(x: Floats, of_parts: Callable[[Floats, Floats], Floats]) -> Floats:
    """Return what `of_parts` makes of e and f; lanes that are not positive, finite and normal have branches."""
    result = of_parts(*split_normal(x))

    def rest() -> Floats:
        return _special(x, unless_denormal(x, result, lambda: of_parts(*split_any(x))))

    return unless_all(is_normal(x), result, rest)


def log(x: Floats) -> Floats:
    """Natural logarithm; -infinity at both zeros, NaN below."""

    def of_parts(e: Floats, f: Floats) -> Floats:
        ln2, ln2_low = LN2.of(x.format)
        return e.times_plus(ln2, f + e.times_plus(ln2_low, _curve(f)))

    return _logarithm(x, of_parts)


def log2(x: Floats) -> Floats:
    """Logarithm in base 2; exact for powers of two."""

    def of_parts(e: Floats, f: Floats) -> Floats:
        factor, factor_low = _LOG2_E.of(x.format)
        return e + f.times_plus(factor, f.times_plus(factor_low, _curve(f) * factor))

    return _logarithm(x, of_parts)


def log10(x: Floats) -> Floats:
    """Logarithm in base 10."""

    def of_parts(e: Floats, f: Floats) -> Floats:
        (factor, factor_low), (log10_2, log10_2_low) = _LOG10_E.of(x.format), _LOG10_2.of(x.format)
        low = e.times_plus(log10_2_low, f.times_plus(factor_low, _curve(f) * factor))
        return e.times_plus(log10_2, f.times_plus(factor, low))

    return _logarithm(x, of_parts)


def log1p(x: Floats, low: Floats | None = None) -> Floats:
    """log(1 + x) = log u + log(1 + c / u), u being 1 + x rounded and c what that lost; c joins f before the curve.

    log(1 + x + `low`) is asked for where `low` is given, a few ulp of x at most. That joins the curve, as f has no bits
    for it, with 1 - f for 1 / (1 + f).

    From 2^26 on (2^55 in f64) c does not count, and below 2^-25 (2^-54) the result is x.
    """
    u = x + 1.0
    back = u - 1.0
    lost = (1.0 - (u - back)) + (x - back)
    biased, e, f = split(u)
    # c * 2^-e: for u = 2^e m both f and c are counted in units of 2^e.
    scale = ((2 * x.format.bias - biased) << x.format.mantissa).floats()
    scale = (x < _ALONE.of(x.format)).select(scale, 0.0)
    f = lost.times_plus(scale, f)
    curve = _curve(f) if low is None else (low * scale).times_plus(1.0 - f, _curve(f))
    ln2, ln2_low = LN2.of(x.format)
    result = _special(x, e.times_plus(ln2, f + e.times_plus(ln2_low, curve)), zero=-1.0)
    return (x.abs() < TINY.of(x.format)).select(x, result)
