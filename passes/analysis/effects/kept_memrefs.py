"""Whether a memref of a tensor is in use after the iteration that makes it.

Its buffer then holds a content that the next iteration must not overwrite. Linear in the uses of the memref and of its
views.
"""

from __future__ import annotations

from mlir import ir

from ..ir.snapshot import Snapshot

__all__ = ["outlives_iteration"]

_KEEPS_NO_ADDRESS = frozenset({"affine", "arith", "bufferization", "linalg", "memref", "vector"})
_TAKES_ADDRESS = "memref.extract_aligned_pointer_as_index"


def outlives_iteration(s: Snapshot, op: int) -> bool:
    """Whether a memref that ``op`` returns, or one that another op makes of it, is forwarded, stored, or may be kept.

    A call or an op of an unknown dialect may keep it. Nothing else hands it to a later iteration.
    """
    work = [value for value in s.results(op) if _is_memref(s, value)]
    seen = set(work)
    while work:
        for use in s.value_uses[work.pop()]:
            user = s.operand_op[use]
            if user == s.block_ops[s.op_block[user]][-1] or s.op_regions[user]:
                return True
            name = s.op_name[user]
            if name.partition(".")[0] not in _KEEPS_NO_ADDRESS or name == _TAKES_ADDRESS:
                return True
            if name == "memref.store" and s.operand_index(use) == 0:
                return True
            made = [value for value in s.results(user) if _is_memref(s, value) and value not in seen]
            seen.update(made)
            work.extend(made)
    return False


def _is_memref(s: Snapshot, value: int) -> bool:
    return isinstance(s.values[value].type, ir.MemRefType | ir.UnrankedMemRefType)
