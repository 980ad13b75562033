"""Lookup of the handler of an op: a table for each dialect, imported for its first op."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from mlir import ir

__all__ = ["Handler", "Registers", "Step", "find_handler"]

Registers = list[Any]
Step = Callable[[Registers], None]
Handler = Callable[[Any, ir.Operation], Step | None]
"""From a `Decoder` and an op."""

MODULES = {
    "affine": ("affine",),
    "arith": ("elementwise",),
    "bufferization": ("bufferization",),
    "builtin": ("builtin",),
    "cf": ("cf",),
    "complex": ("complex",),
    "dispatch": ("dispatch",),
    "func": ("func",),
    "linalg": ("linalg", "linalg_packing"),
    "math": ("elementwise",),
    "memref": ("memref", "memref_views"),
    "ml_program": ("ml_program",),
    "mpi": ("mpi",),
    "scf": ("scf", "scf_parallel"),
    "shape": ("shape",),
    "shard": ("shard",),
    "tensor": ("tensor", "tensor_slices", "tensor_shapes"),
    "ub": ("ub",),
    "vector": ("vector", "vector_transfers", "vector_indirect", "vector_lanes", "vector_reductions"),
}
"""The modules that have handlers of a dialect's ops."""


@cache
def _table(dialect: str) -> dict[str, Handler]:
    found: dict[str, Handler] = {}
    for name in MODULES.get(dialect, ()):
        found.update(importlib.import_module(f".{name}", __package__).OPS)
    return found


@cache
def find_handler(name: str) -> Handler | None:
    """The handler of an op, or of all other ops of its dialect, or None."""
    dialect = name.partition(".")[0]
    table = _table(dialect)
    return table.get(name) or table.get(f"{dialect}.*")
