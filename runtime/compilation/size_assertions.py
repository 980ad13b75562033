"""Run-time assertions that the operands of structured ops agree about sizes.

Upstream's `generate-runtime-verification` checks that too, but not for loops with trip count zero: there, sizes 0 and 4
pass. The result of such an op is undefined, so the program must stop before.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import arith, cf, linalg, memref

from ...passes.analysis.ir.traversal import find_ops

_FAILURE = "ERROR: Runtime op verification failed\n"

Place = tuple[ir.Value, int]
"""One dimension of a memref."""


def verify_sizes(module: ir.Operation) -> None:
    """Insert an assertion before each structured op on memrefs whose sizes may disagree. Linear in the operations."""

    def is_structured(op: ir.Operation) -> bool:
        return op.name.startswith("linalg.") and len(op.regions) == 1 and not len(op.results)

    for op in find_ops(module, where=is_structured):
        for first, other in _pairs(op):
            with ir.InsertionPoint(op), op.location:
                same = arith.cmpi(arith.CmpIPredicate.eq, _size(first), _size(other))
                cf.assert_(same, f"{_FAILURE}^ operands of '{op.name}' disagree about a size")


def _pairs(op: ir.Operation) -> Iterator[tuple[Place, Place]]:
    """Pairs of operand dimensions that one loop indexes and whose static sizes do not prove them equal."""
    maps = linalg.get_indexing_maps(op)
    if maps is None:
        return
    firsts: dict[int, Place] = {}
    for value, attribute in zip(op.operands, maps, strict=True):
        if not isinstance(value.type, ir.MemRefType):
            continue
        for dimension, expression in enumerate(ir.AffineMapAttr(attribute).value.results):
            if not isinstance(expression, ir.AffineDimExpr):
                continue
            loop = expression.position
            first = firsts.setdefault(loop, (value, dimension))
            if not _is_one_size(first, (value, dimension)):
                yield first, (value, dimension)


def _is_one_size(first: Place, other: Place) -> bool:
    if first == other:
        return True
    sizes = [ir.MemRefType(value.type).shape[dimension] for value, dimension in (first, other)]
    return sizes[0] == sizes[1] and not ir.ShapedType.is_dynamic_size(sizes[0])


def _size(place: Place) -> ir.Value:
    value, dimension = place
    return memref.dim(value, arith.constant(ir.IndexType.get(), dimension))
