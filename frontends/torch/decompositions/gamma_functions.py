"""Functions beside the gamma function, and orthogonal polynomials, in float64, rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..support.framework import torch_module
from .native_ops import native_op
from .special_functions import as_float, digamma, log_gamma

_SHIFT = 12
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
"""Of even numbers, from 2 on."""

_MOST = 1e15
"""An exponent that makes zero or infinity of any other base than 1."""

_MOST_STEPS = 2.0**31
_HERMITE_LIMITS = {4: 128, 8: 512}
"""From where on PyTorch's Hermite polynomials are NaN, by the size of an element."""


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    prims = torch_module().ops.prims
    found: dict[Any, Callable[..., Any]] = {
        aten.polygamma.default: _polygamma,
        aten.special_zeta.default: _zeta,
        prims.zeta.default: _zeta,
        **dict.fromkeys((aten.igamma.default, prims.igamma.default), lambda a, x: _incomplete(a, x, upper=False)),
        **dict.fromkeys((aten.igammac.default, prims.igammac.default), lambda a, x: _incomplete(a, x, upper=True)),
    }
    for name, rule in _POLYNOMIALS.items():
        found[getattr(aten, f"special_{name}").default] = partial(_polynomial, *rule)
    return found


def _both(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Two arguments in float64 and of the same shape, and the dtype of the result."""
    torch = torch_module()
    dtype = torch.result_type(x, y)
    dtype = dtype if dtype.is_floating_point else torch.get_default_dtype()
    x, y = (one.to(torch.float64) for one in torch.broadcast_tensors(x, y))
    return x, y, dtype


def _positive_zeta(s: Any, q: Any) -> Any:
    """Hurwitz' function for `s` above 1 and positive `q`: some terms, and the series of Euler and Maclaurin."""
    numbers = torch_module().arange(_SHIFT, dtype=q.dtype, device=q.device)
    total = ((q.unsqueeze(-1) + numbers) ** -s.unsqueeze(-1)).sum(-1)
    end = q + _SHIFT
    power = end**-s
    total = total + power * end / (s - 1) + power / 2
    factor = s * power / end
    for number, bernoulli in enumerate(_BERNOULLI, 1):
        total = total + factor * (bernoulli / math.factorial(2 * number))
        factor = factor * (s + 2 * number - 1) * (s + 2 * number) / (end * end)
    return total


def _hurwitz(s: Any, q: Any, sign: Any) -> Any:
    """For negative `q` and whole `s` too: the terms of negative numbers are those of their sizes, with a sign."""
    torch = torch_module()
    below = torch.floor(q)
    pole = (q <= 0) & (q == below)
    negative = (q < 0) & ~pole
    up = torch.where(negative, q - below, torch.where(q > 0, q, 1.0))
    size = torch.where(negative, -q, 1.0)
    three = torch.stack([up, torch.where(negative, 1 - up, 1.0), size + 1])
    total, first, rest = _positive_zeta(s.expand(three.shape), three).unbind(0)
    inner = first - rest
    total = torch.where(negative, total + inner * sign, total)
    total = torch.where(negative & (s != torch.floor(s)), float("nan"), total)
    total = torch.where(pole, float("inf"), total)
    return torch.where(q.abs() < float("inf"), total, float("nan"))


def _zeta(s: Any, q: Any) -> Any:
    torch = torch_module()
    s, q, dtype = _both(s, q)
    sign = torch.where(torch.remainder(s, 2) == 1, -1.0, 1.0)
    total = _hurwitz(torch.where(s > 1, torch.where(s < _MOST, s, _MOST), 2.0), q, sign)
    total = torch.where((s == float("inf")) & (total == 0), float("nan"), total)  # PyTorch's sum does not end.
    total = torch.where(s == 1, float("inf"), torch.where(s < 1, float("nan"), total))
    return torch.where(torch.isnan(s), torch.where((q <= 0) & (q == torch.floor(q)), float("inf"), s), total).to(dtype)


def _polygamma(order: int, x: Any) -> Any:
    torch = torch_module()
    if order == 0:
        return digamma(x)
    x, dtype = as_float(x)
    s = torch.full_like(x, float(order + 1))
    if order == 1:
        return torch.where(x == float("inf"), 0.0, _hurwitz(s, x, 1.0)).to(dtype)
    return ((-1.0) ** (order + 1) * math.factorial(order) * _hurwitz(s, x, (-1.0) ** (order + 1))).to(dtype)


def _incomplete(a: Any, x: Any, *, upper: bool) -> Any:
    """The regularized incomplete gamma functions: a series where `x` is small, else a continued fraction."""
    torch = torch_module()
    a, x, dtype = _both(a, x)
    usual = (a > 0) & (x > 0) & (a < float("inf")) & (x < float("inf"))
    own_a, own_x = torch.where(usual, a, 1.0), torch.where(usual, x, 1.0)
    by_series = own_x < own_a + 1
    one = [torch.where(by_series, value, 1.0).reshape(-1) for value in (own_a, own_x)]
    other = [torch.where(by_series, rest, value).reshape(-1) for value, rest in ((own_a, 1.0), (own_x, 3.0))]
    factor = torch.exp(own_a * torch.log(own_x) - own_x - log_gamma(own_a))
    lower_part = factor * native_op("gamma_series")(*one).reshape(a.shape)
    upper_part = factor * native_op("gamma_fraction")(*other).reshape(a.shape)
    if upper:
        value = torch.where(by_series, 1 - lower_part, upper_part)
    else:
        value = torch.where(by_series, lower_part, 1 - upper_part)
    # At the borders the lower one is 1 where `x` is greater, else 0.
    infinite = x == float("inf")
    full = ((a == 0) | infinite) & (x != 0)
    known = (a == 0) & (x > 0) | (a != 0) & (x == 0) | (torch.isinf(a) != infinite) & (a != 0)
    border = torch.where(known & ~(a < 0) & ~(x < 0), (full != upper).to(torch.float64), float("nan"))
    return torch.where(usual, value, border).to(dtype)


def _shifted(x: Any) -> Any:
    return 2 * x - 1


def _same(x: Any) -> Any:
    return x


Rule = tuple[Callable[[Any], Any], Callable[[Any], Any], tuple[Callable[[Any], Any], Any, float, float, float]]
"""An argument's change, the second polynomial, and the factors of the recurrence; the second may be a function too."""


def _chebyshev(change: Callable[[Any], Any], second: Callable[[Any], Any]) -> Rule:
    return change, second, (lambda x: 2 * x, 0.0, 1.0, 0.0, 0.0)


_SECOND: Mapping[str, Callable[[Any], Any]] = {
    "t": _same,
    "u": lambda x: 2 * x,
    "v": lambda x: 2 * x - 1,
    "w": lambda x: 2 * x + 1,
}
_POLYNOMIALS: Mapping[str, Rule] = {
    **{f"chebyshev_polynomial_{kind}": _chebyshev(_same, second) for kind, second in _SECOND.items()},
    **{f"shifted_chebyshev_polynomial_{kind}": _chebyshev(_shifted, second) for kind, second in _SECOND.items()},
    "hermite_polynomial_h": (_same, lambda x: 2 * x, (lambda x: 2 * x, 0.0, 0.0, 2.0, 0.0)),
    "hermite_polynomial_he": (_same, _same, (_same, 0.0, 0.0, 1.0, 0.0)),
    "laguerre_polynomial_l": (_same, lambda x: 1 - x, (lambda x: 1 - x, 2.0, 0.0, 1.0, 1.0)),
    "legendre_polynomial_p": (_same, _same, (_same, lambda x: 2 * x, 0.0, 1.0, 1.0)),
}


def _polynomial(change: Callable[[Any], Any], second: Callable[[Any], Any], factors: Any, x: Any, n: Any) -> Any:
    torch = torch_module()
    x, n, dtype = _both(x, n)
    shape, is_hermite = x.shape, (factors[3] == 1.0 and factors[4] == 0.0) or factors[3] == 2.0
    x, n = change(x).reshape(-1), n.reshape(-1)
    steps = torch.where(torch.isnan(n), -1.0, torch.where(n < _MOST_STEPS, n, _MOST_STEPS))
    spread = [factor(x) if callable(factor) else torch.full_like(x, factor) for factor in factors]
    value = native_op("recurrence")(steps, second(x), *spread)
    value = torch.where(steps < 0, 0.0, value)
    if is_hermite:
        value = torch.where(n > _HERMITE_LIMITS.get(dtype.itemsize, 128), float("nan"), value)
    return value.reshape(shape).to(dtype)
