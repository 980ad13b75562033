"""Loader of relocatable object files from the JIT, without a linker: those of one program, which use each other.

The JIT's code for x86-64 Linux uses the large code model, so each relocation is 8 bytes with the absolute address of a
symbol of the files, the process or a library. Anything else (other processors, constructors, thread-local memory) is an
`UnsupportedObjectError`, and the program is compiled again.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...dialects.support.frozen_classes import frozen, record
from ...passes.framework.interpreter_exit import kept_for_daemons

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_MAGIC, _RELOCATABLE, _X86_64 = b"\x7fELF\x02\x01", 1, 62
_SYMBOLS, _RELOCATIONS, _ZEROS = 2, 4, 8
_CONSTRUCTORS = frozenset({14, 15, 16})
_WRITE, _ALLOCATE, _EXECUTE, _THREAD_LOCAL = 1, 2, 4, 0x400
_ABSOLUTE = 1
_LOCAL = 0
_PAGE = mmap.PAGESIZE
_UNWINDING = ".eh_frame"
"""Unwinding tables, which are not needed: no code of ours throws."""

_Native = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


class UnsupportedObjectError(Exception):
    """An object file with something that is not supported."""


@record
class _Section:
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    place: int = -1
    """Its location in the image."""


@frozen
class _Symbol:
    name: str
    section: int
    value: int
    binding: int


class ObjectFile:
    """Sections, symbols and relocations of an object file; raises `UnsupportedObjectError`."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        try:
            self.sections = self._read_sections()
            self.symbols = self._read_symbols()
            self.relocations = list(self._read_relocations())
        except (struct.error, IndexError, ValueError) as error:
            raise UnsupportedObjectError(f"no object file: {error}") from None

    def _read_sections(self) -> list[_Section]:
        header = _HEADER.unpack_from(self.data)
        if not header[0].startswith(_MAGIC) or header[1:3] != (_RELOCATABLE, _X86_64):
            raise UnsupportedObjectError("no relocatable object for x86-64")
        start, count, names = header[6], header[12], header[13]
        rows = [_SECTION.unpack_from(self.data, start + n * _SECTION.size) for n in range(count)]
        sections = [_Section(self._text(rows[names][4] + row[0]), row[1], row[2], *row[4:9]) for row in rows]
        for section in sections:
            if section.kind in _CONSTRUCTORS or section.flags & _THREAD_LOCAL or section.alignment > _PAGE:
                raise UnsupportedObjectError(f"section {section.name}")
        return sections

    def _read_symbols(self) -> list[_Symbol]:
        tables = [section for section in self.sections if section.kind == _SYMBOLS]
        if len(tables) != 1:
            raise UnsupportedObjectError(f"{len(tables)} symbol tables")
        table, strings = tables[0], self.sections[tables[0].link].offset
        rows = (_SYMBOL.unpack_from(self.data, table.offset + at) for at in range(0, table.size, _SYMBOL.size))
        return [_Symbol(self._text(strings + row[0]), row[3], row[4], row[1] >> 4) for row in rows]

    def _read_relocations(self) -> list[tuple[_Section, int, _Symbol, int]]:
        """For each relocation: its section and offset, the symbol, and the addend."""
        found: list[tuple[_Section, int, _Symbol, int]] = []
        for section in self.sections:
            if section.kind != _RELOCATIONS:
                continue
            target = self.sections[section.info]
            if not is_loaded(target):
                continue
            for at in range(0, section.size, _RELOCATION.size):
                offset, info, addend = _RELOCATION.unpack_from(self.data, section.offset + at)
                if info & 0xFFFFFFFF != _ABSOLUTE or offset + 8 > target.size:
                    raise UnsupportedObjectError(f"relocation {info & 0xFFFFFFFF}")
                found.append((target, offset, self.symbols[info >> 32], addend))
        return found

    def _text(self, start: int) -> str:
        return self.data[start : self.data.index(b"\0", start)].decode()


def relocated_places(file: ObjectFile, index: int) -> dict[int, tuple[int, int]]:
    """By offset in the section of that index, which is not loaded: the section and the address that stand there."""
    found: dict[int, tuple[int, int]] = {}
    for section in file.sections:
        if section.kind == _RELOCATIONS and section.info == index:
            for at in range(0, section.size, _RELOCATION.size):
                offset, info, addend = _RELOCATION.unpack_from(file.data, section.offset + at)
                symbol = file.symbols[info >> 32]
                found[offset] = symbol.section, symbol.value + addend
    return found


