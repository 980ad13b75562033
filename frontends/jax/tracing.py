"""From a JAX function to a StableHLO artifact: tracing and lowering, by JAX alone.

JAX lowers for a platform of our own name, for which it has no calls of libraries: a factorization comes as loops, and a
primitive that has only such calls is an error of JAX that names it. Its dialect `chlo`, which our bindings do not have,
is legalized in JAX's own bindings; then the module crosses to ours as a portable artifact, where constants are bytes.
"""

from __future__ import annotations

import functools
import hashlib
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ...dialects.stablehlo import bindings
from ...dialects.support.frozen_classes import frozen
from ...passes.framework.errors import PassError
from ...runtime.interface.memrefs import Array
from .constants import lower_with_constants
from .framework import PLATFORM, jax_extension, jax_module, jaxlib_module
from .linear_algebra import register_factorizations
from .shardings import JaxShardings, take_shardings

Lowered = TypeVar("Lowered")

_CALLS_BACK = (
    "calls Python back (jax.pure_callback), which a compiled program cannot; take the call out; "
    "Equinox checks without calls if the environment has EQX_ON_ERROR=nan"
)
_CHLO = "builtin.module(func.func(chlo-legalize-to-stablehlo))"


@frozen
class TracedFunction:
    """A JAX function as StableHLO.

    Attributes:
        artifact: the module, whose function `main` takes `constants`, then the leaves of the arguments.
        constants: arrays that the function closes over.
        parameters: the abstract values of the leaves of the arguments.
        results: those of the results.
        donated: for each leaf of the arguments, whether it was donated. Keys of random numbers are not: they are small,
            and their arrays are not NumPy's.
        name: that of the function.
        names: what JAX calls each leaf of the arguments, such as `params['w']`.
        in_tree: the structure of the arguments, a pair of the positional ones and those by name, without static ones.
        out_tree: the structure of the results.
    """

    artifact: bytes
    constants: tuple[Array, ...]
    parameters: tuple[Any, ...]
    results: tuple[Any, ...]
    donated: tuple[bool, ...]
    name: str
    names: tuple[str, ...]
    in_tree: Any
    out_tree: Any

    @property
    def digest(self) -> str:
        """The digest of the module."""
        return hashlib.sha256(self.artifact).hexdigest()


def trace(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    named: Mapping[str, Any],
    donated: Collection[int | str] = (),
) -> TracedFunction:
    """Trace and lower a function for these arguments, of which those at the places and names `donated` are donated.

    Raises `PassError` for a function with effects, on several devices, or with a primitive that cannot be lowered, and
    what tracing the function raises.
    """
    jax = jax_module()
    _leave_out_our_frames()
    register_factorizations()
    traced = jitted_for(function).trace(*arguments, **named)
    lowered, constants = _lowered(traced, lambda: lower_with_constants(jax, traced, PLATFORM))
    module = lowered.compiler_ir("stablehlo")
    with module.context:
        devices = module.operation.attributes["mhlo.num_partitions"].value
    if devices != 1:
        raise PassError(f"the function is sharded over {devices} devices; split it over ranks by mi.shard_jax")
    leaves, in_tree = jax.tree.flatten((tuple(arguments), dict(named)))
    assert len(leaves) == len(traced.jaxpr.in_avals)
    return TracedFunction(
        artifact=_artifact(module)[0],
        constants=constants,
        parameters=tuple(traced.jaxpr.in_avals),
        results=tuple(traced.jaxpr.out_avals),
        donated=tuple(
            given and not is_key(jax, aval)
            for given, aval in zip(_donated_leaves(jax, arguments, named, donated), traced.jaxpr.in_avals, strict=True)
        ),
        name=_name(traced),
        names=_names(traced.jaxpr),
        in_tree=in_tree,
        out_tree=jax.tree.structure(traced.out_info),
    )


