"""What the decisions of a function cost: bytes copied and bytes allocated, each times how often that runs, by estimate.

One model for every route: the choice among orders of decisions, the plan of dispatch functions, and the search for the
cheapest decisions (``optimal.py``). A program that is refused costs more than any other. A copied byte counts for
:data:`~.optimality.COPY_WEIGHT` allocated ones. So one copy in front of a loop is cheaper than an allocation in each of
its iterations, and dearer than a few allocations beside it.

What is not known is assumed: a loop whose bounds are not constant has :data:`ASSUMED_TRIPS` iterations, as has one of
the CFG; a dynamic size is :data:`ASSUMED_SIZE`, but a slice is no larger than what it is a slice of; an element of
unknown size has eight bytes; each branch is taken. What every outcome pays (the buffer of a result that has no init) is
left out, as are copies into the layout that a call or a result wants.

Sizes and trip counts are looked up once. The cost of an outcome is linear in its decisions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from math import prod
from typing import NamedTuple

from mlir import ir

from ....dialects.bufferizable import Relation
from ....dialects.scf.trip_counts import trip_count
from ....dialects.support.element_sizes import element_bytes
from ..conflicts.decisions import Decision, Strategy
from ..effects.reader import TensorEffects
from ..effects.summary import buffer_layouts
from ..ir.symbols import is_public
from .decision_record import costs_no_copy
from .function_decisions import FunctionAnalysis
from .optimality import Price

__all__ = ["ASSUMED_SIZE", "ASSUMED_TRIPS", "COUNTED_LOOPS", "CostModel", "Expense"]

ASSUMED_TRIPS = 10
"""The iterations of a loop of unknown bounds."""

ASSUMED_SIZE = 128
"""The size of a dynamic dimension."""

COUNTED_LOOPS = frozenset({"scf.for", "scf.forall", "scf.parallel"})
"""Loops whose trip counts are known where their bounds are constant."""

_ELEMENT_BYTES = 8

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


class CostModel:
    """Costs of the outcomes of one analysis; asked while the ops of the snapshot exist."""

    def __init__(self, effects: TensorEffects) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._bytes: dict[int, int] = {}
        self._branches: dict[int, int] = {}
        self._runs: dict[int, int] = {-1: 1}
        """By the block of a loop, how often it runs while the function runs once."""
        self._gaps: dict[int, bool] = {}
        """By argument of a function, whether it may have gaps between its elements."""
        self._made_in: dict[int, list[int]] = {}
        """By function, the tensors without content that its ops make."""

    def cost(self, analysis: FunctionAnalysis) -> Price:
        """Return what ``analysis`` costs in all."""
        refused = Price(refusals=len(analysis.refusals))
        return reduce(Price.plus, (paid for _, paid in self.expenses(analysis)), refused)

    def expenses(self, analysis: FunctionAnalysis) -> Iterator[tuple[Expense, Price]]:
        """Yield what ``analysis`` pays for, except for its refusals."""
        effects, s = self._effects, self._snapshot
        for operand, decision in analysis.decisions.items():
            if not decision.in_place:
                yield Expense(operand), self._of_refused(operand, decision)
            elif s.op_name[s.operand_op[operand]] in _PACKING and self._may_have_gaps(analysis, operand):
                size = self._times(operand, self.bytes(s.operand_value[operand]))
                yield Expense(operand, packs=True), Price.of(size, size)
            if operand in effects.redundant_source and operand not in analysis.redundant_writes:
                source = effects.redundant_source[operand]
                moved = self._times(operand, self.bytes(s.operand_value[source]))
                yield Expense(source, moves=True), Price.of(moved)
        for value in self._made(analysis.function):
            if analysis.needs_buffer(effects, value):
                runs = self.runs(s.block_loop[s.value_block[value]])
                yield Expense(value, makes=True), Price.of(allocated=runs * self.bytes(value))

    def _of_refused(self, operand: int, decision: Decision) -> Price:
        ties = self._effects.ties.get(operand, ())
        # A slice that is copied makes a buffer of its own size only.
        is_view = len(ties) == 1 and ties[0].relation is Relation.VIEW
        value = ties[0].value if is_view else self._snapshot.operand_value[operand]
        size = self._times(operand, self.bytes(value))
        allocates = decision.strategy is Strategy.OUT_OF_PLACE
        return Price.of(size if decision.copies else 0, size if allocates else 0)

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
        copies = not costs_no_copy(self._effects, operand)
        return self._of_refused(operand, Decision(operand, Strategy.OUT_OF_PLACE, copies))

    def _made(self, function: int) -> list[int]:
        """Return the tensors without content that ops of ``function`` make: decisions say which need buffers."""
        if function not in self._made_in:
            effects = self._effects
            self._made_in[function] = [
                value
                for op in effects.active_ops(function)
                for value in effects.tensor_results(op)
                if effects.undefined[value] and not effects.sources.get(value)
            ]
        return self._made_in[function]

    def _times(self, operand: int, size: int) -> int:
        s = self._snapshot
        return size * self.runs(s.block_loop[s.op_block[s.operand_op[operand]]])

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

    def runs(self, loop: int) -> int:
        """Return how often the body of a loop runs, by its block, while the function runs once; -1 is no loop."""
        found = self._runs.get(loop)
        if found is None:
            s = self._snapshot
            op = s.block_op[loop]
            trips = trip_count(s.ops[op]) if s.op_name[op] in COUNTED_LOOPS else None
            # What never runs still counts: one of two copies there is the better outcome.
            found = self._runs[loop] = self.runs(s.outer_loop(loop)) * max(ASSUMED_TRIPS if trips is None else trips, 1)
        return found

    def bytes(self, value: int) -> int:
        """Return the bytes of the buffer of a tensor value."""
        found = self._bytes.get(value)
        if found is None:
            found = self._bytes[value] = self._least_bytes(value)
        return found

    def _least_bytes(self, value: int) -> int:
        """Return the bytes by the type, or by those that the value is tied to: a slice is no larger than its tensor."""
        s, found = self._snapshot, _bytes_of(self._snapshot.values[value].type)
        for _ in range(_LONGEST):
            type_ = s.values[value].type
            if isinstance(type_, ir.RankedTensorType) and type_.has_static_shape:
                break
            sources = (s.operand_value[operand] for operand in self._effects.sources.get(value, ()))
            source = next((before for before in sources if 0 <= before < value), -1)
            if source < 0:
                break
            value = source
            found = min(found, _bytes_of(s.values[value].type))
        return found


def _is_identity(layout: ir.Attribute | None) -> bool:
    if not isinstance(layout, ir.AffineMapAttr):
        return False
    map_ = layout.value
    return map_ == ir.AffineMap.get_identity(map_.n_dims)


def _bytes_of(type_: ir.Type) -> int:
    if not isinstance(type_, ir.RankedTensorType):
        return ASSUMED_SIZE * _ELEMENT_BYTES
    try:
        element = element_bytes(type_.element_type)
    except ValueError:
        element = _ELEMENT_BYTES
    return max(element * prod(ASSUMED_SIZE if size < 0 else size for size in type_.shape), 1)
