"""Trampolines: built-in functions of Python, of our own machine code, that call a program.

A call of a small program from Python takes ten times as long to prepare as to run. A trampoline does what `plan.py`
does for the common call: it compares the arguments with those the plan was made for, puts addresses and scalars into
the plan's frame, makes the arrays of results, and jumps. Whatever is not common (arrays of another kind, a call within
a call, an `out` that overlaps an argument) it does not do: it returns `NotImplemented`, and Python goes on.

The machine code is the same for all programs. It reads records (`trampoline_records.py`), and fields of Python's and
NumPy's objects at fixed offsets, which `are_offsets_known` compares with objects of this process.
"""

from __future__ import annotations

import ctypes
import struct
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...dialects.support.frozen_classes import frozen
from .failures import raise_failure
from .trampoline_records import BoundRecord, HeadRecord

__all__ = ["Records", "TrampolineSource", "Trampolines", "are_offsets_known", "native_address"]

_FASTCALL, _NO_ARGUMENTS = 0x80, 0x04
_ARRAY_TYPE, _NEW_FROM_DESCR, _SET_BASE_OBJECT = 2, 94, 282
"""Where these are in NumPy's table of C functions."""

_LIMIT_OF_32_BITS = 1 << 32


_METHOD = struct.Struct("@PPiP")
"""`PyMethodDef`: name, function, flags and documentation."""

_NAME = b"call\0"


class Records:
    """Memory for records, which stays where it is, with all objects whose addresses are in it."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def add(self, words: Sequence[int]) -> int:
        """The address of a new array of words."""
        memory = (ctypes.c_int64 * len(words))(*words)
        self.kept.append(memory)
        return ctypes.addressof(memory)

    def of(self, value: Any) -> int:
        """The address of an object, which lives as long as the records."""
        self.kept.append(value)
        return id(value)


@frozen
class Trampolines:
    """The addresses of the two functions of the machine code, and what owns that."""

    call: int
    bound_call: int
    code: object

    def function(self, first_plan: int, kept: object) -> Callable[..., Any]:
        """The function of an entry point, to be called with `out` and the arguments; `kept`: what owns its plans."""
        table, records = _numpy_functions(), Records()
        words = {
            HeadRecord.FIRST: first_plan,
            HeadRecord.NEW_ARRAY: table[_NEW_FROM_DESCR],
            HeadRecord.SET_BASE: table[_SET_BASE_OBJECT],
            HeadRecord.ARRAY_TYPE: id(np.ndarray),
            HeadRecord.BYTE: records.of(np.dtype(np.uint8)),
            HeadRecord.NONE: id(None),
            HeadRecord.MISS: id(NotImplemented),
            HeadRecord.TRUE: id(True),
            HeadRecord.RAISE: records.of(raise_failure),
        }
        head = records.add([words[word] for word in HeadRecord])
        return self._built_in(self.call, _FASTCALL, head, (records, self.code, kept))

    def bound_function(self, table: int, function: int, result: Any, kept: object) -> Callable[[], Any]:
        """The function of a bound call: `NotImplemented` while it runs already."""
        records = Records()
        words = {
            BoundRecord.BUSY: 0,
            BoundRecord.TABLE: table,
            BoundRecord.FUNCTION: function,
            BoundRecord.RESULT: records.of(result),
            BoundRecord.MISS: id(NotImplemented),
            BoundRecord.RAISE: records.of(raise_failure),
        }
        place = records.add([words[word] for word in BoundRecord])
        return self._built_in(self.bound_call, _NO_ARGUMENTS, place, (records, self.code, kept))

    @staticmethod
    def _built_in(address: int, flags: int, record: int, kept: object) -> Callable[..., Any]:
        # Python reads the method when it frees the function. The garbage collector may have cleared a structure of
        # `ctypes` by then, but no `bytearray`.
        method = bytearray(_METHOD.size + len(_NAME))
        place = ctypes.addressof(ctypes.c_char.from_buffer(method))
        method[:] = _METHOD.pack(place + _METHOD.size, address, flags, 0) + _NAME
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
        return make(place, (record, kept, method), None)


TrampolineSource = Callable[[], Trampolines | None]
"""To be asked in each call that is not by a trampoline: None until it pays to have them, or where there are none."""


def native_address(function: Any) -> int | None:
    """The address of a native function; None if it is wrapped in Python, which a trampoline would pass by."""
    return ctypes.cast(function, ctypes.c_void_p).value if isinstance(function, _C_FUNCTION) else None


_C_FUNCTION: type[Any] = ctypes.CFUNCTYPE(None).__mro__[1]
"""The base class of all functions of `ctypes`."""


@cache
def _numpy_functions() -> Any:
    """NumPy's table of C functions."""
    module: Any = sys.modules.get("numpy._core._multiarray_umath") or sys.modules["numpy.core._multiarray_umath"]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return ctypes.cast(pointer(module._ARRAY_API, None), ctypes.POINTER(ctypes.c_size_t))


def are_offsets_known() -> bool:
    """Whether the objects of this process have their fields where the machine code looks for them."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED") or sys.maxsize >> 62 != 1:
        return False
    array = np.arange(24, dtype=np.float32).reshape(4, 6)[1:, ::2]
    words = (ctypes.c_int64 * 9).from_address(id(array))
    shape, strides = ((ctypes.c_int64 * 2).from_address(address) for address in words[4:6])
    found = (words[1], words[2], words[3] % _LIMIT_OF_32_BITS, tuple(shape), tuple(strides), words[7])
    wanted = (id(np.ndarray), array.__array_interface__["data"][0], array.ndim, array.shape, array.strides)
    number = ctypes.c_double.from_address(id(_SOME_NUMBER) + 16)
    flags = words[8] % _LIMIT_OF_32_BITS
    return (
        object.__basicsize__ == 16
        and found == (*wanted, id(array.dtype))
        and (flags & 0x501) == (np.ones(1).flags.num & 0x500)
        and number.value == _SOME_NUMBER
        and _numpy_functions()[_ARRAY_TYPE] == id(np.ndarray)
    )


_SOME_NUMBER = 1.5
