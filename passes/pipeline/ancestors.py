"""The operations around an operation, which may also stand alone."""

from __future__ import annotations

from mlir import ir

__all__ = ["ancestors"]


def ancestors(op: ir.Operation) -> list[ir.Operation]:
    """The operations around `op`, innermost first; none if it was parsed without a module."""
    found: list[ir.Operation] = []
    # The bindings raise an exception instead of telling that a detached operation has no parent.
    while op.attached and (outer := op.parent) is not None:
        op = outer.operation
        found.append(op)
    return found
