"""Cache of compiled programs on disk.

An entry is the machine code of one program with the forms of its entry points, or a program that a frontend has lowered
(`frontends/kept_modules.py`). Its name is a digest of all that it was made from: the text of the program, the settings,
this package's files, passes and op models of other packages, the bindings, and the processor. It is written atomically,
and starts with a digest of its content, so that a broken entry counts as missing; so does one that was written under
another name. The least recently used entries are removed when all together are larger than `MOST_BYTES`. Whoever writes
an entry executes code in the process that loads it: an entry of another user, but the superuser, or one that others may
write, is refused. A folder that this module creates is private.

A cache that nobody asked for holds what took `SLOW` seconds to compile, and is used only where the key tells all: not
with a pipeline or with op models of others, whose code may change under the same name.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import stat
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from ...dialects.registry import ENTRY_POINT_GROUP as OP_MODELS
from ...dialects.support.frozen_classes import frozen
from ...dialects.support.plugins import entry_points
from ...passes.analysis.schedule.machine import detect_machine
from ...passes.pipeline.registry import ENTRY_POINT_GROUP as PASSES
from .. import bindings
from ..atomic_file import replace_file
from ..interface.forms import Form, Layout, OutArgument

VARIABLE = "MLIR_INPLACE_CACHE"
"""The environment variable that names the folder if `cache` does not; `0` means no cache."""

SLOW = 0.3
"""How many seconds a compilation takes at least that is kept without having been asked for."""

MOST_BYTES = 1 << 30
"""The most bytes that one folder may hold."""

_ABANDONED = 3600
"""How many seconds after its last change a file that is being written belongs to a process that was killed."""

_MAGIC = b"mlir-inplace object 3\n"
_DIGEST = hashlib.sha256().digest_size
_SUPERUSER = 0
_SUFFIX = ".object"
_FOLDERS = ("dialects", "frontends", "passes", "runtime")
"""Whose files decide what a program is compiled to."""


@frozen
class Entry:
    """One compiled program: its object files, the forms of its functions, and whether callers own returned buffers.

    A lowered program is bytecode, and has no forms.
    """

    objects: tuple[bytes, ...]
    forms: dict[str, Form]
    owns_results: bool


@frozen
class CachePlace:
    """Where compiled programs are kept, and whether somebody asked for that."""

    folder: Path
    asked: bool = True


class DiskCache:
    """The entries in one folder, which is created when the first one is written."""

    def __init__(self, place: CachePlace) -> None:
        self._folder = place.folder
        self._asked = place.asked

    def load(self, key: str) -> Entry | None:
        """The entry of that key; None if there is none or it is broken."""
        path = self._folder / (key + _SUFFIX)
        try:
            with path.open("rb") as file:
                if not _is_ours(os.fstat(file.fileno())):
                    self._warn(f"{path} is not used: the program belongs to another user, or others may write it")
                    return None
                entry = _decode(file.read(), key)
            os.utime(path)
        except (OSError, ValueError, TypeError, LookupError):
            return None
        return entry

    def is_worth(self, seconds: float) -> bool:
        """Whether what took so long to compile is kept."""
        return self._asked or seconds >= SLOW

    def store(self, key: str, entry: Entry) -> None:
        """Write an entry. Where that fails nothing is left behind; a `RuntimeWarning` says so, if it was asked for."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(self._folder / (key + _SUFFIX), _encode(entry, key))
            self._make_room()
        except OSError as error:
            self._warn(f"cannot write to the cache of compiled programs: {error}")

    def _warn(self, problem: str) -> None:
        """Tell what is wrong with the cache, if somebody asked for it."""
        if self._asked:
            warnings.warn(problem, RuntimeWarning, stacklevel=3)

    def _make_room(self) -> None:
        """Remove the least recently used entries until the rest is at most nine tenths of `MOST_BYTES`.

        So are files of writers that were killed.
        """
        files: list[tuple[int, int, Path]] = []
        for path in self._folder.glob(f"*{_SUFFIX}*"):
            try:
                state = path.stat()
            except FileNotFoundError:
                continue  # another process was faster
            if path.suffix == _SUFFIX:
                files.append((state.st_mtime_ns, state.st_size, path))
            elif time.time() - state.st_mtime > _ABANDONED:
                path.unlink(missing_ok=True)
        total = sum(size for _, size, _ in files)
        if total <= MOST_BYTES:
            return
        for _, size, path in sorted(files):
            path.unlink(missing_ok=True)
            total -= size
            if total <= MOST_BYTES * 9 // 10:
                return


