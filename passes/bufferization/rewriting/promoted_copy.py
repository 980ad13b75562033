"""Copy a module for bufferization: bindings promoted to values, tensors in destination style.

Bufferization that may still refuse the program works on such a copy, which replaces the original on success.
"""

from __future__ import annotations

from mlir import ir

from ...destinations.rewriting import convert_to_destination_style
from ...dispatch.promote_bindings import check_bindings, promote_bindings
from ...dispatch.rewriting.preparation import ACCESSES, dispatch_ops

__all__ = ["promoted_copy"]


def promoted_copy(module: ir.Operation) -> ir.Operation | None:
    """Return a promoted copy of ``module``, or None if it has no loads and stores; raises ``PassFailure``.

    Bindings that are promoted already are checked. Constant time for a module without the dialect.
    """
    found = dispatch_ops(module)
    if found:
        check_bindings(module)
    if found.isdisjoint(ACCESSES):
        return None
    copy = module.clone().operation
    promote_bindings(copy)
    convert_to_destination_style(copy)
    return copy
