"""Shared libraries of object files, by a C compiler or a linker of the system."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

__all__ = ["LinkError", "link_flags", "linked"]

_COMPILERS = ("cc", "gcc", "clang")
_LINKERS = ("ld.lld", "ld")
_SYSTEM = ("libm.so.6", "libpthread.so.0", "libc.so.6")
_FEW = 3
"""How many lines of a linker's errors are shown."""


class LinkError(Exception):
    """There is no shared library; the message is one line."""


def link_flags(libraries: Sequence[str]) -> list[str]:
    """What a C compiler is given to link code that needs `libraries`, by path or by the loader's name."""
    flags: list[str] = []
    for library in libraries:
        if os.sep in library:
            path = os.path.realpath(library)
            flags += [path, f"-Wl,-rpath,{os.path.dirname(path)}"]
        else:
            flags.append(f"-l:{library}")
    return [*flags, "-lm", "-lpthread"]


def linked(code: bytes, name: str, libraries: Sequence[str]) -> bytes:
    """The shared library called `name` of the object file `code`, which needs `libraries`.

    Raises `LinkError` where no compiler or linker is found, or it fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "code.o"), Path(folder, "library.so")
        source.write_bytes(code)
        command = _command(str(source), str(target), name, libraries)
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise LinkError(f"cannot run '{command[0]}' to link the library: {error.strerror}") from None
        if done.returncode or not target.exists():
            said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
            raise LinkError(
                f"'{command[0]}' cannot link the library: {'; '.join(said[:_FEW]) or 'it does not say why'}"
            )
        return target.read_bytes()


def _command(source: str, target: str, name: str, libraries: Sequence[str]) -> list[str]:
    options = ["-z", "defs", "-z", "text", "-z", "noexecstack", "-z", "nodelete", "-soname", name]
    given = shlex.split(os.environ.get("CC", ""))
    compiler = given or next(([found] for one in _COMPILERS if (found := shutil.which(one))), None)
    if compiler:
        passed = [f"-Wl,{','.join(options)}"]
        return [*compiler, "-shared", "-o", target, source, *passed, *link_flags(libraries)]
    linker = next((found for one in _LINKERS if (found := shutil.which(one))), None)
    if linker is None:
        raise LinkError(
            "there is no C compiler or linker to make a shared library: install one (apt-get install gcc, or lld), "
            "name one by the environment variable CC, or make an object file (-o NAME.o) or an archive (-o NAME.a), "
            "and link that elsewhere"
        )
    flags = [flag.removeprefix("-Wl,").replace("-rpath,", "-rpath=") for flag in link_flags(libraries)[:-2]]
    return [linker, "-shared", "-o", target, source, *options, *flags, *_system_libraries()]


def _system_libraries() -> list[str]:
    """The paths of the C library and its parts as this process has them: a linker alone does not search for them."""
    for name in _SYSTEM:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
    mapped = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "/" in line}
    return sorted(path for path in mapped if os.path.basename(path) in _SYSTEM)
