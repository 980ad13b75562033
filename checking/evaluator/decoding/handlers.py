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
    "affine": ("dialects.affine",),
    "arith": ("dialects.elementwise",),
    "bufferization": ("dialects.bufferization",),
    "builtin": ("dialects.builtin",),
    "cf": ("dialects.cf",),
    "complex": ("dialects.complex",),
    "dispatch": ("dialects.dispatch",),
    "func": ("dialects.func",),
    "linalg": ("dialects.linalg", "dialects.linalg_packing"),
    "math": ("dialects.elementwise",),
    "memref": ("dialects.memref", "dialects.memref_views"),
    "ml_program": ("dialects.ml_program",),
    "mpi": ("dialects.mpi",),
    "scf": ("dialects.scf", "dialects.scf_parallel"),
    "shape": ("dialects.shape",),
    "shard": ("dialects.shard",),
    "tensor": ("dialects.tensor", "dialects.tensor_slices", "dialects.tensor_shapes"),
    "ub": ("dialects.ub",),
    "vector": (
        "vectors.vector",
        "vectors.vector_transfers",
        "vectors.vector_indirect",
        "vectors.vector_lanes",
        "vectors.vector_reductions",
    ),
}
"""The modules that have handlers of a dialect's ops."""


@cache
def _table(dialect: str) -> dict[str, Handler]:
    found: dict[str, Handler] = {}
    for name in MODULES.get(dialect, ()):
        found.update(importlib.import_module(f"..{name}", __package__).OPS)
    return found


@cache
def find_handler(name: str) -> Handler | None:
    """The handler of an op, or of all other ops of its dialect, or None."""
    dialect = name.partition(".")[0]
    table = _table(dialect)
    return table.get(name) or table.get(f"{dialect}.*")
