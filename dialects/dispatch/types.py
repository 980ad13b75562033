"""The types of the dispatch dialect: memory of a binding, with the access that the kernel has to it.

    !dispatch.readonly<tensor<4x?xf32>>    !dispatch.writeonly<…>    !dispatch.readwrite<…>

This is what reads them; `memory_types.py` defines and builds them.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from mlir import ir

__all__ = [
    "NAMESPACE",
    "Access",
    "Slot",
    "access_of",
    "is_dispatch_type",
    "tensor_type_of",
    "type_name_of",
]

NAMESPACE = "dispatch"
"""The name of the dialect."""


class Access(enum.Enum):
    """What a kernel may do with the memory of a binding."""

    READ_ONLY = "readonly"
    WRITE_ONLY = "writeonly"
    READ_WRITE = "readwrite"

    @property
    def reads(self) -> bool:
        """Whether loads are allowed."""
        return self is not Access.WRITE_ONLY

    @property
    def writes(self) -> bool:
        """Whether stores are allowed."""
        return self is not Access.READ_ONLY


class Slot(NamedTuple):
    """Where a binding is found: different slots never share memory."""

    set: int
    binding: int

    def __str__(self) -> str:
        return f"set {self.set} binding {self.binding}"


_ACCESSES = {f"{NAMESPACE}.{access.value}": access for access in Access}


def is_dispatch_type(type_: ir.Type) -> bool:
    """Whether `type_` is one of the three types of the dialect."""
    return type_name_of(type_) in _ACCESSES


def access_of(type_: ir.Type) -> Access:
    """The access of a dispatch type; TypeError for any other type."""
    return _ACCESSES[_checked(type_).type_name]


def tensor_type_of(type_: ir.Type) -> ir.RankedTensorType:
    """The tensor type inside a dispatch type; TypeError for any other type."""
    return ir.RankedTensorType(ir.TypeAttr(_checked(type_).params[0]).value)


def _checked(type_: ir.Type) -> ir.DynamicType:
    if not is_dispatch_type(type_):
        raise TypeError(f"expected a type of the dispatch dialect, got '{type_}'")
    return ir.DynamicType(type_)


def type_name_of(type_: ir.Type) -> str | None:
    """The name of a type that is defined at run time; None for any other, which the bindings refuse to cast."""
    try:
        return ir.DynamicType(type_).type_name
    except ValueError:
        return None
