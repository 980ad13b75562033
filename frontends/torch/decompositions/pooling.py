"""Pooling by slices: where maxima are, with NaN as PyTorch has it, and pooling of integers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..support.framework import torch_module
from .rerouting import left_alone, rerouted


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    return {
        aten.max_pool2d_with_indices.default: partial(_max_pool, aten.max_pool2d_with_indices.default, 2),
        aten.max_pool3d_with_indices.default: partial(_max_pool, aten.max_pool3d_with_indices.default, 3),
    }


def _max_pool(
    op: Callable[..., Any],
    rank: int,
    x: Any,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> Any:
    """Maxima, and the flat place of each, which is the last one of NaN, or the first one of others."""
    if left_alone(_max_pool) or not all(type(size) is int for size in x.shape):
        return NotImplemented
    with rerouted(_max_pool):  # Its values are right, and fast.
        values = op(x, kernel, stride, padding, dilation, ceil_mode)[0]
    sizes = [_each(one, rank) for one in (kernel, stride or kernel, padding, dilation)]
    own, places = _maxima(x, values.shape, *sizes)
    return (values if x.is_floating_point() else own), places


def _each(sizes: Sequence[int], rank: int) -> list[int]:
    return list(sizes) * rank if len(sizes) == 1 else list(sizes)


def _maxima(
    x: Any, shape: Sequence[int], kernel: Sequence[int], stride: Sequence[int], padding: Any, dilation: Any
) -> tuple[Any, Any]:
    torch = torch_module()
    rank = len(kernel)
    inner, outer = x.shape[-rank:], shape[-rank:]
    needed = [
        (out - 1) * step + (size - 1) * apart + 1
        for out, step, size, apart in zip(outer, stride, kernel, dilation, strict=True)
    ]
    after = [max(need - size - pad, 0) for need, size, pad in zip(needed, inner, padding, strict=True)]
    pads = [one for before, behind in zip(reversed(padding), reversed(after), strict=True) for one in (before, behind)]
    least = float("-inf") if x.is_floating_point() else torch.iinfo(x.dtype).min
    numbers = torch.arange(math.prod(inner), device=x.device).reshape(inner)
    padded = torch.nn.functional.pad(x, pads, value=least)
    padded_numbers = torch.nn.functional.pad(numbers, pads, value=-1)
    value = place = None
    for offset in itertools.product(*[range(size) for size in kernel]):
        new, number = padded, padded_numbers
        for axis, (first, out, step, apart) in enumerate(zip(offset, outer, stride, dilation, strict=True), -rank):
            begin = first * apart
            cut = (axis, begin, begin + (out - 1) * step + 1, step)
            new, number = (torch.ops.aten.slice.Tensor(one, *cut) for one in (new, number))
        if value is None or place is None:
            value, place = new, number.expand(new.shape)
            continue
        taken = (new > value) | (place < 0) & (number >= 0)
        if x.is_floating_point():
            taken = taken | torch.isnan(new)
        value, place = torch.where(taken, new, value), torch.where(taken, number, place)
    return value, place
