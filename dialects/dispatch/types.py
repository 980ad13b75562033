"""The types of the dispatch dialect: memory of a binding, with the access that the kernel has to it.

    !dispatch.readonly<tensor<4x?xf32>>    !dispatch.writeonly<…>    !dispatch.readwrite<…>

Annotations are evaluated here and in `ops.py`: the bindings read them to define types and operations.
"""

import enum
from functools import cache
from typing import NamedTuple

from mlir import ir
from mlir._mlir_libs._mlir import globals as bindings
from mlir.dialects import ext

__all__ = [
    "Access",
    "Dispatch",
    "DispatchType",
    "ReadOnly",
    "ReadWrite",
    "Slot",
    "WriteOnly",
    "access_of",
    "is_dispatch_type",
    "tensor_type_of",
]


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


class Dispatch(ext.Dialect, name="dispatch"):
    """The dialect; `dispatch.register` loads it into a context."""

    @classmethod
    def load(cls) -> None:
        """Loads the dialect into the current context; `ext.DialectAlreadyLoadedError` if it is there already."""
        super().load()
        # The context has the definitions now; the module that they came from would keep it alive.
        del cls._mlir_module
        _announce(cls.DIALECT_NAMESPACE)


@cache
def _announce(namespace: str) -> None:
    """Tells the bindings, once in a process, that the dialect's Python half is this package.

    They look for one, `mlir.dialects.dispatch`, whenever they wrap a value or a type of the dialect, and search the
    disk each time as long as there is none: 20 µs, which is more than all else that is done with the value.
    """
    prefixes = list(bindings.dialect_search_modules)
    bindings.append_dialect_search_prefix(__name__.rsplit(".", 2)[0])
    bindings._check_dialect_module_loaded(namespace)  # pyright: ignore[reportPrivateUsage]
    # What was found is remembered; other dialects are searched for as before.
    bindings.dialect_search_modules = prefixes


class DispatchType(ext.Type):
    """A binding's memory, typed by the tensor it holds. `ReadOnly(tensor)` builds one; TypeError for other types."""

    access = Access.READ_WRITE

    parameter: ir.RankedTensorType

    def __init__(self, type_: ir.Type) -> None:
        if isinstance(type_, ir.RankedTensorType):
            type_ = ir.DynamicType.get(self.type_name, [ir.TypeAttr.get(type_)], context=type_.context)
        elif _name_of(type_) != self.type_name:
            raise TypeError(f"!{self.type_name} holds a ranked tensor type, not '{type_}'")
        super().__init__(type_)

    @property
    def tensor(self) -> ir.RankedTensorType:
        """The type of the tensor that the memory holds."""
        return tensor_type_of(self)


class ReadOnly(DispatchType, dialect=Dispatch, name="readonly"):
    """`!dispatch.readonly`: loads only."""

    access = Access.READ_ONLY


class WriteOnly(DispatchType, dialect=Dispatch, name="writeonly"):
    """`!dispatch.writeonly`: stores only; elements that are not stored keep their values."""

    access = Access.WRITE_ONLY


class ReadWrite(DispatchType, dialect=Dispatch, name="readwrite"):
    """`!dispatch.readwrite`: loads and stores."""

    access = Access.READ_WRITE


_ACCESSES = {f"dispatch.{access.value}": access for access in Access}


def is_dispatch_type(type_: ir.Type) -> bool:
    """Whether `type_` is one of the three types of the dialect."""
    return _name_of(type_) in _ACCESSES


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


def _name_of(type_: ir.Type) -> str | None:
    """The name of a type that is defined at run time; None for any other, which the bindings refuse to cast."""
    try:
        return ir.DynamicType(type_).type_name
    except ValueError:
        return None
