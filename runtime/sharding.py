"""`mi.shard`: a program on whole tensors becomes the program that each rank of a grid runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir

from ..passes.framework.errors import PassError, PassFailure
from ..passes.pipeline.pipeline import run_pipeline
from ..passes.sharding.rewriting.annotations import Axes, annotate
from .source.argument_names import ArgumentNames
from .source.parsing import parse_source

__all__ = ["shard"]

_MOST_RANKS = 1 << 31
_PIPELINE = "builtin.module(inplace-shard,inplace-canonicalize,cse)"


def shard(
    source: object,
    *,
    grid: Sequence[int],
    shardings: Mapping[str | int, Axes],
    results: Mapping[int, Axes] | None = None,
    function: str | None = None,
) -> ir.Module:
    """Split a program over a grid of ranks; `mi.compile(…, comm=)` runs what this returns.

    Args:
        source: a module, MLIR text, or a path; it stays as it is.
        grid: the extents of the grid, `(2, 2)` for four ranks.
        shardings: for an argument, by name or number, the grid axis that splits each dimension: `(0, None)` splits rows
            along axis 0. Several axes are a tuple, the major one first. Arguments that are not named are whole on
            every rank.
        results: the same for results, by number. Others are split as they are computed.
        function: the function to split; by default the only public one.

    Raises:
        PassError: the program cannot be split so; the message says why.
        ValueError: there is no such function or argument, or the grid is none.
        TypeError: a sharding is no tuple of axes.
    """
    fits = isinstance(grid, (tuple, list)) and all(type(one) is int and 0 < one < _MOST_RANKS for one in grid)
    if not grid or not fits:
        raise ValueError(f"grid is {grid}, but needs extents of at least 1, such as (2, 2)")
    for given in (shardings, results or {}):
        if not hasattr(given, "items"):
            raise TypeError(f"shardings are {given!r}; write what is split and how, as in {{'a': (0, None)}}")
    for key, axes in (*shardings.items(), *(results or {}).items()):
        _require_axes(key, axes)
    module, names = parse_source(source)
    with module.context:
        chosen = _function(module, function)
        numbers = {_number(chosen, names, key): axes for key, axes in shardings.items()}
        try:
            annotate(chosen, grid, numbers, results or {})
        except PassFailure as failure:
            raise PassError(failure.message) from failure
        run_pipeline(module, _PIPELINE)
    return module


def _require_axes(key: str | int, axes: object) -> None:
    """Raise `TypeError` unless `axes` is a tuple or list of numbers, tuples of numbers, and None."""

    def is_fit(one: object) -> bool:
        several = list(one) if isinstance(one, (tuple, list)) else [] if one is None else [one]
        return all(type(axis) is int for axis in several)

    if not isinstance(axes, (tuple, list)) or not all(is_fit(one) for one in axes):
        raise TypeError(
            f"the sharding of {key!r} is {axes!r}; write an axis or None for each dimension, as in (0, None)"
        )


def _function(module: ir.Module, name: str | None) -> ir.Operation:
    """The function of that name, or the only public one with a body."""
    found = {
        ir.StringAttr(op.operation.attributes["sym_name"]).value: op.operation
        for op in module.body.operations
        if op.operation.name == "func.func" and len(op.operation.regions[0].blocks)
    }
    public = [key for key, op in found.items() if "sym_visibility" not in op.attributes]
    if name is None and len(public) == 1:
        return found[public[0]]
    if name not in found:
        wanted = "one of its public functions must be named by function=" if name is None else f"it has no {name!r}"
        raise ValueError(f"the module has functions {', '.join(public)}; {wanted}")
    return found[name]


def _number(function: ir.Operation, names: ArgumentNames, key: str | int) -> int:
    arguments = function.regions[0].blocks[0].arguments
    if isinstance(key, int):
        return key
    known = [names.name_of(argument.location) for argument in arguments]
    if key not in known:
        raise ValueError(f"there is no argument {key!r}; there are {', '.join(map(str, known))}, or numbers")
    return known.index(key)
