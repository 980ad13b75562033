"""Reading programs: text, bytecode, files. What parses them is imported when it is used (`parsing.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .parsing import IR, Source, parse_source, private_copy

__all__ = ["IR", "Source", "parse_source", "private_copy"]


def __getattr__(name: str) -> Any:
    """A public name, from the module that defines it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import parsing

    return getattr(parsing, name)
