"""The decisions of one function while they are taken: what was accepted, what was refused and why.

A decision is entered once and stays. A refusal that the conversion could not carry out, because the operand must be in
place or nothing can copy it, is a reason to refuse the program. Constant time per decision.
"""

from __future__ import annotations

from ..conflicts.decisions import Conflict, Decision, Strategy
from ..effects.reader import TensorEffects
from ..effects.tables import Refusal
from .unranked import is_copyable

__all__ = ["DecisionRecord"]


class DecisionRecord:
    """Decisions by operand number, and the operands for which no decision can be carried out."""

    def __init__(self, effects: TensorEffects) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self.decisions: dict[int, Decision] = {}
        self.refusals: list[Refusal] = []

    def __contains__(self, operand: int) -> bool:
        """Whether ``operand`` is decided."""
        return operand in self.decisions

    def enter(self, operand: int, conflict: Conflict | None) -> None:
        """Decide that ``operand`` is in place if there is no conflict, and else out of place."""
        if conflict is None:
            self.accept(operand)
        else:
            self.refuse(operand, conflict)

    def accept(self, operand: int, strategy: Strategy = Strategy.IN_PLACE) -> None:
        """Decide that ``operand`` costs nothing."""
        self.decisions[operand] = Decision(operand, strategy)

    def refuse(self, operand: int, conflict: Conflict, strategy: Strategy = Strategy.OUT_OF_PLACE) -> None:
        """Decide that ``operand`` is not in place, for the reason ``conflict``."""
        self.decisions[operand] = Decision(operand, strategy, not self.is_cheap(operand), conflict)
        if not is_copyable(self._effects, operand):
            self.refuse_program(operand, f"is unranked and cannot be copied, but {conflict.rule.value}")
        if self._effects.must_in_place[operand]:
            self.refuse_in_place(operand, conflict)

    def refuse_in_place(self, operand: int, conflict: Conflict) -> None:
        """State that ``operand``, for which the op may take no other buffer, cannot be in place."""
        advice = "copy what is still read ahead of the op, with bufferization.alloc_tensor() copy(...)"
        self.refuse_program(operand, f"must be bufferized in-place, but {conflict.rule.value}; {advice}")

    def refuse_program(self, operand: int, problem: str) -> None:
        """State that ``operand`` has a ``problem`` for which the program cannot be bufferized."""
        s = self._snapshot
        message = f"operand #{s.operand_index(operand)} {problem}"
        self.refusals.append(Refusal(s.ops[s.operand_op[operand]], message))

    def is_cheap(self, operand: int) -> bool:
        """Whether refusing ``operand`` costs a buffer but no copy."""
        effects = self._effects
        undefined = effects.undefined[self._snapshot.operand_value[operand]]
        return not effects.content_reads[operand] or bool(effects.discards[operand] or undefined)
