"""Where the slice of an elimination can be created, and which ops have to move there first.

Positions are those of the snapshot; ops that are to be moved have the new one. So a plan may rely on the moves of the
plans before it, and the plans are carried out in the same order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import field

from mlir import ir

from ....dialects.support.frozen_classes import record
from ..ir.snapshot import Snapshot

__all__ = ["Needs", "Obstacle", "Places"]

_MOVABLE_DIALECTS = frozenset({"affine", "arith", "index"})
_MOVABLE = frozenset({"tensor.cast", "tensor.dim", "tensor.empty", "tensor.extract_slice", "tensor.insert_slice"})
_STEPS_PER_OP = 16
_RETURNING = frozenset(
    {
        "affine",
        "arith",
        "bufferization",
        "builtin",
        "complex",
        "index",
        "linalg",
        "math",
        "memref",
        "scf",
        "shape",
        "tensor",
        "ub",
        "vector",
    }
)
"""Dialects whose ops always come to an end, and touch memory only through their operands."""


class Obstacle(Exception):
    """Why an empty tensor stays: ``reason``, and the op that stands in the way."""

    def __init__(self, reason: str, op: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.op = op


@record
class Needs:
    """What one elimination needs: ``way``, the ops from its start to the insertion, ``before``, the place of its slice.

    ``moves`` are the ops to move there, in this order.
    """

    way: frozenset[int]
    before: int
    moves: dict[int, None] = field(default_factory=dict)


class Places:
    """Positions in op number ``function`` of ``snapshot`` while its eliminations are planned one after the other."""

    def __init__(self, snapshot: Snapshot, function: int) -> None:
        self._snapshot = snapshot
        self._function = function
        self._moved: dict[int, int] = {}
        """For an op that moves, the position that it moves in front of."""
        self._fixed: set[int] = set()
        ops = snapshot.nested_ops(function)
        self._steps = _STEPS_PER_OP * (len(ops) + _STEPS_PER_OP)
        self._exits = [op for op in ops if self._may_not_return(op)]
        self._memory: list[int] | None = None

    def spend(self) -> bool:
        """Take one step of the function's budget; False if it is used up."""
        self._steps -= 1
        return self._steps >= 0

    def _may_not_return(self, op: int) -> bool:
        name = self._snapshot.op_name[op]
        return name in ("cf.assert", "scf.while") or name.partition(".")[0] not in _RETURNING

    # --- places ------------------------------------------------------------------------------------------------

    def _site(self, insertion: int) -> int:
        """Return the op of the straight-line code that the insertion belongs to: for a forall it is in_parallel."""
        s = self._snapshot
        around = s.block_op[s.op_block[insertion]]
        return around if s.op_name[around] == "scf.forall.in_parallel" else insertion

    def earliest(self, starts: Iterable[int], insertion: int) -> int:
        """Return the first op of the insertion's block that is or holds one of ``starts``.

        Raises :class:`Obstacle` if a start is reached without the insertion being reached later on.
        """
        s = self._snapshot
        block = s.op_block[self._site(insertion)]
        found: list[int] = []
        for start in starts:
            op = start
            while s.op_block[op] != block and s.block_depth[s.op_block[op]] > s.block_depth[block] and self.spend():
                op = s.block_op[s.op_block[op]]
            if s.op_block[op] != block:
                raise Obstacle("the insertion is not always reached from where the empty tensor is used", start)
            if op in self._moved:
                raise Obstacle("the op that uses the empty tensor is moved for another insertion", op)
            found.append(op)
        return min(found)

    def check_always_reached(self, before: int, insertion: int) -> None:
        """Raise if something in between may end the program, and so may keep a slice from being checked."""
        s = self._snapshot
        op = self._first_between(self._exits, before, insertion)
        if op is not None:
            name = s.op_name[op]
            raise Obstacle(f"'{name}' may end the program before the insertion, whose slice may be out of bounds", op)

    def _first_between(self, ops: Sequence[int], before: int, insertion: int) -> int | None:
        """Return the first of ``ops`` from ``before`` to the insertion."""
        enter = self._snapshot.op_enter
        place = bisect_left(ops, enter[before], key=enter.__getitem__)
        return ops[place] if place < len(ops) and enter[ops[place]] < enter[insertion] else None

    def check_no_memory(self, before: int, insertion: int) -> None:
        """Raise if an op from ``before`` to the insertion may touch a memref."""
        s = self._snapshot
        if self._memory is None:
            self._memory = [op for op in s.nested_ops(self._function) if self._touches_memory(op)]
        op = self._first_between(self._memory, before, insertion)
        if op is not None:
            raise Obstacle(f"'{s.op_name[op]}' may use the memref before the insertion", op)

    def _touches_memory(self, op: int) -> bool:
        s = self._snapshot
        if s.op_name[op].partition(".")[0] not in _RETURNING:
            return True
        values = [s.operand_value[o] for o in s.operands(op)]
        values += [v for region in s.op_regions[op] for block in region for v in s.arguments(block)]
        return any(v < 0 or isinstance(s.values[v].type, ir.MemRefType | ir.UnrankedMemRefType) for v in values)

    # --- moves -------------------------------------------------------------------------------------------------

    def bring(self, needs: Needs, values: list[int]) -> None:
        """Add to ``needs`` the moves that make ``values`` available in front of its place; raises :class:`Obstacle`."""
        s = self._snapshot
        place = s.op_enter[needs.before]
        work = [(value, False) for value in reversed(values)]
        while work:
            value, ready = work.pop()
            if value < 0:
                raise Obstacle("a value that the slice needs comes from outside of the function", needs.before)
            op = s.value_op[value]
            if ready:
                needs.moves[op] = None
                continue
            if op < 0 or op in needs.moves or self._moved.get(op, s.value_position[value]) < place:
                continue
            self._check_movable(op, needs)
            work.append((value, True))
            work.extend((s.operand_value[o], False) for o in s.operands(op))

    def _check_movable(self, op: int, needs: Needs) -> None:
        s = self._snapshot
        name = s.op_name[op]
        if op in needs.way:
            raise Obstacle("the slice depends on the value that would be computed in it", op)
        if op in self._fixed or op in self._moved or not self._is_movable(op):
            raise Obstacle(f"'{name}', which the slice needs, comes later and cannot move", op)
        if not self.spend():
            raise Obstacle("too many ops would have to move", op)

    def _is_movable(self, op: int) -> bool:
        """Whether the op has no effect and no region, and cannot fail."""
        s = self._snapshot
        name = s.op_name[op]
        dialect, _, mnemonic = name.partition(".")
        if s.op_regions[op] or (dialect not in _MOVABLE_DIALECTS and name not in _MOVABLE):
            return False
        if dialect == "affine":
            return mnemonic in ("apply", "max", "min")
        return "div" not in mnemonic and "rem" not in mnemonic

    def settle(self, needs: Needs, starts: Iterable[int]) -> None:
        """Count on ``needs`` from now on: its ops have moved, and the ops ``starts``, which use the slice, stay."""
        s = self._snapshot
        for op in needs.moves:
            # Positions are whole numbers, and this op is in front of the one at the place, behind all before it.
            self._moved[op] = s.op_enter[needs.before] - 1
        self._fixed.update(starts)
        self._fixed.add(needs.before)
