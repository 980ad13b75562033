"""Whether a program reads or writes the memory of a memref, by its uses.

Views and casts are followed. The effects of loads, stores, transfers, copies and structured ops are modelled; a return
counts as a read by the caller. Any other user counts as both.
"""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir

from .roots import VIEWS

__all__ = ["READ", "WRITE", "access_name", "access_of_use", "accesses"]

READ, WRITE = 1, 2

_VIEWS = VIEWS | {"memref.memory_space_cast", "dispatch.tie_shape"}
_READS = frozenset(
    ("memref.load", "affine.load", "vector.load", "vector.transfer_read", "vector.maskedload", "func.return")
)
_WRITES = frozenset(("memref.store", "affine.store", "vector.store", "vector.transfer_write"))
_NOTHING = frozenset(("memref.dim", "memref.rank"))
_NAMES = ("none", "read", "write", "read-write")


def accesses(values: Iterable[ir.Value]) -> int:
    """`READ`, `WRITE`, both (`|`) or 0: the accesses to the memory of `values`. Linear in the uses of their views."""
    pending, found = list(values), 0
    while pending and found != READ | WRITE:
        for use in pending.pop().uses:
            user = use.owner.operation
            # The shape operand of memref.reshape is read, not viewed.
            if user.name in _VIEWS and use.operand_number == 0:
                pending.append(user.results[0])
            else:
                found |= access_of_use(user, use.operand_number)
    return found


def access_name(access: int) -> str:
    """The value of `bufferization.access` for what `accesses` gives."""
    return _NAMES[access]


def access_of_use(user: ir.Operation, number: int) -> int:
    """`READ`, `WRITE`, both or 0: what an op that is no view does with the memory of its operand of that number."""
    name = user.name
    if name in _NOTHING:
        return 0
    if name in _READS:
        return READ
    if name in _WRITES:
        return WRITE
    if name == "memref.copy":
        return WRITE if number else READ
    if name.startswith("linalg.") and "operandSegmentSizes" in user.attributes:
        return _of_structured(user, number)
    return READ | WRITE


def _of_structured(user: ir.Operation, number: int) -> int:
    """Inputs are read; an init is also read if the payload uses its element."""
    if number < ir.DenseI32ArrayAttr(user.attributes["operandSegmentSizes"])[0]:
        return READ
    arguments = user.regions[0].blocks[0].arguments if len(user.regions) == 1 else ()
    unread = number < len(arguments) and next(iter(arguments[number].uses), None) is None
    return WRITE if unread else READ | WRITE
