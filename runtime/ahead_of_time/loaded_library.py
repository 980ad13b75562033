"""The functions of a compiled library as entry points, in a package that has nothing of MLIR.

A package that `python_package.py` writes has this file, and those that it imports, as they are here.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...dialects.support.frozen_classes import frozen
from ..call.entry_point import EntryPoint
from ..call.held_arguments import HeldArguments
from ..call.results import NativeCode
from ..interface.dtypes import named_element_type
from ..interface.forms import Form
from ..interface.memrefs import Array
from ..interface.signature import BoundaryKind, Signature, ValueType
from ..memory.statistics import MemoryStats

__all__ = ["LoadedLibrary", "NativeForms", "drop", "value_type"]


def value_type(spelling: str, kind: str, element: str, shape: tuple[int | None, ...] = ()) -> ValueType:
    """The type of a parameter or result, by the texts that a package has of it."""
    return ValueType(spelling, BoundaryKind(kind), named_element_type(element), shape)


@frozen
class NativeForms:
    """The native code of an entry point: for contiguous arrays, and for other strides, if there is some."""

    contiguous: Form
    strided: Form | None
    owns_results: dict[bool, bool]


class LoadedLibrary:
    """A shared library; raises `OSError` if it cannot be loaded, `ImportError` if it is for other processors."""

    def __init__(self, path: Path, prefix: str) -> None:
        self._library = ctypes.CDLL(str(path))
        self._prefix = prefix
        self.cpu: str = (self.function("cpu", ctypes.c_char_p)() or b"").decode()
        if not self.cpu:
            raise ImportError(f"{path}: this processor lacks instructions that the library was compiled for")

    def entry_point(
        self, symbol: str, signature: Signature, forms: NativeForms, weights: Mapping[int, str]
    ) -> EntryPoint:
        """The entry point whose C function is `symbol`; `weights` are the symbols of arrays that the library holds."""
        held = self.held(signature, weights)
        return EntryPoint(signature, lambda c: self.native(symbol, forms, c), drop, _no_trampolines, held)

    def held(self, signature: Signature, weights: Mapping[int, str]) -> HeldArguments:
        """The arrays that the library holds, by the numbers of arguments."""
        return HeldArguments({n: self._array(name, signature.parameters[n].type) for n, name in weights.items()})

    def native(self, symbol: str, forms: NativeForms, contiguous: bool) -> NativeCode:
        """The native code of an entry point, for contiguous arrays or for any strides."""
        # Without code for other strides, that for contiguous arrays refuses an array that has some.
        if contiguous or forms.strided is None:
            return self._native(f"{symbol}.contiguous", forms.contiguous, forms.owns_results[True])
        return self._native(f"{symbol}.strided", forms.strided, forms.owns_results[False])

    def release_memory(self) -> None:
        """Free the large temporaries that are kept for later calls."""
        if hasattr(self._library, f"{self._prefix}_release_memory"):
            self.function("release_memory", None)()

    def function(self, name: str, result: Any, *takes: Any) -> Any:
        """A C function of the library itself, by its name without the prefix."""
        function = getattr(self._library, f"{self._prefix}_{name}")
        function.restype, function.argtypes = result, takes
        return function

    def _native(self, symbol: str, form: Form, owns_results: bool) -> NativeCode:
        function = getattr(self._library, symbol)
        function.restype, function.argtypes = ctypes.c_int64, (ctypes.c_void_p,)
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
        return NativeCode(function, form, None, owns_results, address)

    def _array(self, symbol: str, type_: ValueType) -> Array:
        shape = tuple(size or 0 for size in type_.shape)
        dtype = type_.element.dtype
        memory = (ctypes.c_char * (math.prod(shape) * dtype.itemsize)).in_dll(self._library, symbol)
        array = np.ndarray(shape, dtype, memory)  # pyright: ignore[reportArgumentType]
        array.flags.writeable = False
        return array


def drop(statistics: MemoryStats) -> None:
    """Nothing is counted."""


def _no_trampolines() -> None:
    """Trampolines are machine code of the process that compiles."""
