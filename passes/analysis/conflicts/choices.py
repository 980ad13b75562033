"""Values that are one of several buffers, such as the result of a branch: each of these one buffer, or apart from it.

An op may read and write one buffer at once, element by element, or two that share no memory. So it may if one of
its operands is one of several buffers, each of which is either that of the other operand or apart from it. A block
argument that a loop of branches carries is compared if each edge forwards the buffer of the other operand.

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
        return self._is_each_one_or_apart(first, second) or self._is_each_one_or_apart(second, first)

    def _is_each_one_or_apart(self, choice: int, other: int) -> bool:
        if not self._may_be_chosen(choice) and not self._is_always(choice, other):
            return False
        find = self._sets.equivalence.find
        work, seen = [choice], {choice}
        while work:
            value = work.pop()
            if find(value) == find(other) or not self._sets.have_common_origin(value, other):
                continue
            if self._is_always(value, other):
                continue
            chosen = self._chosen(value)
            origins = self._sets.origins(other) if chosen else None
            # A part of the choice itself is part of whatever was chosen.
            if origins is None or find(value) in origins or len(seen) > _MOST_CHOICES:
                return False
            work.extend(source for source in chosen if source not in seen)
            seen.update(chosen)
        return True

    def _is_always(self, value: int, other: int) -> bool:
        """Whether block argument ``value`` is the buffer of ``other`` by each edge, in each iteration of a loop."""
        s, sources = self._snapshot, self._effects.sources.get(value, ())
        loop = s.block_loop[s.value_block[value]] if s.value_op[value] < 0 and sources else -1
        if loop < 0 or s.block_branches[loop] < 0 or s.is_in_loop(s.value_position[other], loop):
            return False
        if any(s.operand_op[operand] not in s.op_successors or s.operand_value[operand] < 0 for operand in sources):
            return False
        find = self._sets.equivalence.find
        return all(find(s.operand_value[operand]) == find(other) for operand in sources)

    def _chosen(self, value: int) -> list[int]:
        """Return the values of which ``value`` is one, of the same run of its block; empty if that is not known."""
        s, effects = self._snapshot, self._effects
        if not self._may_be_chosen(value):
            return []
        op = s.value_op[value]
        sources = effects.sources.get(value, [])
        found = [s.operand_value[operand] for operand in sources if self._is_choice(operand, value, op)]
        return found if len(found) == len(sources) else []

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
