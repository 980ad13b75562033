"""Arguments of a dispatch function, without those that bufferization dropped as unused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from ..evaluator.dialects.dispatch import Interface, interface_of

__all__ = ["used_arguments"]


def used_arguments(source: ir.Operation, function: ir.Operation) -> Sequence[int] | None:
    """Return which arguments of the dispatch function `source` its lowered form `function` still has.

    None if it is no dispatch function.
    """
    whole = interface_of(source)
    if whole is None:
        return None
    left = interface_of(function)
    places = {key: place for place, key in enumerate(_keys(whole))}
    return [] if left is None else [places[key] for key in _keys(left)]


def _keys(interface: Interface) -> list[Any]:
    """Name the arguments in the order of docs/DISPATCH.md."""
    sizes = [("size", dimension) for dimension in sorted(interface.dimensions["size"])]
    counts = [("count", dimension) for dimension in interface.counted]
    return [*sorted(interface.bindings), *sorted(interface.constants), *sizes, *counts]
