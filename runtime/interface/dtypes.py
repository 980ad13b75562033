"""Element types: the NumPy dtype, `struct` code and Python conversions of each MLIR element or scalar type.

The mapping is strict on purpose: `i32` is `int32` and `ui32` is `uint32`, never each other. A signless MLIR integer
is read back as signed. Types that NumPy cannot hold (`i5`, `f4E2M1FN`, vectors, …) raise `UnsupportedTypeError`,
which names the type.
"""

from __future__ import annotations

import functools
import math
import operator
import struct
import sys
from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialects.support.frozen_classes import frozen

if TYPE_CHECKING:
    from mlir import ir


class UnsupportedTypeError(TypeError):
    """An MLIR type that has no counterpart at the NumPy boundary."""


@frozen
class ElementType:
    """One element type on both sides of the boundary.

    `spelling` is MLIR's name, `dtype` NumPy's. `code` is the `struct` format of one value in C layout (complex
    numbers take two letters), and `alignment` the bytes to which native code expects an element to be aligned.
    `encode` turns a Python or NumPy scalar into the values that `code` packs, raising `TypeError` for the wrong kind
    and `ValueError` for a value out of range; `decode` turns unpacked values into a Python scalar (a
    scalar of `ml_dtypes` for bf16 and floats of 8 bits). `kind` is `b` for i1, `i` and `u` for integers with a sign and
    without, `f` for floats and `c` for complex numbers; NumPy's `V` says nothing of types of `ml_dtypes`. `width` is
    the number of bits of a value: 4 for an i4, which takes a byte.
    """

    spelling: str
    dtype: np.dtype[Any]
    code: str
    alignment: int
    encode: Callable[[Any], tuple[Any, ...]] = field(repr=False)
    decode: Callable[[tuple[Any, ...]], Any] = field(repr=False)
    kind: str
    width: int


_INTEGER_CODES = {8: "b", 16: "h", 32: "i", 64: "q"}
_FLOATS = {"f16": ("float16", "e"), "f32": ("float32", "f"), "f64": ("float64", "d")}
_NARROW_FLOATS = {
    "bf16": "bfloat16",
    "f8E5M2": "float8_e5m2",
    "f8E4M3": "float8_e4m3",
    "f8E3M4": "float8_e3m4",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
}
"""Types that NumPy has from `ml_dtypes`, by its names."""
_NARROW_INTEGERS = (2, 4)
"""Widths of integers that NumPy has from `ml_dtypes`; each takes a byte, whose other bits are 0."""
_COMPLEX = {"f32": ("complex64", "ff"), "f64": ("complex128", "dd")}


def element_type(type_: ir.Type) -> ElementType:
    """The `ElementType` of an element or scalar type. Raises `UnsupportedTypeError` when NumPy has no such type."""
    return named_element_type(str(type_))


@functools.cache
def named_element_type(spelling: str) -> ElementType:
    """`element_type` by the name MLIR prints."""
    if spelling == "i1":
        return ElementType("i1", np.dtype(np.bool_), "?", 1, _encode_bool, operator.itemgetter(0), "b", 1)
    if spelling == "index":
        return _integer("index", "q", np.dtype(np.int64))
    if spelling in _FLOATS:
        name, code = _FLOATS[spelling]
        return _float(spelling, code, np.dtype(name))
    if spelling in _NARROW_FLOATS:
        return _narrow_float(spelling)
    if spelling.startswith("complex<"):
        return _complex(spelling)
    for prefix, kind in (("i", "int"), ("si", "int"), ("ui", "uint")):
        width = spelling.removeprefix(prefix)
        if width.isdigit() and int(width) in _INTEGER_CODES:
            code = _INTEGER_CODES[int(width)]
            return _integer(spelling, code if kind == "int" else code.upper(), np.dtype(f"{kind}{width}"))
        if width.isdigit() and int(width) in _NARROW_INTEGERS:
            return _narrow_integer(spelling, kind, int(width))
    raise UnsupportedTypeError(
        f"type {spelling} cannot cross the NumPy boundary; i1, i2, i4, i8 to i64, the same with ui, index, f16, bf16, "
        "f32, f64, floats of 8 bits but f8E8M0FNU, complex<f32> and complex<f64> can"
    )


def _scalar(value: Any) -> Any:
    """A rank-0 array as the scalar it holds, anything else unchanged."""
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def _refuse(spelling: str, wanted: str, value: Any) -> TypeError:
    return TypeError(f"expected {wanted} for {spelling}, got {describe_value(value)}")


