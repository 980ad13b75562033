"""Uniform values: those that certainly are the same in all workgroups of a dispatch function.

Arguments, push constants, what the grid is like, and pure arithmetic on these. Whatever comes from memory or from a
workgroup's own id may differ. Linear: each value is looked at once.
"""

from __future__ import annotations

from mlir import ir

from .snapshot import Snapshot

__all__ = ["GridUniformity"]

_LEAVES = frozenset({"arith.constant", "dispatch.push_constant", "dispatch.workgroup_count", "dispatch.workgroup_size"})
_DEEPEST = 32


class GridUniformity:
    """Answers for one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._functions: dict[int, frozenset[int]] = {}
        self._uniform: dict[int, bool] = {}

    def dimensions(self, block: int) -> frozenset[int]:
        """Return the dimensions whose ``workgroup_id`` is asked for in the function around ``block``."""
        s = self._snapshot
        while s.parent_block(block) > 0:
            block = s.parent_block(block)
        function = s.block_op[block]
        if function not in self._functions:
            self._functions[function] = frozenset(
                ir.IntegerAttr(s.ops[op].attributes["dimension"]).value
                for op in s.nested_ops(function)
                if s.op_name[op] == "dispatch.workgroup_id"
            )
        return self._functions[function]

    def is_uniform(self, value: int, depth: int = _DEEPEST) -> bool:
        """Whether ``value`` certainly is the same in all workgroups, as far as ``depth`` definitions show."""
        s = self._snapshot
        if value not in self._uniform:
            op = s.value_op[value] if value >= 0 else -1
            if value < 0 or depth == 0:
                return False
            if op < 0:
                # Not the argument of a loop or of a branch.
                found = s.parent_block(s.value_block[value]) <= 0 and not s.comes_from_branches(value)
            elif s.op_name[op].partition(".")[0] in ("affine", "arith") and not s.op_regions[op]:
                found = all(self.is_uniform(s.operand_value[operand], depth - 1) for operand in s.operands(op))
            else:
                found = s.op_name[op] in _LEAVES or self._has_sizes_of_all(op)
            self._uniform[value] = found
        return self._uniform[value]

    def _has_sizes_of_all(self, op: int) -> bool:
        """Whether ``op`` loads a whole binding, so that its sizes, not its elements, are the same for all."""
        s = self._snapshot
        return s.op_name[op] == "dispatch.load" and s.op_operand_count[op] == 1
