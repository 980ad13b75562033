"""JAX itself, imported when it is needed."""

from __future__ import annotations

from typing import Any

from ..extras import required_module

PLATFORM = "inplace"
"""The platform that JAX lowers for; only the primitives of `linear_algebra.py` have rules of their own for it."""


def jax_module(part: str = "") -> Any:
    """The package `jax`, or the module of that name in it. Raises `ImportError` with the command that installs it."""
    return required_module(f"jax.{part}" if part else "jax", "jax", "a JAX function")


def jaxlib_module(part: str) -> Any:
    """The module `part` of JAX's own MLIR bindings."""
    return required_module(f"jaxlib.mlir.{part}", "jax", "a JAX function")
