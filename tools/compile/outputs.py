"""The files of `inplace-compile`, all of which are written when everything has succeeded, or none."""

from __future__ import annotations

import contextlib
import keyword
import os
import shutil
import tempfile
from collections.abc import Generator, Mapping
from pathlib import Path

from ...runtime.ahead_of_time.python_package import COPIES
from ..shared.command_line import ToolError, UsageError
from ..shared.output import OutputFile

__all__ = ["Outputs", "opened_outputs"]


class Outputs:
    """Files by path, and a Python package; raises `ToolError` at once where nothing can be written."""

    def __init__(self, paths: list[str], package: str | None) -> None:
        self._package = None if package is None else _Package(package)
        self._files: dict[str, OutputFile] = {}
        try:
            for path in paths:
                self._files[path] = OutputFile(path)
        except ToolError:
            self.close()
            raise

    def write(self, files: Mapping[str, bytes], package: Mapping[str, bytes]) -> None:
        """Write the files by their paths, and the files of the package; raises `ToolError`."""
        for path, content in files.items():
            self._files[path].write(content)
        if self._package is not None:
            self._package.prepare(package)
        for file in self._files.values():
            file.commit()
        if self._package is not None:
            self._package.commit()

    def close(self) -> None:
        """Remove what was not written to the end."""
        for file in self._files.values():
            file.close()
        if self._package is not None:
            self._package.close()


@contextlib.contextmanager
def opened_outputs(paths: list[str], package: str | None) -> Generator[Outputs]:
    """Outputs for a `with` block, which removes unfinished ones at its end."""
    outputs = Outputs(paths, package)
    try:
        yield outputs
    finally:
        outputs.close()


class _Package:
    """A folder that is replaced as a whole; only one that was written here before."""

    def __init__(self, path: str) -> None:
        self._shown = path
        self._path = Path(os.path.realpath(path))
        self._temporary: Path | None = None
        if not self._path.name.isidentifier() or keyword.iskeyword(self._path.name):
            raise UsageError(f"--python needs a folder whose name Python can import, got '{path}'")
        if self._path.exists() and not (self._path / COPIES).is_dir() and not _is_empty_folder(self._path):
            raise ToolError(f"'{path}' exists and is no package that inplace-compile wrote; name another folder")
        if not os.access(self._path.parent, os.W_OK):
            raise ToolError(f"cannot write to the folder '{self._path.parent}'")

    def prepare(self, files: Mapping[str, bytes]) -> None:
        """Write the files to a folder beside."""
        try:
            self._temporary = Path(tempfile.mkdtemp(prefix=f".{self._path.name}.", dir=self._path.parent))
            os.chmod(self._temporary, 0o755)
            for name, content in files.items():
                path = self._temporary / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        except OSError as error:
            raise ToolError(f"cannot write the package '{self._shown}': {error.strerror}") from None

    def commit(self) -> None:
        """Let the folder take the place of the package."""
        if self._temporary is None:
            return
        try:
            if self._path.exists():
                shutil.rmtree(self._path)
            os.replace(self._temporary, self._path)
        except OSError as error:
            raise ToolError(f"cannot write the package '{self._shown}': {error.strerror}") from None
        self._temporary = None

    def close(self) -> None:
        """Remove a folder that has not taken its place."""
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())
