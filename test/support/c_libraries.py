"""Libraries that are compiled ahead of time for a test, and C programs that use them."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlir_inplace.tools.inplace_compile import main

__all__ = ["CLibrary", "compiled", "needs_compiler", "run_c", "struct_of"]

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


class CLibrary:
    """The library and its header; errors by their names in C, without the prefix."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / f"lib{name}.so"
        self.header = (folder / f"{name}.h").read_text()
        self.name = name
        self._library = ctypes.CDLL(str(self.path))
        found = re.findall(rf"{name.upper()}_(\w+) = (\d+),? /\* (.*) \*/", self.header)
        self.errors = {name: int(number) for name, number, _ in found}
        self.texts = {int(number): text for _, number, text in found}

    def function(self, name: str) -> Any:
        """The C function of an entry point."""
        return getattr(self._library, f"{self.name}_{name}")

    def call(self, name: str, *arguments: Any) -> str:
        """Call with arrays, structs, addresses and scalars of ctypes; return the name of the error, or OK."""
        passed = [ctypes.byref(struct_of(one)) if isinstance(one, np.ndarray) else one for one in arguments]
        number = self.function(name)(*passed)
        return next(name for name, known in self.errors.items() if known == number)

    def message(self, number: int) -> str:
        """What the library says of an error."""
        function = self.function("message")
        function.restype = ctypes.c_char_p
        return function(number).decode()

    def cpu(self) -> str | None:
        """The processor whose code runs."""
        function = self.function("cpu")
        function.restype = ctypes.c_char_p
        found = function()
        return found and found.decode()


def struct_of(array: np.ndarray[Any, Any]) -> Any:
    """The struct of the header for an array: data, sizes, strides in elements, memory."""
    words = [array.ctypes.data, *array.shape, *(stride // array.itemsize for stride in array.strides), 0]
    return (ctypes.c_int64 * len(words))(*words)


def compiled(folder: Path, text: str, *flags: str, name: str = "lib1") -> CLibrary:
    """The library of a program in MLIR text."""
    source = folder / "program.mlir"
    source.write_text(text)
    assert main([str(source), "-o", str(folder / f"lib{name}.so"), "--header", str(folder / f"{name}.h"), *flags]) == 0
    return CLibrary(folder, name)


def run_c(folder: Path, source: Path, inputs: Sequence[str], *, wrapper: Sequence[str] = ()) -> str:
    """Build a C program with `inputs` in a folder, run it there, and return what it prints."""
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    command = ["cc", *strict, str(source), "-I.", *inputs, "-o", "program"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    done = subprocess.run([*wrapper, "./program"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
