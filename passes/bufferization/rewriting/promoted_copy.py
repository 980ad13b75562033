"""Copy a module for bufferization: bindings promoted to values, tensors in destination style, wrapped memrefs updated.

Bufferization that may still refuse the program works on such a copy, which replaces the original on success.
"""

from __future__ import annotations

from collections.abc import Collection

from mlir import ir

from ....dialects.support.wrapped_memrefs import MATERIALIZE
from ...destinations.rewriting import convert_to_destination_style
from ...dispatch.rewriting.preparation import ACCESSES, PROMOTED, dispatch_ops
from .wrapped_destinations import materialize_in_wrappers, wrapped_destinations

__all__ = ["promoted_copy"]


def promoted_copy(module: ir.Operation, names: Collection[str] | None = None) -> ir.Operation | None:
    """Return a promoted copy of ``module``, or None if nothing in it is to be promoted; raises ``PassFailure``.

    Bindings that are promoted already are checked. One walk over the ops, unless ``names``, those of all ops, tell that
    there is nothing.
    """
    if names is not None and MATERIALIZE not in names and not any(name in names for name in (*ACCESSES, *PROMOTED)):
        return None
    found = dispatch_ops(module)
    if found:
        from ...dispatch.promote_bindings import check_bindings

        check_bindings(module)
    has_accesses = not found.isdisjoint(ACCESSES)
    if not has_accesses and not wrapped_destinations(module):
        return None
    copy = module.clone().operation
    if has_accesses:
        from ...dispatch.promote_bindings import promote_bindings

        promote_bindings(copy)
        convert_to_destination_style(copy)
    materialize_in_wrappers(copy)
    return copy
