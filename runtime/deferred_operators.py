"""Upstream's operators of linalg, written in its domain-specific language, are defined when one is first used.

`mlir.dialects.linalg` defines a builder for each of some 80 named ops by running the language, which takes longer than
importing all the rest of the bindings. The bindings import that module by themselves when they meet an op of linalg,
and few programs build one by name. So the module that holds the builders has stand-ins until one is called, or
anything else is asked of it or of `linalg`. `linalg` also uses names that the language happens to pass on; so this is
done only where the files are those that it was written for, and in other versions linalg takes longer to import.
`bindings.py`, the gate to the bindings, installs the finder that does it.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import typing
import zlib
from collections.abc import Sequence
from functools import cached_property
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["KNOWN", "OperatorFinder", "checksum"]

_LINALG = "dialects.linalg"
_OPERATORS = "opdsl.ops.core_named_ops"

_DEFINITION = re.compile(r"^def (\w+)\(", re.MULTILINE)


KNOWN = frozenset({2846093026})
"""The checksums of the files that stand-ins are right for."""


def checksum(file: Path) -> int:
    """The checksum of the operators in `file`, and of `linalg`, which imports them."""
    linalg = file.parents[len(_OPERATORS.split(".")) - 1] / "__init__.py"
    return zlib.crc32(file.read_bytes(), zlib.crc32(linalg.read_bytes()))


class OperatorFinder:
    """Finds the module of operators of the bindings `package`, and nothing else; its own file is the one to defer."""

    def __init__(self, package: str) -> None:
        self._linalg = f"{package}.{_LINALG}"

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec that loads stand-ins; None for any other module."""
        if fullname != f"{self._linalg}.{_OPERATORS}":
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is None or spec.loader is None or spec.origin is None or checksum(Path(spec.origin)) not in KNOWN:
            return None
        loader: Any = _Operators(spec, self._linalg)
        return ModuleSpec(fullname, loader, origin=spec.origin)


class _Operators:
    """A loader that gives a module stand-ins for the functions of the file that `spec` has found."""

    def __init__(self, spec: ModuleSpec, linalg: str) -> None:
        self._spec, self._linalg = spec, linalg

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """None: an ordinary module."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Define a stand-in for each function of the file, and `__getattr__` for all else.

        `linalg` imports all names, the last among them, and so asks for what it lacks here. It uses the other ones.
        """
        vars(module).update((name, getattr(typing, name)) for name in typing.__all__)
        vars(module)["ir"] = importlib.import_module(f"{self._linalg.removesuffix(_LINALG)}ir")
        assert self._spec.origin is not None
        for name in _DEFINITION.findall(Path(self._spec.origin).read_text()):
            setattr(module, name, _Operator(self, name))
        vars(module)["__all__"] = [name for name in vars(module) if not name.startswith("__")] + ["__getattr__"]
        vars(module)["__getattr__"] = self._find

    @cached_property
    def module(self) -> ModuleType:
        """The module itself, as upstream has it."""
        found = importlib.util.module_from_spec(self._spec)
        assert self._spec.loader is not None
        self._spec.loader.exec_module(found)
        return found

    def _find(self, name: str) -> Any:
        if name.startswith("__"):
            if name == "__all__":  # `linalg` is asked for it, and has none.
                self._fill_in()
            raise AttributeError(name)
        return getattr(self.module, name)

    def _fill_in(self) -> None:
        """Put all names where `from mlir.dialects.linalg import *` looks for them."""
        linalg = sys.modules[self._linalg]
        for name, value in vars(self.module).items():
            if not name.startswith("_"):
                vars(linalg).setdefault(name, value)


class _Operator:
    """The stand-in of one builder."""

    def __init__(self, operators: _Operators, name: str) -> None:
        self._operators, self._name = operators, name

    def __call__(self, *operands: Any, **named: Any) -> Any:
        return getattr(self._operators.module, self._name)(*operands, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(self._operators.module, self._name), name)
