"""Element types in NumPy, and constants.

In a register, a float is a NumPy scalar (so that f32 stays f32), an integer or index a Python `int` in the signed
range of its type, an i1 a `bool`, and a tensor or vector an array.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from mlir import ir

from ....runtime.interface.dtypes import UnsupportedTypeError, named_element_type
from .errors import EvaluationError
from .undefined import UNDEFINED, Undefined

_BYTE_BITS = 8
_DENSE = (ir.DenseIntElementsAttr, ir.DenseFPElementsAttr)
_NUMBER = re.compile(r"0x[0-9A-Fa-f]+|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")

__all__ = ["Element", "by_element", "constant_array", "element_named", "scalar_value"]


@dataclass(frozen=True)
class Element:
    """One element type: MLIR's name, NumPy's type, `int`, `float` or `complex`, and its width in bits."""

    spelling: str
    dtype: np.dtype[Any]
    kind: str
    width: int

    @property
    def is_bool(self) -> bool:
        """Whether this is i1, on which NumPy's operators differ from MLIR's."""
        return self.width == 1

    @property
    def is_narrow(self) -> bool:
        """Whether this is an integer of fewer bits than a byte, but i1; `ml_dtypes` does not compute all of MLIR's."""
        return self.kind == "int" and 1 < self.width < _BYTE_BITS

    def signed(self, value: Any) -> Any:
        """Integers of this type as signed ones that NumPy computes with."""
        if self.is_bool:
            return -value.astype(np.int8)
        return value.astype(np.int8) if self.is_narrow else value

    def unsigned(self, value: Any) -> Any:
        """The same bits as unsigned integers that NumPy computes with."""
        if self.is_bool or self.is_narrow:
            return value.astype(np.uint8) & ((1 << self.width) - 1)
        return value.view(np.dtype(f"u{self.dtype.itemsize}"))

    def stored(self, value: Any) -> Any:
        """The lowest bits of integers, as this type has them."""
        return (value & 1).astype(np.bool_) if self.is_bool else value.astype(self.dtype)

    def typed(self, value: Any) -> Any:
        """A register's scalar as a NumPy scalar of exactly this type, to be combined with arrays."""
        if isinstance(value, Undefined | np.generic):
            return value
        return self.dtype.type(value)

    def wrap(self, number: int) -> int:
        """The integer of this type with the lowest bits of `number`."""
        half = 1 << (self.width - 1)
        return ((number + half) & (2 * half - 1)) - half

    def scalar(self, value: Any) -> Any:
        """An element of an array, as a register holds it."""
        if self.kind == "int":
            return value.item()
        if type(value) is np.ndarray:
            return value[()]
        return value if isinstance(value, np.generic) else value.item()


@cache
def element_named(spelling: str) -> Element:
    """The element type of that name; raises `EvaluationError` if it is not supported."""
    try:
        named = named_element_type(spelling)
    except UnsupportedTypeError:
        raise EvaluationError(
            f"type {spelling} is not supported; i1, i2, i4, i8 to i64, index, f16, bf16, f32, f64, floats of 8 bits "
            "and complex numbers are"
        ) from None
    except ImportError as error:
        raise EvaluationError(f"type {spelling} needs a package: {error}") from None
    kind = {"f": "float", "c": "complex"}.get(named.kind, "int")
    return Element(spelling, named.dtype, kind, named.width)


def scalar_value(value: Any, element: Element) -> Any:
    """A scalar of the caller, as a register holds it."""
    if value is UNDEFINED:
        return value
    if element.is_bool:
        return bool(value)
    if element.kind == "int":
        return element.wrap(int(value))
    return element.dtype.type(value)


def by_element(function: Callable[..., Any], arity: int, dtype: np.dtype[Any]) -> Callable[..., Any]:
    """A function of Python scalars on arrays and NumPy scalars."""
    on_objects: Any = np.frompyfunc(function, arity, 1)

    def call(*values: Any) -> Any:
        result = on_objects(*values)
        return result.astype(dtype) if hasattr(result, "astype") else dtype.type(result)

    return call


def constant_array(op: ir.Operation, name: str, shape: list[int], element: Element) -> Any:
    """The dense elements of attribute `name` of `op`, as an array that must not be written."""
    try:
        attribute = op.attributes[name]
    except TypeError:  # The bindings have no class for dense complex elements.
        return _parsed(str(op.get_asm(print_generic_op_form=True, use_local_scope=True)), shape, element)
    if isinstance(attribute, ir.DenseElementsAttr) and attribute.is_splat and element.kind != "complex":
        splat: Any = attribute.get_splat_value()
        return np.full(shape, splat.value, element.dtype)
    if isinstance(attribute, _DENSE) and element.dtype.isbuiltin == 1:  # The bindings have no buffers of others.
        return np.array(attribute).reshape(shape)
    return _parsed(str(attribute), shape, element)


def _parsed(text: str, shape: list[int], element: Element) -> Any:
    """Dense elements from their text: nested lists of numbers, or the bytes in hexadecimal digits."""
    found = re.search(r"\bdense<(.*?)> : ", text, re.DOTALL)
    if not found:
        raise EvaluationError(f"constant {text:.60} is not supported; dense elements are")
    inner = found[1]
    if inner.startswith('"0x'):
        return np.frombuffer(bytes.fromhex(inner[3:-1]), element.dtype).reshape(shape)
    parts = [_number(part, element) for part in _NUMBER.findall(inner)]
    if element.kind == "complex":
        numbers = [complex(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    else:
        numbers = parts
    values = np.array(numbers, element.dtype)
    return np.broadcast_to(values, shape) if values.size == 1 else values.reshape(shape)


def _number(text: str, element: Element) -> Any:
    """One number; floats that have no decimals, such as NaN, are their bits in hexadecimal digits."""
    if text.startswith("0x"):
        return np.array(int(text, 16), f"u{element.dtype.itemsize}").view(element.dtype)
    return int(text) if element.kind == "int" else float(text)
