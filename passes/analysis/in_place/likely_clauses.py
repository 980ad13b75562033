"""What the outcomes of an analysis pay for, and what might be paid for instead, as clauses.

Those of ``clauses.py`` are proved by trials. These are read off conflicts (``bonds.py``), so they cost no trial, and
may be wrong: one that an outcome contradicts is dropped. So they say what to try next, and when to stop trying; what is
found is right in any case. Linear in what is paid for.

*Leads* are trials that may be cheaper than an outcome, by what that pays for and why; the most promising first.

A conflict is told with the operands that bring its write and its read together (``bonds.py``). Each of them leads to a
trial that refuses it too. The estimate is the cost of the outcome, without all that this may spare, and with the price
of refusing the operand. What is paid for only because another operand is out-of-place is spared with that.

A clause is about all outcomes, and dropped when one contradicts it. A lead is about one:
its order, and what it refuses. So it stands though another order has no such conflict, and a second refusal is found
whose use shows only when the first one is made.

Another order is a lead as well: one in which a loop does something else than what is paid for, or swaps no buffers.

Linear in what outcomes pay for; an outcome has a bounded number of leads.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..conflicts.decisions import Conflict, Rule, Strategy
from ..costs.price import Price
from ..effects.reader import TensorEffects
from .bonds import Bonds
from .cost_model import CostModel, Expense, OrderOutcome, orders_against
from .cover import Clause
from .decision_order import FIRST, TOP_DOWN, UNROTATED, DecisionOrder
from .function_decisions import FunctionAnalysis

__all__ = ["Explained", "Lead", "Leads", "LikelyClauses"]

_MOST_EXPLAINED = 48
"""Of how many expenses of an outcome it is asked why, the dearest first; the others are taken to be paid always."""

_MOST_OF_OUTCOME = 8
"""How many operands of one outcome are leads, those that may spare most."""

_NOT_OF_WRITES = (Rule.NOT_EQUIVALENT, Rule.NOT_CONTIGUOUS)
"""Rules about something else than a write and a read."""

_CHEAPER = Conflict(Rule.CHEAPER)


class Explained(NamedTuple):
    """Something that an outcome pays for, its price, and clauses that say why."""

    expense: Expense
    price: Price
    clauses: Sequence[Clause]
    conflict: Conflict | None = None
    """Why an operand is refused that is paid for."""
    besides: frozenset[int] = frozenset()
    """Operands that clauses do not name, without which a loop may copy into what it carries, or swap it."""

    @property
    def is_alone(self) -> bool:
        """Whether nothing else may be paid for instead, as far as clauses tell."""
        return any(clause.paid == frozenset({self.expense}) for clause in self.clauses if not clause.unless)


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
        self._excluded: set[tuple[frozenset[int], frozenset[int]]] = set()
        """What is refused at least, and at most, in outcomes that were looked at."""
        self._explained: dict[int, tuple[FunctionAnalysis, Sequence[Explained]]] = {}
        """By identity of an outcome, it and why it pays for what it does."""

    @property
    def all(self) -> Sequence[Clause]:
        """The clauses, and those that exclude what was looked at."""
        expenses = {one for clause in self._clauses for one in clause.paid}
        known = frozenset(one for one in expenses if one.is_refusal and one.number in self.allowed)
        excluded = [(frozenset(map(Expense, one)), frozenset(map(Expense, other))) for one, other in self._excluded]
        return (*self._clauses, *(Clause(known - most, least) for least, most in excluded if least <= known))

    def exclude(self, least: frozenset[int], most: frozenset[int]) -> bool:
        """Exclude outcomes that refuse operands between these, of those in clauses; return whether they were not."""
        is_new = (least, most) not in self._excluded
        self._excluded.add((least, most))
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

    def reason(self, operand: int) -> Conflict:
        """Return what refusing an operand would avoid, as far as it is known."""
        return self._avoided.get(operand) or self._packs.get(operand) or _CHEAPER

    def learn(self, outcome: OrderOutcome) -> bool:
        """Add why ``outcome`` pays for what it does; return whether anything was not known before."""
        explained = self.explained(outcome)
        for one in explained:
            self.costs[one.expense] = min(one.price, self.costs.get(one.expense, one.price))
        self._seen.append(frozenset(one.expense for one in explained))
        before = len(self._clauses)
        for clause in (clause for one in explained for clause in one.clauses):
            self._clauses.setdefault(clause)
        learned = len(self._clauses) > before
        for clause in [one for one in self._clauses if not all(one.holds(seen) for seen in self._seen)]:
            del self._clauses[clause]
        return learned

    def explained(self, outcome: OrderOutcome) -> Sequence[Explained]:
        """Return what ``outcome`` pays for, the dearest first, and why."""
        analysis = outcome.analysis
        if id(analysis) not in self._explained:
            expenses = sorted(self._model.expenses(analysis), key=lambda one: one[1], reverse=True)
            found = list[Explained]()
            for one, price in expenses[:_MOST_EXPLAINED]:
                conflict = None
                if one.is_refusal and one.number not in outcome.needed:
                    conflict = outcome.not_passed_on.get(one.number) or analysis.decisions[one.number].conflict
                besides = self._bonds.outside_loop(analysis, one.number) if conflict is not None else frozenset[int]()
                found.append(Explained(one, price, tuple(self._why(analysis, one, conflict)), conflict, besides))
            rest = [Explained(one, price, (Clause(frozenset({one})),)) for one, price in expenses[_MOST_EXPLAINED:]]
            self._explained[id(analysis)] = analysis, [*found, *rest]
        return self._explained[id(analysis)][1]

    def _why(self, analysis: FunctionAnalysis, one: Expense, conflict: Conflict | None) -> Iterator[Clause]:
        """Yield why ``analysis`` pays for ``one``, an operand because of ``conflict``."""
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
        elif conflict is not None:
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

    def spares(self, analysis: FunctionAnalysis, one: Explained, operand: int) -> bool:
        """Whether refusing ``operand``, which is in clauses of ``one``, is enough for that not to be paid for."""
        conflict, paid = one.conflict, one.expense.number
        if conflict is None or conflict.rule in _NOT_OF_WRITES or operand in one.besides:
            return True
        return self._bonds.separates(analysis, paid, conflict, operand)

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


class Lead(NamedTuple):
    """A trial of ``order`` with operands ``refused``, and what it may cost; of those that came in ``turn``."""

    estimate: Price
    turn: int
    order: DecisionOrder
    refused: Mapping[int, Conflict]
    of: tuple[OrderOutcome, int] | None = None
    """The outcome that it is about, and what it refuses besides, if the estimate was not checked yet."""


class Leads:
    """The leads of the outcomes that were added; ``orders`` are those in which something else may be decided."""

    def __init__(self, clauses: LikelyClauses, orders: Container[DecisionOrder]) -> None:
        self._clauses = clauses
        self._orders = orders
        self._heap: list[Lead] = []
        self._seen = set[tuple[DecisionOrder, frozenset[int]]]()
        self._told: dict[tuple[DecisionOrder, Expense], set[frozenset[Expense]]] = {}
        """By order, and something that outcomes of it paid for, what was to be paid for instead."""

    def add(self, outcome: OrderOutcome, refused: Mapping[int, Conflict]) -> None:
        """Add the leads of the outcome with ``refused`` operands."""
        for one in self._clauses.explained(outcome):
            told = self._told.setdefault((outcome.order, one.expense), set())
            told.update(clause.paid for clause in one.clauses if not clause.unless)
        for estimate, operand in self._operands(outcome)[:_MOST_OF_OUTCOME]:
            self._enter(
                estimate, outcome.order, {**refused, operand: self._clauses.reason(operand)}, (outcome, operand)
            )
        for operand in sorted(outcome.needed) if len(outcome.needed) > 1 else ():
            rest = {one: why for one, why in refused.items() if one != operand}
            self._enter(outcome.cost.minus(self._clauses.price(operand)), outcome.order, rest)
        for order, price in self._other_orders(outcome).items():
            if order in self._orders and price != Price():
                self._enter(outcome.cost.minus(price), order, refused)

    def pop(self, best: Price) -> Lead | None:
        """Take the most promising one that may cost no more than ``best``; or None."""
        while self._heap:
            lead = heapq.heappop(self._heap)
            estimate = lead.estimate
            if lead.of is not None and estimate < best:
                estimate = min(self._checked(lead, *lead.of), best)
            if estimate == lead.estimate:
                return lead
            heapq.heappush(self._heap, lead._replace(estimate=estimate, of=None))
        return None

    def _enter(
        self,
        estimate: Price,
        order: DecisionOrder,
        refused: Mapping[int, Conflict],
        of: tuple[OrderOutcome, int] | None = None,
    ) -> None:
        key = order, frozenset(refused)
        if key not in self._seen:
            self._seen.add(key)
            heapq.heappush(self._heap, Lead(estimate, len(self._seen), order, refused, of))

    def _checked(self, lead: Lead, outcome: OrderOutcome, operand: int) -> Price:
        """Return the estimate of a lead, with all that refusing ``operand`` is not enough to spare."""
        clauses, analysis, estimate = self._clauses, outcome.analysis, lead.estimate
        explained = clauses.explained(outcome)
        paid = {one.expense for one in explained} | {Expense(operand)}
        for one in explained:
            if any(Expense(operand) in clause.paid for clause in one.clauses):
                told = self._told.get((lead.order, one.expense), ())
                others = paid - {one.expense}
                if any(others.isdisjoint(clause) for clause in told) or not clauses.spares(analysis, one, operand):
                    estimate = estimate.plus(one.price)
        return estimate

    def _operands(self, outcome: OrderOutcome) -> Sequence[tuple[Price, int]]:
        """Return what is in place and may be refused too, after what the outcome may cost then, the least first."""
        clauses, decisions = self._clauses, outcome.analysis.decisions
        return sorted(
            (outcome.cost.minus(price).plus(clauses.price(operand)), operand)
            for operand, (price, is_useful) in self._spared(outcome).items()
            if operand in clauses.allowed and operand in decisions and decisions[operand].in_place
            if is_useful or price > clauses.price(operand)
        )

    def _spared(self, outcome: OrderOutcome) -> dict[int, tuple[Price, bool]]:
        """Return, by operand, the price of what refusing it may spare, and whether any of that is not a tensor made."""
        useful = set[int]()
        spared: dict[int, Price] = {}
        followers: dict[int, Price] = {}
        cores: dict[int, set[int]] = {}
        for one, price, clauses, _, besides in self._clauses.explained(outcome):
            core = set(besides & self._clauses.allowed)
            for clause in clauses:
                for other in clause.unless:
                    followers[other.number] = followers.get(other.number, Price()).plus(price)
                if not clause.unless:
                    core.update(other.number for other in clause.paid if other.is_refusal and other != one)
            if one.is_refusal:
                cores[one.number] = core
            if not one.makes:
                useful |= core
            for operand in core:
                spared[operand] = spared.get(operand, Price()).plus(price)
        for number, price in followers.items():
            for operand in cores.get(number, ()):
                spared[operand] = spared[operand].plus(price)
        return {operand: (price, operand in useful) for operand, price in spared.items()}

    def _other_orders(self, outcome: OrderOutcome) -> dict[DecisionOrder, Price]:
        """Return orders that may decide otherwise, with the price of what a loop may not pay for then."""
        found, decisions = {TOP_DOWN: Price(), FIRST: Price()}, outcome.analysis.decisions
        for one, price, *_ in self._clauses.explained(outcome):
            decision = decisions.get(one.number) if one.is_refusal else None
            if decision is None or decision.conflict is None:
                continue
            for order in orders_against(decision, outcome.not_passed_on.get(one.number, decision.conflict)):
                found[order] = found.get(order, Price()).plus(price)
        if any(decision.strategy is Strategy.ROTATE for decision in decisions.values()):
            found.setdefault(UNROTATED, Price())
        return found
