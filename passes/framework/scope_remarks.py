"""Modules within the module that a pass runs on: their functions are not looked at, which a user should know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from .base import Pass

__all__ = ["remark_nested_modules"]


def remark_nested_modules(instance: Pass[Any], module: ir.Operation) -> None:
    """Remarks each module directly in `module` with functions; linear in the symbols of both."""
    for inner in _modules(module):
        if any(op.operation.name == "func.func" for block in inner.regions[0] for op in block):
            nested = f"builtin.module(builtin.module({instance.argument}))"
            instance.remark(
                inner.location, f"functions in a module within the module are left as they are; for them run {nested}"
            )


def _modules(module: ir.Operation) -> Iterator[ir.Operation]:
    for block in module.regions[0]:
        for op in block:
            if op.operation.name == "builtin.module":
                yield op.operation
