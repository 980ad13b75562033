"""The StableHLO dialect of the bindings: registered in a context, with its passes, where a program uses it."""

from __future__ import annotations

import functools
import importlib
import re
from typing import Any

from mlir import ir

__all__ = ["bindings", "deserialize", "is_artifact", "mentions_stablehlo", "register", "register_for"]

_ARTIFACT = re.compile(rb"ML\xefR.{0,8}StableHLO_v", re.DOTALL)


@functools.cache
def bindings() -> Any:
    """Return the bindings of the dialect, with its passes registered; raise `ImportError` where they are missing."""
    try:
        found = importlib.import_module("mlir._mlir_libs._stablehlo")
    except ModuleNotFoundError as error:
        message = "the MLIR bindings in use lack StableHLO; use those that have it: python -m pip install torch-mlir"
        raise ImportError(message, name=error.name) from None
    found.register_stablehlo_passes()
    return found


def register(context: ir.Context) -> None:
    """Load the dialect into `context`, and let it parse attributes of others: JAX writes `mhlo.x` and `#sdy.y`."""
    bindings().register_dialect(context)
    context.allow_unregistered_dialects = True


def mentions_stablehlo(source: str | bytes) -> bool:
    """Whether MLIR text or bytecode may use the dialect, so that it must be registered before it is parsed."""
    return "stablehlo." in source if isinstance(source, str) else b"stablehlo" in source


def register_for(source: str | bytes, context: ir.Context) -> None:
    """Load the dialect into `context` if `source`, text or bytecode that is to be parsed there, may use it."""
    if mentions_stablehlo(source):
        register(context)


def is_artifact(source: bytes) -> bool:
    """Whether bytecode is a portable artifact of StableHLO: its dialect with versions, as `jax.export` writes it."""
    return _ARTIFACT.match(source[:64]) is not None


def deserialize(artifact: bytes, context: ir.Context) -> ir.Module:
    """Return the module of a portable artifact; raise `ValueError` for one that cannot be read."""
    register(context)
    return bindings().deserialize_portable_artifact(context, artifact)
