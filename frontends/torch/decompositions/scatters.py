"""What is combined at places that tensors tell, by the scatters of `native_ops.py`, along one dimension."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..support.framework import torch_module
from ..support.refusal import RefusedGraphError
from .native_ops import native_op
from .rerouting import left_alone, rerouted

_OPEN = 2**63 - 1
"""The end of a slice that has none."""


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    return {
        aten.scatter_reduce.two: _scatter_reduce,
        aten.index_reduce.default: _index_reduce,
        aten.put.default: _put,
        aten.index_put.default: _index_put,
        aten.index.Tensor: _index,
        aten.segment_reduce.default: _segment_reduce,
        aten.slice_scatter.default: _slice_scatter,
        aten.nonzero_static.default: _nonzero_static,
        aten.embedding_bag.default: _embedding_bag,
        aten.embedding_bag.padding_idx: _embedding_bag,
        aten._embedding_bag.default: _unpadded_embedding_bag,
        aten._embedding_bag_forward_only.default: _unpadded_embedding_bag,
    }


def _slice_scatter(
    x: Any, source: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """Begins and ends within the tensor: on its way through StableHLO, torch-mlir counts places that are outside."""
    if left_alone(_slice_scatter):
        return NotImplemented
    size, bounds = x.shape[dim], (start, end)
    if type(size) is int and all(bound is None or type(bound) is int for bound in bounds):
        start, end, _ = slice(start, end).indices(size)
        end = max(start, end)
    elif end is None or (type(end) is int and end >= _OPEN):
        end = size
    if bounds == (start, end):
        return NotImplemented
    with rerouted(_slice_scatter):
        return torch_module().slice_scatter(x, source, dim, start, end, step)


_SCATTERS = {
    "sum": "scatter_add",
    "mean": "scatter_add",
    "prod": "scatter_multiply",
    "amin": "scatter_minimum",
    "amax": "scatter_maximum",
}


def scattered(kind: str, x: Any, places: Any, updates: Any) -> Any:
    """`x` after updates at flat places."""
    torch = torch_module()
    dtype, shape = x.dtype, x.shape
    if dtype in (torch.bool, torch.uint8):
        x, updates = x.to(torch.int32), updates.to(torch.int32)
    found = native_op(kind)(x.reshape(-1), places.reshape(-1, 1), updates.reshape(-1))
    return found.reshape(shape).to(dtype)


def _flat_places(shape: Sequence[int], dim: int, index: Any) -> Any:
    """Of elements that differ from their own place in one coordinate."""
    torch = torch_module()
    places, step = torch.zeros((), dtype=torch.int64, device=index.device), 1
    for axis in range(len(shape) - 1, -1, -1):
        if axis == dim:
            places = places + index * step
        else:
            view = [1] * len(shape)
            view[axis] = index.shape[axis]
            places = places + torch.arange(index.shape[axis], device=index.device).reshape(view) * step
        step *= shape[axis]
    return places.expand(index.shape)


def _first_of(kind: str, dtype: Any) -> Any:
    """What a reduction begins with."""
    torch = torch_module()
    if kind in ("sum", "mean", "prod"):
        return int(kind == "prod")
    if dtype.is_floating_point:
        return float("inf") if kind == "amin" else float("-inf")
    info = (0, 1) if dtype is torch.bool else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    return info[kind == "amin"]


def _reduced(kind: str, x: Any, places: Any, updates: Any, *, with_own: bool) -> Any:
    torch = torch_module()
    ones = torch.ones_like(places)
    start = x
    counts = scattered("scatter_add", torch.zeros_like(x, dtype=torch.int64), places, ones)
    if not with_own:
        start = torch.where(counts > 0, torch.full_like(x, _first_of(kind, x.dtype)), x)
    found = scattered(_SCATTERS[kind], start, places, updates)
    if kind != "mean":
        return found
    counts = counts + 1 if with_own else torch.where(counts == 0, 1, counts)
    if x.is_floating_point():
        return found / counts.to(x.dtype)
    return torch.div(found, counts, rounding_mode="floor").to(x.dtype)


def _scatter_reduce(x: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Any:
    if x.is_complex():
        return NotImplemented
    if x.dim() == 0:
        x, index, source = x.reshape(1), index.reshape(-1), source.reshape(-1)
        return _scatter_reduce(x, 0, index, source, reduce, include_self=include_self).reshape(())
    if index.dim() == 0:
        index = index.reshape(1)
        source = source.reshape(1)
    dim %= x.dim()
    for axis in range(x.dim()):
        source = source.narrow(axis, 0, index.shape[axis])
    places = _flat_places(x.shape, dim, index)
    return _reduced(reduce, x, places, source, with_own=include_self)


def _index_reduce(x: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Any:
    if x.dim() == 0:
        x, source = x.reshape(1), source.reshape(-1)
        return _index_reduce(x, 0, index, source, reduce, include_self=include_self).reshape(())
    view = [1] * x.dim()
    view[dim] = -1
    index = index.reshape(view).expand(source.shape)
    return _scatter_reduce(x, dim, index, source, reduce, include_self=include_self)


def _put(x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    (index,) = _from_the_start(x.reshape(-1), [index])
    return scattered("scatter_add" if accumulate else "scatter_set", x, index, source)


def _index_put(x: Any, indices: Sequence[Any], values: Any, accumulate: bool = False) -> Any:
    """torch-mlir writes nothing at places that are counted from the end, and has no sums at the places of a mask."""
    if left_alone(_index_put):
        return NotImplemented
    if any(_is_mask(index) for index in indices):
        if len(indices) > 1:
            reason = "a mask beside other indices has a number of places that depends on values"
            raise RefusedGraphError(["aten.index_put.default"], reason)
        return _put_where(x, indices[0], values.to(x.dtype), accumulate)
    places = _from_the_start(x, indices)
    if all(place is None or place.dim() == 0 for place in places):  # torch-mlir ends the process at some of these.
        first = next(number for number, place in enumerate(places) if place is not None)
        kept = x.dim() - len(places)
        if None not in places[first:] and values.dim() > kept:
            values = values.unsqueeze(values.dim() - kept)
        places = [place if place is None else place.reshape(1) for place in places]
    with rerouted(_index_put):
        return torch_module().ops.aten.index_put.default(x, places, values, accumulate)


def _is_mask(index: Any) -> bool:
    torch = torch_module()
    return index is not None and index.dtype in (torch.bool, torch.uint8)


def _put_where(x: Any, mask: Any, values: Any, accumulate: bool) -> Any:
    """Values are the same for all places, or one for each place of the mask in turn."""
    torch = torch_module()
    kept = x.dim() - mask.dim()
    mask = mask.to(torch.bool)
    if values.dim() > kept:
        if values.shape[0] == 0:
            return x.clone()
        number = mask.reshape(-1).to(torch.int64).cumsum(0) - 1
        rows = values.index_select(0, number.clamp(0, values.shape[0] - 1))
        values = rows.reshape(*mask.shape, *rows.shape[1:])
    wide = mask.reshape(*mask.shape, *[1] * kept)
    return torch.where(wide, x + values if accumulate else values, x)


def _index(x: Any, indices: Sequence[Any]) -> Any:
    """On its way through StableHLO, torch-mlir takes places that are counted from the end for the first one."""
    if left_alone(_index):
        return NotImplemented
    with rerouted(_index):
        return torch_module().ops.aten.index.Tensor(x, _from_the_start(x, indices))


def _from_the_start(x: Any, indices: Sequence[Any]) -> list[Any]:
    """Places in dimensions of `x` as numbers that are not negative; masks stay."""
    torch = torch_module()
    found: list[Any] = []
    axis = 0
    for index in indices:
        is_mask = _is_mask(index)
        if index is not None and not is_mask:
            index = index.to(torch.int64)
            index = torch.where(index < 0, index + x.shape[axis], index)
        found.append(index)
        axis += index.dim() if is_mask else 1
    return found


def _segment_reduce(
    data: Any,
    reduce: str,
    *,
    lengths: Any = None,
    indices: Any = None,
    offsets: Any = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Any = None,
) -> Any:
    """Each element belongs to the segment that begins last before it."""
    del unsafe
    torch = torch_module()
    if indices is not None:
        return NotImplemented
    bounds = offsets if offsets is not None else torch.nn.functional.pad(lengths.cumsum(-1), (1, 0))
    count = bounds.shape[-1] - 1
    numbers = torch.arange(data.shape[axis], device=data.device)
    ends = bounds[..., 1:].unsqueeze(-2)
    segment = (ends <= numbers.unsqueeze(-1)).to(torch.int64).sum(-1)
    kind = {"max": "amax", "min": "amin"}.get(reduce, reduce)
    shape = [*data.shape[:axis], count + 1, *data.shape[axis + 1 :]]  # One for what is in no segment.
    own = _first_of(kind, data.dtype) if initial is None else initial
    index = segment.reshape(*segment.shape, *[1] * (data.dim() - axis - 1)).expand(data.shape)
    start = torch.full(shape, own, dtype=data.dtype, device=data.device)
    places = _flat_places(shape, axis, index)
    found = scattered(_SCATTERS[kind], start, places, data).narrow(axis, 0, count)
    if kind != "mean":
        return found
    sizes = (bounds[..., 1:] - bounds[..., :-1]).reshape(*bounds.shape[:-1], count, *[1] * (data.dim() - axis - 1))
    mean = found / sizes.to(data.dtype)
    return torch.where(sizes == 0, float("nan") if initial is None else initial, mean)


def _nonzero_static(x: Any, *, size: int, fill_value: int = -1) -> Any:
    """Coordinates of the first elements that are not zero."""
    torch = torch_module()
    is_one = (x != 0).reshape(-1).to(torch.int64)
    place = is_one.cumsum(0) - 1
    place = torch.where((is_one == 0) | (place >= size), size, place)
    columns = []
    step = x.numel()
    numbers = torch.arange(x.numel(), device=x.device)
    for axis in range(x.dim()):
        step //= x.shape[axis]
        own = torch.div(numbers, step, rounding_mode="floor") % x.shape[axis]
        columns.append(scattered("scatter_set", own.new_full((size + 1,), fill_value), place, own)[:size])
    return torch.stack(columns, 1) if columns else x.new_empty((size, 0), dtype=torch.int64)


def _embedding_bag(
    weight: Any,
    indices: Any,
    offsets: Any,
    _scale_grad_by_freq: bool = False,
    mode: int = 0,
    _sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """Sums, means or maxima of bags of rows; torch-mlir's lowering leaves out `per_sample_weights`.

    The other results are for the backward: the bag of each row, the sizes of bags, and the rows with their maxima.
    """
    torch = torch_module()
    kind, count = ("sum", "mean", "amax")[mode], offsets.shape[0] - include_last_offset
    numbers = torch.arange(indices.shape[0], device=indices.device)
    bags = (offsets[:count] <= numbers.unsqueeze(1)).to(torch.int64).sum(1) - 1
    kept = bags
    if padding_idx is not None:
        kept = torch.where(indices == padding_idx % weight.shape[0], count, bags)  # One more for what is left out.
    rows = weight.index_select(0, indices)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    shape = (count + 1, weight.shape[1])
    places = _flat_places(shape, 0, kept.unsqueeze(1).expand(rows.shape))
    values = _reduced(kind, torch.zeros(shape, dtype=weight.dtype), places, rows, with_own=False)
    sizes = scattered("scatter_add", kept.new_zeros(count + 1), kept, torch.ones_like(kept))[:count]
    maxima = torch.zeros_like(sizes)
    if kind == "amax" and indices.shape[0]:
        is_maximum = rows == values.index_select(0, kept)
        last = torch.full(shape, indices.shape[0] - 1, dtype=torch.int64)
        numbers = torch.where(is_maximum, numbers.unsqueeze(1), indices.shape[0] - 1)
        firsts = scattered("scatter_minimum", last, places, numbers)[:count]
        maxima = torch.where(sizes.unsqueeze(1) > 0, indices[firsts], 0)
    return values[:count], bags, sizes, maxima


def _unpadded_embedding_bag(*arguments: Any, padding_idx: int = -1, **named: Any) -> Any:
    """Of the overloads for which a negative `padding_idx`, their ninth argument, is none."""
    padding_idx = arguments[8] if len(arguments) > 8 else padding_idx
    return _embedding_bag(*arguments[:8], **named, padding_idx=None if padding_idx < 0 else padding_idx)
