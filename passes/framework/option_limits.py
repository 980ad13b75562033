"""Checks of option values that need the context: names of dialects and ops, and limits of numbers.

A dialect that does not exist would silently match nothing; an alignment that no attribute can hold would be a bug.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from .errors import PassFailure

__all__ = ["MAX_ALIGNMENT", "MAX_INDEX", "require_dialects", "require_operations"]

MAX_ALIGNMENT = 1 << 31
"""The largest alignment of a buffer in bytes; LLVM knows none that is much larger."""


MAX_INDEX = (1 << 63) - 1
"""The largest number that an index can hold."""


def require_operations(option: str, names: Sequence[str], op: ir.Operation) -> None:
    """Raises `PassFailure` for a name that no operation in the context of `op` has.

    Where operations of unregistered dialects are allowed, any name may be one.
    """
    for name in () if op.context.allow_unregistered_dialects else names:
        if not (_is_dialect(name.partition(".")[0], op.context) and op.context.is_registered_operation(name)):
            message = f"{option} names '{name}', but no operation is called so; correct the name or leave it out"
            raise PassFailure(message, op.location)


def require_dialects(option: str, names: Sequence[str], op: ir.Operation) -> None:
    """Raises `PassFailure` for a name that is no dialect in the context of `op`.

    Where operations of unregistered dialects are allowed, any name may be one.
    """
    if op.context.allow_unregistered_dialects:
        return
    for name in names:
        if name == "dispatch":  # Ours, which is in a context only where a program uses it.
            continue
        if not _is_dialect(name, op.context):
            message = f"{option} names '{name}', but no dialect is called so; correct the name or leave it out"
            raise PassFailure(message, op.location)


def _is_dialect(name: str, context: ir.Context) -> bool:
    """Whether there is one; it is loaded, and its ops are registered then."""
    try:
        context.get_dialect_descriptor(name)
    except (ValueError, IndexError, KeyError):
        return False
    return True
