"""Limits of types: LLVM takes minutes for long vectors, or ends the process.

The size in bytes of a memref larger than the address space wraps in native code, which then allocates too little.
"""

from __future__ import annotations

import math

from mlir import ir

from ...passes.analysis.dispatch.ranges import byte_size
from ...passes.analysis.ir.traversal import first_op
from ...passes.framework.diagnostics import located
from ...passes.framework.errors import PassError

__all__ = ["require_possible_types"]

_MOST_ELEMENTS = 1 << 15
"""Code for two ops on such vectors takes LLVM some ten seconds; no machine has registers for a hundredth of them."""
_MOST_BYTES = (1 << 63) - 1


def require_possible_types(root: ir.Operation) -> None:
    """Raise `PassError` for the first value in `root` whose type is too large a vector, tensor or memref. Linear."""
    possible: set[ir.Type] = set()

    def is_impossible(op: ir.Operation) -> bool:
        for type_ in _types(op):
            if type_ not in possible:
                if _problem(type_) is not None:
                    return True
                possible.add(type_)
        return False

    if (op := first_op(root, is_impossible)) is not None:
        problem = next(filter(None, map(_problem, _types(op))), "")
        raise PassError(located(op.location, problem))


def _problem(type_: ir.Type) -> str | None:
    """What is wrong with a type, and what to do; None if nothing is."""
    if isinstance(type_, ir.VectorType):
        count = math.prod(type_.shape)
        if count > _MOST_ELEMENTS:
            most = f"at most {_MOST_ELEMENTS} are possible; use a tensor instead"
            return f"a vector of {count} elements cannot be compiled, {most}"
    elif isinstance(type_, ir.RankedTensorType | ir.MemRefType):
        size = byte_size(type_)
        if size is not None and size > _MOST_BYTES:
            return f"{type_} has {size} bytes, which no memory has; use at most {_MOST_BYTES}, or compute it in parts"
    return None


def _types(op: ir.Operation) -> list[ir.Type]:
    """The types of the results of `op`, and of arguments of its blocks."""
    found = list(op.results.types)
    if len(op.regions):
        found += [argument.type for region in op.regions for block in region for argument in block.arguments]
    return found
