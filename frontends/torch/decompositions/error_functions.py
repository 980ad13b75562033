"""The error function's relatives, in float64, rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ..support.framework import torch_module
from .native_ops import native_op
from .special_functions import in_float64

_ROOT_PI = math.sqrt(math.pi)
_TAIL = 2.5
"""From where on the continued fraction is used."""

_FAR = 1e100
"""From where on its first term is all of it."""


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    prims = torch_module().ops.prims
    return {
        **dict.fromkeys((aten.erfc.default, prims.erfc.default), in_float64(_erfc)),
        **dict.fromkeys((aten.special_erfcx.default, prims.erfcx.default), in_float64(_erfcx)),
        **dict.fromkeys((aten.erfinv.default, prims.erf_inv.default), in_float64(_inverse)),
        **dict.fromkeys((aten.special_ndtri.default, prims.ndtri.default), in_float64(_normal_quantile)),
        aten.special_log_ndtr.default: in_float64(_log_normal),
    }


def _scaled_tail(x: Any) -> Any:
    """`exp(x * x) * erfc(x)` for `x` of at least `_TAIL`: an incomplete gamma function of 1/2."""
    torch = torch_module()
    near = torch.where(x < _FAR, x, _FAR)
    square = (near * near).reshape(-1)
    fraction = native_op("gamma_fraction")(torch.full_like(square, 0.5), square)
    return torch.where(x < _FAR, fraction.reshape(x.shape) * near, 1 / x) / _ROOT_PI


def _erfcx(x: Any) -> Any:
    torch = torch_module()
    size = x.abs()
    tail = _scaled_tail(torch.where(size < _TAIL, _TAIL, size))
    square = torch.exp(x * x)
    inner = square * (1 - torch.erf(torch.where(size < _TAIL, x, 0.0)))
    return torch.where(size < _TAIL, inner, torch.where(x < 0, 2 * square - tail, tail))


def _erfc(x: Any) -> Any:
    torch = torch_module()
    tail = _scaled_tail(torch.where(x < _TAIL, _TAIL, x)) * torch.exp(-x * x)
    return torch.where(x < _TAIL, 1 - torch.erf(x), tail)


def _log_normal(x: Any) -> Any:
    """The logarithm of the normal distribution."""
    torch = torch_module()
    low = _log_lower(torch.where(x < 0, x, 0.0))
    return torch.where(x < 0, low, torch.log1p(-_erfc(x * math.sqrt(0.5)) / 2))


def _log_lower(x: Any) -> Any:
    """The same, where `x` is not positive."""
    torch = torch_module()
    z = -x * math.sqrt(0.5)
    tail = torch.log(_scaled_tail(torch.where(z < _TAIL, _TAIL, z)) / 2) - z * z
    return torch.where(z < _TAIL, torch.log((1 - torch.erf(z)) / 2), tail)


def _inverse(x: Any) -> Any:
    """By the normal quantile of the complement; near zero by Newton's method for the function itself."""
    torch = torch_module()
    size = x.abs()
    far = -torch.sign(x) * _quantile_of((1 - size) / 2) * math.sqrt(0.5)
    near = torch.where(size < 0.5, x, 0.0)
    z = near * (_ROOT_PI / 2)
    for _ in range(4):
        z = z - (torch.erf(z) - near) * torch.exp(z * z) * (_ROOT_PI / 2)
    return torch.where(size < 0.5, z, torch.where(size > 1, float("nan"), far))


def _quantile_of(p: Any) -> Any:
    """Where the normal distribution is `p`, of at most a half: Newton's method for its logarithm, which is concave."""
    torch = torch_module()
    wanted = torch.log(p)
    inside = (p > 0) & (p <= 0.5)
    safe = torch.where(inside, wanted, -1.0)
    tail = torch.sqrt(-2 * safe)
    z = -(tail - (2.515517 + tail * (0.802853 + tail * 0.010328))
          / (1 + tail * (1.432788 + tail * (0.189269 + tail * 0.001308))))  # fmt: skip
    for _ in range(3):
        value = _log_lower(z)
        slope = torch.exp(-z * z / 2 - value) / math.sqrt(2 * math.pi)
        z = z - (value - safe) / slope
        z = torch.where(z < 0, z, 0.0)
    return torch.where(inside, z, torch.where(p == 0, float("-inf"), float("nan")))


def _normal_quantile(p: Any) -> Any:
    torch = torch_module()
    upper = p > 0.5
    found = _quantile_of(torch.where(upper, 1 - p, p))
    return torch.where(upper, -found, found)
