"""Running products, extrema and sums of exponentials along a dimension."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..support.framework import torch_module


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    return {
        aten.cumprod.default: _running_product,
        aten.cummax.default: lambda x, dim: _running_extremum(x, dim, aten.maximum.default),
        aten.cummin.default: lambda x, dim: _running_extremum(x, dim, aten.minimum.default),
        aten.logcumsumexp.default: _running_log_sum,
    }


def _running_extremum(x: Any, dim: int, choose: Callable[[Any, Any], Any]) -> Any:
    """Values and positions of `cummax` and `cummin`: of equal ones the last, as PyTorch has it; NaN stays."""
    torch = torch_module()
    if x.dim() == 0:
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    value, position = x.select(dim, 0), torch.zeros_like(x.select(dim, 0), dtype=torch.int64)
    values, positions = [value], [position]
    for number in range(1, x.shape[dim]):
        new = x.select(dim, number)
        value = choose(value, new)
        taken = (new == value) | torch.isnan(new) if x.is_floating_point() else new == value
        position = torch.where(taken, number, position)
        values.append(value)
        positions.append(position)
    return torch.stack(values, dim), torch.stack(positions, dim)


def _running_product(x: Any, dim: int, *, dtype: Any = None) -> Any:
    torch = torch_module()
    integral = not (x.is_floating_point() or x.is_complex())
    x = x.to(dtype or (torch.int64 if integral else x.dtype))
    return _by_doubling(x, dim, 1, torch.mul)


def _running_log_sum(x: Any, dim: int) -> Any:
    """Relative to the largest element so far: torch-mlir's lowering takes exponentials that overflow."""
    return NotImplemented if x.is_complex() else _by_doubling(x, dim, float("-inf"), _log_of_sum)


def _log_of_sum(x: Any, y: Any) -> Any:
    """Of the exponentials of both; infinities and NaN stay."""
    torch = torch_module()
    least, most = torch.minimum(x, y), torch.maximum(x, y)
    equal_infinities = (least == most) & torch.isinf(most)
    return torch.where(equal_infinities, most, most + torch.log1p(torch.exp(least - most)))


def _by_doubling(x: Any, dim: int, neutral: float, combine: Callable[[Any, Any], Any]) -> Any:
    """After k steps each element combines the 2**k elements up to it."""
    torch = torch_module()
    if x.dim() == 0:
        return x.clone()
    size, distance = x.shape[dim], 1
    while distance < size:
        before = torch.full_like(x.narrow(dim, 0, distance), neutral)
        x = combine(x, torch.cat([before, x.narrow(dim, 0, size - distance)], dim))
        distance *= 2
    return x
