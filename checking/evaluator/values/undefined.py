"""Undefined elements, which were never written: those of tensor.empty and of fresh memory.

An array whose elements are all defined is a plain `numpy.ndarray`. One with undefined elements is a `Partial`: data and
a mask, which NumPy's functions propagate: undefined elements may be moved, and computing with them gives undefined
elements. An undefined scalar is `UNDEFINED`, whose operators return it. Using one as a condition, an index or a divisor
is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from .errors import EvaluationError

__all__ = ["UNDEFINED", "Partial", "Undefined", "assign", "defined", "empty", "split", "tidy"]

_FILL = 113
_CACHED_ELEMENTS = 4096


class Undefined:
    """The undefined scalar, a singleton."""

    __slots__ = ()

    def _same(self, *_: Any, **__: Any) -> Undefined:
        """An operator with an undefined operand gives an undefined result."""
        return self

    def _refuse(self, *_: Any) -> NoReturn:
        raise EvaluationError("a value that was never written decides about control flow, an address or a division")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _same
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __neg__ = __abs__ = __invert__ = _same
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _same
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _same  # pyright: ignore[reportAssignmentType]
    __array_ufunc__ = item = astype = view = __getitem__ = _same
    __bool__ = __int__ = __index__ = __float__ = __floordiv__ = __rfloordiv__ = _refuse
    __hash__ = object.__hash__


UNDEFINED = Undefined()


class Partial(NDArrayOperatorsMixin):
    """An array with undefined elements: where `undefined` is true, `data` is arbitrary."""

    __slots__ = ("data", "undefined")

    def __init__(self, data: Any, undefined: Any) -> None:
        self.data, self.undefined = data, undefined

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.data.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.data.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.data.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self.data.dtype

    def __getitem__(self, key: Any) -> Any:
        return tidy(self.data[key], self.undefined[key])

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__":
            return NotImplemented
        parts = [split(value) for value in inputs]
        results = ufunc(*(data for data, _ in parts), **options)
        mask: Any = False
        for _, undefined in parts:
            mask = mask | undefined
        if isinstance(results, tuple):
            return tuple(tidy(result, mask) for result in results)
        return tidy(results, mask)

    def __array_function__(
        self, function: Callable[..., Any], types: object, arguments: Any, options: dict[str, Any]
    ) -> Any:
        if function is np.where:
            (choice, unknown), (one, a), (other, b) = (split(value) for value in arguments)
            return tidy(np.where(choice, one, other), np.where(choice, a, b) | unknown)
        if function is np.concatenate:
            parts = [(value, _mask(value)) for value in arguments[0]]
            arrays = [split(value)[0] for value, _ in parts]
            masks = [mask for _, mask in parts]
            return tidy(np.concatenate(arrays, *arguments[1:], **options), np.concatenate(masks, *arguments[1:]))
        if function is np.broadcast_to:
            shape = arguments[1]
            return Partial(np.broadcast_to(self.data, shape), np.broadcast_to(self.undefined, shape))
        return NotImplemented

    def reshape(self, *shape: Any) -> Partial:
        """The same elements in another shape."""
        return Partial(self.data.reshape(*shape), self.undefined.reshape(*shape))

    def transpose(self, *axes: Any) -> Partial:
        """The same elements with dimensions in another order."""
        return Partial(self.data.transpose(*axes), self.undefined.transpose(*axes))

    def astype(self, dtype: Any) -> Partial:
        """Converted elements."""
        return Partial(self.data.astype(dtype), self.undefined)

    def view(self, dtype: Any) -> Partial:
        """The bits of the elements as another type of the same width."""
        return Partial(self.data.view(dtype), self.undefined)

    def copy(self) -> Partial:
        """A copy that shares no memory."""
        return Partial(self.data.copy(), np.array(self.undefined))

    def item(self) -> Any:
        """The only element as a Python scalar."""
        return UNDEFINED if self.undefined.any() else self.data.item()


def _mask(value: Any) -> Any:
    return np.broadcast_to(split(value)[1], np.shape(split(value)[0]))


def split(value: Any) -> tuple[Any, Any]:
    """Data and mask of any value; the mask of a defined one is False."""
    if type(value) is Partial:
        return value.data, value.undefined
    if value is UNDEFINED:
        return _FILL % 2, True
    return value, False


def tidy(data: Any, undefined: Any) -> Any:
    """A plain array if every element is defined, else a `Partial`."""
    if not np.any(undefined):
        return data
    return Partial(data, np.broadcast_to(undefined, np.shape(data)))


def defined(value: Any) -> Any:
    """`value`, which must have no undefined element."""
    if type(value) is Partial or value is UNDEFINED:
        raise EvaluationError("a value that was never written decides about control flow, an address or a division")
    return value


def assign(data: Any, undefined: Any, key: Any, value: Any) -> None:
    """Write `value` into `data[key]`, and its mask into `undefined[key]`, unless that is None."""
    given, mask = split(value)
    data[key] = given
    if undefined is not None:
        undefined[key] = mask


@lru_cache(256)
def _small_empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    data = np.full(shape, _FILL).astype(dtype)
    return data if not data.size else Partial(data, np.ones(shape, np.bool_))


def empty(shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
    """An array of undefined elements."""
    if any(size < 0 for size in shape):
        raise EvaluationError(f"a size is negative: {list(shape)}")
    make = _small_empty if np.prod(shape, dtype=object) <= _CACHED_ELEMENTS else _small_empty.__wrapped__
    return make(tuple(shape), dtype)
