"""Arithmetic and comparisons that torch-mlir lowers wrongly, or not."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..support.framework import torch_module
from . import integers
from .native_ops import native_op
from .rerouting import left_alone, rerouted

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    prims = torch_module().ops.prims
    compared = {
        getattr(aten, name).Scalar: partial(_compared, getattr(aten, name).Scalar, getattr(aten, name).Tensor)
        for name in _COMPARISONS
    }
    return {
        **compared,
        aten.floor_divide.default: _floor_divide,
        aten.div.Tensor_mode: _rounded_quotient,
        aten.div.Scalar_mode: _rounded_quotient,
        aten.fmod.Scalar: _truncated_remainder,
        aten.fmod.Tensor: _truncated_remainder,
        aten.remainder.Scalar: _remainder,
        aten.remainder.Tensor: _remainder,
        aten.remainder.Scalar_Tensor: _remainder,
        aten.view.dtype: _reinterpreted,
        aten.isfinite.default: _is_finite,
        aten.signbit.default: _has_sign,
        aten.copysign.Tensor: _with_sign,
        aten.copysign.Scalar: _with_sign,
        aten.gelu.default: _gelu,
        aten.frexp.Tensor: _mantissa_and_exponent,
        prims.frexp.default: _mantissa_and_exponent,
        aten.nextafter.default: _next_after,
        prims.nextafter.default: _next_after,
        aten._cdist_forward.default: lambda x, y, p, _mode: _distances(x.unsqueeze(-2), y.unsqueeze(-3), p),
        aten._euclidean_dist.default: lambda x, y: _distances(x.unsqueeze(-2), y.unsqueeze(-3), 2.0),
        aten._pdist_forward.default: _distances_of_pairs,
        aten.linalg_matrix_exp.default: _matrix_exponential,
        aten.as_strided_scatter.default: _strided_scatter,
    }


def _tensor(number: Any, like: Any) -> Any:
    torch = torch_module()
    return number if isinstance(number, torch.Tensor) else torch.full((), number, dtype=torch.result_type(like, number))


def _compared(op: Callable[..., Any], of_tensors: Callable[..., Any], x: Any, number: Any) -> Any:
    """With a number of the kind that the tensor has: torch-mlir folds constants of two kinds wrongly, or crashes."""
    torch = torch_module()
    if not isinstance(number, (int, float)) or isinstance(number, bool) or x.is_complex():
        return NotImplemented
    if x.is_floating_point():
        return NotImplemented if isinstance(number, float) else op(x, float(number))
    if isinstance(number, int):
        return NotImplemented
    return of_tensors(x.to(torch.get_default_dtype()), torch.full((), number))


def _floats(x: Any, y: Any) -> tuple[Any, Any] | None:
    """Two arguments of one shape, in the dtype of the result, if that is of floats."""
    torch = torch_module()
    dtype = torch.result_type(x, y)
    if not dtype.is_floating_point:
        return None
    x, y = (one.to(dtype) for one in torch.broadcast_tensors(_tensor(x, y), _tensor(y, x)))
    return x, y


def _truncated_remainder(x: Any, y: Any) -> Any:
    """Exactly: torch-mlir subtracts a rounded product."""
    both = _floats(x, y)
    return integers.remainder(x, y, rounds_down=False) if both is None else native_op("remainder")(*both)


def _remainder(x: Any, y: Any) -> Any:
    both = _floats(x, y)
    if both is None:
        return integers.remainder(x, y, rounds_down=True)
    torch = torch_module()
    x, y = both
    rest = native_op("remainder")(x, y)
    return torch.where((rest != 0) & ((y < 0) != (rest < 0)), rest + y, rest)


def _floor_divide(x: Any, y: Any) -> Any:
    """As Python does it, by the remainder: NaN of an infinite dividend."""
    torch = torch_module()
    both = _floats(x, y)
    if both is None:
        return integers.quotient(x, y, rounds_down=True)
    x, y = both
    rest = native_op("remainder")(x, y)
    quotient = (x - rest) / y
    quotient = torch.where((rest != 0) & ((y < 0) != (rest < 0)), quotient - 1, quotient)
    floor = torch.floor(quotient)
    floor = torch.where(quotient - floor > 0.5, floor + 1, floor)
    return torch.where(y == 0, x / y, torch.where(quotient == 0, torch.copysign(torch.zeros_like(x), x / y), floor))


def _rounded_quotient(x: Any, y: Any, *, rounding_mode: str | None = None) -> Any:
    torch = torch_module()
    if rounding_mode == "floor":
        return _floor_divide(x, y)
    if rounding_mode != "trunc":
        return NotImplemented
    if torch.result_type(x, y).is_floating_point:
        return torch.trunc(x / y)
    return integers.quotient(x, y, rounds_down=False)


def _gelu(x: Any, *, approximate: str = "none") -> Any:
    """PyTorch's formula gives NaN for infinity; torch-mlir rounds the factor of the other one to four digits."""
    torch = torch_module()
    if left_alone(_gelu):
        return NotImplemented
    if approximate == "tanh":
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        inner = math.sqrt(2 / math.pi) * (wide + 0.044715 * wide * wide * wide)
        return (0.5 * wide * (1 + torch.tanh(inner))).to(x.dtype)
    with rerouted(_gelu):
        value = torch.nn.functional.gelu(x)
    return torch.where(x == float("inf"), float("nan"), value)


