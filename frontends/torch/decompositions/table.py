"""ATen ops that are expressed by others before a graph is imported.

Three tables, a later one before an earlier one: what torch-mlir wants decomposed, what PyTorch can decompose and
torch-mlir does not know, and the functions of this folder.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from typing import Any

from ....passes.framework.entered_context import empty_context
from ..support.framework import implicitly, importer_module, torch_module
from ..support.refusal import RefusedGraphError
from . import (
    arithmetic,
    attention,
    bessel,
    complex_numbers,
    convolutions,
    error_functions,
    gamma_functions,
    histograms,
    integers,
    linear_algebra,
    pooling,
    scans,
    scatters,
    sorting,
    special_functions,
)

_FAMILIES = (
    arithmetic,
    attention,
    bessel,
    complex_numbers,
    convolutions,
    error_functions,
    gamma_functions,
    histograms,
    integers,
    linear_algebra,
    pooling,
    scans,
    scatters,
    sorting,
)
"""Modules with tables of their own."""


def decompositions() -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that has one.

    What draws by `bernoulli`, as dropout does on the host, still does so, and gets the same numbers.
    """
    return {**_of_registered_ops(), **_of_inductor()}


def _of_inductor() -> dict[Any, Callable[..., Any]]:
    """Of what Dynamo makes of updates by optimizers, and registers when it does."""
    fma = getattr(torch_module().ops.prims, "fma", None)
    return {} if fma is None else {fma.default: lambda x, y, z: x * y + z}


@cache
def _of_registered_ops() -> Mapping[Any, Callable[..., Any]]:
    """Of the ops that are there when PyTorch is imported."""
    aten = torch_module().ops.aten
    implicit = implicit_ops()
    table = {**_unknown_to_the_importer(implicit), **wanted_decomposed(implicit)}
    for overload in (aten.bernoulli.p, aten.bernoulli.default):
        table.pop(overload, None)
    for family in _FAMILIES:
        table.update(family.table(aten))
    table.update({**_copies(aten), **_own(aten)})
    return {**table, **_of_rank_zero(aten, table)}


def implicit_ops() -> frozenset[Any]:
    """What PyTorch itself computes by other ops, and can keep: of ATen, and of libraries of ops that are loaded.

    As `_collect_all_valid_cia_ops` of PyTorch, which asks the dispatcher for all of them once for each library.
    """
    torch, exporting = torch_module(), torch_module("torch._export.utils")
    found = set(exporting._collect_all_valid_cia_ops_for_aten_namespace())
    for name in torch.ops._dir:
        library = getattr(torch.ops, name)
        if name != "aten" and isinstance(library, torch._ops._OpNamespace):
            packets = (getattr(library, op) for op in library)
            overloads = (overload for packet in packets for overload in packet.op_overloads())
            found.update(filter(exporting._is_preservable_cia_op, overloads))
    return frozenset(found)


def wanted_decomposed(implicit: Collection[Any]) -> dict[Any, Callable[..., Any]]:
    """torch-mlir's table, which it makes of PyTorch's for core ATen ops and of all `implicit` ones."""
    wanted, deciding = importer_module("mlir.extras.fx_decomp_util"), torch_module("torch._decomp")
    core = deciding._core_aten_decompositions_post_autograd()
    kept = torch_module("torch.export.decomp_utils").PRESERVED_ATEN_CIA_OPS
    core |= {overload: implicitly(overload) for overload in implicit if overload not in core and overload not in kept}
    excluded = set(wanted._EXPANDED_DECOMP_EXCLUDE)
    table = {overload: function for overload, function in core.items() if overload._overloadpacket not in excluded}
    return {**table, **deciding.get_decompositions(wanted.DEFAULT_DECOMPOSITIONS)}


def _unknown_to_the_importer(implicit: Collection[Any]) -> dict[Any, Callable[..., Any]]:
    """What PyTorch decomposes of ops that torch-mlir has not registered."""
    known = {
        **{overload: implicitly(overload) for overload in implicit if overload.namespace == "aten"},
        **torch_module("torch._decomp").decomposition_table,
    }
    context = empty_context()
    importer_module("mlir._mlir_libs._torchMlir").register_dialect(context)  # No Python classes of its ops.
    return {
        overload: function
        for overload, function in known.items()
        if hasattr(overload, "_schema")
        and "lift" not in str(overload)  # of constants, while they are traced
        and not context.is_registered_operation(_imported_as(overload._schema))
    }


def _imported_as(schema: Any) -> str:
    """The name of the op that the importer makes of a call."""
    overload = f".{schema.overload_name}" if schema.overload_name else ""
    return f"torch.{schema.name.replace('::', '.')}{overload}"


