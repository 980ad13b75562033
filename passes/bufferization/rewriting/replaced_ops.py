"""Ops and block arguments that were replaced, until they are erased.

Tensor ops stay in place, dead, until the region op around them is finished: they still name the values that later ops
look up. They are erased backwards, so that no op is erased before its users.
"""

from __future__ import annotations

from mlir import ir

__all__ = ["ReplacedOps"]


class ReplacedOps:
    """The replaced ops and block arguments, by number of the snapshot, in program order."""

    def __init__(self) -> None:
        self._ops: list[tuple[int, ir.Operation]] = []
        self._arguments: list[tuple[int, ir.Block, int]] = []

    def add(self, number: int, op: ir.Operation) -> None:
        """State that ``op`` has been replaced."""
        self._ops.append((number, op))

    def add_arguments(self, number: int, block: ir.Block, count: int) -> None:
        """State that the first ``count`` arguments of ``block``, in a region of op ``number``, have been replaced."""
        self._arguments.append((number, block, count))

    def erase_inside(self, number: int) -> None:
        """Erase the replaced ops and arguments inside of op ``number``, the last finished op with regions."""
        while self._ops and self._ops[-1][0] > number:
            self._ops.pop()[1].erase()
        while self._arguments and self._arguments[-1][0] >= number:
            _, block, count = self._arguments.pop()
            for _ in range(count):
                block.erase_argument(0)
