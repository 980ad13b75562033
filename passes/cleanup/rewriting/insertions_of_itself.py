"""Shared tensors that an `scf.forall` inserts into themselves, which upstream's folding erases twice (LLVM 23).

Upstream erases the insertions into a shared tensor whose result is not used, once for each use that they are of it:

    scf.forall.in_parallel {
      tensor.parallel_insert_slice %o into %o[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }

An insertion of all of a tensor into itself changes nothing: as many elements as there are fit in one way only.
"""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir

__all__ = ["erase_insertions_of_itself"]


def erase_insertions_of_itself(insertions: Iterable[ir.Operation]) -> int:
    """Erase those of the insertions that are of shared tensors into themselves; return how many there were. Linear."""
    found = [op for op in insertions if op.operands[0] == op.operands[1]]
    for op in found:
        op.erase()
    return len(found)