def are_supported(objects: Sequence[bytes]) -> bool:
    """Whether object files can be loaded, apart from symbols of libraries."""
    try:
        for data in objects:
            ObjectFile(data)
    except UnsupportedObjectError:
        return False
    return bool(objects)


def is_loaded(section: _Section) -> bool:
    """Whether a section is loaded into memory."""
    return bool(section.flags & _ALLOCATE) and section.name != _UNWINDING


class LoadedObject:
    """Native code in memory, as long as this object lives.

    `callbacks`, by symbol, and then `libraries` provide symbols that no file defines. Raises `UnsupportedObjectError`
    for an unsupported object or an undefined symbol, and `OSError` where the system does not allow code to be loaded.

    Attributes:
        objects: the object files.
    """

    def __init__(
        self, objects: Sequence[bytes], libraries: Sequence[ctypes.CDLL], callbacks: Mapping[str, Any] | None = None
    ) -> None:
        self.objects = tuple(objects)
        files = [ObjectFile(data) for data in objects]
        self._callbacks = dict(callbacks or {})
        self._libraries = [ctypes.CDLL(None), *libraries]
        ends = self._lay_out([section for file in files for section in file.sections])
        self._memory = mmap.mmap(-1, max(ends[-1], _PAGE), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._symbols = {
            symbol.name: self._base + file.sections[symbol.section].place + symbol.value
            for file in files
            for symbol in file.symbols
            if symbol.binding != _LOCAL
            and 0 < symbol.section < len(file.sections)
            and file.sections[symbol.section].place >= 0
        }
        for file in files:
            self._fill(file)
        self._protect(0, ends[0], mmap.PROT_READ | mmap.PROT_EXEC)
        self._protect(ends[0], ends[1], mmap.PROT_READ)
        kept_for_daemons(self)

    def _fill(self, file: ObjectFile) -> None:
        """Write the content of the sections of a file, and the addresses in it."""
        for section in file.sections:
            if section.place >= 0 and section.kind != _ZEROS:
                self._memory[section.place : section.place + section.size] = file.data[section.offset :][: section.size]
        for section, offset, symbol, addend in file.relocations:
            address = self._address(file, symbol) + addend
            struct.pack_into("<Q", self._memory, section.place + offset, address & 0xFFFFFFFFFFFFFFFF)

    def defines(self, name: str) -> bool:
        """Whether there is a function of that name."""
        return f"_mlir_{name}" in self._symbols

    def function(self, name: str) -> Callable[[int], int]:
        """The native function of that name, to be called with the address of its pointer table."""
        try:
            return _Native(self._symbols[f"_mlir_{name}"])
        except KeyError:
            raise UnsupportedObjectError(f"no function {name}") from None

    @staticmethod
    def _lay_out(sections: Sequence[_Section]) -> list[int]:
        """Assign offsets to the sections: code, then constants, then variables; return the end of each of these."""
        end = 0
        ends: list[int] = []
        for kind in (_EXECUTE, 0, _WRITE):
            for section in sections:
                if is_loaded(section) and section.flags & (_EXECUTE | _WRITE) == kind:
                    section.place = -(-end // max(section.alignment, 1)) * max(section.alignment, 1)
                    end = section.place + section.size
            end = -(-end // _PAGE) * _PAGE
            ends.append(end)
        if any(is_loaded(section) and section.place < 0 for section in sections):
            raise UnsupportedObjectError("a section of code that is written")
        return ends

    def _address(self, file: ObjectFile, symbol: _Symbol) -> int:
        if 0 < symbol.section < len(file.sections):
            section = file.sections[symbol.section]
            if section.place < 0:
                raise UnsupportedObjectError(f"a reference to {section.name}")
            return self._base + section.place + symbol.value
        if symbol.section == 0:
            if symbol.name in self._symbols:
                return self._symbols[symbol.name]
            if symbol.name in self._callbacks:
                return ctypes.cast(self._callbacks[symbol.name], ctypes.c_void_p).value or 0
            for provider in self._libraries:
                if hasattr(provider, symbol.name):
                    return ctypes.cast(getattr(provider, symbol.name), ctypes.c_void_p).value or 0
        raise UnsupportedObjectError(f"symbol {symbol.name}")

    def _protect(self, start: int, end: int, rights: int) -> None:
        if end > start and _mprotect(self._base + start, end - start, rights):
            raise OSError(ctypes.get_errno(), "the system refuses to load code")


_mprotect = ctypes.CDLL(None, use_errno=True).mprotect
_mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
