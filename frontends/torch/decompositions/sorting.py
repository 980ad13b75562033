"""Sorts, and what is decided by order, by the sorts of `native_ops.py`: for these NaN is the greatest number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..support.framework import torch_module
from .native_ops import native_op


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    return {
        aten.sort.default: lambda x, dim=-1, descending=False: _sort(x, dim, descending=descending),
        aten.sort.stable: lambda x, *, stable=None, dim=-1, descending=False: _sort(x, dim, descending=descending),
        aten.argsort.default: lambda x, dim=-1, descending=False: _sort(x, dim, descending=descending)[1],
        aten.argsort.stable: lambda x, *, stable, dim=-1, descending=False: _sort(x, dim, descending=descending)[1],
        aten.topk.default: _topk,
        aten.kthvalue.default: _kth_value,
        aten.median.default: lambda x: _median(x.reshape(-1), 0, False)[0],
        aten.nanmedian.default: lambda x: _nan_median(x.reshape(-1), 0, False)[0],
        aten.median.dim: _median,
        aten.nanmedian.dim: _nan_median,
        aten.mode.default: _mode,
        aten.argmax.default: lambda x, dim=None, keepdim=False: _arg_extremum("amax", x, dim, keepdim),
        aten.argmin.default: lambda x, dim=None, keepdim=False: _arg_extremum("amin", x, dim, keepdim),
        aten.max.dim: lambda x, dim, keepdim=False: _extremum_along("amax", x, dim, keepdim),
        aten.min.dim: lambda x, dim, keepdim=False: _extremum_along("amin", x, dim, keepdim),
    }


def _is_float(x: Any) -> bool:
    return x.is_floating_point()


def _sort(x: Any, dim: int = -1, *, descending: bool = False) -> Any:
    """The sorted elements and where they were; equal ones stay in their order."""
    torch = torch_module()
    if x.is_complex():
        return NotImplemented
    if x.dim() == 0:
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    dtype, moved = x.dtype, x.movedim(dim, -1)
    if dtype in (torch.bool, torch.uint8):
        moved = moved.to(torch.int32)
    places = torch.arange(moved.shape[-1], device=x.device).expand(moved.shape)
    values, places = native_op("sort_descending" if descending else "sort_ascending")(moved, places)
    return values.to(dtype).movedim(-1, dim), places.movedim(-1, dim)


def _topk(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:  # noqa: A002
    del sorted  # They may be.
    ordered = _sort(x, dim, descending=largest)
    return ordered if x.dim() == 0 else tuple(one.narrow(dim, 0, k) for one in ordered)


def _at(ordered: Any, place: Any, dim: int, keepdim: bool) -> Any:
    """The elements of sorted ones, and where these were, of one place or of a tensor of places."""
    if isinstance(place, int):
        found = tuple(one.narrow(dim, place, 1) for one in ordered)
    else:
        found = tuple(one.gather(dim, place) for one in ordered)
    return found if keepdim else tuple(one.squeeze(dim) for one in found)


def _kth_value(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    ordered = _sort(x, dim)
    return ordered if x.dim() == 0 else _at(ordered, k - 1, dim, keepdim)


def _median(x: Any, dim: int, keepdim: bool = False) -> Any:
    """The lower median, or NaN if there is one, the first."""
    torch = torch_module()
    ordered = _sort(x, dim)
    if x.dim() == 0:
        return ordered
    values, places = _at(ordered, (x.shape[dim] - 1) // 2, dim, keepdim)
    if not _is_float(x):
        return values, places
    nan = torch.isnan(x)
    found = nan.any(dim, keepdim)
    first = _arg_extremum("amax", nan.to(torch.int32), dim, keepdim)
    return torch.where(found, float("nan"), values), torch.where(found, first, places)


def _nan_median(x: Any, dim: int, keepdim: bool = False) -> Any:
    if not _is_float(x) or x.dim() == 0:
        return _median(x, dim, keepdim)
    torch = torch_module()
    numbers = (~torch.isnan(x)).to(torch.int64).sum(dim, keepdim=True)
    middle = torch.div(numbers - 1, 2, rounding_mode="floor")
    return _at(_sort(x, dim), torch.where(numbers == 0, 0, middle), dim, keepdim)


def _mode(x: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The least of the most frequent elements, and where it is last."""
    torch = torch_module()
    if x.dim() == 0:
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    values, places = _sort(x, dim)
    values, places = values.movedim(dim, -1), places.movedim(dim, -1)
    size = values.shape[-1]
    numbers = torch.arange(size, device=x.device).expand(values.shape)
    begins = torch.cat([torch.ones_like(values[..., :1], dtype=torch.bool), values[..., 1:] != values[..., :-1]], -1)
    start = torch.where(begins, numbers, 0).cummax(-1)[0]
    best = _arg_extremum("amax", numbers - start, -1, True)
    found = tuple(one.gather(-1, best).movedim(-1, dim) for one in (values, places))
    return found if keepdim else tuple(one.squeeze(dim) for one in found)


def _arg_extremum(name: str, x: Any, dim: int | None, keepdim: bool) -> Any:
    """Where the extremum is first; NaN is one."""
    torch = torch_module()
    if x.is_complex():
        return NotImplemented
    if dim is None or x.dim() == 0:
        found = _arg_extremum(name, x.reshape(-1), 0, False)
        return found.reshape([1] * x.dim()) if keepdim else found
    size = x.shape[dim]
    x = x.to(torch.int32) if x.dtype in (torch.bool, torch.uint8) else x
    extremum = getattr(torch, name)(x, dim, keepdim=True)
    is_one = x == extremum
    is_one = is_one | torch.isnan(x) if _is_float(x) else is_one
    shape = [1] * x.dim()
    shape[dim] = size
    numbers = torch.arange(size, device=x.device).reshape(shape)
    return torch.where(is_one, numbers, size).amin(dim, keepdim=keepdim)


def _extremum_along(name: str, x: Any, dim: int, keepdim: bool) -> Any:
    torch = torch_module()
    if x.is_complex():
        return NotImplemented
    if x.dim() == 0:
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    where = _arg_extremum(name, x, dim, True)
    values = x.gather(dim, where)
    return (values, where) if keepdim else (values.squeeze(dim), where.squeeze(dim))