def cache_place(asked: object) -> CachePlace | None:
    """The place that the argument `cache` of `compile` means; None for no cache. Raises `TypeError`."""
    if asked is None:
        named = os.environ.get(VARIABLE)
        if named:
            return None if named == "0" else CachePlace(Path(named))
        folder = _user_folder()
        return folder and CachePlace(folder, asked=False)
    if asked is True:
        folder = _user_folder()
        if folder is None:
            raise TypeError("cache=True needs a home folder, which this user does not have; give a folder instead")
        return CachePlace(folder)
    if asked is False:
        return None
    if isinstance(asked, (str, os.PathLike)) and str(asked):
        return CachePlace(Path(asked))
    raise TypeError(f"cache must be None, a bool or the path of a folder, got {asked!r}")


def _user_folder() -> Path | None:
    """The folder in the user's cache folder; None if there is no home."""
    try:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    except RuntimeError:
        return None
    return Path(base) / "mlir-inplace"


@cache
def plugins() -> tuple[tuple[str, ...], ...]:
    """The passes and op models of other packages, with the versions of these."""
    points = (point for group in (PASSES, OP_MODELS) for point in entry_points(group=group))
    found = ((p.group, p.name, p.value, *((p.dist.name, p.dist.version) if p.dist else ())) for p in points)
    return tuple(sorted(found))


def cache_key(text: str, *settings: object) -> str:
    """The key of the program `text` with `settings`; different settings must have different `repr`s."""
    digest = hashlib.sha256()
    for part in (text, repr(settings), _environment(), str(detect_machine())):
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.hexdigest()


def code_key(text: str) -> str:
    """The key of code that is made from `text` alone, for this processor, without passes of ours."""
    return hashlib.sha256(
        "\n".join((text, bindings.llvm_version(), platform.machine(), _processor())).encode()
    ).hexdigest()


@cache
def _environment() -> str:
    """The part of a key that all programs of a process share."""
    provider = bindings.install()
    package = Path(__file__).parents[2]
    ours = [file for folder in _FOLDERS for file in _files(str(package / folder), ".py")]
    native = _files(str(Path(provider.location) / "_mlir_libs"), ".so")
    facts: list[Any] = [sorted(ours), sorted(native)]
    facts += [provider.package, bindings.llvm_version(), plugins(), platform.machine(), _processor()]
    return repr(facts)


def _files(folder: str, part: str) -> Iterator[tuple[str, int, int]]:
    """Yield the files below a folder whose names contain `part`: path, size, and when each was changed."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path, part)
            elif part in entry.name:
                state = entry.stat()
                yield entry.path, state.st_size, state.st_mtime_ns


def _processor() -> str:
    """The model and features of the processor, for which code is generated."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return "\n".join(sorted({line for line in lines if line.startswith(("model", "flags", "vendor"))}))


def _is_ours(state: os.stat_result) -> bool:
    """Whether a file can have been written by this user or the superuser only."""
    return state.st_uid in (os.geteuid(), _SUPERUSER) and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _encode(entry: Entry, key: str) -> bytes:
    described = {
        "key": key,
        "forms": {name: asdict(form) for name, form in entry.forms.items()},
        "owns": entry.owns_results,
        "sizes": [len(code) for code in entry.objects],
    }
    header = json.dumps(described).encode()
    content = len(header).to_bytes(8, "little") + header + b"".join(entry.objects)
    return _MAGIC + hashlib.sha256(content).digest() + content


def _decode(data: bytes, key: str) -> Entry:
    start = len(_MAGIC) + _DIGEST
    content = data[start:]
    if not data.startswith(_MAGIC) or hashlib.sha256(content).digest() != data[len(_MAGIC) : start]:
        raise ValueError("broken")
    end = 8 + int.from_bytes(content[:8], "little")
    described = json.loads(content[8:end])
    if described["key"] != key:
        raise ValueError("another program")
    ends = [end, *accumulate(described["sizes"], initial=end)][1:]
    objects = tuple(content[start:end] for start, end in pairwise(ends))
    return Entry(objects, {name: _form(form) for name, form in described["forms"].items()}, described["owns"])


def _form(found: dict[str, Any]) -> Form:
    layouts = tuple(
        layout and Layout(**(layout | {"strides": tuple(layout["strides"])})) for layout in found["layouts"]
    )
    outs = tuple(OutArgument(out["result"], tuple(out["shape"]), out["alignment"]) for out in found["outs"])
    return Form(layouts, outs, tuple(found["results"]))
