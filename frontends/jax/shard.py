"""`shard_jax`: the program that each rank runs, from a JAX function whose arrays are split over a mesh of devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlir import ir

from ...passes.framework.errors import PassError, PassFailure
from ...passes.pipeline.pipeline import run_pipeline
from ...passes.sharding.rewriting.annotations import annotate
from .module import tensor_module
from .tracing import trace_sharded

_PIPELINE = "builtin.module(inplace-shard,inplace-canonicalize,cse)"


def shard_jax(
    function: Callable[..., Any], /, *example_arguments: Any, example_kwargs: Mapping[str, Any] | None = None
) -> ir.Module:
    """Split a JAX function as its shardings say; `mi.compile(…, comm=)` runs what this returns.

    The mesh is the grid of ranks: its axes in their order, the last one changing fastest. Arguments are split as
    `in_shardings` of `jax.jit`, or the shardings of the examples, say, results as `out_shardings`; others are whole on
    every rank, or split as they are computed. `main` takes the leaves of the arguments and returns those of the result.
    Constraints within the function are hints, and are not followed. Donated arguments may be overwritten.

    No devices are needed: a mesh may be a `jax.sharding.AbstractMesh`, with examples that are `jax.ShapeDtypeStruct`.

    Args:
        function: made by `jax.jit`, with shardings, or for examples that have some.
        example_arguments: arrays, or what has a shape, a dtype and a sharding, in pytrees.
        example_kwargs: examples of arguments by name.

    Raises `PassError` for a function without a mesh, or with several; for parts of axes, sums that are not reduced yet
    and `shard_map`; and for an operation that cannot be compiled. Raises `ImportError` if JAX is not installed.
    """
    traced, shardings = trace_sharded(function, example_arguments, example_kwargs or {})
    if shardings is None:
        raise PassError(
            f"nothing says how {traced.name} is split; give jax.jit in_shardings, or split the module by mi.shard"
        )
    module = tensor_module(traced)
    with module.context:
        main = ir.SymbolTable(module.operation)["main"].operation
        try:
            annotate(main, shardings.grid, _said(shardings.arguments), _said(shardings.results))
        except PassFailure as failure:
            raise PassError(failure.message) from failure
        run_pipeline(module, _PIPELINE)
    return module


def _said(splits: tuple[tuple[tuple[int, ...], ...] | None, ...]) -> dict[int, tuple[tuple[int, ...], ...]]:
    """The splits that are given, by number; scalars have none."""
    return {number: split for number, split in enumerate(splits) if split}
