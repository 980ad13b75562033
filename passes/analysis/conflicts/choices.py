"""Values that are one of several buffers, such as the result of a branch: each of these one buffer, or apart from it.

An op may read and write one buffer at once, element by element, or two that share no memory. So it may if its
operands are each one of several buffers, and each of the one is either each of the other or apart from it. A block
argument that a loop of branches carries is compared if each edge forwards the buffer of the other operand, or one that
is apart from it.

Cost: a bounded walk per check. Checks are made only where an op would otherwise conflict with itself. See
*choices* in docs/theory/conflicts.md.
"""

from __future__ import annotations

from ....dialects.bufferizable import Relation
from ..effects.reader import TensorEffects
from .alias_sets import AliasSets

__all__ = ["Choices"]

_MOST_CHOICES = 64
"""How many values a walk to the buffers that are chosen from visits before it gives up."""


class Choices:
    """Compares the buffers of values of one function, where a value is one of several; has no state of its own."""

    def __init__(self, effects: TensorEffects, sets: AliasSets) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._sets = sets

    def are_one_or_apart(self, first: int, second: int) -> bool:
        """Whether the buffers of two values of one type are the same, or share no memory, whichever was chosen.

        What is apart may no longer be when another edge is stated: then the question has to be asked again.
        """
        work, seen = [(first, second)], {(first, second)}
        while work:
            pair = work.pop()
            if self._is_one_or_apart(*pair):
                continue
            found = self._chosen_of(*pair)
            if not found or len(seen) > _MOST_CHOICES:
                return False
            work.extend(other for other in found if other not in seen)
            seen.update(found)
        return True

    def _is_one_or_apart(self, first: int, second: int) -> bool:
        if self._sets.equivalence.find(first) == self._sets.equivalence.find(second):
            return True
        if not self._sets.have_common_origin(first, second):
            return True
        return self._is_always(first, second) or self._is_always(second, first)

    def _chosen_of(self, first: int, second: int) -> list[tuple[int, int]]:
        """Return the pairs of what the two are one of: of the first, or else of the second."""
        mine = [(value, second) for value in self._chosen(first, second)]
        return mine or [(first, value) for value in self._chosen(second, first)]

    def _is_always(self, value: int, other: int) -> bool:
        """Whether block argument ``value`` is the buffer of ``other``, or apart from it, by each edge of a loop."""
        s, sources = self._snapshot, self._effects.sources.get(value, ())
        loop = s.block_loop[s.value_block[value]] if s.value_op[value] < 0 and sources else -1
        if loop < 0 or s.block_branches[loop] < 0 or s.is_in_loop(s.value_position[other], loop):
            return False
        if any(s.operand_op[operand] not in s.op_successors or s.operand_value[operand] < 0 for operand in sources):
            return False
        find = self._sets.equivalence.find
        forwarded = [s.operand_value[operand] for operand in sources]
        return all(find(each) == find(other) or not self._sets.have_common_origin(each, other) for each in forwarded)

    def _chosen(self, value: int, other: int) -> list[int]:
        """Return the values of which ``value`` is one, of the same run of its block; empty if that is not known.

        It may also be a copy of one of them, which is apart from ``other``, unless that comes from the copy.
        """
        s, effects = self._snapshot, self._effects
        if not self._may_be_chosen(value) or self._comes_from(other, value):
            return []
        op = s.value_op[value]
        sources = effects.sources.get(value, [])
        found = [s.operand_value[operand] for operand in sources if self._is_choice(operand, value, op)]
        return found if len(found) == len(sources) else []

    def _comes_from(self, value: int, source: int) -> bool:
        """Whether the buffer of ``value`` may be, or lie in, that of ``source``."""
        origins = self._sets.origins(value)
        return origins is None or self._sets.equivalence.find(source) in origins

    def _may_be_chosen(self, value: int) -> bool:
        """Whether ``value`` is no block argument for which an older iteration of a loop may have chosen."""
        s = self._snapshot
        if s.value_op[value] >= 0:
            return True
        block = s.value_block[value]
        around = s.block_op[block]
        return around >= 0 and s.block_loop[block] == s.block_loop[s.op_block[around]]

    def _is_choice(self, operand: int, value: int, op: int) -> bool:
        """Whether ``operand`` is all of what ``value`` may be, and ``value`` is never that of an older iteration."""
        s, effects = self._snapshot, self._effects
        owner = s.operand_op[operand]
        if s.operand_value[operand] < 0:
            return False
        if operand not in effects.forwards:
            ties = [tie for tie in effects.ties.get(operand, ()) if tie.value == value]
            return s.op_name[op] != "func.call" and all(tie.relation is Relation.EQUIVALENT for tie in ties)
        if op < 0:
            return owner in s.op_successors
        block = s.op_block[owner]
        return s.block_op[block] == op and s.block_loop[block] == s.block_loop[s.op_block[op]]
