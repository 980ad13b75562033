"""How many numbers are between edges, by scatters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..support.framework import torch_module
from .scatters import scattered


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    return {
        aten.histc.default: _histogram_of_range,
        aten.histogram.bin_ct: _histogram,
        aten.histogram.bins_tensor: _histogram,
    }


def _histogram_of_range(x: Any, bins: int = 100, min: Any = 0, max: Any = 0) -> Any:  # noqa: A002
    torch = torch_module()
    x = x.reshape(-1)
    if min == max and x.numel():
        least, most = x.min(), x.max()
        same = least == most
        least, most = torch.where(same, least - 1, least), torch.where(same, most + 1, most)
    else:
        least, most = (torch.full((), float(one), dtype=x.dtype) for one in (min, max))
        if min == max:
            least, most = least - 1, most + 1
    inside = (x >= least) & (x <= most)
    places = ((torch.where(inside, x, least) - least) * bins / (most - least)).to(torch.int64).clamp(max=bins - 1)
    return scattered("scatter_add", x.new_zeros(bins), places, inside.to(x.dtype))


def _histogram(x: Any, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:  # noqa: A002
    torch = torch_module()
    x = x.reshape(-1)
    edges = _edges(x, bins, range) if isinstance(bins, int) else bins
    count = edges.shape[0] - 1
    places = torch.where(x == edges[-1], count - 1, torch.searchsorted(edges, x, right=True) - 1)
    places = torch.where((x >= edges[0]) & (x <= edges[-1]), places, count)  # One more for what is left out.
    each = torch.ones_like(x) if weight is None else weight.reshape(-1)
    found = scattered("scatter_add", x.new_zeros(count + 1), places, each)[:count]
    return found / found.sum() / (edges[1:] - edges[:-1]) if density else found, edges.clone()


def _edges(x: Any, count: int, given: Any) -> Any:
    """Of bins of one width, computed from the nearer end."""
    torch = torch_module()
    if given is None and not x.numel():
        given = (0.0, 1.0)
    least, most = (x.min(), x.max()) if given is None else (torch.full((), float(one), dtype=x.dtype) for one in given)
    same = least == most
    least, most = torch.where(same, least - 0.5, least), torch.where(same, most + 0.5, most)
    step, numbers = (most - least) / count, torch.arange(count + 1, device=x.device)
    return torch.where(numbers < (count + 1) // 2, least + step * numbers, most - step * (count - numbers))
