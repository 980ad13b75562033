"""Reproducers: the IR before a pipeline that went wrong, with the pipeline, in one `.mlir` file.

The form is mlir-opt's, a resource section behind the IR, so that `inplace-opt --run-reproducer file` runs it again, and
so does mlir-opt when the pipeline has none of our passes:

    {-#
      external_resources: {
        mlir_reproducer: {
          pipeline: "builtin.module(cse)",
          disable_threading: true,
          verify_each: true
        }
      }
    #-}
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from mlir import ir

from ...dialects.support.frozen_classes import frozen

_SECTION = re.compile(
    r"\{-#\s*external_resources\s*:\s*\{\s*mlir_reproducer\s*:\s*\{(?P<body>.*?)\}\s*\}\s*#-\}", re.DOTALL
)
_ENTRY = re.compile(r'(\w+)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|(true|false))')


@frozen
class ReproducerRequest:
    """What a reproducer file asks for: the pipeline, whether to verify after each pass, and the IR's text."""

    pipeline: str
    verify_each: bool
    ir_text: str


class Reproducer:
    """Keeps the IR as it is now, until the pipeline that is about to run has ended.

    With a `path` the file is written at once, as `path` with `.pending` appended, because a crash of native code leaves
    no time to write it; `keep` gives it its name. Without one the operation is cloned (2 µs an operation) and a file in
    the folder for temporary files is written only if `keep` is called.

    Raises OSError when the file cannot be written.
    """

    def __init__(self, op: ir.Operation, pipeline: str, *, verify_each: bool, path: Path | None = None) -> None:
        self._section = format_section(pipeline, verify_each=verify_each)
        self._path = path
        self._clone = None
        if path is None:
            self._clone = op.clone(ip=False)
        else:
            _pending(path).write_text(self._text(op), encoding="utf-8")

    def keep(self) -> Path:
        """The reproducer's file, from now on there to stay."""
        if self._path is not None:
            os.replace(_pending(self._path), self._path)
            return self._path
        assert self._clone is not None
        descriptor, name = tempfile.mkstemp(prefix="inplace-reproducer-", suffix=".mlir")
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(self._text(self._clone.operation))
        return Path(name)

    def discard(self) -> None:
        """Forgets the reproducer unless it was kept."""
        if self._path is not None:
            _pending(self._path).unlink(missing_ok=True)
        self._clone = None

    def _text(self, op: ir.Operation) -> str:
        # Generic form: whatever broke may have to do with a custom printer.
        return f"{op.get_asm(print_generic_op_form=True, enable_debug_info=True)}\n{self._section}"


def format_section(pipeline: str, *, verify_each: bool) -> str:
    """The resource section that names the pipeline."""
    quoted = pipeline.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return (
        "{-#\n  external_resources: {\n    mlir_reproducer: {\n"
        f'      pipeline: "{quoted}",\n      disable_threading: true,\n      verify_each: {str(verify_each).lower()}\n'
        "    }\n  }\n#-}\n"
    )


def read_reproducer(text: str) -> ReproducerRequest | None:
    """What the reproducer file `text` asks for, or None when it is none.

    The section is blanked out of the IR's text rather than cut, so that line numbers stay: MLIR's parser would not know
    its keys.
    """
    match = _SECTION.search(text)
    if not match:
        return None
    entries = {key: _unescape(string) if string else word for key, string, word in _ENTRY.findall(match["body"])}
    if "pipeline" not in entries:
        return None
    blank = re.sub(r"[^\n]", " ", match.group())
    ir_text = text[: match.start()] + blank + text[match.end() :]
    return ReproducerRequest(entries["pipeline"], entries.get("verify_each", "true") == "true", ir_text)


def _unescape(text: str) -> str:
    r"""MLIR's string escapes: `\\`, `\"`, `\n`, `\t`, and two hexadecimal digits for a byte of UTF-8."""
    simple = {b"\\": b"\\", b'"': b'"', b"n": b"\n", b"t": b"\t"}
    escape = re.compile(rb'\\(?:([\\"nt])|([0-9a-fA-F]{2}))')
    raw = escape.sub(lambda m: simple[m[1]] if m[1] else bytes([int(m[2], 16)]), text.encode())
    return raw.decode(errors="replace")


def _pending(path: Path) -> Path:
    return path.with_name(f"{path.name}.pending")
