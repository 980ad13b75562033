"""`jit`: a JAX function that is compiled by this package when it is called, for each kind of arguments once."""

from __future__ import annotations

import functools
import threading
import types
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from ...runtime.compilation.program import Program
from .call_options import CallOptions, Names, Numbers
from .framework import jax_module
from .from_jax import program_of
from .function import JaxProgram
from .tracing import jitted_for

_MOST_PROGRAMS = 64


class JittedFunction:
    """What `jit` returns: it is called as the function that it wraps.

    `function.program(*arguments)` is the compiled program for such arguments, as of `from_jax`.
    """

    def __init__(self, call: CallOptions, most_programs: int, options: dict[str, Any]) -> None:
        functools.update_wrapper(self, call.function)
        self._jax = jax_module()
        self._call = call
        self._flatten = self._jax.tree_util.tree_flatten
        self._most_programs = most_programs
        self._options = options
        self._lock = threading.Lock()
        """Guards the table of programs, for a moment: calls of kinds that are compiled wait for no compilation."""
        self._compiling = threading.RLock()
        """Held while a program is compiled, whose function may call this one."""
        self._compiled: OrderedDict[Any, JaxProgram] = OrderedDict()

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """Run, after compiling the function if the arguments are of a new kind.

        Inside of `jax.jit`, `jax.grad` and the like, where arguments are no arrays yet, JAX traces the function.
        """
        static, arguments, others = self._call.separate(arguments, named)
        leaves, tree = self._flatten((arguments, others))
        try:
            key = self._key(static, leaves, tree)
        except _Traced:
            return jitted_for(self._call.with_static(static))(*arguments, **others)
        return self._find(key, static, arguments, others).main.call_leaves(leaves)

    def program(self, /, *arguments: Any, **named: Any) -> Program:
        """The compiled program for arguments like these, which are not run."""
        static, arguments, others = self._call.separate(arguments, named)
        leaves, tree = self._flatten((arguments, others))
        return self._find(self._key(static, leaves, tree), static, arguments, others)

    def clear_cache(self) -> None:
        """Forget all compiled programs."""
        with self._lock:
            self._compiled.clear()

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<mi.jit of {getattr(self._call.function, '__qualname__', self._call.function)!s}>"

    def _find(self, key: Any, static: Any, arguments: Any, named: Any) -> JaxProgram:
        found = self._known(key)
        if found is not None:
            return found
        with self._compiling:
            found = self._known(key)
            if found is None:
                found = program_of(self._call, static, arguments, named, **self._options)
                with self._lock:
                    self._compiled[key] = found
                    while len(self._compiled) > self._most_programs:
                        self._compiled.popitem(last=False)
            return found

    def _known(self, key: Any) -> JaxProgram | None:
        with self._lock:
            found = self._compiled.get(key)
            if found is not None:
                self._compiled.move_to_end(key)
            return found

    def _key(self, static: Any, leaves: list[Any], tree: Any) -> tuple[Any, ...]:
        config = self._jax.config
        key = [static, tuple(type(value) for _, value in static), tree, config.jax_enable_x64]
        key.append(config.jax_default_matmul_precision)
        for leaf in leaves:
            if type(leaf) is np.ndarray:
                key += (leaf.dtype, leaf.shape)
            else:
                key.append(_kind(self._jax, leaf))
        return tuple(key)


class _Traced(Exception):
    """An argument is a tracer of JAX."""


def _kind(jax: Any, leaf: Any) -> Any:
    """What a program is compiled for, of a leaf that is no NumPy array."""
    if isinstance(leaf, jax.core.Tracer):
        raise _Traced
    if isinstance(leaf, jax.Array):
        return leaf.aval
    if isinstance(leaf, (bool, int, float, complex)) and not isinstance(leaf, np.generic):
        return type(leaf)
    return getattr(leaf, "dtype", type(leaf)), getattr(leaf, "shape", None)


@overload
def jit(
    function: Callable[..., Any],
    /,
    *,
    static_argnums: Numbers = None,
    static_argnames: Names = None,
    donate_argnums: Numbers = None,
    donate_argnames: Names = None,
    optimize: bool = True,
    most_programs: int = _MOST_PROGRAMS,
    **options: Any,
) -> JittedFunction: ...
@overload
def jit(
    *,
    static_argnums: Numbers = None,
    static_argnames: Names = None,
    donate_argnums: Numbers = None,
    donate_argnames: Names = None,
    optimize: bool = True,
    most_programs: int = _MOST_PROGRAMS,
    **options: Any,
) -> Callable[[Callable[..., Any]], JittedFunction]: ...
def jit(
    function: Callable[..., Any] | None = None,
    /,
    *,
    static_argnums: Numbers = None,
    static_argnames: Names = None,
    donate_argnums: Numbers = None,
    donate_argnames: Names = None,
    optimize: bool = True,
    most_programs: int = _MOST_PROGRAMS,
    **options: Any,
) -> Any:
    """A JAX function that this package compiles, as a decorator like `jax.jit`: `@mi.jit`, or `@mi.jit(…)`.

    It is traced and compiled by the first call with arguments of a new structure, dtype or shape, or with new static
    arguments. How arguments and results pass is told at `from_jax`: NumPy arrays in and out, or JAX arrays in and out.

    Args:
        function: the function; without it, a decorator is returned.
        static_argnums: positions of arguments that are constants of the compiled program; they must be hashable.
        static_argnames: their names.
        donate_argnums: positions of arguments whose arrays a call may overwrite.
        donate_argnames: their names.
        optimize: see `compile`.
        most_programs: how many compiled programs are kept; the one that was not used for longest goes first.
        options: other arguments of `compile`, such as `threads`, `cache` and `memory_stats`.

    Raises what `from_jax` raises, when the function is called.
    """
    if type(most_programs) is not int or most_programs < 1:
        raise ValueError(f"most_programs must be a positive integer, got {most_programs!r}")

    def decorate(function: Callable[..., Any]) -> JittedFunction:
        call = CallOptions(function, static_argnums, static_argnames, donate_argnums, donate_argnames)
        return JittedFunction(call, most_programs, {"optimize": optimize, **options})

    return decorate if function is None else decorate(function)
