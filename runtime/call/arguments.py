"""Argument checks: everything that can be checked before native code runs.

Nothing is converted silently. An array of another package stands for a NumPy array over its memory
(`foreign_arrays.py`). A dtype must be exactly the parameter's; only a Python or NumPy scalar may stand for a rank-0
array, under the same rules as for a scalar parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...passes.framework.contract import BYTES, LEAST
from ..interface.dtypes import describe_value, is_masked
from ..interface.forms import Layout
from ..interface.memrefs import Array, data_address, overlap, overlaps_itself
from ..interface.signature import Parameter, Signature, ValueType
from .foreign_arrays import foreign_array

_BYTE_BITS = 8

Reader = Callable[[Any], tuple[Any, ...]]
"""Turns an argument into the values that are packed into a frame."""


def checked_arguments(signature: Signature, arguments: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments with a plain `ndarray` for each array; Python and NumPy scalars are left for their readers.

    Raises `TypeError` for a wrong count, kind or dtype and `ValueError` for a wrong rank or size, naming the argument.
    """
    if len(arguments) != len(signature.parameters):
        takes = len(signature.parameters)
        raise TypeError(
            f"{signature.name} takes {takes} argument{'' if takes == 1 else 's'}, got {len(arguments)}: {signature}"
        )
    return tuple(
        checked_array(parameter, argument) if parameter.type.is_array else _checked_scalar(parameter, argument)
        for parameter, argument in zip(signature.parameters, arguments, strict=True)
    )


_SCALARS = (bool, int, float, complex, np.generic)


def _checked_scalar(parameter: Parameter, argument: Any) -> Any:
    if isinstance(argument, (*_SCALARS, np.ndarray)):
        return argument
    array = foreign_array(parameter.label, argument, written=False)
    return argument if array is None else array


def checked_array(parameter: Parameter, argument: Any) -> Array:
    """The argument of an array parameter as a plain `ndarray`. Raises as `checked_arguments`."""
    wanted = parameter.type
    if isinstance(argument, _SCALARS) and not wanted.shape and not parameter.writable:
        return _rank_zero(parameter, argument)
    array = plain_array(parameter.label, argument, written=parameter.writable)
    if array is None:
        raise TypeError(
            f"{parameter.label}: expected an array of {wanted.element.dtype} ({wanted.shape_text}) for "
            f"{wanted.spelling}, got {describe_value(argument)}; "
            f"make one with numpy.array(..., dtype={str(wanted.element.dtype)!r})"
        )
    check_array(parameter.label, wanted, array)
    if parameter.writable and overlaps_itself(array):
        raise ValueError(
            f"{parameter.label}: it is written, but several of its indices lead to the same memory; pass a copy"
        )
    return array


def plain_array(label: str, value: Any, *, written: bool) -> Array | None:
    """An array as a plain `ndarray` over its memory; None if it is none, or is masked. Raises as `foreign_array`."""
    if isinstance(value, np.ndarray) and not is_masked(value):
        return np.asarray(value)
    return foreign_array(label, value, written=written)


def _rank_zero(parameter: Parameter, argument: Any) -> Array:
    """A rank-0 array for a scalar, which must have the exact dtype unless it is Python's own."""
    element = parameter.type.element
    if isinstance(argument, np.generic) and argument.dtype != element.dtype:
        raise _wrong_dtype(parameter.label, parameter.type, argument.dtype)
    scalar_reader(parameter)(argument)
    return np.array(argument, dtype=element.dtype)


def _wrong_dtype(label: str, wanted: ValueType, dtype: np.dtype[Any]) -> TypeError:
    swapped = " (byte-swapped)" if not dtype.isnative else ""
    return TypeError(
        f"{label}: expected dtype {wanted.element.dtype} for {wanted.spelling}, got {dtype}{swapped}; "
        f"convert with .astype({str(wanted.element.dtype)!r})"
    )


def check_array(label: str, wanted: ValueType, array: Array) -> None:
    """Raise `TypeError` if the dtype, `ValueError` if the rank or a static size differs from `wanted`."""
    if array.dtype != wanted.element.dtype:
        raise _wrong_dtype(label, wanted, array.dtype)
    sizes_fit = array.ndim == len(wanted.shape) and all(
        size is None or size == got for size, got in zip(wanted.shape, array.shape, strict=True)
    )
    if not sizes_fit:
        got = "x".join(map(str, array.shape)) or "rank 0"
        raise ValueError(f"{label}: expected shape {wanted.shape_text} for {wanted.spelling}, got {got}")


