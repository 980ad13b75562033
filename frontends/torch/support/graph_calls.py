"""Calls that are added to a graph, with what later stages ask of a node: the value that it computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .framework import torch_module

__all__ = ["add_call"]


def add_call(
    graph: Any,
    told: Any,
    target: Any,
    arguments: tuple[Any, ...],
    named: Mapping[str, Any] | None = None,
    *,
    mode: Any,
    value_of: Callable[[Any], Any] = lambda node: node.meta["val"],
) -> Any:
    """Add a call to `graph`, of which is told what the node `told` tells, and return it.

    Its example value is computed in the fake-tensor `mode`, of those of its operands, which `value_of` gives.
    """
    fx = torch_module("torch.fx")
    made = graph.call_function(target, arguments, named or {})
    values, named_values = fx.map_arg((arguments, dict(named or {})), value_of)
    with mode:
        made.meta = {**told.meta, "val": target(*values, **named_values)}
    made.meta.pop("tensor_meta", None)
    return made
