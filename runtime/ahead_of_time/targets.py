"""Processors that code is compiled for: the build machine's, or levels of x86-64, of which a library may have several.

A function is compiled for a level by attributes of LLVM, and `optimize` for a machine with the level's vectors.
"""

from __future__ import annotations

import platform

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ...passes.analysis.schedule.machine import detect_machine
from ...passes.framework.errors import nearest

__all__ = ["LEVELS", "NATIVE", "Target", "parse_targets", "set_target"]

NATIVE = "native"
LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
"""What psABI calls microarchitecture levels, in their order; `cpu_code.py` has the features of each."""
_MACHINES = {
    "x86-64": "vector-bits=128 registers=16",
    "x86-64-v2": "vector-bits=128 registers=16",
    "x86-64-v3": "vector-bits=256 registers=16",
    "x86-64-v4": "vector-bits=512 registers=32",
}
_HAS_LEVELS = platform.machine() == "x86_64"


@frozen
class Target:
    """A processor: `NATIVE`, or one of `LEVELS`."""

    name: str

    @property
    def level(self) -> int:
        """The number of the level from 1 on; 0 for code that does not ask which processor it runs on."""
        return 0 if self.name == NATIVE else LEVELS.index(self.name) + 1

    def machine(self, given: str) -> str:
        """The properties of the machine that `optimize` makes code for; `given` ones come first."""
        if self.name == NATIVE:
            return given
        return str(detect_machine().override(_MACHINES[self.name]).override(given))


def parse_targets(text: str) -> tuple[Target, ...]:
    """The processors in a list between commas, lower levels first; raises `ValueError`."""
    names = text.split(",")
    for name in names:
        if name == NATIVE and len(names) > 1:
            raise ValueError(f"'{NATIVE}' stands alone: no level says what this machine's processor has")
        if name != NATIVE and name not in LEVELS:
            raise ValueError(f"there is no '{name}'{nearest(name, (NATIVE, *LEVELS))}; known are {_known()}")
        if name != NATIVE and not _HAS_LEVELS:
            raise ValueError(f"'{name}' is a level of x86-64, and this machine is {platform.machine()}; use '{NATIVE}'")
        if names.count(name) > 1:
            raise ValueError(f"'{name}' is given twice")
    return tuple(sorted(map(Target, names), key=lambda target: target.level))


def _known() -> str:
    return ", ".join((NATIVE, *LEVELS))


def set_target(function: ir.Operation, level: str) -> None:
    """Compile an `llvm.func` for a level. Without this it is compiled for the build machine's processor."""
    # With features of its own, however few, a function gets none of those of the build machine.
    function.attributes["target_cpu"] = ir.StringAttr.get(level)
    function.attributes["target_features"] = ir.Attribute.parse('#llvm.target_features<["+sse2"]>')
