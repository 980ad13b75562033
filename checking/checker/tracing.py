"""Programs that report each value as soon as it is computed.

After each op, calls of external functions report its results. These functions are declared to only read their argument,
and the value has just been written, so no in-place decision about later writes changes. They call `Tracer`.

    %0 = linalg.exp ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
    ->
    %0 = linalg.exp ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
    func.call @inplace_trace_0(%site, %0) : (i64, tensor<?xf32>) -> ()
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir

from ...runtime.interface.dtypes import ElementType
from ...runtime.interface.memrefs import copy_of, descriptor_words

Array = np.ndarray[Any, Any]

_MOST_EVENTS = 4000
_MOST_BYTES = 1 << 24

_SCALARS = {
    "index": ctypes.c_int64,
    "i1": ctypes.c_bool,
    "i8": ctypes.c_int8,
    "i16": ctypes.c_int16,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}
SCALARS = tuple(_SCALARS)
"""Scalar types that can be reported; others have calling conventions of their own."""


@dataclass(frozen=True)
class Site:
    """A place where a value is reported.

    Attributes:
        op: the name of the op after which it is reported, and `location` that of the op.
        value: a description of the value: `result 0 of 'linalg.add'`.
        ordinal: the number of the op in its module.
        defines: whether the op has just computed it.
    """

    op: str
    location: str
    value: str
    ordinal: int
    defines: bool


@dataclass(frozen=True)
class Channel:
    """The type of reported values: a scalar has no rank."""

    element: ElementType
    rank: int | None


@dataclass(frozen=True)
class Traced:
    """A program that reports its values: its sites, and a channel for each symbol that it calls."""

    module: ir.Module
    sites: tuple[Site, ...]
    channels: Mapping[str, Channel]


@dataclass(frozen=True)
class Event:
    """One reported value: the number of the site, and the value."""

    site: int
    value: Array


class Tracer:
    """The callbacks of a traced program, by symbol, and its `events` in order; `tell` gets each as it comes.

    Only the first few thousand are recorded: a first difference after them is not found.
    """

    def __init__(self, traced: Traced) -> None:
        self.events: list[Event] = []
        self.tell: Callable[[Event], None] | None = None
        self._bytes = 0
        self.callbacks = {f"_mlir_ciface_{name}": self._callback(channel) for name, channel in traced.channels.items()}

    def restart(self) -> None:
        """Forget all events, for another run."""
        self.events, self._bytes = [], 0

    def _callback(self, channel: Channel) -> Any:
        dtype = channel.element.dtype
        if channel.rank is None:
            prototype = ctypes.CFUNCTYPE(None, ctypes.c_int64, _SCALARS[channel.element.spelling])
            return prototype(lambda site, value: self._add(site, np.asarray(value, dtype)))
        words = ctypes.c_int64 * descriptor_words(channel.rank)

        def take(site: int, address: int) -> None:
            self._add(site, copy_of(tuple(words.from_address(address)), dtype))

        return ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(take)

    def _add(self, site: int, value: Array) -> None:
        self._bytes += value.nbytes
        if len(self.events) >= _MOST_EVENTS or self._bytes > _MOST_BYTES:
            return
        event = Event(site, value)
        self.events.append(event)
        if self.tell is not None:
            self.tell(event)
