"""The signature of an elementwise op, from which the function that computes it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlir import ir

from .elements import Element

__all__ = ["ElementwiseSignature", "Function", "Maker"]

Function = Callable[..., Any]
"""From the values of an op's operands to its result."""


@dataclass(frozen=True)
class ElementwiseSignature:
    """An elementwise op and the element types of its operands and results."""

    op: ir.Operation
    operands: tuple[Element, ...]
    results: tuple[Element, ...]

    @property
    def predicate(self) -> int:
        """The number of a comparison's predicate."""
        return ir.IntegerAttr(self.op.attributes["predicate"]).value


Maker = Callable[[ElementwiseSignature], Function]
"""Makes the function that computes an op on NumPy arrays, or on NumPy scalars of exactly the operands' types."""
