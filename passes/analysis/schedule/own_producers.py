"""Producers that only one linalg op reads, and that it can therefore compute part by part, each with its own part.

Fills are what a reduction starts from. Transpositions matter more: one of a large matrix goes to memory and comes back,
that of a part is read from the nearest cache.

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
    """Return the fills that only `root` starts from."""
    inits = [root.op.operands[number] for number in root.outputs if root.reads[number]]
    fills = [defining_op(init, _FILL) for init in inits if len(list(init.uses)) == 1]
    return [read_structured(fill) for fill in fills if fill is not None]


def find_transpositions(root: Structured, loops: Collection[int]) -> list[Structured]:
    """Return the transpositions beside `root` that only it reads, each part of all `loops` just a part of them.

    None is read at a sum with one of `loops`: a part begins elsewhere there, which is known of slices, not of what is
    computed. None stays where it is in one of them, as it would be computed again. None is a kernel, which is optimized
    as a whole.
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
    """Tell whether `linalg.transpose` `op` can be computed in parts where these are read: no init, and no mark."""
    return defining_op(op.operands[1], _EMPTY) is not None and KERNEL_MARK not in op.attributes
