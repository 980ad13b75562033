"""Complex numbers, and Fourier transforms: what torch-mlir does not lower of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..support.framework import implicitly, torch_module
from .native_ops import native_op


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    prims = torch_module().ops.prims
    return {
        prims.fft_c2c.default: lambda x, *, dim, forward: _complex_transform(x, dim, forward),
        prims.fft_r2c.default: lambda x, *, dim, onesided: _real_transform(x, dim, onesided),
        prims.fft_c2r.default: lambda x, *, dim, last_dim_size: _to_real_transform(x, dim, last_dim_size),
        aten._fft_c2c.default: lambda x, dim, normalization, forward: _scaled(
            _complex_transform(x, dim, forward), x.shape, dim, normalization
        ),
        aten._fft_r2c.default: lambda x, dim, normalization, onesided: _scaled(
            _real_transform(x, dim, onesided), x.shape, dim, normalization
        ),
        aten._fft_c2r.default: _to_real_scaled,
        aten.fft_fft.default: implicitly(aten.fft_fft.default),
        aten.fft_rfft.default: implicitly(aten.fft_rfft.default),
        aten.fft_ifft.default: implicitly(aten.fft_ifft.default),
        aten._conj.default: _conjugate,
        aten._conj_physical.default: _conjugate,
        aten.conj_physical.default: _conjugate,
        prims.conj_physical.default: _conjugate,
        prims.convert_element_type.default: _converted,
        aten.resolve_conj.default: lambda x: x.clone(),
        aten.add.Tensor: partial(_sum, 1),
        aten.sub.Tensor: partial(_sum, -1),
        aten.mul.Scalar: _scaled_by,
        aten.div.Scalar: _quotient,
        aten.mul.Tensor: _product,
        aten.div.Tensor: _quotient,
        aten.sgn.default: _sign,
        aten.abs.default: _absolute,
    }


def _parts(x: Any) -> tuple[Any, Any]:
    torch = torch_module()
    if not x.is_complex():
        return x, torch.zeros_like(x)
    both = torch.view_as_real(x)
    return both.select(-1, 0), both.select(-1, 1)


def of_parts(x: Any, function: Callable[[Any], Any]) -> Any:
    """A function of the real and of the imaginary part; NotImplemented of other numbers."""
    if not x.is_complex():
        return NotImplemented
    real, imaginary = _parts(x)
    return torch_module().complex(function(real), function(imaginary))


def _converted(x: Any, dtype: Any) -> Any:
    """To complex128, for which torch-mlir's importer has no number."""
    torch = torch_module()
    if dtype is not torch.complex128 or x.dtype is dtype:
        return NotImplemented
    real, imaginary = _parts(x)
    return torch.complex(real.to(torch.float64), imaginary.to(torch.float64))


def _conjugate(x: Any) -> Any:
    if not x.is_complex():
        return x.clone()
    real, imaginary = _parts(x)
    return torch_module().complex(real, -imaginary)


def _sum(sign: int, x: Any, y: Any, *, alpha: Any = 1) -> Any:
    torch = torch_module()
    both = [one for one in (x, y) if hasattr(one, "is_complex")]
    if not any(one.is_complex() for one in both):
        return NotImplemented
    dtype = torch.result_type(x, y)
    x, y = (one.to(dtype) if hasattr(one, "to") else torch.full((), one, dtype=dtype) for one in (x, y))
    if alpha != 1:
        y = y * alpha
    (a, b), (c, d) = _parts(x), _parts(y)
    return torch.complex(a + c, b + d) if sign > 0 else torch.complex(a - c, b - d)


def _scaled_by(x: Any, number: Any) -> Any:
    if not x.is_complex():
        return NotImplemented
    if isinstance(number, complex):
        real, imaginary = _parts(x)
        a, b = number.real, number.imag
        return torch_module().complex(real * a - imaginary * b, real * b + imaginary * a)
    return of_parts(x, lambda part: part * number)


def _product(x: Any, y: Any) -> Any:
    """Of complex and real numbers; torch-mlir knows that of two complex ones of one type."""
    if not hasattr(y, "is_complex"):
        return _scaled_by(x, y)
    if x.is_complex() == y.is_complex():
        return NotImplemented
    number, factor = (x, y) if x.is_complex() else (y, x)
    return of_parts(number, lambda part: part * factor)


def _quotient(x: Any, y: Any) -> Any:
    return _scaled_by(x, 1 / y) if x.is_complex() and isinstance(y, (int, float, complex)) else NotImplemented


def _absolute(x: Any) -> Any:
    return torch_module().hypot(*_parts(x)) if x.is_complex() else NotImplemented


def _sign(x: Any) -> Any:
    torch = torch_module()
    if not x.is_complex():
        return torch.sign(x)
    size = x.abs()
    real, imaginary = (torch.where(size == 0, 0, part / size) for part in _parts(x))
    return torch.complex(real, imaginary)


def _along(name: str, x: Any, dim: int) -> Any:
    """A transform along one dimension; it takes matrices."""
    if x.shape[dim] == 1 and name in ("fft", "ifft"):
        return x.clone()
    moved = x.movedim(dim, -1)
    found = native_op(name)(moved.reshape(-1, moved.shape[-1]))
    return found.reshape(*moved.shape[:-1], found.shape[-1]).movedim(-1, dim)


def _complex_transform(x: Any, dim: Sequence[int], forward: bool) -> Any:
    """Without a factor: the inverse of StableHLO has one."""
    for one in dim:
        x = _along("fft", x, one) if forward else _along("ifft", x, one) * x.shape[one]
    return x


def _real_transform(x: Any, dim: Sequence[int], onesided: bool) -> Any:
    torch = torch_module()
    if not onesided:
        return _complex_transform(torch.complex(x, torch.zeros_like(x)), dim, True)
    *others, last = dim
    return _complex_transform(_along("rfft", x, last), others, True)


def _to_real_transform(x: Any, dim: Sequence[int], size: int) -> Any:
    """From half of a spectrum: the other half is the mirrored conjugate."""
    torch = torch_module()
    *others, last = dim
    x = _complex_transform(x, others, False).movedim(last, -1)
    half = x[..., : size // 2 + 1]
    mirrored = _conjugate(half[..., 1 : (size + 1) // 2].flip(-1))
    real, imaginary = _parts(torch.cat([half, mirrored], -1))
    places = torch.arange(size, device=x.device)
    imaginary = torch.where((places == 0) | (places * 2 == size), 0, imaginary)  # They are taken to be real.
    whole = torch.complex(real, imaginary)
    return (_parts(_along("ifft", whole, -1))[0] * size).movedim(-1, last)


def _to_real_scaled(x: Any, dim: Sequence[int], normalization: int, last_dim_size: int) -> Any:
    shape = list(x.shape)
    shape[dim[-1]] = last_dim_size
    return _scaled(_to_real_transform(x, dim, last_dim_size), shape, dim, normalization)


def _scaled(x: Any, shape: Sequence[int], dim: Sequence[int], normalization: int) -> Any:
    """With the factor of a normalization: 0 for none, 1 for the root of the number of elements, 2 for that number."""
    number = 1
    for one in dim:
        number *= shape[one]
    factor = {0: 1.0, 1: number**-0.5, 2: 1 / number}[normalization]
    return x if factor == 1.0 else x * factor
