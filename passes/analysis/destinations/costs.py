"""The cost of the in-place decisions of a function: copies and allocations, in total and in loops.

Trials compare the costs before and after a change. Cost: linear in ops and uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace

from mlir import ir

from ....dialects.registry import find_model
from ..conflicts.decisions import Strategy
from ..in_place.function_decisions import FunctionAnalysis
from ..in_place.options import AnalysisOptions
from ..whole_module.module import ModuleAnalysis

__all__ = ["LIVE_OPTIONS", "TRIAL_OPTIONS", "Charge", "Cost", "by_name", "charges", "cost", "expense", "is_looped"]

TRIAL_OPTIONS = AnalysisOptions(boundaries=True, allow_unknown=True)
"""Options of the analyses by which destinations are chosen."""

LIVE_OPTIONS = replace(TRIAL_OPTIONS, skip_dead=True)
"""The same, as bufferization does: a dead op costs nothing, until its result becomes a destination."""


@dataclass(frozen=True)
class Cost:
    """What the decisions of a function cost; refusals are what would stop its bufferization."""

    refusals: int = 0
    copies: int = 0
    copies_in_loops: int = 0
    buffers: int = 0
    buffers_in_loops: int = 0

    def exceeds(self, other: Cost) -> bool:
        """Whether any of the numbers is greater than that of `other`."""
        return any(mine > theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True))

    def without_buffers(self) -> Cost:
        """Return the same without its buffers."""
        return Cost(self.refusals, self.copies, self.copies_in_loops)


@dataclass(frozen=True, slots=True)
class Charge:
    """Copies and allocations of one operand, or of one value that an op creates; the other one is -1."""

    op: int
    operand: int
    value: int
    copies: int
    buffers: int
    looped: bool


def by_name(analysis: ModuleAnalysis) -> dict[str, FunctionAnalysis]:
    """Return the analysed functions by their names."""
    ops = analysis.snapshot.ops
    return {ir.StringAttr(ops[f.function].attributes["sym_name"]).value: f for f in analysis.functions}


def is_looped(analysis: ModuleAnalysis, op: int) -> bool:
    """Whether op number `op` may run more than once while its function runs once."""
    s = analysis.snapshot
    return s.block_loop[s.op_block[op]] >= 0


def expense(analysis: ModuleAnalysis, function: FunctionAnalysis, operand: int) -> tuple[int, int]:
    """Return how many copies and buffers the decision for an operand costs."""
    decision = function.decisions[operand]
    inserts = operand in analysis.effects.redundant_source and operand not in function.redundant_writes
    return decision.copies + inserts, int(decision.strategy is Strategy.OUT_OF_PLACE)


def cost(analysis: ModuleAnalysis, function: FunctionAnalysis, *, new_tensors: bool = False) -> Cost:
    """Return the cost of `function`; with `new_tensors`, it includes the buffers that its ops allocate for results."""
    found = list((charges if new_tensors else _decision_charges)(analysis, function))
    looped = [charge for charge in found if charge.looped]
    return Cost(
        len(function.refusals),
        sum(charge.copies for charge in found),
        sum(charge.copies for charge in looped),
        sum(charge.buffers for charge in found),
        sum(charge.buffers for charge in looped),
    )


def charges(analysis: ModuleAnalysis, function: FunctionAnalysis) -> Iterator[Charge]:
    """Yield the charge of each operand and each new tensor of `function` that costs anything."""
    s = analysis.snapshot
    yield from _decision_charges(analysis, function)
    for op in s.nested_ops(function.function):
        for value in s.results(op):
            if s.value_is_tensor[value] and _is_allocated(analysis, function, op, value):
                yield Charge(op, -1, value, 0, 1, is_looped(analysis, op))


def _decision_charges(analysis: ModuleAnalysis, function: FunctionAnalysis) -> Iterator[Charge]:
    for operand in function.decisions:
        copies, buffers = expense(analysis, function, operand)
        if copies or buffers:
            op = analysis.snapshot.operand_op[operand]
            yield Charge(op, operand, -1, copies, buffers, is_looped(analysis, op))


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
