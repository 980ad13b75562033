"""JAX itself, imported when it is needed."""

from __future__ import annotations

import sys
from typing import Any

from ..extras import required_module

PLATFORM = "inplace"
"""The platform that JAX lowers for; only the primitives of `linear_algebra.py` have rules of their own for it."""

_INTERNAL = {"core": "core", "core.primitives": "lax.linalg", "source_info_util": "source_info_util"}
"""Parts of `jax.extend`, and where in `jax._src` each takes what is asked of it here."""


def jax_module(part: str = "") -> Any:
    """The package `jax`, or the module of that name in it. Raises `ImportError` with the command that installs it."""
    return required_module(f"jax.{part}" if part else "jax", "jax", "a JAX function")


def jax_extension(part: str, name: str) -> Any:
    """What `jax.extend.PART` exports as `name`.

    It is taken from where JAX has loaded it already, if it is still there: `jax.extend` imports all of Pallas.
    """
    found = getattr(sys.modules.get(f"jax._src.{_INTERNAL[part]}"), name, None)
    return getattr(jax_module(f"extend.{part}"), name) if found is None else found


def jaxlib_module(part: str) -> Any:
    """The module `part` of JAX's own MLIR bindings."""
    return required_module(f"jaxlib.mlir.{part}", "jax", "a JAX function")
