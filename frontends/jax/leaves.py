"""Leaves of arguments and results: between what JAX users pass and the arrays of a compiled function.

NumPy arrays are passed as they are, JAX's by a view of their memory, without a copy. Python's numbers, and arrays of a
type that JAX does not use (float64, unless `jax_enable_x64` is set), are converted as JAX does it.

A donated NumPy array is updated in place. JAX promises that nobody sees an array change, and arrays may share memory;
so a donated JAX array is first donated to JAX, which gives its memory to a new array, or a copy if something else uses
it, and marks the old one as deleted. The new array, which nobody else has, is updated and returned.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...dialects.support.frozen_classes import frozen
from ...runtime.interface.memrefs import Array
from ...runtime.interface.signature import Signature
from .framework import jax_module
from .tracing import TracedFunction, is_key


@frozen
class Donations:
    """What became of the donated arrays of a call, and whether its other results are JAX arrays.

    `owners` has, by the identity of the array that was passed, what is returned for it.
    """

    owners: Mapping[int, Any]
    of_jax: bool


_NONE, _NONE_OF_JAX = Donations({}, False), Donations({}, True)


class Leaves:
    """Converts the leaves of calls of one traced function; `signature` is that of the compiled function."""

    def __init__(self, traced: TracedFunction, signature: Signature) -> None:
        self._jax = jax_module()
        self._array = self._jax.Array
        self._donated = [place for place, donated in enumerate(traced.donated) if donated]
        self._memories = {place: _memory_of(traced.parameters[place]) for place in self._donated}
        self._readers = [
            _reader(self._jax, aval, parameter.type.element.dtype)
            for aval, parameter in zip(traced.parameters, signature.parameters, strict=True)
        ]
        self._result_dtypes = [_physical(self._jax, aval) for aval in traced.results]
        self._key_kinds = [aval.dtype._impl.name if is_key(self._jax, aval) else None for aval in traced.results]
        self._as_they_are = all(
            result.element.dtype == dtype and kind is None
            for result, dtype, kind in zip(signature.results, self._result_dtypes, self._key_kinds, strict=True)
        )

    def given(self, values: Sequence[Any]) -> tuple[list[Any], Donations]:
        """Arrays for `values`, and which of them are donated."""
        of_jax = False
        for value in values:
            if type(value) is not np.ndarray and isinstance(value, self._array):
                of_jax = True
                break
        if of_jax and self._donated:
            return self._donating_call(list(values))
        arrays = [read(value) for read, value in zip(self._readers, values, strict=True)]
        converted = [place for place in self._donated if arrays[place] is not values[place]]
        if not converted:
            return arrays, _NONE_OF_JAX if of_jax else _NONE
        return self._converted(list(values), converted)

    def _converted(self, values: list[Any], converted: Sequence[int]) -> tuple[list[Any], Donations]:
        """A call with donated values that are no arrays, or are passed as other ones."""
        for place in converted:
            values[place] = _own(values[place])
        arrays = [read(value) for read, value in zip(self._readers, values, strict=True)]
        return arrays, Donations({id(arrays[place]): values[place] for place in converted}, of_jax=False)

    def _donating_call(self, values: list[Any]) -> tuple[list[Any], Donations]:
        """A call with JAX arrays, of which some may be donated."""
        places = [place for place in self._donated if isinstance(values[place], self._array)]
        if places:
            moved = _donating(len(places))(*[values[place] for place in places])
            for place, array in zip(places, moved, strict=True):
                values[place] = array
        memory = list(values)
        for place in self._donated:
            value = values[place]
            memory[place] = self._memories[place](value) if isinstance(value, self._array) else _own(value)
        arrays = [read(value) for read, value in zip(self._readers, memory, strict=True)]
        return arrays, Donations({id(arrays[place]): values[place] for place in self._donated}, of_jax=True)

    def results(self, arrays: Sequence[Any], donations: Donations) -> Sequence[Any]:
        """What a call returns for the results `arrays` of a compiled function."""
        owners, of_jax = donations.owners, donations.of_jax
        if self._as_they_are and not (owners or of_jax):
            return arrays
        results: list[Any] = []
        made: list[int] = []
        for array, dtype in zip(arrays, self._result_dtypes, strict=True):
            owner = owners.get(id(array))
            if owner is None:
                made.append(len(results))
                owner = array if array.dtype == dtype else array.view(dtype)
            results.append(owner)
        if of_jax and made:
            for place, array in zip(made, self._of_jax([results[place] for place in made]), strict=True):
                results[place] = array
        return [
            result if kind is None else self._jax.random.wrap_key_data(result, impl=kind)
            for result, kind in zip(results, self._key_kinds, strict=True)
        ]

    def _of_jax(self, arrays: Sequence[Array]) -> Sequence[Any]:
        """JAX arrays like arrays that nobody else has, over their memory where JAX can use it.

        Calling a function of JAX converts its arguments; doing so one by one takes five times as long.
        """
        if self._jax.config.jax_disable_jit:
            return [self._jax.numpy.asarray(array) for array in arrays]
        return _identity()(*arrays)


def _physical(jax: Any, aval: Any) -> np.dtype[Any]:
    """The dtype of the array that holds values like `aval`."""
    return np.dtype(np.uint32) if is_key(jax, aval) else np.dtype(aval.dtype)


def _reader(jax: Any, aval: Any, native: np.dtype[Any]) -> Callable[[Any], Any]:
    """Makes the array to pass for a leaf like `aval`, of the dtype `native` in the compiled function."""
    dtype = _physical(jax, aval)
    if is_key(jax, aval):
        return lambda value: np.asarray(jax.random.key_data(value)).view(native)

    def read(value: Any) -> Any:
        if type(value) is not np.ndarray or value.dtype != dtype:
            value = np.asarray(value)
            if value.dtype != dtype:
                value = value.astype(dtype)
        return value if dtype == native else value.view(native)

    return read


@functools.cache
def _identity() -> Any:
    """The identity of any number of arrays."""
    return jax_module().jit(lambda *arrays: arrays)


@functools.cache
def _donating(count: int) -> Any:
    """The identity of `count` arrays, which it takes from their owners."""
    return jax_module().jit(lambda *arrays: arrays, donate_argnums=tuple(range(count)))


def _memory_of(aval: Any) -> Callable[[Any], Array]:
    """What makes the memory of a JAX array like `aval` that nobody else has an array, which may be written."""
    shape, dtype = aval.shape, aval.dtype
    if not math.prod(shape):
        return lambda _: np.empty(shape, dtype)
    block = ctypes.c_ubyte * (math.prod(shape) * dtype.itemsize)

    def memory(array: Any) -> Array:
        address = array.block_until_ready().unsafe_buffer_pointer()
        return np.ndarray(shape, dtype, block.from_address(address))

    return memory


def _own(value: Any) -> Any:
    """A donated value as an array that may be written: itself if it is one."""
    return value if isinstance(value, np.ndarray) else np.array(value)
