"""What a trampoline needs to know of a call plan: the records of its arguments, arrays and results."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialects.support.frozen_classes import frozen
from ...passes.framework.contract import RETURNED
from ..interface.forms import Layout
from ..interface.memrefs import data_address, free_word
from ..interface.signature import Parameter, Signature, ValueType
from .exclusive_memory import Bounds, bounds_of
from .frames import FrameLayout, descriptor_code
from .held_arguments import HeldArguments
from .out_arrays import Out
from .results import NativeCode, may_be_given
from .trampoline_records import (
    MOST_OUTS,
    ArgumentKind,
    ArgumentRecord,
    OutRecord,
    PlanRecord,
    ResultKind,
    ResultRecord,
    SpanRecord,
)
from .trampolines import Records, native_address

__all__ = ["NativePlan", "native_plan"]

_BYTE_BITS = 8
_MOST_PAIRS = 64
_MOST_DIMENSIONS = 64
_WRITEABLE = 0x400
_SCALARS = {
    (float, "d"): ArgumentKind.F64,
    (float, "f"): ArgumentKind.F32,
    (int, "q"): ArgumentKind.I64,
    (int, "i"): ArgumentKind.I32,
    (bool, "?"): ArgumentKind.I1,
}
_RETURNED = {
    "d": ResultKind.F64,
    "f": ResultKind.F32,
    "q": ResultKind.I64,
    "i": ResultKind.I32,
    "?": ResultKind.I1,
}


class _Uncommon(Exception):
    """A plan that no trampoline can carry out."""


@frozen
class NativePlan:
    """The address of a plan's record, and what owns all that is in it."""

    address: int
    records: Records


def native_plan(
    signature: Signature,
    code: NativeCode,
    layout: FrameLayout,
    outs: Sequence[Out],
    arguments: Sequence[Any],
    held: HeldArguments,
    following: int,
) -> NativePlan | None:
    """The plan for arguments like `arguments`, all that native code gets, of which those that are `held` are not given.

    `following` is the address of the plan to try if arguments are not like these. None where the common call of the
    plan needs more than a trampoline does: it is counted, takes a scalar of NumPy's, returns several arrays that native
    code allocates, or the like.
    """
    function, form = native_address(code.function), code.form
    if code.recorder or signature.size_checks is not None or function is None:
        return None
    maker = _Maker(signature, code, layout, outs, held)
    try:
        given = maker.arguments(arguments)
        results = maker.results()
        spans = maker.spans(arguments)
        pairs = maker.pairs(arguments)
    except _Uncommon:
        return None
    frame = layout.new_frame()
    maker.records.kept.append(frame)
    takes_out = [place - len(form.layouts) for place in form.results] == [0] and len(outs) == 1
    words = {
        PlanRecord.NEXT: following,
        PlanRecord.BUSY: 0,
        PlanRecord.FRAME: ctypes.addressof(frame.memory),
        PlanRecord.TABLE: frame.table,
        PlanRecord.FUNCTION: function,
        PlanRecord.TAKES_OUT: takes_out,
        **maker.listed(PlanRecord.ARGUMENTS, PlanRecord.ARGUMENT, given),
        **maker.listed(PlanRecord.PAIRS, PlanRecord.PAIR, pairs),
        **maker.listed(PlanRecord.OUTS, PlanRecord.OUT, maker.outs()),
        **maker.listed(PlanRecord.RESULTS, PlanRecord.RESULT, results),
        **maker.listed(PlanRecord.SPANS, PlanRecord.SPAN, spans),
    }
    return NativePlan(maker.records.add([int(words[word]) for word in PlanRecord]), maker.records)


def _result(*words: int) -> list[int]:
    return [*words, *[0] * (len(ResultRecord) - len(words))]


