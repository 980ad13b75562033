"""What the decisions of a function cost: bytes copied and bytes allocated, each times how often that runs, by estimate.

One model for every route: the choice among orders of decisions, the plan of dispatch functions, the search for the
cheapest decisions (``optimal.py``), and the trials of the passes on destinations. A program that is refused costs more
than any other. A copied byte counts for :data:`~..costs.price.COPY_WEIGHT` allocated ones. So one copy in front of a
loop is cheaper than an allocation in each of its iterations, and dearer than a few allocations beside it.

What is not known is assumed (``costs/estimates.py``). What every outcome pays (the buffer of a result that has no init)
is left out, as are copies into the layout that a call or a result wants.

The cost of an outcome is linear in its decisions.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from copy import copy
from functools import reduce
from typing import NamedTuple

from mlir import ir

from ....dialects.bufferizable import Relation
from ....dialects.support.frozen_classes import frozen
from ....dialects.tensor.shapes import reassociation_of
from ..conflicts.decisions import Conflict, Decision, Rule, Strategy
from ..costs.estimates import Estimates
from ..costs.price import Price
from ..effects.reader import TensorEffects
from ..effects.summary import buffer_layouts
from ..ir.symbols import is_public
from .decision_order import PASSING_ON, UNROTATED, DecisionOrder
from .decision_record import costs_no_copy
from .function_decisions import FunctionAnalysis

__all__ = ["CostModel", "Expense", "OrderOutcome", "conflicts", "moves_alone", "orders_against", "orders_of_loops"]

_PACKING = frozenset({"tensor.collapse_shape", "tensor.reshape"})
"""Ops that need elements without gaps between them."""

_LONGEST = 64
"""How many values a buffer is followed back through."""


class Expense(NamedTuple):
    """One thing that an outcome pays for: the number tells those of one function apart, and is that of its operand.

    If ``moves`` the op copies the source operand of that number into its destination; if ``packs`` it reshapes what may
    have gaps, and copies it first; if ``makes`` it is the value of that number, a tensor without content, that needs a
    buffer.
    """

    number: int
    moves: bool = False
    makes: bool = False
    packs: bool = False

    @property
    def is_refusal(self) -> bool:
        """Whether it is paid because the operand is not in place."""
        return not (self.moves or self.makes or self.packs)


@frozen
class OrderOutcome:
    """An outcome of ``order``; ``not_passed_on`` is by operand that a loop yields.

    ``needed`` are operands refused from the start, which would be in place otherwise.
    """

    analysis: FunctionAnalysis
    cost: Price
    order: DecisionOrder
    not_passed_on: dict[int, Conflict]
    needed: frozenset[int] = frozenset()


class CostModel:
    """Costs of the outcomes of one analysis; asked while the ops of the snapshot exist."""

    def __init__(self, effects: TensorEffects) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._estimates = Estimates(effects)
        self._branches: dict[int, int] = {}
        self._gaps: dict[int, bool] = {}
        """By argument of a function, whether it may have gaps between its elements."""
        self._packed: dict[int, bool] = {}
        """By operand, whether it is reshaped and must have no gaps."""
        self._made_in: dict[int, list[int]] = {}
        """By function, the tensors without content that its ops make."""
        self._refusals: dict[int, Price] = {}
        """By operand, what it costs out-of-place."""

    def of_part(self, function: int, values: Container[int]) -> CostModel:
        """Return the costs of ``values`` alone, a part of ``function``, in outcomes that decide about nothing else."""
        part = copy(self)
        part._made_in = {function: [value for value in self._made(function) if value in values]}
        return part

    def cost(self, analysis: FunctionAnalysis) -> Price:
        """Return what ``analysis`` costs in all."""
        refused = Price(refusals=len(analysis.refusals))
        return reduce(Price.plus, (paid for _, paid in self.expenses(analysis)), refused)

    def expenses(self, analysis: FunctionAnalysis) -> Iterator[tuple[Expense, Price]]:
        """Yield what ``analysis`` pays for, except for its refusals."""
        packs, redundant = self._packed, self._effects.redundant_source
        for operand, decision in analysis.decisions.items():
            # Most pay for nothing.
            if (packs.get(operand, True) and self._packs(operand)) or not decision.in_place or operand in redundant:
                yield from self.of_operand(analysis, operand)
        for value in self._made(analysis.function):
            if self._is_needed(analysis, value):
                yield Expense(value, makes=True), self.of_new(value)

    def of_operand(self, analysis: FunctionAnalysis, operand: int) -> Iterator[tuple[Expense, Price]]:
        """Yield what ``analysis`` pays for its decision about ``operand``."""
        effects, s = self._effects, self._snapshot
        decision = analysis.decisions[operand]
        if not decision.in_place:
            yield Expense(operand), self._of_refused(operand, decision)
        elif self._packs(operand) and self._may_have_gaps(analysis, operand):
            size = self._moved(operand, s.operand_value[operand])
            yield Expense(operand, packs=True), Price.of(size, size)
        if operand in effects.redundant_source and operand not in analysis.redundant_writes:
            source = effects.redundant_source[operand]
            yield Expense(source, moves=True), Price.of(self._moved(operand, s.operand_value[source]))

    def bytes(self, value: int) -> int:
        """Return the bytes of the buffer of ``value``, by estimate."""
        return self._estimates.bytes(value)

    def of_new(self, value: int) -> Price:
        """Return what a buffer for ``value`` costs where it is defined."""
        runs = self._estimates.runs(self._snapshot.block_loop[self._snapshot.value_block[value]])
        return Price.of(allocated=runs * self._estimates.bytes(value))

    def _is_needed(self, analysis: FunctionAnalysis, value: int) -> bool:
        """Whether a tensor without content needs a buffer, and not only one that clean-up removes."""
        return next(analysis.needing_forwarded(self._effects, value), -1) >= 0

    def _of_refused(self, operand: int, decision: Decision) -> Price:
        ties = self._effects.ties.get(operand, ())
        # A slice that is copied makes a buffer of its own size only.
        is_view = len(ties) == 1 and ties[0].relation is Relation.VIEW
        value = ties[0].value if is_view else self._snapshot.operand_value[operand]
        size = self._moved(operand, value)
        allocates = decision.strategy is Strategy.OUT_OF_PLACE
        return Price.of(size if decision.copies else 0, size if allocates else 0)

    def _packs(self, operand: int) -> bool:
        """Whether an operand is reshaped and must have no gaps; not where it only drops dimensions of one element."""
        found = self._packed.get(operand)
        if found is None:
            s = self._snapshot
            op = s.operand_op[operand]
            is_reshaped = s.op_name[op] in _PACKING and not s.operand_index(operand)
            found = self._packed[operand] = is_reshaped and _merges(s.ops[op])
        return found

    def _may_have_gaps(self, analysis: FunctionAnalysis, operand: int) -> bool:
        """Whether a buffer that is reshaped may be that of an argument of the function, of any layout."""
        effects, s = self._effects, self._snapshot
        work, seen = [s.operand_value[operand]], set[int]()
        while work and effects.any_layout and len(seen) < _LONGEST:
            value = work.pop()
            seen.add(value)
            if s.function_of(value) == analysis.function and self._has_gaps(value):
                return True
            for source in effects.sources.get(value, ()):
                decision = analysis.decisions.get(source)
                if (decision is None or decision.in_place) and s.operand_value[source] not in seen:
                    work.append(s.operand_value[source])
        return False

    def _has_gaps(self, value: int) -> bool:
        """Whether an argument of a function may be in any layout: of a private function callers decide."""
        found = self._gaps.get(value)
        if found is None:
            s, effects = self._snapshot, self._effects
            op = s.ops[s.function_of(value)]
            layout = buffer_layouts(op).get(s.value_index[value])
            found = self._gaps[value] = effects.any_layout and is_public(op) and not _is_identity(layout)
        return found

    def of_refusal(self, operand: int) -> Price:
        """Return what ``operand`` costs if it is out-of-place."""
        found = self._refusals.get(operand)
        if found is None:
            copies = not costs_no_copy(self._effects, operand)
            found = self._of_refused(operand, Decision(operand, Strategy.OUT_OF_PLACE, copies))
            self._refusals[operand] = found
        return found

    def _made(self, function: int) -> list[int]:
        """Return the tensors without content that ops of ``function`` make: decisions say which need buffers."""
        if function not in self._made_in:
            self._made_in[function] = _made(self._effects, function)
        return self._made_in[function]

    def _moved(self, operand: int, value: int) -> int:
        """Return the bytes of the buffer of ``value`` as often as the op of ``operand`` runs."""
        return self._estimates.runs_of(self._snapshot.operand_op[operand]) * self._estimates.bytes(value)

    def likely(self, analysis: FunctionAnalysis) -> float:
        """Return how many buffers are likely to be allocated if each branch is as likely as the others.

        Of outcomes that cost the same this tells that with buffers in branches from that with buffers around them.
        """
        s = self._snapshot
        made = (d.operand for d in analysis.decisions.values() if d.strategy is Strategy.OUT_OF_PLACE)
        return sum(1 / self._alternatives(s.op_block[s.operand_op[operand]]) for operand in made)

    def _alternatives(self, block: int) -> int:
        """Return of how many branches a block is one, which are branches of branches where these nest."""
        found = self._branches.get(block)
        if found is None:
            s, found = self._snapshot, 1
            around = s.block_op[block]
            outer = s.op_block[around] if around >= 0 else -1
            if outer >= 0:
                is_branch = s.block_loop[block] == s.block_loop[outer]
                found = self._alternatives(outer) * (max(len(s.op_regions[around]), 1) if is_branch else 1)
            self._branches[block] = found
        return found


def moves_alone(effects: TensorEffects, analysis: FunctionAnalysis) -> bool:
    """Whether everything is in place, so that at most insertions are paid for, which no other decisions spare."""
    owners, names = effects.snapshot.operand_op, effects.snapshot.op_name
    return not _made(effects, analysis.function) and all(
        decision.in_place and names[owners[operand]] not in _PACKING for operand, decision in analysis.decisions.items()
    )


def _made(effects: TensorEffects, function: int) -> list[int]:
    """Return the tensors without content that ops of ``function`` make."""
    s, dead, undefined = effects.snapshot, effects.dead_ops(function), effects.undefined
    return [
        value
        for value in s.nested_values(function)
        if undefined[value] and s.value_op[value] >= 0 and s.value_op[value] not in dead
        if s.value_is_tensor[value] and not effects.sources.get(value)
    ]


def _merges(op: ir.Operation) -> bool:
    """Whether an op that reshapes makes one dimension of several that may have more than one element."""
    source = ir.ShapedType(op.operands[0].type)
    if not source.has_rank:
        return True
    groups = reassociation_of(op) if op.name == "tensor.collapse_shape" else [range(source.rank)]
    return any(sum(source.shape[dimension] != 1 for dimension in group) > 1 for group in groups)


def _is_identity(layout: ir.Attribute | None) -> bool:
    if not isinstance(layout, ir.AffineMapAttr):
        return False
    map_ = layout.value
    return map_ == ir.AffineMap.get_identity(map_.n_dims)


def orders_against(decision: Decision, conflict: Conflict | None) -> list[DecisionOrder]:
    """Return the orders in which a loop does something else than what a ``decision`` with ``conflict`` pays for."""
    found = [PASSING_ON] if decision.strategy is Strategy.COPY_TO_CARRIED else []
    return [*found, UNROTATED] if conflict is not None and conflict.rule is Rule.ROTATION_SHARED else found


def orders_of_loops(analysis: FunctionAnalysis) -> list[DecisionOrder]:
    """Return the orders in which loops do something else than what ``analysis`` pays for."""
    found = {order for one in analysis.decisions.values() for order in orders_against(one, one.conflict)}
    return [order for order in (PASSING_ON, UNROTATED) if order in found]


def conflicts(analysis: FunctionAnalysis) -> list[Conflict]:
    """Return the conflicts of the operands that are out-of-place."""
    return [decision.conflict for decision in analysis.decisions.values() if decision.conflict is not None]
