"""Ops of our own that decompositions use for what ATen has no simple op for.

Each is defined in torch's library `inplace` with its sizes and dtypes, so that it can be traced, and has no kernel:
`native_bodies.py` and `native_loops.py` make loops of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..support.framework import torch_module

NAMESPACE = "inplace"


def _lu(a: Any) -> Any:
    torch = torch_module()
    pivots = a.new_empty((*a.shape[:-2], min(a.shape[-2:])), dtype=torch.int32)
    return torch.empty_like(a), pivots, a.new_empty(a.shape[:-2], dtype=torch.int32)


def _cholesky(a: Any) -> Any:
    return a.new_empty(a.shape), a.new_empty(a.shape[:-2], dtype=torch_module().int32)


def _qr(a: Any) -> Any:
    return a.new_empty(a.shape), a.new_empty((*a.shape[:-2], min(a.shape[-2:])))


def _first(x: Any, *_others: Any) -> Any:
    return x.new_empty(x.shape)


def _second(_x: Any, y: Any) -> Any:
    return y.new_empty(y.shape)


def _rotated(a: Any) -> Any:
    return a.new_empty(a.shape), a.new_empty((*a.shape[:-1], a.shape[-2]))


def _rfft(x: Any) -> Any:
    return x.new_empty((*x.shape[:-1], x.shape[-1] // 2 + 1), dtype=x.dtype.to_complex())


def _irfft(x: Any, size: int) -> Any:
    return x.new_empty((*x.shape[:-1], size), dtype=x.dtype.to_real())


def _integer_like(x: Any) -> Any:
    torch = torch_module()
    return x.new_empty(x.shape, dtype={2: torch.int16, 4: torch.int32, 8: torch.int64}[x.dtype.itemsize])


def _float_like(x: Any) -> Any:
    torch = torch_module()
    return x.new_empty(x.shape, dtype={4: torch.float32, 8: torch.float64}[x.dtype.itemsize])


def _both(x: Any, y: Any) -> Any:
    return x.new_empty(x.shape), y.new_empty(y.shape)


_OPS: dict[str, tuple[str, Callable[..., Any]]] = {
    "lu": ("(Tensor a) -> (Tensor, Tensor, Tensor)", _lu),
    "cholesky": ("(Tensor a) -> (Tensor, Tensor)", _cholesky),
    "qr": ("(Tensor a) -> (Tensor, Tensor)", _qr),
    "householder": ("(Tensor a, Tensor factors) -> Tensor", _first),
    "solve_lower": ("(Tensor a, Tensor b) -> Tensor", _second),
    "solve_upper": ("(Tensor a, Tensor b) -> Tensor", _second),
    "swap_rows": ("(Tensor x, Tensor pivots) -> Tensor", _first),
    "orthogonalize": ("(Tensor a) -> (Tensor, Tensor)", _rotated),
    "fft": ("(Tensor x) -> Tensor", _first),
    "ifft": ("(Tensor x) -> Tensor", _first),
    "rfft": ("(Tensor x) -> Tensor", _rfft),
    "irfft": ("(Tensor x, int size) -> Tensor", _irfft),
    "sort_ascending": ("(Tensor x, Tensor y) -> (Tensor, Tensor)", _both),
    "sort_descending": ("(Tensor x, Tensor y) -> (Tensor, Tensor)", _both),
    "scatter_set": ("(Tensor x, Tensor index, Tensor updates) -> Tensor", _first),
    "scatter_add": ("(Tensor x, Tensor index, Tensor updates) -> Tensor", _first),
    "scatter_multiply": ("(Tensor x, Tensor index, Tensor updates) -> Tensor", _first),
    "scatter_minimum": ("(Tensor x, Tensor index, Tensor updates) -> Tensor", _first),
    "scatter_maximum": ("(Tensor x, Tensor index, Tensor updates) -> Tensor", _first),
    "remainder": ("(Tensor x, Tensor y) -> Tensor", _first),
    "bits": ("(Tensor x) -> Tensor", _integer_like),
    "from_bits": ("(Tensor x) -> Tensor", _float_like),
    "recurrence": ("(Tensor n, Tensor p, Tensor a, Tensor b, Tensor c, Tensor d, Tensor e) -> Tensor", _first),
    "gcd": ("(Tensor x, Tensor y) -> Tensor", _first),
    "power": ("(Tensor x, Tensor y) -> Tensor", _first),
    "gamma_series": ("(Tensor a, Tensor x) -> Tensor", _first),
    "gamma_fraction": ("(Tensor a, Tensor x) -> Tensor", _first),
}
"""Of each op the arguments, and what makes results of their sizes and dtypes.

`lu`, `qr` and `householder` are LAPACK's getrf, geqrf and orgqr; pivots count from 1. `swap_rows` swaps elements of
each row as pivots say. `orthogonalize` gives the product of an orthogonal matrix and `a`, whose rows are orthogonal,
and that matrix. Transforms and sorts are along the last dimension; sorts are stable, take NaN for the greatest number,
and move elements of `y` as those of `x`. Scatters are along the only dimension. `recurrence` is, for each element, the
`n`-th of numbers of which the first two are 1 and `p`, and the one after the `k`-th and `k + 1`-th, for `k` from 1, is
`((a + b k) p' - (c + d k) p'') / (1 + e k)`. `gcd` and `power` are of integers. `gamma_series` and `gamma_fraction`
are the series of the lower incomplete gamma function and the continued fraction of the upper one, without their common
factor.
"""


_polynomials: dict[str, tuple[float, ...]] = {}


def polynomial(name: str, x: Any, coefficients: Sequence[float]) -> Any:
    """A polynomial of each element: one op, where many would take long to compile. The constant coefficient is first.

    Args:
        name: of these coefficients, and no others.
        x: a tensor of float64.
        coefficients: numbers.
    """
    known = _polynomials.setdefault(name, tuple(coefficients))
    assert known == tuple(coefficients), f"another polynomial is called {name}"
    return native_op(f"polynomial_{name}")(x.reshape(-1)).reshape(x.shape)


def coefficients_of(op: str) -> tuple[float, ...]:
    """The coefficients of a polynomial, by the name of the op."""
    return _polynomials[op.removeprefix("polynomial_")]


@cache
def native_op(name: str) -> Callable[..., Any]:
    """The op of a name of `_OPS`, registered."""
    library = _library()
    if name.removeprefix("polynomial_") in _polynomials:
        library.define(f"{name}(Tensor x) -> Tensor")
        library.impl(name, _first, "Meta")
    return getattr(getattr(torch_module().ops, NAMESPACE), name).default


@cache
def _library() -> Any:
    library = torch_module("torch.library").Library(NAMESPACE, "FRAGMENT")
    for name, (signature, fake) in _OPS.items():
        library.define(name + signature)
        library.impl(name, fake, "Meta")
    return library