def is_masked(value: Any) -> bool:
    """Whether a value is a masked array. NumPy loads their module, which takes long, when somebody asks for it."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(value, masked.MaskedArray)


def describe_value(value: Any) -> str:
    """A value in an error message: an array by dtype and shape, anything else by its type."""
    if isinstance(value, np.ndarray):
        shape = "x".join(map(str, value.shape)) if value.ndim else "rank 0"
        masked = "a masked" if is_masked(value) else "an"
        return f"{masked} array of {value.dtype} ({shape})"
    return "None" if value is None else f"{type(value).__name__} {value!r:.40}"


def _encode_bool(value: Any) -> tuple[Any, ...]:
    value = _scalar(value)
    if not isinstance(value, (bool, np.bool_)):
        raise _refuse("i1", "a bool", value)
    return (bool(value),)


def _integer(spelling: str, code: str, dtype: np.dtype[Any]) -> ElementType:
    limits = np.iinfo(dtype)
    low, high = int(limits.min), int(limits.max)

    def encode(value: Any) -> tuple[Any, ...]:
        value = _scalar(value)
        if not isinstance(value, (int, np.integer)):
            raise _refuse(spelling, "an integer", value)
        return (_within(operator.index(value), spelling, low, high),)

    width = 8 * dtype.itemsize
    return ElementType(spelling, dtype, code, dtype.itemsize, encode, operator.itemgetter(0), dtype.kind, width)


def _within(number: int, spelling: str, low: int, high: int) -> int:
    if not low <= number <= high:
        raise ValueError(f"{number} does not fit into {spelling}, which holds {low} to {high}")
    return number


def _narrow_integer(spelling: str, kind: str, width: int) -> ElementType:
    """A type of `ml_dtypes`; native code expects the bits of a byte that are not used to be 0."""
    import ml_dtypes  # only programs with such types pay for it

    dtype = np.dtype(getattr(ml_dtypes, f"{kind}{width}"))
    mask = (1 << width) - 1
    low, high = (0, mask) if kind == "uint" else (-(mask >> 1) - 1, mask >> 1)

    def encode(value: Any) -> tuple[Any, ...]:
        value = _scalar(value)
        if not isinstance(value, (int, np.integer, dtype.type)):
            raise _refuse(spelling, "an integer", value)
        return (_within(int(value), spelling, low, high) & mask,)

    def decode(parts: tuple[Any, ...]) -> int:
        number = parts[0] & mask
        return number if number <= high else number - mask - 1

    return ElementType(spelling, dtype, "B", 1, encode, decode, kind[0], width)


def _float(spelling: str, code: str, dtype: np.dtype[Any]) -> ElementType:
    def encode(value: Any) -> tuple[Any, ...]:
        value = _scalar(value)
        _require_real(spelling, value)
        number = _as_float(value, spelling)
        try:
            struct.pack(f"<{code}", number)  # conversion in native order would overflow to infinity
        except OverflowError as error:
            raise ValueError(f"{value} does not fit into {spelling}") from error
        return (number,)

    width = 8 * dtype.itemsize
    return ElementType(spelling, dtype, code, dtype.itemsize, encode, operator.itemgetter(0), "f", width)


def _require_real(spelling: str, value: Any) -> None:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (float, int, np.floating, np.integer)):
        raise _refuse(spelling, "a real number", value)


def _as_float(value: Any, spelling: str) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise ValueError(f"{value!s:.40} does not fit into {spelling}") from error


def _complex(spelling: str) -> ElementType:
    part = spelling.removeprefix("complex<").removesuffix(">")
    if part not in _COMPLEX:
        raise UnsupportedTypeError(
            f"type {spelling} cannot cross the NumPy boundary; complex<f32> and complex<f64> can"
        )
    name, code = _COMPLEX[part]
    dtype = np.dtype(name)

    def encode(value: Any) -> tuple[Any, ...]:
        value = _scalar(value)
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (complex, float, int, np.number)):
            raise _refuse(spelling, "a number", value)
        try:
            number = complex(value)
            struct.pack(f"<{code}", number.real, number.imag)
        except OverflowError as error:
            raise ValueError(f"{value} does not fit into {spelling}") from error
        return (number.real, number.imag)

    width = 8 * dtype.itemsize
    return ElementType(spelling, dtype, code, dtype.itemsize // 2, encode, lambda parts: complex(*parts), "c", width)


def _narrow_float(spelling: str) -> ElementType:
    """A type of `ml_dtypes`, whose scalars are passed as their bits."""
    import ml_dtypes  # only programs with such types pay for it

    dtype = np.dtype(getattr(ml_dtypes, _NARROW_FLOATS[spelling]))
    word = np.dtype(f"uint{8 * dtype.itemsize}")
    largest = float(ml_dtypes.finfo(dtype).max)

    def encode(value: Any) -> tuple[Any, ...]:
        value = _scalar(value)
        if isinstance(value, dtype.type):
            return (int(np.asarray(value).view(word)),)  # a float would not keep the NaN payload
        _require_real(spelling, value)
        number = _as_float(value, spelling)
        if largest < abs(number) < math.inf:
            raise ValueError(f"{value} does not fit into {spelling}")
        return (int(np.asarray(number, dtype).view(word)),)

    def decode(parts: tuple[Any, ...]) -> Any:
        return word.type(parts[0]).view(dtype)

    return ElementType(spelling, dtype, word.char, dtype.itemsize, encode, decode, "f", 8 * dtype.itemsize)
