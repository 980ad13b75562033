"""Workgroup-invariant ops of a dispatch function, which can be hoisted in front of the grid.

An op is known ahead if it has no effect, can neither trap nor read memory, and all its operands are known ahead. Then
it may run speculatively, even if no workgroup does. An op that may violate this stays in the grid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mlir import ir

from ....dialects.support.constants import constant_integer

__all__ = ["find_known_ahead", "needed_ahead"]

_DIVISIONS = frozenset(
    f"arith.{name}" for name in ("ceildivsi", "ceildivui", "divsi", "divui", "floordivsi", "remsi", "remui")
)
_VIEWS = frozenset(("memref.cast", "memref.reinterpret_cast", "memref.subview", "memref.view"))
_INTERFACE = frozenset(("dispatch.binding", "dispatch.push_constant", "dispatch.tie_shape"))
_AFFINE = frozenset(("affine.apply", "affine.max", "affine.min"))


def find_known_ahead(
    entry: ir.Block, order: Iterable[ir.Operation], is_given: Callable[[ir.Operation], bool]
) -> list[ir.Operation]:
    """Return the ops of `order` (a pre-order walk) that are known ahead, in topological order.

    `is_given`: whether a grid op (`dispatch.workgroup_id`, …) has the same result in all workgroups. Linear in
    operands.
    """
    known: set[ir.Value] = set(entry.arguments)
    found: list[ir.Operation] = []
    for op in order:
        can = is_given(op) if op.name.startswith("dispatch.workgroup_") else _can_run_anywhere(op)
        if can and all(operand in known for operand in op.operands):
            found.append(op)
            known.update(op.results)
    return found


def _can_run_anywhere(op: ir.Operation) -> bool:
    """Whether `op` may be executed speculatively."""
    name = op.name
    if name in _DIVISIONS:
        # A dynamic divisor may be zero where no workgroup runs.
        return (constant_integer(op.operands[1]) or 0) > 0
    if name == "memref.dim":
        return constant_integer(op.operands[1]) is not None
    if name in _AFFINE:
        return all(map(_divides_by_constants, ir.AffineMapAttr(op.attributes["map"]).value.results))
    return name.startswith("arith.") or name in _VIEWS or name in _INTERFACE


def _divides_by_constants(root: ir.AffineExpr) -> bool:
    """Whether each divisor in an affine expression is a positive constant."""
    pending = [root]
    while pending:
        expression = pending.pop()
        if isinstance(expression, ir.AffineBinaryExpr):
            pending += [expression.lhs, expression.rhs]
        if isinstance(expression, (ir.AffineFloorDivExpr, ir.AffineCeilDivExpr, ir.AffineModExpr)):
            divisor = expression.rhs
            if not isinstance(divisor, ir.AffineConstantExpr) or divisor.value <= 0:
                return False
    return True


def needed_ahead(entry: ir.Block, known: Sequence[ir.Operation], wanted: Iterable[ir.Value]) -> list[ir.Operation]:
    """Return the ops to hoist, in order: those of `known` in the entry block, and those that `wanted` depends on.

    Linear in operands.
    """
    needed = set(wanted)
    chosen: list[ir.Operation] = []
    for op in reversed(known):
        if op.block == entry or any(result in needed for result in op.results):
            chosen.append(op)
            needed.update(op.operands)
    return chosen[::-1]
