"""Constants that a JAX function closes over, as arguments: lowering would write them into the module.

Small ones stay constants, which may be folded. JAX keeps constants beside the jaxpr, and those of a function that was
jitted before beside the inner one; such calls are inlined here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...runtime.interface.memrefs import Array
from .framework import jax_extension

LEAST_BYTES = 1024
"""The size from which a constant is an argument."""

_CALLS = ("jit", "pjit")


def lower_with_constants(jax: Any, traced: Any, platform: str) -> tuple[Any, tuple[Array, ...]]:
    """Lower `traced` (a `jax.stages.Traced`) for `platform`, its large constants as arguments before the others.

    Returns the `jax.stages.Lowered`, and the constants.
    """
    closed = traced.jaxpr
    large: dict[int, Array] = {}
    _gather(closed, large)
    if not large:
        return traced.lower(lowering_platforms=(platform,)), ()
    constants = tuple(large.values())

    def function(given: Any, *arguments: Any) -> Any:
        values = dict(zip(large, given, strict=True))
        return _evaluate(closed, values, arguments)

    shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type) for aval in closed.in_avals]
    function.__name__ = function.__qualname__ = getattr(traced, "fun_name", "main")
    jitted = jax.jit(function, keep_unused=True)
    held = tuple(jax.ShapeDtypeStruct(constant.shape, constant.dtype) for constant in constants)
    return jitted.trace(held, *shapes).lower(lowering_platforms=(platform,)), constants


def _gather(closed: Any, large: dict[int, Array]) -> None:
    """Add the large constants of a closed jaxpr, and of calls in it, by identity, as arrays of the dtypes JAX uses."""
    for variable, constant in zip(closed.jaxpr.constvars, closed.consts, strict=True):
        if _is_large(constant):
            large.setdefault(id(constant), np.asarray(constant).astype(variable.aval.dtype, copy=False))
    for equation in closed.jaxpr.eqns:
        if equation.primitive.name in _CALLS:
            _gather(equation.params["jaxpr"], large)


def _is_large(constant: Any) -> bool:
    return getattr(constant, "nbytes", 0) >= LEAST_BYTES and isinstance(getattr(constant, "dtype", None), np.dtype)


def _evaluate(closed: Any, values: dict[int, Any], arguments: Any) -> list[Any]:
    """Evaluate a closed jaxpr whose large constants are `values`, and inline its calls that have some."""
    name_stack = jax_extension("source_info_util", "current_name_stack")
    user_context = jax_extension("source_info_util", "user_context")
    literal = jax_extension("core", "Literal")
    jaxpr = closed.jaxpr
    env = dict(zip(jaxpr.constvars, (values.get(id(constant), constant) for constant in closed.consts), strict=True))
    env.update(zip(jaxpr.invars, arguments, strict=True))

    def read(variable: Any) -> Any:
        return variable.val if isinstance(variable, literal) else env[variable]

    for equation in jaxpr.eqns:
        operands = [read(variable) for variable in equation.invars]
        stack = name_stack() + equation.source_info.name_stack
        with user_context(equation.source_info.traceback, name_stack=stack), equation.ctx.manager:
            if equation.primitive.name in _CALLS and _holds_large(equation.params["jaxpr"]):
                results = _evaluate(equation.params["jaxpr"], values, operands)
            else:
                results = equation.primitive.bind(*operands, **equation.primitive.get_bind_params(equation.params))
                results = results if equation.primitive.multiple_results else [results]
        env.update(zip(equation.outvars, results, strict=True))
    return [read(variable) for variable in jaxpr.outvars]


def _holds_large(closed: Any) -> bool:
    found: dict[int, Array] = {}
    _gather(closed, found)
    return bool(found)
