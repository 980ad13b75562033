"""Walks over reachable blocks and ops.

In a block that cannot be reached an op may use what comes after it, or its own result, and the verifier does not mind;
nor does it in a region of an op that is not registered. What moves ops, or puts loops around them, would leave IR that
is not valid, and what follows operands would not end.

Linear in the ops; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir

__all__ = ["reachable_blocks", "walk_reachable"]

_WITHOUT_BRANCHES = frozenset({"arith", "linalg", "math", "tensor"})
"""Dialects whose ops have regions of one block, if any."""


def walk_reachable(root: ir.Operation, visit: Callable[[ir.Operation], ir.WalkResult]) -> None:
    """Call `visit` with `root` and the ops inside of it that can be reached, in the order of the text.

    Not with those inside of ops that are not registered.
    """
    unreachable: set[ir.Block] = set()
    plain: set[str] = set()

    def visit_reachable(op: ir.Operation) -> ir.WalkResult:
        if unreachable and op != root and op.block in unreachable:
            return ir.WalkResult.SKIP
        name = op.name
        if name in plain:
            return visit(op)
        if name.partition(".")[0] in _WITHOUT_BRANCHES:
            plain.add(name)
        elif len(op.regions):
            if not op.context.is_registered_operation(name):
                visit(op)
                return ir.WalkResult.SKIP
            for region in op.regions:
                blocks = list(region.blocks)
                if len(blocks) > 1:
                    unreachable.update(set(blocks) - _find_reachable(blocks))
        return visit(op)

    root.walk(visit_reachable, ir.WalkOrder.PRE_ORDER)


def reachable_blocks(region: ir.Region) -> list[ir.Block]:
    """Return the blocks of `region` that can be reached, in the order of the text."""
    blocks = list(region.blocks)
    if len(blocks) < 2:
        return blocks
    reachable = _find_reachable(blocks)
    return [block for block in blocks if block in reachable]


def _find_reachable(blocks: Sequence[ir.Block]) -> set[ir.Block]:
    found, work = {blocks[0]}, [blocks[0]]
    while work:
        new = set(work.pop().successors) - found
        found |= new
        work += new
    return found
