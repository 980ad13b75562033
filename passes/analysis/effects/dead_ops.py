"""Ops that compute nothing that is used: they are not bufferized, and read and write nothing.

An op is dead if it has results, only dead ops use them, and neither it nor an op inside of it has an effect. Ops inside
of a dead op are dead, as are those that only say that its results are not needed any more. Linear in the ops: what is
inside of an op that is known to be dead, or not, is not asked again.
"""

from __future__ import annotations

from ..ir.snapshot import Snapshot
from ..linalg.payload_effects import is_pure

__all__ = ["find_dead_ops"]

_END = "bufferization.dealloc_tensor"
"""Ends the lifetime of a tensor, and uses nothing of it."""


def find_dead_ops(snapshot: Snapshot, function: int) -> frozenset[int]:
    """Return the dead ops in op number ``function``."""
    s = snapshot
    dead: set[int] = set()
    alive: set[int] = set()
    """Ops with an effect, or with one inside of them, as far as it was asked for."""
    # Users come after what they use, and ops in regions after the op around them.
    for op in reversed(s.nested_ops(function)):
        if s.op_result_count[op] == 0 or op in dead or op in alive:
            continue
        if _is_used(s, op, dead):
            continue
        if _has_effect(s, op, dead):
            _mark_alive(s, op, alive)
        else:
            dead.add(op)
            dead.update(s.nested_ops(op))
            dead.update(s.operand_op[use] for result in s.results(op) for use in s.value_uses[result])
    return frozenset(dead)


def _is_used(s: Snapshot, op: int, dead: set[int]) -> bool:
    for result in s.results(op):
        for use in s.value_uses[result]:
            user = s.operand_op[use]
            if user not in dead and s.op_name[user] != _END:
                return True
    return False


def _has_effect(s: Snapshot, op: int, dead: set[int]) -> bool:
    if not is_pure(s.ops[op]):
        return True
    if not s.op_regions[op]:
        return False
    inside = s.nested_ops(op)
    following = inside.start
    while following < inside.stop:
        if following in dead:
            following = s.nested_ops(following).stop
            continue
        if not is_pure(s.ops[following]):
            return True
        following += 1
    return False


def _mark_alive(s: Snapshot, op: int, alive: set[int]) -> None:
    while op >= 0 and op not in alive:
        alive.add(op)
        block = s.op_block[op]
        op = s.block_op[block] if block >= 0 else -1
