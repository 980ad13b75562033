"""`from_jax`: one compiled program from a JAX function and examples of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlir import ir

from ...runtime.compilation.garbage import collection_paused
from ...runtime.compilation.program import Program
from ...runtime.progress import progress
from ..kept_modules import compile_lowered
from .call_options import CallOptions, Names, Numbers
from .function import JaxProgram
from .tracing import trace


def from_jax(
    function: Callable[..., Any],
    /,
    *example_arguments: Any,
    donate_argnums: Numbers = None,
    donate_argnames: Names = None,
    static_argnums: Numbers = None,
    static_argnames: Names = None,
    example_kwargs: Mapping[str, Any] | None = None,
    optimize: bool = True,
    **options: Any,
) -> Program:
    """Compile a JAX function for arguments like `example_arguments`; its `main` is called as the function is.

    `main` takes the arguments that are not static, pytrees of NumPy or JAX arrays and numbers, and returns the
    function's pytree. If some argument is a JAX array, results are JAX arrays, else NumPy arrays; large arrays are not
    copied. A result that lives in a donated NumPy array is that array, updated in place. A donated JAX array is
    deleted, as by `jax.jit`, and the result has its memory. `program["main"]` takes and returns the leaves, as NumPy
    arrays, for `bind` and `out=`.

    Arrays of at least 1 KB that the function closes over are passed by pointer. They are not written into the code.

    Args:
        function: what `jax.jit` takes: it may be jitted already, or made by `jax.grad`, `jax.vmap` and the like.
        example_arguments: arrays, or what has a shape and a dtype (`jax.ShapeDtypeStruct`), in pytrees.
        donate_argnums: positions of arguments whose arrays the call may overwrite.
        donate_argnames: their names.
        static_argnums: positions of arguments that are constants of the program; calls do not take them.
        static_argnames: their names.
        example_kwargs: examples of arguments by name.
        optimize: see `compile`.
        options: other arguments of `compile`, such as `threads`, `cache` and `memory_stats`.

    Raises `PassError`, which names the operation, for a function with one that cannot be compiled: callbacks, several
    devices, calls of libraries. Raises `ImportError` if JAX is not installed, and what tracing the function raises.
    """
    call = CallOptions(function, static_argnums, static_argnames, donate_argnums, donate_argnames)
    static, arguments, named = call.separate(example_arguments, example_kwargs or {})
    return program_of(call, static, arguments, named, optimize=optimize, **options)


@collection_paused()
def program_of(
    call: CallOptions,
    static: tuple[Any, ...],
    arguments: tuple[Any, ...],
    named: Mapping[str, Any],
    **options: Any,
) -> JaxProgram:
    """Compile the function of `call` with these static arguments, for others like `arguments` and `named`."""
    traced = trace(call.with_static(static), arguments, named, call.donated_places(static, len(arguments)))

    def lower() -> ir.Module:
        from .module import tensor_module

        return tensor_module(traced)

    made_from = (traced.digest, traced.names, traced.donated, len(traced.constants))
    with progress(f"compiling {getattr(call.function, '__name__', 'a function')}"):
        program = compile_lowered(lower, *made_from, **options)
    return JaxProgram(program, traced)
