"""Which iteration of a loop allocated a buffer: separates this iteration's buffer from that of an earlier one.

A loop may carry on a buffer allocated in its body (*passed on* in docs/theory/loops.md). Each iteration then carries
the buffer of an earlier one and allocates another. Both are one SSA value, and so one class. Here they are
distinguished: a walk over the edges of :class:`AliasSets` records the loops it went back around. A *fresh* value is one
whose op allocates each time it runs, or one in the copy made for a refused operand. Its class is that buffer, so the
walk ends there.

Claim: two values inside of a loop are in different buffers, if every class that both walks reach is that of a fresh
value inside of the same loop, and exactly one of the two walks to it went back around the loop, neither around a loop
further out. One was allocated in this iteration, the other before it and not freed yet, as it is still to be read.

Claim: a value is in no buffer that is allocated after the value is defined. So a value that lies in what a fresh value
is, in the same run of its op, shares nothing with a value whose definition dominates that op. This holds in loops of
blocks too.

Cost: a bounded walk per check. Checks are made only where a conflict has been found, in functions in which some loop
carries on a buffer allocated in its body.
"""

from __future__ import annotations

from ..effects.reader import TensorEffects
from ..ir.program_order import ProgramOrder
from ..ir.snapshot import Snapshot
from .alias_sets import AliasSets

__all__ = ["Iterations"]

_MOST_STATES = 256
"""How many pairs of a class and the loops gone around on the path to it a walk reaches before it gives up."""

_LONGEST_CHAIN = 64
"""How many ties are followed from a value to the fresh value that it is, or lies in."""

_Around = frozenset[int]
"""The loops, as ops, that a walk went back around."""


class Iterations:
    """Compares the buffers of values of one function by allocation site and iteration."""

    def __init__(self, effects: TensorEffects, order: ProgramOrder, sets: AliasSets) -> None:
        self._effects = effects
        self._snapshot: Snapshot = effects.snapshot
        self._order = order
        self._sets = sets
        self._copied: set[int] = set()

    def may_share(self, first: int, second: int) -> bool:
        """Whether the buffers of two values may be the same memory."""
        return self._sets.have_common_origin(first, second) and not self._made_apart(first, second)

    def is_made_in(self, value: int, block: int) -> bool:
        """Whether the buffer of ``value`` was allocated in the same run of loop body ``block``."""
        s, sets = self._snapshot, self._sets
        walked = None if s.op_successors else self._walk(value)
        if walked is None:
            return False
        for root, ways in walked.items():
            if root in sets.made and self._is_fresh(sets.made[root]):
                if ways != {frozenset()} or not s.encloses(block, s.value_position[sets.made[root]]):
                    return False
            elif not sets.sources(root):
                return False
        return True

    def is_candidate(self, value: int) -> bool:
        """Whether ``value`` could be fresh: an op result inside of a loop, with no operand tied or forwarded to it."""
        s = self._snapshot
        return s.value_op[value] >= 0 and s.block_loop[s.value_block[value]] >= 0 and value not in self._effects.sources

    def copy(self, operand: int, value: int) -> None:
        """State that ``operand`` is copied to a new buffer and that ``value`` must be in that buffer."""
        s = self._snapshot
        if s.block_loop[s.op_block[s.operand_op[operand]]] >= 0:
            self._copied.add(value)
            self._sets.made.setdefault(self._sets.equivalence.find(value), value)

    def _is_fresh(self, value: int) -> bool:
        """Whether each run of the op of ``value`` allocates a new buffer that holds no other value."""
        s, effects = self._snapshot, self._effects
        if value in self._copied:
            return True
        op = s.value_op[value]
        model = effects.model(op)
        if model is None or value in effects.readonly or s.op_name[op] == "func.call":
            return False
        return model.bufferizes_to_allocation(s.ops[op], s.value_index[value])

    def is_made_after(self, value: int, other: int) -> bool:
        """Whether the buffer of ``value`` is allocated after ``other`` is defined, in each run of the op that makes it.

        A tie on the way that is refused makes a buffer later still. Block arguments may be those of older runs.
        """
        s, effects = self._snapshot, self._effects
        for _ in range(_LONGEST_CHAIN):
            op = s.value_op[value]
            if op < 0 or s.block_loop[s.op_block[op]] < 0:
                return False
            sources = effects.sources.get(value, ())
            if value in self._copied or not sources:
                return self._is_fresh(value) and self._order.dominates(other, op)
            if len(sources) > 1 or sources[0] in effects.forwards or s.operand_op[sources[0]] != op:
                return False
            value = s.operand_value[sources[0]]
            if value < 0:
                return False
        return False

    def _made_apart(self, first: int, second: int) -> bool:
        # Edges around loops of blocks carry no mark.
        if not self._sets.goes_around or self._snapshot.op_successors:
            return False
        a = self._walk(first)
        b = None if a is None else self._walk(second)
        if a is None or b is None:
            return False
        return all(
            self._differ(around, other, self._sets.made[root], first, second)
            if root in self._sets.made and self._is_fresh(self._sets.made[root])
            else False
            for root in a.keys() & b.keys()
            for around in a[root]
            for other in b[root]
        )

    def _walk(self, value: int) -> dict[int, set[_Around]] | None:
        """Return the classes that ``value`` may come from, with the loops on each path; None if there are too many."""
        sets = self._sets
        find = sets.equivalence.find
        start: tuple[int, _Around] = (find(value), frozenset())
        reached: dict[int, set[_Around]] = {start[0]: {start[1]}}
        work, states = [start], 1
        while work:
            root, around = work.pop()
            if root in sets.made and self._is_fresh(sets.made[root]):
                continue
            for source, loop in sets.sources(root):
                way = (find(source), around if loop < 0 else around | {loop})
                ways = reached.setdefault(way[0], set())
                if way[1] not in ways:
                    ways.add(way[1])
                    work.append(way)
                    states += 1
            if states > _MOST_STATES:
                return None
        return reached

    def _differ(self, first: _Around, second: _Around, made: int, *values: int) -> bool:
        """Whether two paths to fresh value ``made`` lead to buffers of two iterations of a loop around everything."""
        s = self._snapshot
        return any(
            all(self._is_inside(s.value_position[value], loop) for value in (made, *values))
            and not any(self._is_inside(s.op_enter[loop], other) for other in first | second if other != loop)
            for loop in first ^ second
        )

    def _is_inside(self, position: int, op: int) -> bool:
        s = self._snapshot
        return s.op_enter[op] < position < s.op_exit[op]
