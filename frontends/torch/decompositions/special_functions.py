"""Functions that neither torch-mlir nor PyTorch expresses by simpler ops: computed in float64, and rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..support.framework import torch_module

_LANCZOS = (
    0.99999999999980993,
    676.5203681218851,
    -1259.1392167224028,
    771.32342877765313,
    -176.61502916214059,
    12.507343278686905,
    -0.13857109526572012,
    9.9843695780195716e-6,
    1.5056327351493116e-7,
)
"""The coefficients of Lanczos' series for the gamma function, for g = 7."""

_BERNOULLI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
"""The coefficients of the asymptotic series of the digamma function."""

_SHIFT = 8
"""From where on that series is exact to float64."""


def as_float(x: Any) -> tuple[Any, Any]:
    """An argument in float64, and the dtype of the result."""
    torch = torch_module()
    return x.to(torch.float64), x.dtype if x.is_floating_point() else torch.get_default_dtype()


def in_float64(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that is computed in float64, and rounded to the dtype of the result."""

    def rounded(x: Any) -> Any:
        x, dtype = as_float(x)
        return function(x).to(dtype)

    return rounded


def log_gamma(x: Any) -> Any:
    """`torch.lgamma`."""
    torch = torch_module()
    x, dtype = as_float(x)
    reflected = x < 0.5
    z = torch.where(reflected, 1 - x, x) - 1
    series = _LANCZOS[0] + sum(one / (z + number) for number, one in enumerate(_LANCZOS) if number)
    t = z + 7.5
    value = 0.5 * math.log(2 * math.pi) + (z + 0.5) * torch.log(t) - t + torch.log(series)
    sine = torch.abs(torch.sin(math.pi * (x - torch.round(x))))
    value = torch.where(reflected, math.log(math.pi) - torch.log(sine) - value, value)
    return torch.where(torch.isinf(x), torch.abs(x), value).to(dtype)


def digamma(x: Any) -> Any:
    """`torch.digamma`: infinite at zero, NaN at negative integers."""
    torch = torch_module()
    x, dtype = as_float(x)
    reflected = x < 0
    z = torch.where(reflected, 1 - x, x)
    shifted = z + _SHIFT
    square = 1 / (shifted * shifted)
    series = sum(one * square ** (number + 1) for number, one in enumerate(_BERNOULLI))
    value = torch.log(shifted) - 0.5 / shifted - series
    value = value - sum(1 / (z + number) for number in range(_SHIFT))
    fraction = x - torch.round(x)
    value = torch.where(reflected, value - math.pi / torch.tan(math.pi * fraction), value)
    return torch.where(reflected & (fraction == 0), float("nan"), value).to(dtype)


def hypot(x: Any, y: Any) -> Any:
    """`torch.hypot`, which does not overflow before its result does."""
    torch = torch_module()
    x, y = torch.abs(x), torch.abs(y)
    most, least = torch.maximum(x, y), torch.minimum(x, y)
    ratio = least / most
    value = torch.where(most == 0, most, most * torch.sqrt(1 + ratio * ratio))
    return torch.where(torch.isinf(x) | torch.isinf(y), float("inf"), value)


def search_sorted(
    boundaries: Any,
    x: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """`torch.searchsorted`: how many boundaries of a row are less than each number (or not greater, from the right)."""
    torch = torch_module()
    if sorter is not None:
        boundaries = boundaries.gather(-1, sorter)
    boundaries = boundaries[(None,) * x.dim()] if boundaries.dim() == 1 else boundaries.unsqueeze(-2)
    x = x.unsqueeze(-1)
    before = ~(boundaries > x if right or side == "right" else boundaries >= x)  # NaN is after all
    return before.to(torch.int32 if out_int32 else torch.int64).sum(-1, dtype=torch.int32 if out_int32 else torch.int64)
