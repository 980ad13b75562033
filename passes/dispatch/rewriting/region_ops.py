"""Region ops that forward more values: further operands, block arguments, yielded values and results.

Each function appends at the end, where ``scf.for``, ``scf.while``, ``scf.if``, ``scf.index_switch``,
``scf.execute_region`` and ``scf.forall`` have the values that they forward. Linear in the operands and results.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ....dialects.support.cloning import attributes_of, rebuild

__all__ = ["extend_op", "extend_terminator"]


def extend_terminator(op: ir.Operation, values: Sequence[ir.Value]) -> None:
    """Replace terminator ``op`` by one that also forwards ``values``."""
    ir.Operation.create(
        op.name,
        operands=[*op.operands, *values],
        attributes=attributes_of(op),
        ip=ir.InsertionPoint(op),
        loc=op.location,
    )
    op.erase()


def extend_op(op: ir.Operation, operands: Sequence[ir.Value], types: Sequence[ir.Type]) -> list[ir.Value]:
    """Replace ``op`` by one with further ``operands`` and results of ``types``; return these results."""
    old = list(op.results)
    if op.name == "scf.forall":
        *segments, outputs = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
        op.attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([*segments, outputs + len(operands)])
    new = rebuild(op, [*op.operands, *operands], [*(result.type for result in old), *types])
    results: list[ir.Value] = list(new.results)
    for result, replacement in zip(old, results[: len(old)], strict=True):
        result.replace_all_uses_with(replacement)
    op.erase()
    return results[len(old) :]
