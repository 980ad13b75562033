"""Shared tensors that an `scf.forall` inserts into themselves, which upstream's folding erases twice (LLVM 23).

Upstream erases the insertions into a shared tensor whose result is not used, once for each use that they are of it:

    scf.forall.in_parallel {
      tensor.parallel_insert_slice %o into %o[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }

An insertion of all of a tensor into itself changes nothing: as many elements as there are fit in one way only.
"""

from __future__ import annotations

from mlir import ir

from ...analysis.ir.traversal import find_ops

__all__ = ["erase_insertions_of_itself"]


def erase_insertions_of_itself(root: ir.Operation) -> int:
    """Erase insertions of shared tensors into themselves; return how many there were. Linear."""
    found = find_ops(root, "tensor.parallel_insert_slice", where=lambda op: op.operands[0] == op.operands[1])
    for op in found:
        op.erase()
    return len(found)
