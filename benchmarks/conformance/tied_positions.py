"""Positions that PyTorch leaves open: which of several equal elements `topk` and `kthvalue` name.

PyTorch says of `topk` that "the indices of tied elements are not guaranteed to be stable"; `kthvalue` returns where
its quickselect happened to end (`torch.kthvalue(torch.tensor([1, 1, 1, 0, 2]), 2)` says 2, where 0, 1 and 2 would be as
right), and other kernels of it say others. So these two results, of these two ops alone, are judged by what is at the
positions: each must be in range, no two of a row the same, and the elements there the values that the op returns, which
are compared with PyTorch's as always. Every other op has to return PyTorch's positions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Parameters = dict[str, Any]
OPEN: dict[str, Callable[..., Parameters]] = {
    "topk": lambda x, k, dim=-1, largest=True, sorted=True: {"x": x, "dim": dim},  # noqa: A006
    "kthvalue": lambda x, k, dim=-1, keepdim=False: {"x": x, "dim": dim},
}
"""The ops whose positions are open, with the parameters that a comparison needs."""


def elements_at_positions(op: str, arguments: tuple[Any, ...], named: dict[str, Any], result: Any) -> Any:
    """The values of `result` with the elements at its positions in their place, and whether all of these differ.

    The result as it is for ops whose positions PyTorch specifies, and for positions that are none.
    """
    if op not in OPEN:
        return result
    parameters = OPEN[op](*arguments, **named)
    x, dim = parameters["x"], parameters["dim"]
    values, positions = (torch.as_tensor(part) for part in result)
    if not x.dim() or positions.dtype != torch.int64 or values.shape != positions.shape:
        return result
    along = positions if positions.dim() == x.dim() else positions.unsqueeze(dim)
    if along.numel() and not (int(along.min()) >= 0 and int(along.max()) < x.shape[dim]):
        return result
    ordered = along.sort(dim).values
    different = bool((ordered.diff(dim=dim) > 0).all())
    return values, x.gather(dim, along).reshape(values.shape), different
