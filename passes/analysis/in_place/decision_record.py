"""The decisions of one function as they are taken: accepted or refused, with the reason.

A decision is entered once and never changes. The program is refused if a refused operand must be in place or cannot be
copied. Constant time per decision.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..conflicts.attempt import Attempt
from ..conflicts.decisions import Conflict, Decision, Rule, Strategy
from ..conflicts.joining import Joiner
from ..effects.reader import TensorEffects
from ..effects.tables import Refusal
from ..effects.unranked import is_copyable

__all__ = ["DecisionRecord"]


class DecisionRecord:
    """Decisions by operand number, and the reasons why the program cannot be bufferized.

    ``refused``: operands that are out-of-place from the start, because of these conflicts.
    """

    def __init__(self, effects: TensorEffects, refused: Mapping[int, Conflict] | None = None) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self.refused = refused or {}
        self.decisions: dict[int, Decision] = {}
        self.refusals: list[Refusal] = []
        self.needed: set[int] = set()
        """The operands that are only out-of-place because they are ``refused``; without the others this is the same."""
        self.not_passed_on: dict[int, Conflict] = {}
        """By operand that a loop yields, why its buffer itself cannot be passed on to the next iteration."""

    def __contains__(self, operand: int) -> bool:
        """Whether ``operand`` is decided."""
        return operand in self.decisions

    def decide(self, joiner: Joiner, attempt: Attempt, operand: int) -> Conflict | None:
        """End the ``attempt`` to have ``operand`` in place; return why it is not."""
        known = self.refused.get(operand)
        if known is None:
            return joiner.decide(attempt)
        found = joiner.undo(attempt)
        if found is not None and found.rule is not Rule.TOO_MANY_ACCESSES:
            return found
        self.needed.add(operand)
        return known

    def enter(self, operand: int, conflict: Conflict | None) -> None:
        """Decide that ``operand`` is in place if there is no conflict, otherwise out-of-place."""
        if conflict is None:
            self.accept(operand)
        else:
            self.refuse(operand, conflict)

    def accept(self, operand: int, strategy: Strategy = Strategy.IN_PLACE) -> None:
        """Decide that ``operand`` needs neither an allocation nor a copy."""
        self.decisions[operand] = Decision(operand, strategy)

    def refuse(self, operand: int, conflict: Conflict, strategy: Strategy = Strategy.OUT_OF_PLACE) -> None:
        """Decide that ``operand`` is not in place because of ``conflict``."""
        self.decisions[operand] = Decision(operand, strategy, not self.is_cheap(operand), conflict)
        if not is_copyable(self._effects, operand):
            self.refuse_program(operand, f"is unranked and cannot be copied, but {conflict.rule.value}")
        if self._effects.must_in_place[operand]:
            self.refuse_in_place(operand, conflict)

    def refuse_in_place(self, operand: int, conflict: Conflict) -> None:
        """Refuse the program because ``operand`` must be in place but cannot be."""
        advice = "copy what is still read ahead of the op, with bufferization.alloc_tensor() copy(...)"
        self.refuse_program(operand, f"must be bufferized in-place, but {conflict.rule.value}; {advice}")

    def refuse_program(self, operand: int, problem: str) -> None:
        """Refuse the program because of a ``problem`` with ``operand``."""
        s = self._snapshot
        message = f"operand #{s.operand_index(operand)} {problem}"
        self.refusals.append(Refusal(s.ops[s.operand_op[operand]], message))

    def is_cheap(self, operand: int) -> bool:
        """Whether refusing ``operand`` costs a buffer but no copy."""
        return costs_no_copy(self._effects, operand)


def costs_no_copy(effects: TensorEffects, operand: int) -> bool:
    """Whether an operand that is out-of-place needs no copy of its content."""
    undefined = effects.undefined[effects.snapshot.operand_value[operand]]
    return not effects.content_reads[operand] or bool(effects.discards[operand] or undefined)
