"""What the outcomes of an analysis pay for, and what might be paid for instead, as clauses.

Those of ``clauses.py`` are proved by trials. These are read off conflicts (``bonds.py``), so they cost no trial, and
may be wrong: one that an outcome contradicts is dropped. So they say what to try next, and when to stop trying; what is
found is right in any case. Linear in what is paid for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..conflicts.decisions import Conflict, Rule, Strategy
from ..costs.price import Price
from ..effects.reader import TensorEffects
from .bonds import Bonds
from .cost_model import CostModel, Expense
from .cover import Clause
from .function_decisions import FunctionAnalysis

__all__ = ["LikelyClauses"]

_MOST_EXPLAINED = 48
"""Of how many expenses of an outcome it is asked why, the dearest first; the others are taken to be paid always."""

_CHEAPER = Conflict(Rule.CHEAPER)


class LikelyClauses:
    """The clauses so far, and the least price of each expense; operands that are ``allowed`` may be refused."""

    def __init__(self, effects: TensorEffects, costs: CostModel, bonds: Bonds, allowed: frozenset[int]) -> None:
        self.allowed = allowed
        self.costs: dict[Expense, Price] = {}
        self._avoided: dict[int, Conflict] = {}
        """By operand that may be refused, a conflict that this would avoid."""
        self._packs: dict[int, Conflict] = {}
        """The same where it is no conflict that this would avoid, but elements that are packed."""
        self._effects = effects
        self._snapshot = effects.snapshot
        self._model = costs
        self._bonds = bonds
        self._clauses: dict[Clause, None] = {}
        self._seen: list[frozenset[Expense]] = []
        self._excluded: set[frozenset[int]] = set()

    @property
    def all(self) -> Sequence[Clause]:
        """The clauses, and those that exclude what was looked at."""
        expenses = {one for clause in self._clauses for one in clause.paid}
        known = frozenset(one for one in expenses if one.is_refusal and one.number in self.allowed)
        refused = [frozenset(map(Expense, one)) for one in self._excluded]
        return (*self._clauses, *(Clause(known - one, one) for one in refused if one <= known))

    def exclude(self, refused: frozenset[int]) -> bool:
        """Exclude outcomes that refuse just these operands, of those in clauses; return whether they were not."""
        is_new = refused not in self._excluded
        self._excluded.add(refused)
        return is_new

    def price(self, operand: int) -> Price:
        """Return the least that refusing an operand costs."""
        return self.costs.get(Expense(operand)) or self._model.of_refusal(operand)

    def avoided(self, analysis: FunctionAnalysis) -> dict[int, Price]:
        """Return, by operand, the price of all that ``analysis`` pays for and clauses say it may pay for instead."""
        together: dict[Expense, set[int]] = {}
        for clause in self._clauses:
            operands = [one.number for one in clause.paid if one.is_refusal]
            for one in clause.paid:
                together.setdefault(one, set()).update(operands)
        found: dict[int, Price] = {}
        for one, price in self._model.expenses(analysis):
            for operand in together.get(one, ()):
                found[operand] = found.get(operand, Price()).plus(price)
        return found

    def is_twice(self, operand: int) -> bool:
        """Whether an op yields one value by this operand and by another one: either may be the copy."""
        s, forwards = self._snapshot, self._effects.forwards
        op, value = s.operand_op[operand], s.operand_value[operand]
        if operand not in forwards or op in s.op_successors:
            return False
        return sum(s.operand_value[one] == value and one in forwards for one in s.operands(op)) > 1

    def reason(self, operand: int) -> Conflict:
        """Return what refusing an operand would avoid, as far as it is known."""
        return self._avoided.get(operand) or self._packs.get(operand) or _CHEAPER

    def learn(self, analysis: FunctionAnalysis, refused: frozenset[int], not_passed_on: Mapping[int, Conflict]) -> bool:
        """Add why ``analysis`` pays for what it does; return whether anything was not known before."""
        expenses = sorted(self._model.expenses(analysis), key=lambda one: one[1], reverse=True)
        for one, price in expenses:
            self.costs[one] = min(price, self.costs.get(one, price))
        self._seen.append(frozenset(one for one, _ in expenses))
        before = len(self._clauses)
        for one, _ in expenses[:_MOST_EXPLAINED]:
            for clause in self._of(analysis, one, refused, not_passed_on):
                self._clauses.setdefault(clause)
        for one, _ in expenses[_MOST_EXPLAINED:]:
            self._clauses.setdefault(Clause(frozenset({one})))
        learned = len(self._clauses) > before
        for clause in [one for one in self._clauses if not all(one.holds(seen) for seen in self._seen)]:
            del self._clauses[clause]
        return learned

    def _of(
        self, analysis: FunctionAnalysis, one: Expense, refused: frozenset[int], not_passed_on: Mapping[int, Conflict]
    ) -> Iterator[Clause]:
        """Yield why ``analysis`` pays for ``one``."""
        if one.makes:
            for operand in set(analysis.needing_forwarded(self._effects, one.number)):
                yield self._either(one, {operand})
        elif one.packs:
            way = self._bonds.to_argument(analysis, self._snapshot.operand_value[one.number])
            operands = (way or frozenset()) | {one.number}
            for operand in operands:
                self._packs.setdefault(operand, Conflict(Rule.CHEAPER, read=one.number))
            yield self._either(one, operands)
        elif one.moves:
            yield from self._moves(analysis, one)
        elif one.number not in refused:
            conflict = not_passed_on.get(one.number) or analysis.decisions[one.number].conflict
            if conflict is not None:
                yield from self._conflicts(analysis, one, conflict)

    def _conflicts(self, analysis: FunctionAnalysis, one: Expense, conflict: Conflict) -> Iterator[Clause]:
        """Yield that an operand is not in place because of ``conflict``, or another one that leads to it is not."""
        value, rule = self._snapshot.operand_value[one.number], conflict.rule
        if rule is Rule.ROTATION_SHARED:
            # In another order the loop does not swap buffers.
            return
        if rule is Rule.NOT_EQUIVALENT:
            way = self._bonds.between(value, self._effects.forwards[one.number][0])
            if way is not None:
                yield from self._follows(analysis, one, way)
            return
        if rule is Rule.NOT_CONTIGUOUS:
            core = self._bonds.sources(analysis, value)
        else:
            core = self._bonds.core(analysis, one.number, conflict)
        for operand in core:
            self._avoided.setdefault(operand, conflict)
        found, writer = self._either(one, core), analysis.decisions.get(conflict.write)
        if writer is not None and writer.strategy is Strategy.COPY_TO_CARRIED and conflict.write != one.number:
            written = frozenset({Expense(conflict.write)})
            found = Clause(found.paid - written, written)
        yield found

    def _moves(self, analysis: FunctionAnalysis, one: Expense) -> Iterator[Clause]:
        """Yield why an insertion moves elements: an operand on the way to its destination is refused, or always."""
        s = self._snapshot
        insertion = s.operands(s.operand_op[one.number])
        into = next(operand for operand in insertion if self._effects.redundant_source.get(operand) == one.number)
        way = self._bonds.between(s.operand_value[one.number], s.operand_value[into])
        found = list(self._follows(analysis, one, (way or frozenset()) | {into}))
        yield from found or [Clause(frozenset({one}))]

    @staticmethod
    def _follows(analysis: FunctionAnalysis, one: Expense, way: frozenset[int]) -> Iterator[Clause]:
        """Yield that ``one`` is paid for if one of those operands on a ``way`` is not in place that are not now."""
        for operand in way - {one.number}:
            decision = analysis.decisions.get(operand)
            if decision is not None and not decision.in_place:
                yield Clause(frozenset({one}), frozenset({Expense(operand)}))

    def _either(self, one: Expense, operands: Iterable[int]) -> Clause:
        """Return that ``one`` is paid for, or one of ``operands`` is refused."""
        others = [Expense(operand) for operand in operands if operand in self.allowed]
        for other in others:
            if other not in self.costs:
                self.costs[other] = self._model.of_refusal(other.number)
        return Clause(frozenset({one, *others}))
