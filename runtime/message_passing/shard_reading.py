"""How the functions of a partitioned module are split, by its attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlir import ir

from ...passes.framework.contract import WHOLE_TYPE
from ...passes.framework.shard_attributes import read_grid, read_layout
from ..interface.boundary import entry_functions
from ..interface.signature import Signature, ValueType
from ..interface.signature_reading import value_type
from .shards import Shard, ShardedSignature

__all__ = ["read_shards"]


def read_shards(module: ir.Module, signatures: Mapping[str, Signature]) -> dict[str, ShardedSignature]:
    """How the functions of a partitioned module are split; empty for another module."""
    grid = read_grid(module.operation)
    if grid is None:
        return {}
    functions = entry_functions(module.operation)
    found: dict[str, ShardedSignature] = {}
    for name, signature in signatures.items():
        attributes = functions[name].operation.attributes
        sides: list[tuple[Shard, ...]] = []
        types = [parameter.type for parameter in signature.parameters], list(signature.results)
        for key, locals_ in zip(("arg_attrs", "res_attrs"), types, strict=True):
            entries = list(attributes[key]) if key in attributes else [None] * len(locals_)
            sides.append(tuple(_shard(entry, local, grid) for entry, local in zip(entries, locals_, strict=True)))
        found[name] = ShardedSignature(grid, *sides)
    return found


def _shard(entry: Any, local: ValueType, grid: tuple[int, ...]) -> Shard:
    if not local.is_array:
        return Shard(local, None)
    whole = value_type(entry[WHOLE_TYPE].value, "it") if entry is not None and WHOLE_TYPE in entry else local
    return Shard(whole, read_layout(entry, grid, len(local.shape)))
