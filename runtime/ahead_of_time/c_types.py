"""What values of a program are in C: names of types, and how a scalar is passed."""

from __future__ import annotations

import re

from ...dialects.support.frozen_classes import frozen
from ..interface.dtypes import ElementType
from ..interface.signature import ValueType

__all__ = ["ArrayType", "array_type", "c_identifier", "element_name", "llvm_parts"]

_NAMES = {
    "?": "bool",
    "b": "int8_t",
    "B": "uint8_t",
    "h": "int16_t",
    "H": "uint16_t",
    "i": "int32_t",
    "I": "uint32_t",
    "q": "int64_t",
    "Q": "uint64_t",
    "e": "uint16_t",
    "f": "float",
    "d": "double",
    "ff": "complex64",
    "dd": "complex128",
}
"""By `struct` code. Floats that C does not have are integers with the same bits; complex numbers are structs."""
_LLVM = {"?": "i8", "b": "i8", "h": "i16", "e": "i16", "i": "i32", "q": "i64", "f": "f32", "d": "f64"}


@frozen
class ArrayType:
    """A struct type of the header: an array of `rank` dimensions."""

    name: str
    element: str
    rank: int

    @property
    def memory_word(self) -> int:
        """Where in the struct, in words of 8 bytes, the member `memory` is: behind data, sizes and strides."""
        return 1 + 2 * self.rank


def element_name(element: ElementType, prefix: str) -> str:
    """The C type of an element."""
    name = _NAMES[element.code]
    return f"{prefix}_{name}" if is_complex(element) else name


def is_complex(element: ElementType) -> bool:
    """Whether it is a struct of two parts in C, which is passed by its address."""
    return len(element.code) > 1


def llvm_parts(element: ElementType) -> tuple[str, ...]:
    """The types in LLVM of a scalar's parts, one after the other in memory: two for complex numbers."""
    return tuple(_LLVM.get(code) or _LLVM[code.lower()] for code in element.code)


def array_type(type_: ValueType, prefix: str) -> ArrayType:
    """The struct of an array."""
    spelling = re.sub(r"\W+", "_", type_.element.spelling).strip("_")
    rank = len(type_.shape)
    return ArrayType(f"{prefix}_{spelling}_{rank}d", element_name(type_.element, prefix), rank)


def c_identifier(text: str) -> str:
    """`text` as a part of an identifier of C: other characters become underscores."""
    return re.sub(r"[^A-Za-z0-9_]", "_", text)
