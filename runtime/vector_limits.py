"""How long a vector may be: LLVM takes minutes for very long ones, or ends the process."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mlir import ir

from ..passes.diagnostics import file_location
from ..passes.errors import PassError

__all__ = ["require_short_vectors"]

_MOST_ELEMENTS = 1 << 15
"""Code for two ops on such vectors takes LLVM some ten seconds; no machine has registers for a hundredth of them."""


def require_short_vectors(root: ir.Operation) -> None:
    """Raise `PassError` for the first value in `root` that is a vector too long to be compiled. Linear."""
    short: set[ir.Type] = set()
    for op, type_ in _types(root):
        if type_ in short:
            continue
        count = math.prod(type_.shape) if isinstance(type_, ir.VectorType) else 1
        if count > _MOST_ELEMENTS:
            place = file_location(op.location)
            where = f"{place.filename}:{place.start_line}:{place.start_col}: " if place else ""
            raise PassError(
                f"{where}a vector of {count} elements cannot be compiled, at most {_MOST_ELEMENTS} are possible; "
                "use a tensor instead"
            )
        short.add(type_)


def _types(root: ir.Operation) -> Iterator[tuple[ir.Operation, ir.Type]]:
    """The types of all results of ops in `root`, and of arguments of blocks, each with its op."""
    waiting = [root]
    while waiting:
        op = waiting.pop()
        for result in op.results:
            yield op, result.type
        for region in op.regions:
            for block in region:
                for argument in block.arguments:
                    yield op, argument.type
                waiting += [inner.operation for inner in block]
