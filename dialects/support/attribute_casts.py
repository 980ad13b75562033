"""Type casters for valid attributes that the bindings cannot read.

An attribute that is a location, `{a = loc(unknown)}`, is handed to the class of that location, which takes locations
only: a TypeError, or the end of the process where the attribute is read from a dictionary. Dense elements are handed to
the classes for integers and floats, which refuse complex numbers: a TypeError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir

__all__ = ["read_every_attribute"]

_LOCATIONS: tuple[Any, ...] = (ir.UnknownLoc, ir.FileLineColLoc, ir.NameLoc, ir.CallSiteLoc, ir.FusedLoc)


_registered: list[bool] = []


def read_every_attribute(context: ir.Context) -> None:
    """Register casters that read them as the most general class that fits, in `context` and all others; once."""
    if _registered:
        return
    _registered.append(True)
    for location in _LOCATIONS:
        ir.register_type_caster(location.static_typeid, replace=True)(_location_caster(location))
    dense = ir.Attribute.parse("dense<0> : tensor<1xi8>", context).typeid
    ir.register_type_caster(dense, replace=True)(_cast_dense)


def _location_caster(location: Any) -> Callable[[Any], Any]:
    return lambda value: value if isinstance(value, ir.Attribute) else location(value)


def _cast_dense(value: Any) -> ir.DenseElementsAttr:
    dense = ir.DenseElementsAttr(value)
    element = ir.ShapedType(dense.type).element_type
    if isinstance(element, (ir.IntegerType, ir.IndexType)):
        return ir.DenseIntElementsAttr(value)
    return ir.DenseFPElementsAttr(value) if isinstance(element, ir.FloatType) else dense