def trace_sharded(
    function: Any, arguments: Sequence[Any], named: Mapping[str, Any]
) -> tuple[TracedFunction, JaxShardings | None]:
    """Trace and lower a jitted function, with what it says of shardings; None if it is for one device.

    Raises `PassError` as `trace`, and for arguments that JAX leaves out of the program.
    """
    jax = jax_module()
    _leave_out_our_frames()
    register_factorizations()
    traced = (function if hasattr(function, "trace") else jitted_for(function)).trace(*arguments, **named)
    with warnings.catch_warnings():
        # What is donated is for us to use, not for JAX.
        warnings.filterwarnings("ignore", "Some donated buffers were not usable")
        lowered = _lowered(traced, lambda: traced.lower(lowering_platforms=(PLATFORM,)))
    artifact, shardings = _artifact(_copied(lowered.compiler_ir("stablehlo")))
    count = len(traced.jaxpr.in_avals)
    if shardings is not None and len(shardings.arguments) != count:
        raise PassError(
            f"{_name(traced)} does not use {count - len(shardings.arguments)} of its {count} arguments, which JAX "
            "leaves out; give jax.jit keep_unused=True"
        )
    return TracedFunction(
        artifact=artifact,
        constants=(),
        parameters=tuple(traced.jaxpr.in_avals),
        results=tuple(traced.jaxpr.out_avals),
        donated=tuple(bool(info.donated) for info in jax.tree.leaves(traced.args_info)),
        name=_name(traced),
        names=_names(traced.jaxpr),
        in_tree=jax.tree.structure(traced.args_info),
        out_tree=jax.tree.structure(traced.out_info),
    ), shardings


def _copied(module: Any) -> Any:
    """A module like this one, which JAX keeps, and would give again without shardings."""
    with module.context:
        return jaxlib_module("ir").Module.parse(module.operation.get_asm(enable_debug_info=True))


def _lowered(traced: Any, lower: Callable[[], Lowered]) -> Lowered:
    """What `lower` makes. Raises `PassError` for effects, and for what JAX cannot lower."""
    effects = sorted(str(effect) for effect in traced.jaxpr.effects)
    if effects:
        raise PassError(f"{_name(traced)} has effects ({', '.join(effects)}), as callbacks do; take them out")
    try:
        return lower()
    except NotImplementedError as error:
        raise PassError(f"{_name(traced)} cannot be lowered: {error}") from error
    except ValueError as error:
        if "EmitPythonCallback" in str(error):
            raise PassError(f"{_name(traced)} {_CALLS_BACK}") from error
        if "was exported for platforms" not in str(error):
            raise
        raise PassError(f"{_name(traced)} cannot be lowered: {error}") from error


def _donated_leaves(
    jax: Any, arguments: Sequence[Any], named: Mapping[str, Any], donated: Collection[int | str]
) -> tuple[bool, ...]:
    """Whether each leaf is one of a donated argument; arguments by name come last, in the order of their names."""
    whole = [*enumerate(arguments), *sorted(named.items())]
    return tuple(place in donated for place, argument in whole for _ in jax.tree.leaves(argument))


def is_key(jax: Any, aval: Any) -> bool:
    """Whether values like `aval` are keys of random numbers."""
    return jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key)


@functools.cache
def _leave_out_our_frames() -> None:
    """Let JAX's locations lead to the user's lines, not to ours."""
    jax_extension("source_info_util", "register_exclusion")(str(Path(__file__).parent))


def _names(closed: Any) -> tuple[str, ...]:
    names = closed.jaxpr.debug_info.arg_names or ()
    count = len(closed.in_avals)
    return tuple(map(str, names)) if len(names) == count else tuple(f"arg{index}" for index in range(count))


def _name(traced: Any) -> str:
    return getattr(traced, "fun_name", "the function")


def _artifact(module: Any) -> tuple[bytes, JaxShardings | None]:
    """A module of JAX's bindings as bytes, without `chlo`, and what it has said of shardings."""
    passmanager = jaxlib_module("passmanager")
    stablehlo = jaxlib_module("dialects.stablehlo")
    with module.context:
        shardings = take_shardings(module)
        stablehlo.register_stablehlo_passes()
        passmanager.PassManager.parse(_CHLO).run(module.operation)
        version = stablehlo.get_smaller_version(stablehlo.get_current_version(), bindings().get_current_version())
        return stablehlo.serialize_portable_artifact(module, version), shardings


def jitted_for(function: Callable[..., Any]) -> Any:
    """`jax.jit` of a function whose arguments are all kept."""
    return jax_module().jit(function, keep_unused=True)
