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

from ...runtime.interface.dtypes import UnsupportedTypeError, named_element_type
from .errors import EvaluationError
from .undefined import UNDEFINED, Undefined

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
        dtype = named_element_type(spelling).dtype
    except UnsupportedTypeError:
        raise EvaluationError(
            f"type {spelling} is not supported; i1, i8 to i64, index, f16, bf16, f32, f64 and complex numbers are"
        ) from None
    except ImportError as error:
        raise EvaluationError(f"type {spelling} needs a package: {error}") from None
    if spelling == "i1":
        return Element(spelling, dtype, "int", 1)
    kind = {"i": "int", "u": "int", "c": "complex"}.get(dtype.kind, "float")
    return Element(spelling, dtype, kind, 8 * dtype.itemsize)


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
    if isinstance(attribute, ir.DenseIntElementsAttr) or (
        isinstance(attribute, ir.DenseFPElementsAttr) and element.spelling != "bf16"
    ):
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
    parts = [float(part) for part in re.findall(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", inner)]
    if element.kind == "complex":
        numbers = [complex(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    else:
        numbers = parts
    values = np.array(numbers, element.dtype)
    return np.broadcast_to(values, shape) if values.size == 1 else values.reshape(shape)
