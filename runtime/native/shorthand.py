"""A shorthand for functions of the LLVM dialect that work on words and addresses.

Everything is an i64, integers are constants, and each statement is a line:

    x = a + b                     also `-`, `*` and `&`; `/` and `%` without signs
    x = base.WORD                 a word of a record; the record is the one of the name `base`
    x = base[8]                   the word at a byte offset; `base[24]:i32` the 32 bits there, with their sign
    base.WORD := x                stores a word; so does `base[8] := x`
    x = function(a, b)            calls a C function, or the one at the address `function`
    ^block(x, y):                 starts a block
    jump ^block(a, b)             ends it
    if a == b -> ^yes, ^no(a)     also with `!=`, `<` with signs, and `<u` without
    switch x -> ^rest, ^0, ^1     goes to the block of the number x
    return x

Lines that start with `%` or `llvm.` are of the LLVM dialect itself; `%k8` is the constant 8 there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import IntEnum

__all__ = ["declaration", "expand"]

_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "&": "and", "/": "udiv", "%": "urem"}
_COMPARISONS = {"==": "eq", "!=": "ne", "<": "slt", "<u": "ult"}
_TYPES = {"p": "!llvm.ptr", "w": "i64", "i": "i32", "v": "()", "d": "f64"}
_WORD_BYTES = 8
_CONSTANT = re.compile(r"%k(\d+)")
_TARGET = re.compile(r"\^(\w+)(?:\(([^)]*)\))?")
_PLACE = re.compile(r"(\w+)(?:\.(\w+)|\[([^\]]+)\])(:i32)?")


def expand(text: str, records: Mapping[str, type[IntEnum]], functions: Mapping[str, str]) -> str:
    """The LLVM dialect of a function's body in shorthand.

    Args:
        text: the statements.
        records: the words of the records that variables of these names are the addresses of; `_` and more may follow.
        functions: for each function what it takes, and after a space what it gives: `p` a pointer, `w` a word, `i` 32
            bits, `v` nothing. Names of variables are functions by address.
    """
    return _Expansion(records, functions).body(text)


def declaration(name: str, kinds: str) -> str:
    """The declaration of a C function that takes and gives values of these kinds, as for `expand`."""
    takes, _, gives = kinds.partition(" ")
    result = "" if gives == "v" else f" -> {_TYPES[gives]}"
    return f"llvm.func @{name}({', '.join(_TYPES[kind] for kind in takes)}){result}"


class _Expansion:
    def __init__(self, records: Mapping[str, type[IntEnum]], functions: Mapping[str, str]) -> None:
        self._records = records
        self._functions = functions
        self._constants: set[str] = set()
        self._temporaries = 0
        self._lines: list[str] = []
        self._variables: set[str] = set()

    def body(self, text: str) -> str:
        for line in map(str.strip, text.strip().splitlines()):
            self._statement(line)
        constants = [
            f"  %k{number} = llvm.mlir.constant({number} : i64) : i64" for number in sorted(self._constants, key=int)
        ]
        return "\n".join([*constants, *self._lines])

    def _statement(self, line: str) -> None:
        if not line or line.startswith(("%", "llvm.")):
            self._constants.update(_CONSTANT.findall(line))
            self._add(line)
        elif line.startswith("^"):
            self._lines.append(self._header(line))
        elif line.startswith("jump "):
            self._add(f"llvm.br {self._target(line[5:])}")
        elif line.startswith("if "):
            condition, _, targets = line[3:].partition(" -> ")
            one, operator, other = condition.split()
            test = self._new(f'llvm.icmp "{_COMPARISONS[operator]}" {self._value(one)}, {self._value(other)} : i64')
            yes, no = (self._target(match.group()) for match in _TARGET.finditer(targets))
            self._add(f"llvm.cond_br {test}, {yes}, {no}")
        elif line.startswith("switch "):
            value, _, targets = line[7:].partition(" -> ")
            rest, *cases = (self._target(match.group()) for match in _TARGET.finditer(targets))
            listed = ", ".join(f"{number}: {case}" for number, case in enumerate(cases))
            self._add(f"llvm.switch {self._value(value)} : i64, {rest} [{listed}]")
        elif line.startswith("return "):
            self._add(f"llvm.return {self._as(line[7:], 'p')} : !llvm.ptr")
        elif ":=" in line:
            place, _, value = line.partition(" := ")
            self._add(f"llvm.store {self._value(value)}, {self._pointer(place)} : i64, !llvm.ptr")
        else:
            name, _, value = line.rpartition(" = ")
            self._assign(name, value)

    def _assign(self, name: str, value: str) -> None:
        if value.endswith(")"):
            self._call(name, value)
            return
        parts = value.split()
        if len(parts) == 3 and parts[1] in _ARITHMETIC:
            found = f"llvm.{_ARITHMETIC[parts[1]]} {self._value(parts[0])}, {self._value(parts[2])} : i64"
        elif value.endswith(":i32"):
            narrow = self._new(f"llvm.load {self._pointer(value)} : !llvm.ptr -> i32")
            found = f"llvm.sext {narrow} : i32 to i64"
        else:
            found = f"llvm.load {self._pointer(value)} : !llvm.ptr -> i64"
        self._add(f"%{name} = {found}")

    def _call(self, name: str, text: str) -> None:
        function, _, listed = text[:-1].partition("(")
        takes, _, gives = self._functions[function].partition(" ")
        arguments = [one.strip() for one in listed.split(",")] if listed else []
        values = ", ".join(self._as(one, kind) for one, kind in zip(arguments, takes, strict=True))
        types = f"({', '.join(_TYPES[kind] for kind in takes)}) -> {_TYPES[gives]}"
        if function in self._variables:
            called = f"llvm.call {self._as(function, 'p')}({values}) : !llvm.ptr, {types}"
        else:
            called = f"llvm.call @{function}({values}) : {types}"
        if gives == "v":
            self._add(called)
        elif gives == "w":
            self._add(f"%{name} = {called}")
        else:
            made = self._new(called)
            self._add(
                f"%{name} = llvm.ptrtoint {made} : !llvm.ptr to i64"
                if gives == "p"
                else f"%{name} = llvm.sext {made} : i32 to i64"
            )

    def _add(self, line: str) -> None:
        name = line.partition(" = ")[0]
        if name.startswith("%"):
            self._variables.add(name[1:])
        self._lines.append("  " + line)

    def _new(self, found: str) -> str:
        self._temporaries += 1
        self._add(f"%t{self._temporaries} = {found}")
        return f"%t{self._temporaries}"

    def _value(self, token: str) -> str:
        if token.isdigit():
            self._constants.add(token)
            return f"%k{token}"
        return f"%{token}"

    def _as(self, token: str, kind: str) -> str:
        value = self._value(token.strip())
        if kind == "w":
            return value
        if kind == "p":
            return self._new(f"llvm.inttoptr {value} : i64 to !llvm.ptr")
        return self._new(f"llvm.trunc {value} : i64 to i32")

    def _pointer(self, text: str) -> str:
        match = _PLACE.fullmatch(text)
        if match is None:
            raise ValueError(f"no place in memory: {text}")
        base, word, offset, _ = match.groups()
        if word is not None:
            offset = str(self._records[base.partition("_")[0]][word] * _WORD_BYTES)
        address = self._new(f"llvm.add {self._value(base)}, {self._value(offset)} : i64")
        return self._new(f"llvm.inttoptr {address} : i64 to !llvm.ptr")

    def _target(self, text: str) -> str:
        match = _TARGET.fullmatch(text)
        if match is None:
            raise ValueError(f"no block: {text}")
        name, listed = match.groups()
        if not listed:
            return f"^{name}"
        values = [self._value(one.strip()) for one in listed.split(",")]
        return f"^{name}({', '.join(values)} : {', '.join(['i64'] * len(values))})"

    def _header(self, line: str) -> str:
        match = _TARGET.fullmatch(line.rstrip(":"))
        if match is None:
            raise ValueError(f"no block: {line}")
        name, listed = match.groups()
        names = [one.strip() for one in listed.split(",")] if listed else []
        self._variables.update(names)
        return f"^{name}({', '.join(f'%{one}: i64' for one in names)}):" if names else f"^{name}:"
