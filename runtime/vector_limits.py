"""How long a vector may be: LLVM takes minutes for very long ones, or ends the process."""

from __future__ import annotations

import math

from mlir import ir

from ..passes.diagnostics import file_location
from ..passes.errors import PassError

__all__ = ["require_short_vectors"]

_MOST_ELEMENTS = 1 << 15
"""Code for two ops on such vectors takes LLVM some ten seconds; no machine has registers for a hundredth of them."""


def require_short_vectors(root: ir.Operation) -> None:
    """Raise `PassError` for the first value in `root` that is a vector too long to be compiled. Linear."""
    known: set[ir.Type] = set()
    found: list[tuple[ir.Operation, int]] = []
    advance, interrupt = ir.WalkResult.ADVANCE, ir.WalkResult.INTERRUPT

    def visit(op: ir.Operation) -> ir.WalkResult:
        for type_ in _types(op):
            if type_ not in known:
                known.add(type_)
                count = math.prod(type_.shape) if isinstance(type_, ir.VectorType) else 1
                if count > _MOST_ELEMENTS:
                    found.append((op, count))
                    return interrupt
        return advance

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    for op, count in found:
        place = file_location(op.location)
        where = f"{place.filename}:{place.start_line}:{place.start_col}: " if place else ""
        raise PassError(
            f"{where}a vector of {count} elements cannot be compiled, at most {_MOST_ELEMENTS} are possible; "
            "use a tensor instead"
        )


def _types(op: ir.Operation) -> list[ir.Type]:
    """The types of the results of `op`, and of arguments of its blocks."""
    found = [result.type for result in op.results]
    if len(op.regions):
        found += [argument.type for region in op.regions for block in region for argument in block.arguments]
    return found