_VIEWS = (
    "alias as_strided detach diagonal expand narrow permute select slice split split_with_sizes squeeze t transpose "
    "unbind unfold unsqueeze view"
)


def _copies(aten: Any) -> dict[Any, Callable[..., Any]]:
    """The variants of views that copy."""
    found: dict[Any, Callable[..., Any]] = {}
    for name in _VIEWS.split():
        packet = getattr(aten, f"{name}_copy", None)
        for overload in () if packet is None else packet.overloads():
            if "out" not in overload and hasattr(getattr(aten, name), overload):
                found[getattr(packet, overload)] = partial(_copied, getattr(getattr(aten, name), overload))
    return found


def _copied(view: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    result = view(*arguments, **named)
    return [one.clone() for one in result] if isinstance(result, (list, tuple)) else result.clone()


def _own(aten: Any) -> dict[Any, Callable[..., Any]]:
    return {
        aten.native_dropout.default: _dropout,
        aten.max_pool2d_with_indices_backward.default: _max_pool_backward,
        aten.diagonal_scatter.default: _diagonal_scatter,
        aten.empty_strided.default: _empty_strided,
        aten.reciprocal.default: _reciprocal,
        aten.maximum.default: lambda x, y: _extremum(x, y, x > y),
        aten.minimum.default: lambda x, y: _extremum(x, y, x < y),
        aten.clamp.default: _clamp,
        aten.clamp.Tensor: _clamp,
        aten.clamp_min.default: _clamp,
        aten.clamp_max.default: lambda x, high: _clamp(x, None, high),
        aten.hardtanh.default: _hardtanh,
        aten.relu6.default: lambda x: _clamp(x, 0, 6),
        aten.hardsigmoid.default: lambda x: _clamp(x + 3, 0, 6) / 6,
        aten.hardswish.default: lambda x: x * _clamp(x + 3, 0, 6) / 6,
        aten.addbmm.default: _addbmm,
        aten.lgamma.default: special_functions.log_gamma,
        aten.digamma.default: special_functions.digamma,
        aten.hypot.default: special_functions.hypot,
        aten.searchsorted.Tensor: special_functions.search_sorted,
        aten.angle.default: _angle,
        aten.isclose.default: _isclose,
        aten.roll.default: _roll,
        aten.constant_pad_nd.default: _constant_pad,
    }


_REDUCTIONS = (
    "amax amin sum.dim_IntList mean.dim prod.dim_int any.dim all.dim any.dims all.dims var.correction std.correction "
    "cumsum cumprod _softmax _log_softmax flip roll"
)


def _of_rank_zero(aten: Any, table: Mapping[Any, Callable[..., Any]]) -> dict[Any, Callable[..., Any]]:
    """Ops along dimensions that tensors of rank 0 do not have: for some of these torch-mlir ends the process."""
    found: dict[Any, Callable[..., Any]] = {}
    for name in _REDUCTIONS.split():
        packet, _, overload = name.partition(".")
        op = getattr(getattr(aten, packet), overload or "default")
        found[op] = partial(_as_vector, op, table.get(op))
    return found


def _as_vector(op: Callable[..., Any], other: Callable[..., Any] | None, x: Any, *arguments: Any, **named: Any) -> Any:
    if x.dim() > 0:
        return other(x, *arguments, **named) if other else NotImplemented
    return op(x.reshape(1), *arguments, **named).reshape(())


def _dropout(x: Any, probability: float, train: bool | None) -> Any:
    torch = torch_module()
    if train is False or probability == 0:
        return x.clone(), torch.ones_like(x, dtype=torch.bool)
    if probability == 1:
        return torch.zeros_like(x), torch.zeros_like(x, dtype=torch.bool)
    kept = torch.ops.aten.bernoulli.p(torch.ones_like(x), 1 - probability)
    return x * kept * (1 / (1 - probability)), kept.to(torch.bool)


def _diagonal_scatter(x: Any, source: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    torch = torch_module()
    moved = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = (torch.arange(size, device=x.device) for size in moved.shape[-2:])
    place = rows if offset >= 0 else columns
    length = source.shape[-1]
    if length == 0:
        return x.clone()
    along = source.index_select(-1, place.clamp(max=length - 1))
    along = along.unsqueeze(-1) if offset >= 0 else along.unsqueeze(-2)
    on_diagonal = columns.unsqueeze(0) - rows.unsqueeze(1) == offset
    return torch.where(on_diagonal, along, moved).movedim((-2, -1), (dim1, dim2))


def _empty_strided(size: Any, _stride: Any, **named: Any) -> Any:
    return torch_module().ops.aten.empty.memory_format(size, **named)  # Strides are no part of a value.


def _reciprocal(x: Any) -> Any:
    """By a division: torch-mlir's lowering asserts that no element is zero."""
    torch = torch_module()
    return torch.ones((), dtype=x.dtype if x.is_floating_point() or x.is_complex() else torch.get_default_dtype()) / x


def _extremum(x: Any, y: Any, is_first: Any) -> Any:
    """The first where `is_first`, and NaN where either is NaN, which torch-mlir's lowering loses."""
    torch = torch_module()
    if x.is_floating_point() or y.is_floating_point():
        is_first = is_first | torch.isnan(x)
    return torch.where(is_first, x, y)


def _clamp(x: Any, low: Any = None, high: Any = None) -> Any:
    """NaN stays, and is what a bound that is NaN gives; torch-mlir's lowering takes a bound for NaN."""
    torch = torch_module()
    if low is not None:
        x = _extremum(x, low, x > low) if isinstance(low, torch.Tensor) else torch.where(x < low, low, x)
    if high is not None:
        x = _extremum(x, high, x < high) if isinstance(high, torch.Tensor) else torch.where(x > high, high, x)
    return x


def _hardtanh(x: Any, low: float = -1, high: float = 1) -> Any:
    """The bounds become numbers of the tensor's type, which the result has; those of `clamp` promote it."""
    return _clamp(x, low, high) if x.is_floating_point() else _clamp(x, int(low), int(high))


def _addbmm(x: Any, first: Any, second: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    product = torch_module().bmm(first, second).sum(0)
    product = product if alpha == 1 else product * alpha
    return product.expand_as(x + product) if beta == 0 else (x if beta == 1 else x * beta) + product


def _roll(x: Any, shifts: Any, dims: Any = ()) -> Any:
    """By less than a size, from which on torch-mlir is wrong; along all dimensions as one, if none is given."""
    if not dims:
        return _roll(x.reshape(-1), shifts, (0,)).reshape(x.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        x = _rolled(x, shift, dim)
    return x


def _rolled(x: Any, shift: Any, dim: int) -> Any:
    torch, size = torch_module(), x.shape[dim]
    if not (isinstance(size, int) and isinstance(shift, int)):  # A size may be 0, by which nothing is divided here.
        places = torch.arange(size, device=x.device)
        return x.index_select(dim, torch.remainder(places - shift, torch.ones_like(places) * size))
    behind = shift % max(size, 1)
    return torch.cat([x.narrow(dim, size - behind, behind), x.narrow(dim, 0, size - behind)], dim)


def _constant_pad(x: Any, pad: Any, value: Any = 0) -> Any:
    """A negative padding takes elements away, which the lowering's `tensor.pad` must not."""
    known = torch_module("torch.fx.experimental.symbolic_shapes").statically_known_true
    if not all(isinstance(count, int) or known(count >= 0) for count in pad):
        reason = "whether a padding is negative depends on sizes; give these bounds"
        raise RefusedGraphError(["aten.constant_pad_nd.default"], reason)
    if not any(isinstance(count, int) and count < 0 for count in pad):
        return NotImplemented
    for place, count in enumerate(pad):
        if isinstance(count, int) and count < 0:
            dim = x.dim() - 1 - place // 2
            x = x.narrow(dim, 0 if place % 2 else -count, x.shape[dim] + count)
    kept = [max(count, 0) if isinstance(count, int) else count for count in pad]
    return torch_module().ops.aten.constant_pad_nd.default(x, kept, value)


def _angle(x: Any) -> Any:
    torch = torch_module()
    if x.is_complex():
        return torch.atan2(x.imag, x.real)
    x = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    return torch.where(torch.isnan(x), x, torch.where(x < 0, math.pi, 0.0).to(x.dtype))


def _isclose(x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    torch = torch_module()
    close = x == y
    if equal_nan and x.is_floating_point():
        close = close | (torch.isnan(x) & torch.isnan(y))
    if not x.is_floating_point():
        x, y = x.to(torch.float64), y.to(torch.float64)
    error = (x - y).abs()
    return close | (torch.isfinite(error) & (error <= atol + (rtol * y).abs()))


def _max_pool_backward(
    gradient: Any, x: Any, _kernel: Any, _stride: Any, _padding: Any, _dilation: Any, _ceil_mode: bool, indices: Any
) -> Any:
    torch = torch_module()
    zeros = torch.zeros_like(x).flatten(-2)
    return zeros.scatter_add(-1, indices.flatten(-2), gradient.flatten(-2)).view(x.shape)
