"""The data of large tensors, taken out of a model's file before protobuf parses the rest.

Protobuf copies all data into a message, and again each time that a tensor's is looked at. So what a model's graph
stores as raw bytes is taken out before: a walk over the fields of the model, its graph and these tensors, which skips
everything else. The tensors are marked as external data that names no file.

The data of the largest ones stays where it is, for the caller to copy: most of it is laid out in another way anyhow.
Linear in the number of fields, and in the bytes of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

__all__ = ["LARGE", "LEAST_BYTES", "data_apart"]

LEAST_BYTES = 1024
"""Smaller tensors are constants of the code."""

LARGE = 1 << 16
"""From so many bytes on data is not copied."""

_GRAPH, _INITIALIZER = 7, 5
_NAME, _RAW_DATA = 8, 9
_EXTERNAL = b"\x70\x01"
"""Field 14 of a tensor, where its data is: 1, elsewhere."""
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_Data = dict[str, np.ndarray[Any, Any]]


class _Unknown(Exception):
    """Bytes that are no fields as they are known here."""


def data_apart(content: memoryview) -> tuple[bytes, Mapping[str, np.ndarray[Any, Any]]]:
    """The bytes of a model without its graph's large raw tensors, and the bytes of these, by name.

    What has at least `LARGE` bytes is a part of `content`, where numbers need not be aligned.

    All of `content` where it cannot be read; that is for protobuf to report.
    """
    data: _Data = {}
    try:
        parts = [_without(part, data) if number == _GRAPH else part for number, part, _ in _fields(content)]
    except _Unknown:
        return bytes(content), {}
    return b"".join(parts), data


def _without(graph: memoryview, data: _Data) -> bytes:
    """A field that is a graph, without the data of large tensors, which goes to `data`."""
    parts: list[bytes | memoryview] = []
    for number, part, value in _fields(_value(graph)):
        parts.append(_tensor(part, value, data) if number == _INITIALIZER and value is not None else part)
    return _field(_GRAPH, b"".join(parts))


def _tensor(field: memoryview, tensor: memoryview, data: _Data) -> bytes | memoryview:
    """A field that is a tensor: as it is, or without its data."""
    found = {number: value for number, _, value in _fields(tensor)}
    name, raw = found.get(_NAME), found.get(_RAW_DATA)
    if name is None or raw is None or len(raw) < LEAST_BYTES or (key := bytes(name).decode(errors="replace")) in data:
        return field
    kept = [part for number, part, _ in _fields(tensor) if number != _RAW_DATA]
    bytes_ = np.frombuffer(raw, np.uint8)
    data[key] = bytes_ if len(raw) >= LARGE else np.array(bytes_)
    return _field(_INITIALIZER, b"".join((*kept, _EXTERNAL)))


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview, memoryview | None]]:
    """Yield the fields of a message: their numbers, all bytes of each, and those of its value if it has a length."""
    at, end = 0, len(message)
    while at < end:
        begin = at
        tag, at = _varint(message, at)
        kind, value = tag & 7, None
        if kind == _VARINT:
            _, at = _varint(message, at)
        elif kind == _BYTES:
            length, at = _varint(message, at)
            value, at = message[at : at + length], at + length
        elif kind in (_FIXED64, _FIXED32):
            at += 8 if kind == _FIXED64 else 4
        else:
            raise _Unknown
        if at > end:
            raise _Unknown
        yield tag >> 3, message[begin:at], value


def _value(field: memoryview) -> memoryview:
    """The value of a field that has a length."""
    tag, at = _varint(field, 0)
    if tag & 7 != _BYTES:
        raise _Unknown
    return field[_varint(field, at)[1] :]


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """A number of seven bits in each byte, and the place behind it."""
    number = shift = 0
    while at < len(message) and shift < 64:
        byte = message[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at
    raise _Unknown


def _field(number: int, value: bytes) -> bytes:
    """A field with a length."""
    head = bytearray()
    for rest in (number << 3 | _BYTES, len(value)):
        while rest > 127:
            head.append(rest & 127 | 128)
            rest >>= 7
        head.append(rest)
    return bytes(head) + value
