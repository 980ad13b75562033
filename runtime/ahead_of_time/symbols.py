"""Symbols of ELF object files for 64 bits: which there are, and hiding those that no other file needs."""

from __future__ import annotations

import struct
from collections.abc import Iterator

__all__ = ["defined_symbols", "hide_symbols"]

_SECTIONS_AT = 40
_SECTION_COUNT_AT = 60
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLE = 2
_VISIBILITY_AT = 5
_LOCAL, _HIDDEN = 0, 2


def defined_symbols(code: bytes) -> list[str]:
    """The names of symbols that an object file gives to others."""
    return [name for name, _, visible in _definitions(code) if visible]


def hide_symbols(code: bytes, start: str) -> bytes:
    """The object file with the symbols hidden from users of the library whose names begin with `start`."""
    changed = bytearray(code)
    for name, place, _ in _definitions(code):
        if name.startswith(start):
            changed[place + _VISIBILITY_AT] = _HIDDEN
    return bytes(changed)


def _definitions(code: bytes) -> Iterator[tuple[str, int, bool]]:
    """The name of each global symbol that is defined, where in the file it is, and whether others see it."""
    (start,) = struct.unpack_from("<Q", code, _SECTIONS_AT)
    (count,) = struct.unpack_from("<H", code, _SECTION_COUNT_AT)
    sections = [_SECTION.unpack_from(code, start + number * _SECTION.size) for number in range(count)]
    for _, kind, _, _, offset, size, strings, *_ in sections:
        if kind != _SYMBOL_TABLE:
            continue
        names = sections[strings][4]
        for place in range(offset, offset + size, _SYMBOL.size):
            name, info, visibility, section, *_ = _SYMBOL.unpack_from(code, place)
            if info >> 4 != _LOCAL and section:
                end = code.index(b"\0", names + name)
                yield code[names + name : end].decode(), place, visibility & 3 != _HIDDEN
