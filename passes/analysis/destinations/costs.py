"""What a change of a program does to the cost of its functions, by the model of in_place/cost_model.py.

Trials compare the costs before and after a change: of decisions, and, if asked, of the buffers that ops allocate for
their results, which a change may spare. Cost: linear in ops and uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from mlir import ir

from ....dialects.registry import find_model
from ....dialects.support.frozen_classes import frozen
from ..conflicts.decisions import Strategy
from ..costs.price import Price
from ..in_place.cost_model import CostModel
from ..in_place.function_decisions import FunctionAnalysis
from ..in_place.options import AnalysisOptions
from ..whole_module.module import ModuleAnalysis

__all__ = [
    "LIVE_OPTIONS",
    "TRIAL_OPTIONS",
    "Charge",
    "Cost",
    "by_name",
    "charges",
    "cost",
    "decision_price",
    "is_looped",
]

TRIAL_OPTIONS = AnalysisOptions(boundaries=True, allow_unknown=True)
"""Options of the analyses by which destinations are chosen."""

LIVE_OPTIONS = replace(TRIAL_OPTIONS, skip_dead=True)
"""The same, as bufferization does: a dead op costs nothing, until its result becomes a destination."""


@frozen
class Cost:
    """What a function costs, and how many buffers that are."""

    price: Price = Price()
    buffers: int = 0

    def exceeds(self, other: Cost) -> bool:
        """Whether the price is more than that of `other`, or copies more bytes: none are traded for allocated ones."""
        return self.price > other.price or self.price.copied > other.price.copied


class Charge(NamedTuple):
    """What one operand costs, or one value that an op creates; the other one is -1. `buffers`: one or none."""

    op: int
    operand: int
    value: int
    price: Price
    buffers: int


def by_name(analysis: ModuleAnalysis) -> dict[str, FunctionAnalysis]:
    """Return the analysed functions by their names."""
    ops = analysis.snapshot.ops
    return {ir.StringAttr(ops[f.function].attributes["sym_name"]).value: f for f in analysis.functions}


def is_looped(analysis: ModuleAnalysis, op: int) -> bool:
    """Whether op number `op` may run more than once while its function runs once."""
    s = analysis.snapshot
    return s.block_loop[s.op_block[op]] >= 0


def decision_price(model: CostModel, function: FunctionAnalysis, operand: int) -> Price:
    """Return what the decision for an operand costs.

    Reshapes of what may have gaps are left out: a trial leaves behind those that are erased with an insertion.
    """
    prices = (price for expense, price in model.of_operand(function, operand) if not expense.packs)
    return reduce(Price.plus, prices, Price())


def cost(
    analysis: ModuleAnalysis, function: FunctionAnalysis, *, new_tensors: bool = False, copies_only: bool = False
) -> Cost:
    """Return the cost of `function`.

    With `new_tensors`, it includes the buffers that its ops allocate for results; with `copies_only`, no buffers.
    """
    price, buffers = Price(refusals=len(function.refusals)), 0
    for charge in charges(analysis, function, new_tensors=new_tensors):
        price = price.plus(Price.of(charge.price.copied) if copies_only else charge.price)
        buffers += 0 if copies_only else charge.buffers
    return Cost(price, buffers)


def charges(analysis: ModuleAnalysis, function: FunctionAnalysis, *, new_tensors: bool = True) -> Iterator[Charge]:
    """Yield the charge of each operand of `function`, and of each new tensor if asked, that costs anything."""
    s, model = analysis.snapshot, CostModel(analysis.effects)
    for operand, decision in function.decisions.items():
        price = decision_price(model, function, operand)
        if any(price):
            buffers = int(decision.strategy is Strategy.OUT_OF_PLACE)
            yield Charge(s.operand_op[operand], operand, -1, price, buffers)
    for op in s.nested_ops(function.function) if new_tensors else ():
        for value in s.results(op):
            if s.value_is_tensor[value] and _is_allocated(analysis, function, op, value):
                yield Charge(op, -1, value, _price_of_new(analysis, model, op, value), 1)


def _price_of_new(analysis: ModuleAnalysis, model: CostModel, op: int, value: int) -> Price:
    """The buffer of a new tensor; a copy too, where the program asks for that."""
    s, made = analysis.snapshot, model.of_new(value)
    copies = s.op_name[op] == "bufferization.alloc_tensor" and not analysis.effects.undefined[value]
    return Price.of(made.allocated, made.allocated) if copies else made


def _is_allocated(analysis: ModuleAnalysis, function: FunctionAnalysis, op: int, value: int) -> bool:
    """Whether `op` allocates a buffer for its result `value`; one without content counts only if it is used."""
    s, effects = analysis.snapshot, analysis.effects
    model = find_model(s.op_name[op])
    # What a region op returns is forwarded; its buffer was counted where it comes from.
    if model is None or s.op_name[op] == "arith.constant" or effects.sources.get(value):
        return False
    if not model.bufferizes_to_allocation(s.ops[op], s.value_index[value]):
        return False
    decisions = (function.decisions.get(use) for use in s.value_uses[value])
    return not effects.undefined[value] or any(decision is None or decision.in_place for decision in decisions)
