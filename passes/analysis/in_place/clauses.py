"""What every outcome of the analysis pays for, as clauses about the operands that are refused.

There are four kinds. *A clash*: operands that cannot all be in place. They are found by refusing everything else, and
leaving out of them what the conflict does not need. Whether other operands in place might resolve it is asked of an
analysis in which everything is in place, conflicts or not: it knows the most about buffers that are equal. *What is
always paid*, even there: an insertion of a tensor that is computed elsewhere. *What follows*, there, from refusing an
operand: an insertion that was redundant moves elements. *A tensor without content* needs a buffer for each use that
writes it in place.

A clause that some outcome contradicts is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..conflicts.decisions import Conflict
from .cost_model import Expense
from .cover import Clause
from .decision_order import DecisionOrder
from .function_decisions import OneShotAnalyzer
from .trials import Trials

__all__ = ["Clauses"]


class Clauses:
    """The clauses about ``contested`` operands so far."""

    def __init__(self, trials: Trials, contested: frozenset[int]) -> None:
        self._trials = trials
        self._contested = contested
        self._list: list[Clause] = []
        self._excluded: list[Clause] = []
        self._ideal = {order: trials.lenient(order, frozenset()) for order in trials.orders}
        for operand in sorted(contested):
            trials.costs.setdefault(Expense(operand), trials.refusal_cost(operand))
        self._always = frozenset.intersection(*(paid for _, paid in self._ideal.values()))
        self._enter_ideals()
        self._checked = 0

    @property
    def all(self) -> Sequence[Clause]:
        """The clauses that no outcome contradicts, and those that exclude what was looked at."""
        seen = self._trials.seen[self._checked :]
        self._checked = len(self._trials.seen)
        self._list = [clause for clause in self._list if all(clause.holds(paid) for paid in seen)]
        return [*self._list, *self._excluded]

    def exclude(self, refused: frozenset[int]) -> None:
        """Exclude the outcomes that refuse exactly these of the contested operands: they were looked at."""
        others = frozenset(map(Expense, self._contested - refused))
        self._excluded.append(Clause(others, frozenset(map(Expense, refused))))

    def add(self, clause: Clause) -> None:
        """Add a clause."""
        self._list.append(clause)

    def _enter_ideals(self) -> None:
        """Add what is paid if everything is in place, or all but one operand."""
        for one in self._always:
            if one.makes:
                self._enter_made(one)
            elif one.moves:
                self.add(Clause(frozenset({one})))
        for operand in sorted(self._contested):
            found = [self._trials.lenient(order, frozenset({operand}))[1] for order in self._trials.orders[:1]]
            for one in frozenset.intersection(*found) - self._always:
                if one.moves:
                    self.add(Clause(frozenset({one}), frozenset({Expense(operand)})))

    def _enter_made(self, one: Expense) -> None:
        """Add that a tensor without content needs a buffer for each use that writes it in place."""
        effects = self._trials.effects
        for operand in effects.snapshot.value_uses[one.number]:
            # What is forwarded may go where nothing needs it.
            if operand in self._contested and effects.writes[operand] and not effects.shape_only[operand]:
                self.add(Clause(frozenset({one, Expense(operand)})))

    def explain(self, one: Expense, refused: frozenset[int]) -> Clause | None:
        """Add a clause by which an outcome with ``refused`` operands pays for ``one``, if there is one that is sure."""
        if not one.is_refusal or one.number < 0:
            return None
        orders = self._trials.orders
        others = self._contested - {one.number}

        def pays(kept: Sequence[int]) -> bool:
            refused = others.difference(kept)
            return all(one in self._trials.outcome(order, refused).paid for order in orders)

        kept = sorted(others - refused)
        if self._trials.is_exhausted or not pays(kept):
            return None
        kept = _least(kept, pays)
        clause = Clause(frozenset(map(Expense, (one.number, *kept))))
        stands = all(self._stands(order, one.number, others.difference(kept)) for order in orders)
        if not stands or not all(clause.holds(paid) for paid in self._trials.seen):
            return None
        self.add(clause)
        conflict = self._trials.outcome(orders[0], others.difference(kept)).conflicts[one.number]
        for operand in kept:
            self._trials.conflicts.setdefault(operand, conflict)
        return clause

    def _stands(self, order: DecisionOrder, operand: int, refused: frozenset[int]) -> bool:
        """Whether the conflict of ``operand``, found by ``order``, is one if everything else is in place."""
        conflict = self._trials.outcome(order, refused).conflicts.get(operand)
        return conflict is not None and all(self._stands_in(ideal, conflict) for ideal, _ in self._ideal.values())

    def _stands_in(self, ideal: OneShotAnalyzer, conflict: Conflict) -> bool:
        return ideal.stands(conflict)


def _least(items: list[int], holds: Callable[[Sequence[int]], bool]) -> list[int]:
    """Return a part of ``items`` for which ``holds`` is true, as it is for all, and not without any one of them."""
    size = len(items)
    while size:
        index = 0
        while index < len(items):
            rest = items[:index] + items[index + size :]
            if holds(rest):
                items = rest
            else:
                index += size
        size //= 2
    return items
