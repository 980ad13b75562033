"""The output of a program: standard output, or a file that is written atomically on success."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO

from .command_line import ToolError


def require_standard_output() -> None:
    """Raise `ToolError` if standard output is closed: `sys.stdout` is None then."""
    if sys.stdout is None:
        raise ToolError("standard output is closed")


class AtomicFile:
    """A file that is created or replaced atomically when it is complete.

    It keeps the permissions of the file it replaces, and follows links; devices and pipes are written in place. The
    constructor raises `OSError` if nothing can be written there.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(os.path.realpath(path))
        self._temporary = None if _is_special(self._path) else _make_temporary(self._path)

    def open(self) -> BinaryIO:
        """The file to write the content to; close it before `commit`."""
        return (self._temporary or self._path).open("wb")

    def commit(self) -> None:
        """Move the file to its path; raises `OSError`."""
        if self._temporary:
            os.replace(self._temporary, self._path)
            self._temporary = None

    def close(self) -> None:
        """Remove a file that was not committed."""
        if self._temporary:
            self._temporary.unlink(missing_ok=True)
            self._temporary = None


class OutputFile:
    """The target of `-o`; `None` and `-` are standard output.

    The constructor raises `ToolError` if nothing can be written there, before any work is done. Text goes to standard
    output at once; for a file it is kept until `commit`, which replaces the file atomically.
    """

    def __init__(self, path: str | None) -> None:
        self._shown = path
        self._parts: list[bytes] = []
        self._file: AtomicFile | None = None
        if path is not None and path != "-":
            try:
                self._file = AtomicFile(path)
            except OSError as error:
                raise ToolError(f"cannot open output file '{path}': {error.strerror}") from None
        else:
            require_standard_output()

    @property
    def is_standard_output(self) -> bool:
        """Whether text goes to standard output."""
        return self._file is None

    def write(self, content: str | bytes) -> None:
        """Add text or bytes to the output."""
        if self._file is not None:
            self._parts.append(content.encode() if isinstance(content, str) else content)
        elif isinstance(content, str):
            sys.stdout.write(content)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(content)

    def commit(self) -> None:
        """Complete the output; raises `ToolError`."""
        if self._file is None:
            sys.stdout.flush()
            return
        try:
            with self._file.open() as file:
                file.write(b"".join(self._parts))
            self._file.commit()
        except OSError as error:
            raise ToolError(f"cannot write output file '{self._shown}': {error.strerror}") from None

    def close(self) -> None:
        """Remove output that was not committed."""
        if self._file:
            self._file.close()


def _make_temporary(path: Path) -> Path:
    """An empty file beside the target, with the permissions the target will have."""
    if path.is_dir():
        raise IsADirectoryError(None, "Is a directory")
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(None, "Permission denied")
    import tempfile  # It takes 3 ms, and programs that print do not need it.

    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    os.chmod(name, stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask())
    return Path(name)


def _is_special(path: Path) -> bool:
    """Whether it is a device or a pipe, which is written and not replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