class _Maker:
    """Makes the lists of a plan. Its methods raise `_Uncommon`."""

    def __init__(
        self, signature: Signature, code: NativeCode, layout: FrameLayout, outs: Sequence[Out], held: HeldArguments
    ) -> None:
        self.records = Records()
        self._signature = signature
        self._form = code.form
        self._may_be_given = may_be_given(signature, code)
        self._layout = layout
        self._outs = outs
        self._held = held.arrays

    def listed(self, count: PlanRecord, first: PlanRecord, rows: Sequence[Sequence[int]]) -> dict[PlanRecord, int]:
        """The two words of a plan for a list of records."""
        return {count: len(rows), first: self.records.add([int(word) for row in rows for word in row])}

    def arguments(self, arguments: Sequence[Any]) -> list[list[int]]:
        """The records of the arguments that callers give."""
        return [
            self._array(parameter, layout, argument) if layout is not None else self._scalar(parameter, argument)
            for parameter, layout, argument in zip(
                self._signature.parameters, self._form.layouts, arguments, strict=True
            )
            if parameter.index not in self._held
        ]

    def _array(self, parameter: Parameter, layout: Layout, array: Any) -> list[int]:
        element = parameter.type.element
        is_narrow = element.kind in "iu" and element.width < _BYTE_BITS
        if type(array) is not np.ndarray or is_narrow:
            raise _Uncommon
        words = {
            ArgumentRecord.TYPE: id(np.ndarray),
            ArgumentRecord.KIND: ArgumentKind.ARRAY,
            ArgumentRecord.DTYPE: self.records.of(array.dtype),
            ArgumentRecord.RANK: array.ndim,
            ArgumentRecord.SIZES: self.records.add([*array.shape, *array.strides]),
            ArgumentRecord.MASK: layout.alignment - 1 if array.size else 0,
            ArgumentRecord.FLAGS: _WRITEABLE if parameter.writable else 0,
            ArgumentRecord.PLACE: self._layout.places[parameter.index],
            ArgumentRecord.BACK: (layout.offset or 0) * array.itemsize,
        }
        return [words[word] for word in ArgumentRecord]

    def _scalar(self, parameter: Parameter, value: Any) -> list[int]:
        kind = _SCALARS.get((type(value), parameter.type.element.code))
        if kind is None:
            raise _Uncommon
        words = {
            ArgumentRecord.TYPE: id(type(value)),
            ArgumentRecord.KIND: kind,
            ArgumentRecord.PLACE: self._layout.places[parameter.index],
        }
        return [words.get(word, 0) for word in ArgumentRecord]

    def outs(self) -> list[list[int]]:
        """The records of the results that native code writes."""
        rows: list[list[int]] = []
        for number, (out, described) in enumerate(zip(self._outs, self._form.outs, strict=True)):
            words = {
                OutRecord.DTYPE: self.records.of(out.dtype),
                OutRecord.RANK: len(out.shape),
                OutRecord.SIZES: self.records.add(out.shape),
                OutRecord.ALIGNMENT: out.alignment,
                OutRecord.BLOCK: out.block_bytes,
                OutRecord.PLACE: self._layout.places[len(self._form.layouts) + number],
                OutRecord.BYTES: math.prod(out.shape) * out.dtype.itemsize,
                OutRecord.MASK: described.alignment - 1,
                OutRecord.TAKE: 0 if out.pool is None else self.records.of(out.pool.take),
            }
            rows.append([words[word] for word in OutRecord])
        return rows

    def results(self) -> list[list[int]]:
        """Where the results are."""
        given = [number for number in range(len(self._form.layouts)) if number not in self._held]
        made = [place - len(self._form.layouts) for place in self._form.results if place >= len(self._form.layouts)]
        if sorted(made) != list(range(len(self._outs))) or len(made) > MOST_OUTS:
            raise _Uncommon
        rows: list[list[int]] = []
        codes = ""
        for result, place in zip(self._signature.results, self._form.results, strict=True):
            if place == RETURNED:
                code = descriptor_code(len(result.shape)) if result.is_array else result.element.code
                # A repeat count of zero adds the padding before a value, and no value.
                offset = struct.calcsize(f"@{codes}0{code[0]}")
                rows.append(self._returned(result, self._layout.returned_offset + offset))
                codes += code
            elif place >= len(self._form.layouts):
                rows.append(_result(ResultKind.OUT, place - len(self._form.layouts)))
            elif place in given:
                rows.append(_result(ResultKind.ARGUMENT, given.index(place)))
            else:
                raise _Uncommon
        if sum(row[ResultRecord.KIND] == ResultKind.ARRAY for row in rows) > 1:
            raise _Uncommon  # They may have one buffer.
        return rows

    def _returned(self, result: ValueType, place: int) -> list[int]:
        """The record of what native code returns at that offset of the frame."""
        element = result.element
        if result.is_array:
            if self._may_be_given or len(result.shape) > _MOST_DIMENSIONS:
                raise _Uncommon
            dtype = self.records.of(element.dtype)
            return _result(ResultKind.ARRAY, place, dtype, len(result.shape), element.dtype.itemsize, free_word())
        if element.code not in _RETURNED:
            raise _Uncommon
        return _result(_RETURNED[element.code], place)

    def spans(self, arguments: Sequence[Any]) -> list[list[int]]:
        """The records of all arrays that `out` may not meet."""
        words = ((SpanRecord.PLACE, "place"), (SpanRecord.LOW, "low"), (SpanRecord.HIGH, "high"))
        return [[getattr(bounds, name) for _, name in words] for bounds in self._bounds(arguments)]

    def pairs(self, arguments: Sequence[Any]) -> list[list[int]]:
        """The records of pairs of arrays, of which one is exclusive, that are not held both."""
        held = {self._layout.places[number] for number in self._held}
        bounds = self._bounds(arguments)
        rows = [
            [one.place, one.low, one.high, other.place, other.low, other.high]
            for number, one in enumerate(bounds)
            for other in bounds[:number]
            if (one.exclusive or other.exclusive) and not {one.place, other.place} <= held
        ]
        if len(rows) > _MOST_PAIRS:
            raise _Uncommon
        return rows

    def _bounds(self, arguments: Sequence[Any]) -> list[Bounds]:
        """The bounds of all arrays from their addresses in the frame; `place` is where these are."""
        found: list[Bounds] = []
        for parameter, layout, argument in zip(self._signature.parameters, self._form.layouts, arguments, strict=True):
            if layout is not None:
                address = data_address(argument) - (layout.offset or 0) * argument.itemsize
                place = self._layout.places[parameter.index]
                found.append(bounds_of(place, argument, address, exclusive=parameter.exclusive))
        return found
