"""The input of a program: MLIR text from a file or standard input, and its parts if it is split."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...dialects.support.text_error import TextError
from ...runtime.source.text_checks import BYTECODE_MAGIC, MAX_BYTES
from .command_line import ToolError

STDIN_NAME = "<stdin>"
ONNX_SUFFIX = ".onnx"


@dataclass(frozen=True)
class Source:
    """MLIR text with the name of its source; a part of a file keeps the file's line numbers.

    `bytecode` is set, and the text empty, if the source is bytecode; so is `model`, the path or the content of an ONNX
    model.
    """

    name: str
    text: str
    bytecode: bytes | None = None
    model: str | bytes | None = None

    def line(self, number: int) -> str | None:
        """Line `number`, from 1, without its end; None when there is no such line."""
        lines = self.lines
        return lines[number - 1] if 0 < number <= len(lines) else None

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends; only a newline ends a line, as in MLIR."""
        return self.text.split("\n")


def read_source(path: str, *, models: bool = False) -> Source:
    """Read text or bytecode from the file `path`, or standard input for `-`; raises `ToolError`.

    A name that ends in .onnx is that of an ONNX model, which is read later: `models` says whether the tool takes them.
    """
    name = STDIN_NAME if path == "-" else path
    if path.endswith(ONNX_SUFFIX):
        if not models:
            raise ToolError(f"'{path}' is an ONNX model; inplace-run and inplace-opt read them, others take MLIR")
        return Source(name, "", model=path)
    try:
        data = _read(path)
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL.
        reason = error.strerror if isinstance(error, OSError) else error
        raise ToolError(f"cannot open input file '{path}': {reason}") from None
    if len(data) > MAX_BYTES:
        raise ToolError(f"'{name}' is larger than {MAX_BYTES >> 20} MiB; divide the program")
    if data.startswith(BYTECODE_MAGIC):
        return _checked_bytecode(name, data)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{data[error.start]:02x} at offset {error.start} (line {line})"
        raise ToolError(f"'{name}' is not MLIR text: {found} is not UTF-8") from None
    if not text.strip():
        raise ToolError(f"'{name}' is empty; expected MLIR text")
    return Source(name, text)


def _checked_bytecode(name: str, data: bytes) -> Source:
    from ...runtime.source.bytecode import check_bytecode

    try:
        check_bytecode(data, name)
    except TextError as error:
        raise ToolError(f"'{name}': {error.message}") from None
    return Source(name, "", data)


def _read(path: str) -> bytes:
    """The content, up to one byte more than the limit: devices may be endless."""
    if path != "-":
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    if sys.stdin is None:  # The descriptor is closed.
        raise OSError(None, "standard input is closed")
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def split_source(source: Source, marker: str) -> list[Source]:
    """The parts between lines that consist of `marker`, each after empty lines that keep its line numbers.

    Bytecode is one part.
    """
    if source.bytecode is not None:
        return [source]
    parts: list[list[str]] = [[]]
    for number, line in enumerate(source.lines, start=1):
        if line.rstrip() == marker:
            parts.append([""] * number)
        else:
            parts[-1].append(line)
    return [Source(source.name, "\n".join(lines)) for lines in parts]
