"""Static archives (`ar`) of one object file, with the index of symbols that linkers look into."""

from __future__ import annotations

import struct

from .symbols import defined_symbols

__all__ = ["archive_of"]

_MAGIC = b"!<arch>\n"


def archive_of(code: bytes, name: str) -> bytes:
    """An archive with the object file `code` as its member `name`, of at most 15 characters."""
    symbols = [symbol.encode() + b"\0" for symbol in defined_symbols(code)]
    size = 4 + 4 * len(symbols) + sum(map(len, symbols))
    start = len(_MAGIC) + len(_member("/", bytes(size)))
    index = struct.pack(f">{1 + len(symbols)}I", len(symbols), *[start] * len(symbols)) + b"".join(symbols)
    return _MAGIC + _member("/", index) + _member(f"{name}/", code)


def _member(name: str, content: bytes) -> bytes:
    """A member without a date and an owner, so that the same program gives the same archive."""
    header = f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(content):<10}`\n".encode()
    return header + content + b"\n" * (len(content) % 2)
