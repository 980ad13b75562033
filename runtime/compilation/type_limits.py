"""How long a vector may be, and how large memory: LLVM takes minutes for long vectors, or ends the process.

The number of bytes of memory that no address space has wraps in native code, which then allocates a few.
"""

from __future__ import annotations

import math

from mlir import ir

from ...dialects.support.element_sizes import element_bytes
from ...passes.framework.diagnostics import file_location
from ...passes.framework.errors import PassError

__all__ = ["require_possible_types"]

_MOST_ELEMENTS = 1 << 15
"""Code for two ops on such vectors takes LLVM some ten seconds; no machine has registers for a hundredth of them."""
_MOST_BYTES = (1 << 63) - 1


def require_possible_types(root: ir.Operation) -> None:
    """Raise `PassError` for the first value in `root` that is a vector too long, or memory too large. Linear."""
    known: set[ir.Type] = set()
    found: list[tuple[ir.Operation, str]] = []
    advance, interrupt = ir.WalkResult.ADVANCE, ir.WalkResult.INTERRUPT

    def visit(op: ir.Operation) -> ir.WalkResult:
        for type_ in _types(op):
            if type_ not in known:
                known.add(type_)
                if (problem := _problem(type_)) is not None:
                    found.append((op, problem))
                    return interrupt
        return advance

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    for op, problem in found:
        place = file_location(op.location)
        where = f"{place.filename}:{place.start_line}:{place.start_col}: " if place else ""
        raise PassError(f"{where}{problem}")


def _problem(type_: ir.Type) -> str | None:
    """What is wrong with a type, and what to do; None if nothing is."""
    if isinstance(type_, ir.VectorType):
        count = math.prod(type_.shape)
        if count > _MOST_ELEMENTS:
            most = f"at most {_MOST_ELEMENTS} are possible; use a tensor instead"
            return f"a vector of {count} elements cannot be compiled, {most}"
    elif isinstance(type_, ir.RankedTensorType | ir.MemRefType) and type_.has_static_shape:
        try:
            size = math.prod(type_.shape) * element_bytes(type_.element_type)
        except ValueError:
            return None
        if size > _MOST_BYTES:
            return f"{type_} has {size} bytes, which no memory has; use at most {_MOST_BYTES}, or compute it in parts"
    return None


def _types(op: ir.Operation) -> list[ir.Type]:
    """The types of the results of `op`, and of arguments of its blocks."""
    found = list(op.results.types)
    if len(op.regions):
        found += [argument.type for region in op.regions for block in region for argument in block.arguments]
    return found