def _reinterpreted(x: Any, dtype: Any) -> Any:
    if x.dtype.is_floating_point == dtype.is_floating_point or x.is_complex() or x.dtype.itemsize not in (4, 8):
        return x.clone() if x.dtype == dtype else NotImplemented
    bits = native_op("bits" if x.is_floating_point() else "from_bits")(x)
    return bits if bits.dtype == dtype else NotImplemented


def _is_finite(x: Any) -> Any:
    torch = torch_module()
    if x.is_complex():
        return NotImplemented
    return x.abs() < float("inf") if x.is_floating_point() else torch.ones_like(x, dtype=torch.bool)


def _has_sign(x: Any) -> Any:
    if not x.is_floating_point():
        return x < 0 if x.dtype is not torch_module().bool else torch_module().zeros_like(x)
    torch = torch_module()
    return native_op("bits")(x if x.dtype in (torch.float32, torch.float64) else x.to(torch.float32)) < 0


def _with_sign(x: Any, y: Any) -> Any:
    torch = torch_module()
    both = _floats(x, y)
    if both is None:
        dtype = torch.get_default_dtype()
        both = tuple(one.to(dtype) for one in torch.broadcast_tensors(_tensor(x, y), _tensor(y, x)))
    size = both[0].abs()
    return torch.where(_has_sign(both[1]), -size, size)


def _mantissa_and_exponent(x: Any) -> Any:
    """By the exponent's bits; numbers that are not normal are scaled first."""
    torch = torch_module()
    bias, width = {torch.float32: (127, 23), torch.float64: (1023, 52)}.get(x.dtype, (0, 0))
    if not width:
        found, exponent = _mantissa_and_exponent(x.to(torch.float32))
        return found.to(x.dtype), exponent
    tiny = x.abs() < 2.0 ** (1 - bias)
    bits = native_op("bits")(torch.where(tiny, x * 2.0 ** (width + 2), x))
    raised = torch.remainder(torch.div(bits, 1 << width, rounding_mode="floor"), 2 * bias + 2)
    exponent = raised - (bias - 1)
    mantissa = native_op("from_bits")(bits - exponent * (1 << width))
    exponent = torch.where(tiny, exponent - (width + 2), exponent)
    whole = torch.isfinite(x) & (x != 0)
    return torch.where(whole, mantissa, x), torch.where(whole, exponent, 0).to(torch.int32)


def _next_after(x: Any, y: Any) -> Any:
    """One more or less than the bits, which are ordered as numbers of one sign are."""
    torch = torch_module()
    if x.dtype not in (torch.float32, torch.float64):
        return NotImplemented
    x, y = torch.broadcast_tensors(x, y)
    bits = native_op("bits")(x)
    away = (y > x) == (x > 0)
    moved = native_op("from_bits")(torch.where(away, bits + 1, bits - 1))
    least = native_op("from_bits")(torch.ones_like(bits))
    moved = torch.where(x == 0, torch.copysign(least, y), moved)
    return torch.where(torch.isnan(x) | torch.isnan(y), x + y, torch.where(x == y, y, moved))


def _distances(x: Any, y: Any, p: float) -> Any:
    torch = torch_module()
    apart = (x - y).abs()
    if p == 0:
        return (apart != 0).to(apart.dtype).sum(-1)
    if p == 1:
        return apart.sum(-1)
    if p == float("inf"):
        return apart.amax(-1) if apart.shape[-1] else apart.sum(-1)
    return torch.sqrt((apart * apart).sum(-1)) if p == 2 else (apart**p).sum(-1) ** (1 / p)


def _distances_of_pairs(x: Any, p: float = 2.0) -> Any:
    """Of rows, each with those after it."""
    torch = torch_module()
    rows = x.shape[0]
    parts = [_distances(x[row : row + 1], x[row + 1 :], p) for row in range(rows - 1)]
    return torch.cat(parts) if parts else x.new_empty(0)


def _matrix_exponential(a: Any) -> Any:
    """Taylor's series of the matrix over a power of 2, squared as often as each matrix needs, which may be 40 times."""
    torch = torch_module()
    if a.is_complex() or not a.numel():
        return NotImplemented
    unit = torch.eye(a.shape[-1], dtype=torch.float64, device=a.device)
    exact = a.to(torch.float64)
    norm = exact.abs().sum(-1).amax(-1)
    times = torch.ceil(torch.log2(torch.where(norm > 0.5, norm, 0.5)) + 1)
    scaled = exact * torch.exp2(-times).unsqueeze(-1).unsqueeze(-1)
    value = unit + scaled / 14
    for number in range(13, 0, -1):
        value = unit + scaled @ value / number
    for number in range(40):
        value = torch.where((times > number).unsqueeze(-1).unsqueeze(-1), value @ value, value)
    return value.to(a.dtype)


def _strided_scatter(x: Any, source: Any, size: Any, stride: Any, storage_offset: Any = None) -> Any:
    torch = torch_module()
    if not x.is_contiguous():
        return NotImplemented
    places = torch.full((), storage_offset or 0, dtype=torch.int64)
    for axis, (number, step) in enumerate(zip(size, stride, strict=True)):
        view = [1] * len(size)
        view[axis] = number
        places = places + torch.arange(number, device=x.device).reshape(view) * step
    return torch.ops.aten.put.default(x, places.expand(list(size)), source)
