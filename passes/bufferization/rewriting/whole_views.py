"""Views of whole bindings, once a module is bufferized: loads and stores of all of a binding leave them behind."""

from __future__ import annotations

from mlir import ir

from ...analysis.ir.traversal import first_op
from .views import canonicalize_views

__all__ = ["drop_whole_views"]


def drop_whole_views(module: ir.Operation) -> None:
    """Let views of whole bindings be the bindings, in a module that has any. Linear, if the dialect is loaded."""
    if not module.context.is_dialect_loaded("dispatch"):
        return
    if first_op(module, lambda op: op.name == "dispatch.binding") is not None:
        canonicalize_views(module)
