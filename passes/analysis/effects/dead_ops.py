"""Ops that compute nothing that is used: they are not bufferized, and read and write nothing.

An op is dead if it has results, only dead ops use them, and neither it nor an op inside of it has an effect. Ops inside
of a dead op are dead, as are those that only say that its results are not needed any more. A tensor argument of a block
is dead if only dead ops use it, and branches to dead arguments; so a branch that forwards a tensor to it does not use
that. Of arguments as many as can be are dead, as a loop of blocks forwards them to themselves.

Linear in the ops: what is inside of an op that is known to be dead, or not, is not asked again. Where branches forward
tensors the ops are gone through a bounded number of times.
"""

from __future__ import annotations

from collections.abc import Collection, Container

from ....dialects.cf import BRANCHES
from ....dialects.support.frozen_classes import frozen
from ..ir.snapshot import Snapshot
from ..linalg.payload_effects import is_pure

__all__ = ["DeadCode", "find_dead_code"]

_END = "bufferization.dealloc_tensor"
"""Ends the lifetime of a tensor, and uses nothing of it."""

_MOST_ROUNDS = 8
"""How often dead ops are looked for, with fewer dead arguments each time, before no argument is taken to be dead."""


@frozen
class DeadCode:
    """The dead ops of a function, and by operand of a branch the dead argument that it is forwarded to."""

    ops: frozenset[int]
    forwarded: dict[int, int]


def find_dead_code(snapshot: Snapshot, function: int) -> DeadCode:
    """Return what is dead in op number ``function``: all arguments at first, without those that turn out to be used."""
    s = snapshot
    forwarded = _forwarded_tensors(s, function) if s.op_successors else {}
    sources: dict[int, list[int]] = {}
    for operand, argument in forwarded.items():
        sources.setdefault(argument, []).append(operand)
    for _ in range(_MOST_ROUNDS if sources else 0):
        dead = _dead_ops(s, function, forwarded)
        alive = [argument for argument in sources if _is_used(s, argument, dead, forwarded)]
        if not alive:
            return DeadCode(dead.union(*(_ends(s, argument) for argument in sources)), forwarded)
        while alive:
            for operand in sources.pop(alive.pop(), ()):
                del forwarded[operand]
                if s.operand_value[operand] in sources:
                    alive.append(s.operand_value[operand])
    return DeadCode(_dead_ops(s, function, ()), {})


def _forwarded_tensors(s: Snapshot, function: int) -> dict[int, int]:
    """Return, by operand of a branch, the tensor argument that it is forwarded to, if all its branches are known."""
    found: dict[int, int] = {}
    others: set[int] = set()
    for op in s.nested_ops(function):
        if op not in s.op_successors:
            continue
        is_known = s.op_name[op] in BRANCHES.op_names
        passed = BRANCHES.successor_operands(s.ops[op]) if is_known else ()
        for number, block in enumerate(s.op_successors[op]):
            tensors = [(index, a) for index, a in enumerate(s.arguments(block)) if s.value_is_tensor[a]]
            if is_known:
                found.update((s.op_first_operand[op] + passed[number][index], a) for index, a in tensors)
            else:
                others.update(a for _, a in tensors)
    return {operand: argument for operand, argument in found.items() if argument not in others}


def _dead_ops(s: Snapshot, function: int, forwarded: Collection[int]) -> frozenset[int]:
    """Return the dead ops in op number ``function``, if the operands ``forwarded`` are no uses."""
    dead: set[int] = set()
    alive: set[int] = set()
    """Ops with an effect, or with one inside of them, as far as it was asked for."""
    counts, firsts, uses = s.op_result_count, s.op_first_result, s.value_uses
    # Users come after what they use, and ops in regions after the op around them.
    for op in reversed(s.nested_ops(function)):
        if counts[op] == 0 or op in dead or op in alive:
            continue
        first = uses[firsts[op]]
        if not dead and not forwarded and first and s.op_name[s.operand_op[first[0]]] != _END:
            continue  # Almost always.
        if any(_is_used(s, result, dead, forwarded) for result in s.results(op)):
            continue
        if _has_effect(s, op, dead):
            _mark_alive(s, op, alive)
        else:
            dead.add(op)
            dead.update(s.nested_ops(op))
            dead.update(end for result in s.results(op) for end in _ends(s, result))
    return frozenset(dead)


def _ends(s: Snapshot, value: int) -> list[int]:
    users = [s.operand_op[use] for use in s.value_uses[value]]
    return [user for user in users if s.op_name[user] == _END]


def _is_used(s: Snapshot, value: int, dead: Container[int], forwarded: Container[int]) -> bool:
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
