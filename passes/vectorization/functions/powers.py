"""powf: x^y = e^(y log x).

The logarithm has two parts, as its relative error is multiplied by up to 104 (745 in f64): with s = 2f / (2 + f),
log x = e ln 2 + s + s^3 / 12 + s^5 Q(s^2), where what comes before Q is the unrounded sum of two numbers. Below, `high`
of such a pair is rounded, and `low` is at most half an ulp of it, or a few.

The coefficients were made as those of `exponentials.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .branches import unless_all
from .exponentials import EXP_LIMITS, LN2, LOG2_E, halves, less_one, rounded
from .formats import Both
from .logarithms import is_normal, split_any, split_normal, unless_denormal
from .vectors import INFINITY, NAN, Floats, Mask, polynomial

__all__ = ["KNOWN_POWERS", "powf"]

_Pair = tuple[Floats, Floats]

# (log((2 + s) / (2 - s)) - s - s^3 / 12) / s^5 in s^2, |s| <= 0.3434: error 2^-36.7 of the logarithm, 2^-66.2 in f64.
_LOG = Both(
    (0.012500048, 0.0022302398, 0.00045742726),
    (
        0.012499999999999999,
        0.00223214285714303,
        0.00043402777775277914,
        8.877841049328286e-05,
        1.878000847682479e-05,
        4.069630545438156e-06,
        8.921160105430227e-07,
        2.2591134592705342e-07,
    ),
)
_TWELFTH = Both((0.083333336, -2.483527e-09), (0.08333333333333333, 4.625929269271485e-18))
_LN2_FEW = Both((0.69314575, 1.4286068e-06), (0.693147180559663, 2.8235290563031577e-13))
"""ln 2 in 16 bits (42 in f64), of which products with exponents are exact, and what is left."""


def _square_root(x: Floats) -> Floats:
    """Return x^0.5, which is infinite for -infinity, and has no sign for -0."""
    return x.equals(-INFINITY).select(INFINITY, x.sqrt() + 0.0)


KNOWN_POWERS: Mapping[float, Callable[[Floats], Floats]] = {
    1.0: lambda x: x,
    2.0: lambda x: x * x,
    3.0: lambda x: x * x * x,
    4.0: lambda x: (x * x) * (x * x),
    -1.0: lambda x: 1.0 / x,
    0.5: _square_root,
}
"""Powers with these exponents are within 2 ulp by a few ops. A square that underflows or overflows has powers that do,
too."""


def _sum(large: Floats, small: Floats) -> _Pair:
    """Return the sum, unrounded; `large` is zero or has no smaller exponent."""
    high = large + small
    return high, small - (high - large)


def _product(x: Floats, y: Floats) -> _Pair:
    """Return the product, unrounded."""
    high = x * y
    return high, x.times_plus(y, -high)


def _log(e: Floats, f: Floats) -> _Pair:
    """Return the logarithm of 2^e (1 + f)."""
    (twelfth, twelfth_low), (ln2, ln2_low) = _TWELFTH.of(f.format), _LN2_FEW.of(f.format)
    s, s_low = _twice_quotient(f)
    square, square_low = _product(s, s)
    square_low = (s + s).times_plus(s_low, square_low)
    # 1/12 + s^2 Q
    factor, factor_low = _sum(s.lift(twelfth), square * polynomial(square, _LOG))
    factor_low = factor_low + twelfth_low
    # times s^2
    inner, inner_low = _product(square, factor)
    inner_low = square_low.times_plus(factor, square.times_plus(factor_low, inner_low))
    # times s, and s is added
    outer, outer_low = _product(s, inner)
    outer_low = s_low.times_plus(inner, s.times_plus(inner_low, outer_low))
    curve, curve_low = _sum(s, outer)
    whole, whole_low = _sum(e * ln2, curve)
    return whole, whole_low + (e.times_plus(ln2_low, curve_low) + (s_low + outer_low))


def _twice_quotient(f: Floats) -> _Pair:
    """Return 2f / (2 + f)."""
    divisor = f + 2.0
    divisor_low = f - (divisor - 2.0)
    inverse = 1.0 / divisor
    twice = f + f
    high = twice * inverse
    left = divisor_low.times_plus(-high, divisor.times_plus(-high, twice))
    return high, left * inverse


def _power(parts: tuple[Floats, Floats], y: Floats) -> Floats:
    """Return 2^e (1 + f), for e and f in `parts`, to the power of `y`."""
    high, low = _log(*parts)
    least, most = EXP_LIMITS.of(y.format)
    product = high * y
    known = (product > least) & (product < most)
    lost = known.select(low.times_plus(y, high.times_plus(y, -product)), 0.0)
    limited = product.at_most(most).at_least(least)
    n, bits = rounded(limited, LOG2_E.of(y.format), 2 * y.format.bias)
    ln2, ln2_low = LN2.of(y.format)
    # Where the second summand is the larger one, both are below 2^-14 (2^-43 in f64), and what is lost does not count
    # beside 1.
    r, r_low = _sum(n.times_plus(-ln2, limited), n.times_plus(-ln2_low, lost))
    half, rest = halves(bits)
    return less_one(r, r_low).times_plus(half, half) * rest


def _is_odd(y: Floats) -> Mask:
    """Tell which numbers are odd integers."""
    half = y * 0.5
    return half.floor().differs(half) & y.floor().equals(y)


def powf(x: Floats, y: Floats) -> Floats:
    """x^y; 1 where y is 0 or x is 1, and for -1 to an infinite power; NaN of negative numbers but for integers."""
    size = x.abs()
    result = _power(split_normal(size), y)

    def rest() -> Floats:
        return _special(x, y, unless_denormal(size, result, lambda: _power(split_any(size), y)))

    return unless_all(is_normal(x) & (y.abs() < INFINITY), result, rest)


def _special(x: Floats, y: Floats, result: Floats) -> Floats:
    """Return x^y where `result` is that of positive finite numbers: |x|^y."""
    size, ahead = x.abs(), y.abs()
    nothing, number = size.equals(0.0), y.equals(y)
    extreme = (nothing | size.equals(INFINITY)) & number
    result = extreme.select(((y > 0.0) ^ nothing).select(y.lift(INFINITY), 0.0), result)
    result = _is_odd(y).select(result.with_sign_of(x), result)
    undefined = (x < 0.0) & (size < INFINITY) & y.floor().differs(y)
    result = x.equals(x).select(undefined.select(y.lift(NAN), result), NAN)
    one = y.equals(0.0) | x.equals(1.0) | (size.equals(1.0) & ahead.equals(INFINITY))
    return one.select(y.lift(1.0), result)
