"""Bessel and Airy functions, in float64, rounded once.

Near zero they are power series; further out the functions of the first kind are means over a period, which converge
faster than any power of the number of points, and the modified ones of the second kind sums of an integral; far out the
others are asymptotic series.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ..support.framework import torch_module
from .native_ops import polynomial
from .special_functions import in_float64

_EULER = 0.5772156649015329
_FAR = 25.0
"""From where on the asymptotic series is exact to float64."""

_POINTS = 80
"""Of a period: enough for arguments up to `_FAR`."""


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    prims = torch_module().ops.prims
    functions = {
        "bessel_j0": lambda x: _first(0, x),
        "bessel_j1": lambda x: _first(1, x),
        "bessel_y0": lambda x: _second(0, x),
        "bessel_y1": lambda x: _second(1, x),
        "i0": lambda x: _modified_first(0, x),
        "i0e": lambda x: _modified_first(0, x, scaled=True),
        "i1": lambda x: _modified_first(1, x),
        "i1e": lambda x: _modified_first(1, x, scaled=True),
        "modified_bessel_i0": lambda x: _modified_first(0, x),
        "modified_bessel_i1": lambda x: _modified_first(1, x),
        "modified_bessel_k0": lambda x: _modified_second(0, x),
        "modified_bessel_k1": lambda x: _modified_second(1, x),
        "scaled_modified_bessel_k0": lambda x: _modified_second(0, x, scaled=True),
        "scaled_modified_bessel_k1": lambda x: _modified_second(1, x, scaled=True),
        "spherical_bessel_j0": _spherical,
        "airy_ai": _airy,
    }
    found = {}
    for name, function in functions.items():
        packets = [(aten, name), (aten, f"special_{name}"), (prims, name), (prims, f"bessel_{name}")]
        for library, packet in packets:
            if hasattr(library, packet):
                found[getattr(library, packet).default] = in_float64(function)
    return found


def _between(x: Any, low: float, high: float) -> Any:
    """Arguments of a formula that only holds between bounds: others are bounds."""
    torch = torch_module()
    return torch.where(x > low, torch.where(x < high, x, high), low)


def _asymptotic(order: float, terms: int = 24) -> list[float]:
    """The coefficients of Hankel's series in `1 / x`."""
    found = [1.0]
    for k in range(1, terms):
        found.append(found[-1] * (4 * order * order - (2 * k - 1) ** 2) / (8 * k))
    return found


def _far(order: int, x: Any) -> tuple[Any, Any]:
    """Functions of the first and second kind where `x` is large."""
    torch = torch_module()
    series = _asymptotic(order)
    square = -1 / (x * x)
    p = polynomial(f"hankel_p{order}", square, series[::2])
    q = polynomial(f"hankel_q{order}", square, series[1::2]) / x
    # Of x - pi / 4 - order * pi / 2, without losing digits of x.
    sine, cosine = torch.sin(x), torch.cos(x)
    cos, sin = ((cosine + sine), (sine - cosine)) if order == 0 else ((sine - cosine), -(sine + cosine))
    size = torch.sqrt(1 / (math.pi * x))
    return size * (p * cos - q * sin), size * (p * sin + q * cos)


def _quarter(like: Any) -> tuple[Any, Any]:
    """The points of a quarter of the period, and their weights in a mean over all of it."""
    torch = torch_module()
    last = _POINTS // 4
    numbers = torch.arange(last + 1, dtype=torch.float64, device=like.device)
    is_end = (numbers == 0.0) | (numbers == float(last))
    return numbers * (2 * math.pi / _POINTS), torch.where(is_end, 2 / _POINTS, 4 / _POINTS)


def _first(order: int, x: Any) -> Any:
    torch = torch_module()
    size = x.abs()
    near, far = _between(size, 0.0, _FAR), torch.where(size > _FAR, size, _FAR)
    angles, weights = _quarter(x)
    inner = near.unsqueeze(-1) * torch.sin(angles)
    total = weights * (torch.sin(inner) * torch.sin(angles) if order else torch.cos(inner))
    total = total.sum(-1)
    value = torch.where(size > _FAR, _far(order, far)[0], total)
    value = torch.where(torch.isfinite(x), value, float("nan"))
    return torch.where(x < 0, -value, value) if order else value


def _second(order: int, x: Any) -> Any:
    """Neumann's series up to 12, of which the last digits cancel; then asymptotic."""
    torch = torch_module()
    limit = 12.0
    near, far = _between(x, 1e-300, limit), torch.where(x > limit, x, limit)
    quarter = -near * near / 4
    log = torch.log(near / 2) + _EULER
    series = polynomial(f"neumann{order}", quarter, _second_coefficients(order, 50))
    if order == 0:
        value = (log * _first(0, near) - series) * (2 / math.pi)
    else:
        value = (log * _first(1, near) - 1 / near - series * near / 2) * (2 / math.pi)
    value = torch.where(x > limit, _far(order, far)[1], value)
    value = torch.where(x == 0, float("-inf"), torch.where(x < 0, float("nan"), value))
    return torch.where(x.abs() < float("inf"), value, float("nan"))


