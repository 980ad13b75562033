"""The machine model of schedules: vectors, registers, caches and cores; detected, or given.

Detection reads Linux's description of the first core (`/proc/cpuinfo`, `/sys/devices/system/cpu`); properties not found
there default to a common x86-64 machine. `Machine().override(str(machine)) == machine`.

Sizes of caches are in bytes, of vectors in bits.
"""

from __future__ import annotations

import os
import re
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

from ....dialects.support.frozen_classes import frozen

__all__ = ["Machine", "detect_machine"]

_CPUINFO = Path("/proc/cpuinfo")
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

_HALVES = ("AuthenticAMD", "25")
"""Zen 4, which has vectors of 512 bits and loads and stores their halves (Zen 3 is of this family too)."""
_FEWEST_BITS = 64
"""No vector register is smaller: that of an element of f64."""
_WIDTHS = ("vector_bits", "load_bits")
_MOST = {"vector_bits": 1 << 16, "registers": 1 << 10, "cores": 1 << 16, "load_bits": 1 << 16}
_MOST_BYTES = 1 << 40
"""Larger than any machine has; sizes of vectors and tiles are computed from these, and must fit an index."""


@frozen
class Machine:
    """A core, its caches, and the number of cores.

    Attributes:
        vector_bits: the width of a vector register.
        registers: how many vector registers there are.
        l1: the bytes of the data cache next to a core.
        l2: the bytes of the cache behind it.
        l3: the bytes of the last cache, which cores share.
        cores: how many threads can run at a time.
        load_bits: how many bits are loaded at once; a wider vector takes several steps.
    """

    vector_bits: int = 256
    registers: int = 16
    l1: int = 32 << 10
    l2: int = 512 << 10
    l3: int = 8 << 20
    cores: int = 1
    load_bits: int = 256

    def __str__(self) -> str:
        return " ".join(f"{one.name.replace('_', '-')}={getattr(self, one.name)}" for one in fields(self))

    def lanes(self, element_bits: int) -> int:
        """Return how many elements of `element_bits` a vector register holds."""
        return max(1, self.vector_bits // element_bits)

    def override(self, text: str) -> Machine:
        """Return this machine with the values of `text`, such as `vector-bits=512 cores=2`.

        As many bits as a vector has are loaded at once if only those of a vector are given.

        Raises:
            ValueError: a name is unknown or has two values; a value is no positive integer, or none that a machine has.
            TypeError: `text` is no text.
        """
        # Users of `compile` pass it too, and nothing has checked its type.
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"a machine must be text such as 'vector-bits=256 l2=524288', got {type(text).__name__}")
        known = {one.name.replace("_", "-"): one.name for one in fields(self)}
        values: dict[str, int] = {}
        for part in text.split():
            name, _, value = part.partition("=")
            if name not in known:
                raise ValueError(f"unknown property '{name}' of a machine; known are {', '.join(known)}")
            number = _positive(name, value, _MOST.get(known[name], _MOST_BYTES))
            if known[name] in _WIDTHS and (number < _FEWEST_BITS or number.bit_count() > 1):
                least = f"must be a power of two of at least {_FEWEST_BITS}"
                raise ValueError(f"the property '{name}' of a machine {least}, got '{value}'")
            if values.setdefault(known[name], number) != number:
                first = values[known[name]]
                raise ValueError(f"the property '{name}' of a machine is given twice, as {first} and {number}")
        if "vector_bits" in values:
            values.setdefault("load_bits", values["vector_bits"])
        return replace(self, **values)


def _positive(name: str, value: str, most: int) -> int:
    """Parse `value`; raises `ValueError` if it is not an integer from 1 to `most`."""
    # Python limits the number of digits that `int` parses.
    digits = value.lstrip("0")
    if not (digits.isascii() and digits.isdecimal()):
        raise ValueError(f"the property '{name}' of a machine must be a positive integer, got '{value}'")
    if len(digits) > len(str(most)) or int(digits) > most:
        raise ValueError(f"the property '{name}' of a machine must be at most {most}, got '{value}'")
    return int(digits)


def detect_machine() -> Machine:
    """Return the machine that this process runs on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return replace(_processor(), cores=cores)


@cache
def _processor() -> Machine:
    """Return what stays while the process runs; the number of cores it may use can change."""
    flags = set(_property("flags").split())
    wide = "avx512f" in flags
    bits = 512 if wide else 256 if "avx" in flags else 128
    in_halves = (_property("vendor_id"), _property("cpu family")) == _HALVES
    machine = Machine(vector_bits=bits, registers=32 if wide else 16, load_bits=256 if in_halves else bits)
    return replace(machine, **_cache_sizes())


def _property(name: str) -> str:
    """Return what Linux says of the first core."""
    match = re.search(rf"^{name}\s*: (.*)$", _read(_CPUINFO), re.MULTILINE)
    return match[1] if match else ""


def _cache_sizes() -> dict[str, int]:
    """Return the sizes of the caches that Linux lists for the first core."""
    sizes: dict[str, int] = {}
    for entry in sorted(_CACHES.glob("index*")):
        level, kind = _read(entry / "level").strip(), _read(entry / "type").strip()
        match = re.fullmatch(r"(\d+)([KMG]?)", _read(entry / "size").strip())
        if match and kind in {"Data", "Unified"} and level in {"1", "2", "3"}:
            sizes[f"l{level}"] = int(match[1]) * _UNITS[match[2]]
    return sizes


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
