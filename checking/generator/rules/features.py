"""All productions: importing their modules registers them. The order of the modules is part of what a seed means."""

from __future__ import annotations

import importlib

from ..building.productions import REGISTERED, Production

__all__ = ["PRODUCTIONS"]

_MODULES = (
    ".slices",
    "..building.structured",
    ".named",
    ".elementwise",
    ".reshapes",
    ".creation",
    ".indexed",
    ".packing",
    ".vectors",
    ".loops",
    ".indices",
    ".branches",
    ".parallel",
    ".memory",
    ".calls",
)

_NAMES = [importlib.import_module(name, __package__).__name__ for name in _MODULES]

PRODUCTIONS: tuple[Production, ...] = tuple(sorted(REGISTERED, key=lambda p: _NAMES.index(p.rule.__module__)))
"""All productions, in the same order whatever was imported first."""
