"""Producers whose only user is a linalg op, to be fused into its tiles.

These are fills of the init of a reduction, and transpositions. The latter matter more: a large transposed matrix goes
to memory and back, a transposed tile is read from the nearest cache.

Linear in the operands; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Collection

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ..linalg.structured_op import Structured, read_structured
from ..repetition.bodies import KERNEL_MARK

__all__ = ["find_fills", "find_transpositions", "is_own_transposition"]

_EMPTY, _FILL, _TRANSPOSE = "tensor.empty", "linalg.fill", "linalg.transpose"


def find_fills(root: Structured) -> list[Structured]:
    """Return the fills of inits of `root` that have no other user."""
    inits = [root.op.operands[number] for number in root.outputs if root.reads[number]]
    fills = [defining_op(init, _FILL) for init in inits if len(list(init.uses)) == 1]
    return [read_structured(fill) for fill in fills if fill is not None]


def find_transpositions(root: Structured, loops: Collection[int]) -> list[Structured]:
    """Return the transpositions in the block of `root` that only it reads, and of which a tile of `loops` needs a tile.

    None is read at a sum with one of `loops`, where the tile would begin elsewhere. All of them depend on all `loops`,
    else they would be computed again. None is a kernel, which is optimized as a whole.
    """
    found: list[Structured] = []
    for operand in range(root.inputs):
        value = root.op.operands[operand]
        op = defining_op(value, _TRANSPOSE)
        if op is None:
            continue
        is_own = op.block == root.op.block and len(list(value.uses)) == 1
        indices = root.indices[operand]
        is_simple = all(index.loop is not None or not any(index.coefficient(one) for one in loops) for index in indices)
        moves = set(loops) <= {index.loop for index in indices}
        if is_own and is_own_transposition(op) and is_simple and moves:
            found.append(read_structured(op))
    return found


def is_own_transposition(op: ir.Operation) -> bool:
    """Return whether `linalg.transpose` `op` can be computed in parts where they are read: no init, and no mark."""
    return defining_op(op.operands[1], _EMPTY) is not None and KERNEL_MARK not in op.attributes
