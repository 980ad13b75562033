"""The line numbers in an object file from the JIT: a reader of DWARF's line number programs, version 4.

Only what says which address belongs to which line is read. Each section of code has a sequence of rows, which begins at
a relocation. Anything else raises `UnsupportedObjectError`.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Mapping
from operator import itemgetter

from ...dialects.support.frozen_classes import frozen
from .loaded_object import ObjectFile, UnsupportedObjectError, relocated_places

__all__ = ["CodeLines"]

_SECTION = ".debug_line"
_HEADER = struct.Struct("<IHIBBBbBB")
_START = struct.calcsize("<IHI")
"""Where the length of the header is counted from."""
_VERSION = 4
_EXTENDED, _COPY, _ADVANCE_PC, _ADVANCE_LINE, _CONST_ADD_PC, _FIXED_ADVANCE_PC = 0, 1, 2, 3, 8, 9
_END_OF_SEQUENCE, _SET_ADDRESS = 1, 2


@frozen
class _Header:
    """The parameters of a program, and where its opcodes begin and end."""

    begin: int
    end: int
    unit: int
    line_base: int
    line_range: int
    operands: tuple[int, ...]
    """How many operands each standard opcode has, from opcode 1."""

    @property
    def first_special(self) -> int:
        return len(self.operands) + 1


class CodeLines:
    """The code of an object file, and the line of each of its instructions.

    Attributes:
        code: the section with the code of `symbol`.
        start: where in it that function begins.
    """

    def __init__(self, data: bytes, symbol: str) -> None:
        file = ObjectFile(data)
        found = [item for item in file.symbols if item.name == symbol and 0 < item.section < len(file.sections)]
        tables = [index for index, section in enumerate(file.sections) if section.name == _SECTION]
        if len(found) != 1:
            raise UnsupportedObjectError(f"{len(found)} functions {symbol}")
        section = file.sections[found[0].section]
        self.code = data[section.offset : section.offset + section.size]
        self.start = found[0].value
        self._rows: list[tuple[int, int]] = []
        if tables:
            table = file.sections[tables[0]]
            program = data[table.offset : table.offset + table.size]
            try:
                self._rows = _Program(program, relocated_places(file, tables[0]), found[0].section).rows()
            except (struct.error, IndexError) as error:
                raise UnsupportedObjectError(f"no line numbers: {error}") from None

    def line(self, offset: int) -> int:
        """The line of the instruction at `offset` in the code; 0 if it has none."""
        after = bisect_right(self._rows, offset, key=itemgetter(0))
        return self._rows[after - 1][1] if after else 0


class _Program:
    """One line number program, and how far it has been read; `places` are the sections and addresses in it."""

    def __init__(self, data: bytes, places: Mapping[int, tuple[int, int]], section: int) -> None:
        self._data, self._places, self._section = data, places, section
        length, version, header, unit, _, _, base, spread, opcodes = _HEADER.unpack_from(data)
        if version != _VERSION or length + 4 != len(data) or not spread:
            raise UnsupportedObjectError(f"line numbers of version {version}, {len(data)} bytes")
        operands = tuple(data[_HEADER.size : _HEADER.size + opcodes - 1])
        self._header = _Header(_START + header, len(data), unit, base, spread, operands)
        self._at = self._header.begin

    def rows(self) -> list[tuple[int, int]]:
        """Addresses in the section, in ascending order, with the line from each of them on."""
        header = self._header
        rows: list[tuple[int, int]] = []
        sequence: list[tuple[int, int]] = []
        address, line, is_here = 0, 1, True
        while self._at < header.end:
            opcode = self._byte()
            if opcode >= header.first_special:
                address += header.unit * self._steps(opcode)
                line += header.line_base + (opcode - header.first_special) % header.line_range
                sequence.append((address, line))
            elif opcode == _EXTENDED:
                end = self._unsigned() + self._at
                extended = self._byte()
                if extended == _END_OF_SEQUENCE:
                    rows += [*sequence, (address, 0)] if is_here else []
                    sequence, address, line = [], 0, 1
                elif extended == _SET_ADDRESS:
                    section, address = self._places.get(self._at, (self._section, 0))
                    is_here = section == self._section
                self._at = end
            elif opcode == _COPY:
                sequence.append((address, line))
            elif opcode == _ADVANCE_PC:
                address += header.unit * self._unsigned()
            elif opcode == _ADVANCE_LINE:
                line += self._signed()
            elif opcode == _CONST_ADD_PC:
                address += header.unit * self._steps(255)
            elif opcode == _FIXED_ADVANCE_PC:
                address += int.from_bytes(self._data[self._at : self._at + 2], "little")
                self._at += 2
            else:
                for _ in range(header.operands[opcode - 1]):
                    self._unsigned()
        # Where one sequence ends, another one may begin.
        return sorted(rows, key=lambda row: (row[0], row[1] > 0))

    def _steps(self, opcode: int) -> int:
        return (opcode - self._header.first_special) // self._header.line_range

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _unsigned(self) -> int:
        """A number of 7 bits a byte, the last of which is below 128."""
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def _signed(self) -> int:
        start = self._at
        value = self._unsigned()
        bits = 7 * (self._at - start)
        return value - (1 << bits) if value >> (bits - 1) else value
