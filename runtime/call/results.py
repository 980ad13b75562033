"""Results of a call: arrays that own their memory, arrays of the caller's, and scalars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dialects.support.frozen_classes import frozen
from ...passes.framework.contract import RETURNED
from ..interface.dtypes import ElementType, describe_value, is_masked
from ..interface.forms import Form
from ..interface.memrefs import Array, adopt, copy_of, descriptor_words, is_all_of, overlaps_itself
from ..interface.signature import BoundaryKind, Signature, ValueType
from ..memory.statistics import HEADER_BYTES, Recorder, block_bytes
from .arguments import check_array, plain_array

CONSTANT_MARK = 0xDEADBEEF
"""The allocated pointer that MLIR's lowering writes into the descriptor of a constant."""


@frozen
class NativeCode:
    """The native function of an entry point; with a recorder, allocations carry the header of `memory/statistics.py`.

    `owns_results`: the caller frees every returned buffer. Where the program frees its own memory, a result may be the
    memory of an argument or of a constant. `address` is that of the machine code.
    """

    function: Callable[[int], int]
    form: Form
    recorder: Recorder | None
    owns_results: bool
    address: int


@dataclass(slots=True)
class Returned:
    """A call that has returned: its arguments and out arrays, the values it was given and the words it returned.

    Not frozen: one is made in each call, and a frozen dataclass would take a microsecond.
    """

    arguments: Sequence[Any]
    outs: Sequence[Array]
    values: Sequence[Any]
    words: tuple[Any, ...]


Taker = Callable[[Returned], Any]
"""Takes one result from a call that has returned."""


def may_be_given(signature: Signature, code: NativeCode) -> bool:
    """Whether a buffer that the function returns may be the caller's, by its address, which only the call tells."""
    return not code.owns_results or bool(_writable_tensors(signature))


def _writable_tensors(signature: Signature) -> list[int]:
    return [p.index for p in signature.parameters if p.type.kind is BoundaryKind.TENSOR and p.writable]


def result_takers(signature: Signature, code: NativeCode) -> tuple[Taker, ...]:
    """One taker for each result, in order."""
    takers: list[Taker] = []
    buffers: list[int] = []
    parameters, start = len(signature.parameters), 0
    for result, place in zip(signature.results, code.form.results, strict=True):
        if place == RETURNED and result.is_array:
            part = slice(start, start + descriptor_words(len(result.shape)))
            takers.append(_buffer_taker(result.element.dtype, part, code, tuple(buffers), signature))
            buffers.append(start)
            start = part.stop
        elif place == RETURNED:
            part = slice(start, start + len(result.element.code))
            takers.append(_scalar_taker(result.element, part))
            start = part.stop
        else:
            takers.append(_array_taker(place, parameters))
    return tuple(takers)


def _array_taker(place: int, parameters: int) -> Taker:
    if place < parameters:
        return lambda call: call.arguments[place]
    return lambda call: call.outs[place - parameters]


def _scalar_taker(element: ElementType, part: slice) -> Taker:
    return lambda call: element.decode(call.words[part])


def _buffer_taker(
    dtype: np.dtype[Any], part: slice, code: NativeCode, earlier: tuple[int, ...], signature: Signature
) -> Taker:
    """Adopts a returned buffer, or copies one that is not the caller's; `earlier`: where other buffers' words are.

    A function may return one buffer as several results: the first takes it, so that arrays never share memory. What is
    all of the array of a writable argument is that array, if no other result is.
    """
    recorder = code.recorder
    header = HEADER_BYTES if recorder else 0
    borrowed = may_be_given(signature, code)
    written = _writable_tensors(signature) if code.owns_results else []
    lent = [number for number in written if number not in code.form.results]

    def take(call: Returned) -> Array:
        words = call.words[part]
        allocated = words[0]
        taken = any(call.words[start] == allocated for start in earlier)
        is_given = borrowed and allocated in call.values
        if is_given and not taken:
            for number in lent:
                if is_all_of(words, call.arguments[number]):
                    return call.arguments[number]
        if taken or is_given or (allocated == CONSTANT_MARK and not code.owns_results):
            array = copy_of(words, dtype)
            if recorder is not None:
                recorder.copied(array.nbytes)
                recorder.made(array.nbytes)
            return array
        if recorder is not None:
            recorder.adopted(block_bytes(allocated))
        return adopt(words, dtype, header)

    return take


def checked_outs(signature: Signature, given: Any) -> tuple[Array | None, ...]:
    """`out=` as one array or None for each result.

    Raises `TypeError` for a wrong count, kind or dtype, and `ValueError` for a wrong shape or an array that cannot be
    written; sizes that only the call will tell are checked after it.
    """
    count = len(signature.results)
    targets = given if isinstance(given, (tuple, list)) else (given,)
    if len(targets) != count:
        raise TypeError(
            f"{signature.name} has {count} result{'' if count == 1 else 's'}, but out names {len(targets)}; "
            "give a tuple with an array or None for each"
        )
    return tuple(
        None if target is None else _checked_out(f"out for result {number}", result, target)
        for number, (result, target) in enumerate(zip(signature.results, targets, strict=True))
    )


def _checked_out(label: str, result: ValueType, target: Any) -> Array:
    if not result.is_array:
        raise TypeError(f"{label}: the result is a scalar ({result.spelling}), which no array can receive; give None")
    array = target if isinstance(target, np.ndarray) else plain_array(label, target, written=True)
    if array is None or is_masked(array):
        raise TypeError(f"{label}: expected an array, got {describe_value(target)}")
    check_array(label, result, array)
    if not array.flags.writeable:
        raise ValueError(f"{label}: the array is read-only")
    if overlaps_itself(array):
        raise ValueError(f"{label}: several indices of the array lead to the same memory")
    return array


def place_result(number: int, result: Array, target: Array, recorder: Recorder | None) -> Array:
    """The result in `target`, copied unless it is there already. Raises `ValueError` if the shapes differ."""
    if result is target:
        return target
    if result.shape != target.shape:
        raise ValueError(f"out for result {number}: the result has shape {result.shape}, the array {target.shape}")
    np.copyto(target, result)
    if recorder is not None:
        recorder.copied(target.nbytes)
    return target
