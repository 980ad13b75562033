"""Locations in the place of attributes: `{a = loc(unknown)}` is valid, and the bindings cannot read it.

They hand an attribute that is a location to the class of that location, which takes locations only: a TypeError, or the
end of the process where the attribute is read from a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from mlir import ir

__all__ = ["read_location_attributes"]

_CLASSES: tuple[Any, ...] = (ir.UnknownLoc, ir.FileLineColLoc, ir.NameLoc, ir.CallSiteLoc, ir.FusedLoc)


@cache
def read_location_attributes() -> None:
    """From now on such an attribute is read as a plain `ir.Attribute`; locations are read as ever. Once per process."""
    for location in _CLASSES:
        ir.register_type_caster(location.static_typeid, replace=True)(_caster(location))


def _caster(location: Any) -> Callable[[Any], Any]:
    return lambda value: value if isinstance(value, ir.Attribute) else location(value)
