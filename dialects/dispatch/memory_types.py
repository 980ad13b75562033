"""The dispatch dialect and its types, as the bindings define them; `types.py` says what they mean.

Annotations are evaluated here and in `ops.py`: the bindings read them to define types and operations.
"""

from functools import cache

from mlir import ir
from mlir._mlir_libs._mlir import globals as bindings
from mlir.dialects import ext

from .types import NAMESPACE, Access, tensor_type_of, type_name_of

__all__ = ["Dispatch", "DispatchType", "ReadOnly", "ReadWrite", "WriteOnly"]


class Dispatch(ext.Dialect, name=NAMESPACE):
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
        elif type_name_of(type_) != self.type_name:
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