def array_reader(parameter: Parameter, layout: Layout, array: Array) -> Reader:
    """A reader of addresses for arrays like `array`; it checks alignment and writability in each call.

    So are the bits of bytes with narrow integers that native code takes for 0, which a view may have set.
    """
    back = (layout.offset or 0) * array.itemsize
    mask = layout.alignment - 1 if array.size else 0
    label, writable, element = parameter.label, parameter.writable, parameter.type.element
    is_narrow = element.kind in "iu" and element.width < _BYTE_BITS and array.size > 0

    def read(array: Array) -> tuple[int]:
        address = data_address(array)
        if is_narrow and int(array.view(np.uint8).max()) >> element.width:
            raise ValueError(
                f"{label}: bytes of it have bits beyond the {element.width} of {element.spelling}; convert it from "
                f"integers with .astype({str(element.dtype)!r}), not with .view"
            )
        if address & mask:
            raise ValueError(f"{label}: its memory is not aligned to {mask + 1} bytes; pass a copy")
        if writable and not array.flags.writeable:
            raise ValueError(f"{label}: the array is read-only, but the call writes into it; pass a copy")
        return (address - back,)

    return read


def scalar_reader(parameter: Parameter) -> Reader:
    """A reader of scalars; its errors name the argument."""
    encode, label = parameter.type.element.encode, parameter.label

    def read(value: Any) -> tuple[Any, ...]:
        try:
            return encode(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{label}: {error}") from None

    return read


class SizeCheckError(ValueError):
    """An argument of a dispatch function does not have the size that the program says.

    Attributes:
        argument: its number.
        dimension: the dimension that is wrong, or `BYTES` or `LEAST`.
        needed: the size, number of bytes, or least value that would have been right.
    """

    def __init__(self, message: str, argument: int = 0, dimension: int = 0, needed: int = 0) -> None:
        super().__init__(message)
        self.argument, self.dimension, self.needed = argument, dimension, needed


def failed_check(signature: Signature, arguments: Sequence[Any], check: int, needed: int) -> SizeCheckError:
    """The error for check number `check` (from 1) of a dispatch function; `needed` would have been right."""
    number, dimension = (signature.size_checks or ())[check - 1]
    return SizeCheckError(_size_finding(signature, arguments, number, dimension, needed), number, dimension, needed)


def _size_finding(signature: Signature, arguments: Sequence[Any], number: int, dimension: int, needed: int) -> str:
    label, given = signature.parameters[number].label, arguments[number]
    if dimension == LEAST:
        return f"{label}: must be at least {needed}, got {given}"
    if dimension != BYTES:
        size = given.shape[dimension]
        return f"{label}: dimension {dimension} has size {size}, but the program says {needed}; make them agree"
    if needed > given.nbytes:
        return f"{label}: the program uses {needed} bytes of it, but it has only {given.nbytes}"
    return f"{label}: the program's view of it does not fit: its byte offset or a size is negative, misaligned or huge"


def exclusive_pairs(signature: Signature, wanted: Callable[[int, int], bool]) -> Iterator[tuple[int, int]]:
    """Pairs of an argument that must be exclusive and another array argument, those `wanted`, by their numbers.

    There are many where hundreds of arguments are donated, so they are not kept.
    """
    arrays = [parameter.index for parameter in signature.parameters if parameter.type.is_array]
    exclusive = [parameter.index for parameter in signature.parameters if parameter.exclusive]
    return ((one, other) for one in exclusive for other in arrays if one != other and wanted(one, other))


def require_exclusive(signature: Signature, arguments: Sequence[Any], pairs: Iterable[tuple[int, int]]) -> None:
    """Raise `ValueError` if the two arguments of one of `exclusive_pairs` may share memory."""
    for one, other in pairs:
        if overlap(arguments[one], arguments[other]):
            written, read = signature.parameters[one].label, signature.parameters[other].label
            raise ValueError(f"{written} is written in place, but its memory overlaps {read}; pass a copy of one")