def _modified_first(order: int, x: Any, *, scaled: bool = False) -> Any:
    torch = torch_module()
    size = x.abs()
    near, far = _between(size, 0.0, _FAR), torch.where(size > _FAR, size, _FAR)
    angles, weights = _quarter(x)
    inner = near.unsqueeze(-1) * torch.sin(angles)
    total = weights * (torch.sinh(inner) * torch.sin(angles) if order else torch.cosh(inner))
    total = total.sum(-1) * torch.exp(-near)
    signs = [one if number % 2 == 0 else -one for number, one in enumerate(_asymptotic(order))]
    asymptotic = polynomial(f"asymptotic_i{order}", 1 / far, signs) / torch.sqrt(2 * math.pi * far)
    value = torch.where(size > _FAR, asymptotic, total)
    value = value if scaled else value * torch.exp(size)
    value = torch.where(x.abs() < float("inf"), value, torch.where(torch.isinf(x) & scaled, 0.0, float("nan")))
    return torch.where(x < 0, -value, value) if order else value


def _integral(order: float, x: Any) -> Any:
    """`exp(x)` times the modified function of the second kind, for `x` of at least 1."""
    torch = torch_module()
    step, root = 0.25, torch.sqrt(x)
    numbers = torch.arange(38, dtype=torch.float64, device=x.device)
    t = numbers * step / root.unsqueeze(-1)
    half = torch.sinh(t / 2)
    values = torch.exp(-2 * x.unsqueeze(-1) * half * half) * torch.cosh(order * t)
    return torch.where(numbers == 0.0, 0.5, values).sum(-1) * step / root


def _modified_second(order: int, x: Any, *, scaled: bool = False) -> Any:
    torch = torch_module()
    near, far = _between(x, 1e-300, 2.0), _between(x, 1.0, 1e300)
    quarter = near * near / 4
    log = torch.log(near / 2) + _EULER
    series = polynomial(f"modified_neumann{order}", quarter, _second_coefficients(order, 20))
    if order == 0:
        small = series - log * _modified_first(0, near)
    else:
        small = 1 / near + log * _modified_first(1, near) - series * near / 2
    small = small * torch.exp(near) if scaled else small
    large = _integral(order, far)
    large = large if scaled else large * torch.exp(-far)
    value = torch.where(x > 1, large, small)
    value = torch.where(x == 0, float("inf"), torch.where(x < 0, float("nan"), value))
    return torch.where(torch.isnan(x), x, torch.where(x == float("inf"), 0.0, value))


def _spherical(x: Any) -> Any:
    torch = torch_module()
    size = x.abs()
    square = x * x
    small = 1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110))))
    value = torch.where(size < 0.5, small, torch.sin(x) / torch.where(size < 0.5, 1.0, x))
    return torch.where(torch.isinf(x), 0.0, value)


def _airy(x: Any) -> Any:
    """By the modified function of order 1/3 from 2 on; asymptotic below -7; else the power series."""
    torch = torch_module()
    near = _between(x, -7.0, 2.0)
    cube = near * near * near
    first, second = [0.355028053887817239], [0.258819403792806798]
    for k in range(60):
        first.append(first[-1] / ((3 * k + 2) * (3 * k + 3)))
        second.append(second[-1] / ((3 * k + 3) * (3 * k + 4)))
    middle = polynomial("airy_even", cube, first) - near * polynomial("airy_odd", cube, second)
    high = torch.where(x > 2, x, 2.0)
    zeta = high * torch.sqrt(high) * (2 / 3)
    positive = torch.sqrt(high / 3) / math.pi * _integral(1 / 3, zeta) * torch.exp(-zeta)
    low = torch.where(x < -7, -x, 7.0)
    zeta = low * torch.sqrt(low) * (2 / 3)
    series = [1.0]
    for k in range(1, 16):
        series.append(series[-1] * (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1)))
    square = -1 / (zeta * zeta)
    p, q = polynomial("airy_p", square, series[::2]), polynomial("airy_q", square, series[1::2]) / zeta
    angle = zeta - math.pi / 4
    negative = (torch.cos(angle) * p + torch.sin(angle) * q) / (math.sqrt(math.pi) * low**0.25)
    value = torch.where(x > 2, positive, torch.where(x < -7, negative, middle))
    return torch.where(torch.isfinite(x), value, float("nan"))


def _second_coefficients(order: int, terms: int) -> list[float]:
    """Of the series of both functions of the second kind, beside the logarithm (DLMF 10.8 and 10.31)."""
    harmonic, factor, coefficients = 0.0, 1.0, []
    for k in range(terms):
        if k:
            harmonic += 1 / k
            factor /= k * (k + order)
        coefficients.append(factor * (2 * harmonic if order == 0 else 2 * harmonic + 1 / (k + 1)) / 2)
    return coefficients
