"""Whether a payload is pure, so that its iterations may be moved and reordered.

Pure are only ops known to have no effect: arithmetic, reads of tensors (which are values), and conditionals and counted
or parallel loops around these. Reads of memory count as effects, since other ops may write it; so do calls, assertions
and loops that may not terminate.

Linear in the ops; nothing is changed.
"""

from __future__ import annotations

from mlir import ir

__all__ = ["find_effect", "is_pure"]

_DIALECTS = frozenset({"arith", "complex", "index", "linalg", "math", "tensor", "vector"})
"""Ops of these dialects without memrefs are pure, except for those in `_EFFECTS`."""
_EFFECTS = frozenset({"vector.print"})
_OTHERS = frozenset(
    {
        "affine.apply",
        "affine.delinearize_index",
        "affine.linearize_index",
        "affine.max",
        "affine.min",
        "bufferization.alloc_tensor",
        "bufferization.materialize_in_destination",
        "builtin.unrealized_conversion_cast",
        "scf.execute_region",
        "scf.for",
        "scf.forall",
        "scf.forall.in_parallel",
        "scf.if",
        "scf.index_switch",
        "scf.parallel",
        "scf.reduce",
        "scf.reduce.return",
        "scf.yield",
        "ub.poison",
    }
)
_SIZE = "memref.dim"
_MEMREFS = ir.MemRefType | ir.UnrankedMemRefType


def find_effect(payload: ir.Block) -> str | None:
    """Return the name of an op in `payload`, or in one of its ops, that may have an effect; None if there is none."""
    work = [payload]
    while work:
        for view in work.pop().operations:
            op = view.operation
            if not is_pure(op):
                return op.name
            if len(op.regions):
                work += [block for region in op.regions for block in region]
    return None


def is_pure(op: ir.Operation) -> bool:
    """Whether `op`, not counting nested ops, is pure."""
    name = op.name
    if name == _SIZE:
        return True
    known = name in _OTHERS or (name.partition(".")[0] in _DIALECTS and name not in _EFFECTS)
    return known and not any(isinstance(value.type, _MEMREFS) for value in op.operands)
