"""What an elementwise op is, seen from the function that computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlir import ir

from .elements import Element

__all__ = ["ElementwiseSignature", "Maker"]


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


Maker = Callable[[ElementwiseSignature], Callable[..., Any]]
"""Makes the function on NumPy arrays or scalars of exactly the operands' types that computes an op."""
