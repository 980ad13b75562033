"""Whether a memref of a tensor is in use after the iteration that makes it.

Its buffer then holds a content that the next iteration must not overwrite. Linear in the uses of the memref and of its
views.
"""

from __future__ import annotations

from mlir import ir

from ..ir.snapshot import Snapshot

__all__ = ["outlives_iteration"]


def outlives_iteration(s: Snapshot, op: int) -> bool:
    """Whether a memref that ``op`` returns, or one that another op makes of it, is forwarded or stored somewhere.

    Nothing else hands it to a later iteration of a loop around the op.
    """
    work = [value for value in s.results(op) if _is_memref(s, value)]
    seen = set(work)
    while work:
        for use in s.value_uses[work.pop()]:
            user = s.operand_op[use]
            if user == s.block_ops[s.op_block[user]][-1] or s.op_regions[user]:
                return True
            if s.op_name[user] == "memref.store" and s.operand_index(use) == 0:
                return True
            made = [value for value in s.results(user) if _is_memref(s, value) and value not in seen]
            seen.update(made)
            work.extend(made)
    return False


def _is_memref(s: Snapshot, value: int) -> bool:
    return isinstance(s.values[value].type, ir.MemRefType | ir.UnrankedMemRefType)
