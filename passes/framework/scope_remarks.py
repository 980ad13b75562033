"""Remarks on modules nested in the module that a pass runs on, whose functions it leaves alone."""

from __future__ import annotations

from typing import Any

from mlir import ir

from .base import Pass

__all__ = ["remark_nested_modules"]


def remark_nested_modules(instance: Pass[Any], module: ir.Operation) -> None:
    """Remarks each module directly in `module` with functions; linear in the symbols of both."""
    for inner in (op.operation for block in module.regions[0] for op in block):
        names = [op.operation.name for block in inner.regions[0] for op in block] if inner.name == module.name else []
        if "func.func" in names:
            nested = f"builtin.module(builtin.module({instance.argument}))"
            instance.remark(
                inner.location, f"functions in a module within the module are left as they are; for them run {nested}"
            )
