"""Ops of our own that decompositions use for what ATen has no simple op for: factorizations.

Each is defined in torch's library `inplace` with its sizes and dtypes, so that it can be traced, and has no kernel:
`native_lowering.py` makes loops of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from .framework import torch_module

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


_OPS: dict[str, tuple[str, Callable[..., Any]]] = {
    "lu": ("(Tensor a) -> (Tensor, Tensor, Tensor)", _lu),
    "cholesky": ("(Tensor a) -> (Tensor, Tensor)", _cholesky),
    "qr": ("(Tensor a) -> (Tensor, Tensor)", _qr),
    "householder": ("(Tensor a, Tensor factors) -> Tensor", _first),
    "solve_lower": ("(Tensor a, Tensor b) -> Tensor", _second),
    "solve_upper": ("(Tensor a, Tensor b) -> Tensor", _second),
    "swap_rows": ("(Tensor x, Tensor pivots) -> Tensor", _first),
}
"""Of each op the arguments, and what makes results of their sizes and dtypes.

`lu`, `qr` and `householder` are LAPACK's getrf, geqrf and orgqr; pivots count from 1. `swap_rows` swaps elements of
each row as pivots say.
"""


@cache
def native_op(name: str) -> Callable[..., Any]:
    """The op of a name of `_OPS`, registered."""
    _library()
    return getattr(getattr(torch_module().ops, NAMESPACE), name).default


@cache
def _library() -> Any:
    library = torch_module("torch.library").Library(NAMESPACE, "FRAGMENT")
    for name, (signature, fake) in _OPS.items():
        library.define(name + signature)
        library.impl(name, fake, "Meta")
    return library
