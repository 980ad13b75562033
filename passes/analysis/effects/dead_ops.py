"""Ops that compute nothing that is used: they are not bufferized, and read and write nothing.

An op is dead if it has results, only dead ops use them, and neither it nor an op inside of it has an effect. Ops inside
of a dead op are dead, as are those that only say that its results are not needed any more. A tensor argument of a block
is dead if only dead ops use it; so a branch that forwards a tensor to it does not use that. Loops of branches are seen
once, backwards: what their back edges forward is dead only if nothing uses the argument. Linear in the ops: what is
inside of an op that is known to be dead, or not, is not asked again.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....dialects.cf import BRANCHES
from ..ir.snapshot import Snapshot
from ..linalg.payload_effects import is_pure

__all__ = ["DeadCode", "find_dead_code"]

_END = "bufferization.dealloc_tensor"
"""Ends the lifetime of a tensor, and uses nothing of it."""


@dataclass(frozen=True)
class DeadCode:
    """The dead ops of a function, and by operand of a branch the dead argument that it is forwarded to."""

    ops: frozenset[int]
    forwarded: dict[int, int]


def find_dead_code(snapshot: Snapshot, function: int) -> DeadCode:
    """Return what is dead in op number ``function``."""
    s = snapshot
    dead: set[int] = set()
    forwarded: dict[int, int] = {}
    arguments: dict[int, bool] = {}
    """The tensor arguments that were asked for, and whether they are dead."""
    alive: set[int] = set()
    """Ops with an effect, or with one inside of them, as far as it was asked for."""
    # Users come after what they use, and ops in regions after the op around them.
    for op in reversed(s.nested_ops(function)):
        if op in s.op_successors and op not in dead:
            _add_forwarded(s, op, dead, arguments, forwarded)
        if s.op_result_count[op] == 0 or op in dead or op in alive:
            continue
        if any(_is_used(s, result, dead, forwarded) for result in s.results(op)):
            continue
        if _has_effect(s, op, dead):
            _mark_alive(s, op, alive)
        else:
            dead.add(op)
            dead.update(s.nested_ops(op))
            dead.update(end for result in s.results(op) for end in _ends(s, result))
    return DeadCode(frozenset(dead), forwarded)


def _add_forwarded(s: Snapshot, op: int, dead: set[int], arguments: dict[int, bool], forwarded: dict[int, int]) -> None:
    """Enter the operands of branch ``op`` that are forwarded to dead arguments; each argument is judged once."""
    passed = BRANCHES.successor_operands(s.ops[op]) if s.op_name[op] in BRANCHES.op_names else ()
    for number, block in enumerate(s.op_successors[op]):
        for index, argument in enumerate(s.arguments(block)):
            if not s.value_is_tensor[argument]:
                continue
            if not passed:
                arguments[argument] = False
                continue
            if argument not in arguments:
                arguments[argument] = not _is_used(s, argument, dead, forwarded)
                dead.update(_ends(s, argument) if arguments[argument] else ())
            if arguments[argument]:
                forwarded[s.op_first_operand[op] + passed[number][index]] = argument


def _ends(s: Snapshot, value: int) -> list[int]:
    users = [s.operand_op[use] for use in s.value_uses[value]]
    return [user for user in users if s.op_name[user] == _END]


def _is_used(s: Snapshot, value: int, dead: set[int], forwarded: dict[int, int]) -> bool:
    for use in s.value_uses[value]:
        user = s.operand_op[use]
        if user not in dead and s.op_name[user] != _END and use not in forwarded:
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
