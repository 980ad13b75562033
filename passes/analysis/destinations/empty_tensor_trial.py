"""Whether eliminating empty tensors pays: the in-place analysis of the program as it would be afterwards.

The plan is carried out on a copy of the module, which is analysed and thrown away. An elimination stands if the slice
is in-place and its insertion copies nothing any more, and a function's eliminations stand together if its decisions
cost no more than before, and none of them is refused that was not. So no copy is ever traded for another one, nor for
a function that cannot be bufferized: what moves may pass a read of memory that others see as well.

If a copy appears elsewhere, the record of its conflict says which elimination is to blame: what is computed in a slice
is written between the slice and the insertion (``empty_tensor_blame.py``). Without blame half of them are left out.

Cost: two analyses and a copy of the module for each round; what fails is left out in the next round.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence, Set
from dataclasses import replace
from functools import reduce

from mlir import ir

from ..costs.price import Price
from ..in_place.cost_model import CostModel
from ..in_place.function_decisions import FunctionAnalysis
from ..ir.snapshot import Snapshot
from ..whole_module.module import ModuleAnalysis
from .costs import Cost, by_name, cost
from .empty_tensor_blame import Window, find_blamed
from .empty_tensors import Elimination, EliminationPlan, KeptInsertion

__all__ = ["TRIAL_INSERTION", "TRIAL_SLICE", "judge_eliminations"]

TRIAL_INSERTION = "inplace.trial_insertion"
"""Attribute of an insertion in the copy: which elimination of the plan it belongs to."""

TRIAL_SLICE = "inplace.trial_slice"
"""The same for what makes the slice."""


_SLICES = frozenset({"bufferization.to_tensor", "tensor.extract_slice"})


def judge_eliminations(
    before: ModuleAnalysis, plan: EliminationPlan, after: ModuleAnalysis, ops: Sequence[ir.Operation]
) -> list[KeptInsertion]:
    """Return the eliminations of ``plan`` that do not stand, given the analysis of the copy they were made in.

    ``ops`` are the ops of the copy by the numbers that they have in ``before``.
    """
    s = before.snapshot
    found = _Outcome(after, {s.op_name[s.operand_op[e.write]] for e in plan.eliminations})
    failed: list[KeptInsertion] = []
    for index, elimination in enumerate(plan.eliminations):
        reason = found.objection(index)
        if reason:
            failed.append(KeptInsertion(elimination.write, reason, s.operand_op[elimination.write]))
    if failed:
        return failed
    by_function = _by_function(before, plan.eliminations)
    for name, function in by_name(before).items():
        mine, after_it = by_function.get(function.function), found.functions[name]
        if mine and cost(after, after_it).exceeds(_most(before, function, mine.values())):
            reason = "it would cost a copy or an allocation elsewhere in the function"
            windows = [found.window(index, e.write) for index, e in mine.items()]
            guilty = find_blamed((before, function), (after, after_it), ops, windows)
            # If it is unknown which one it is, half of them may be accepted, and the others are tried again then.
            blamed = [e for e in mine.values() if e.write in guilty] or list(mine.values())[len(mine) // 2 :]
            failed.extend(KeptInsertion(e.write, reason, s.operand_op[e.write]) for e in blamed)
    return failed


def _by_function(before: ModuleAnalysis, eliminations: Sequence[Elimination]) -> dict[int, dict[int, Elimination]]:
    """Return the eliminations in each function, by their numbers."""
    s, functions = before.snapshot, frozenset(function.function for function in before.functions)
    found: dict[int, dict[int, Elimination]] = {}
    for index, elimination in enumerate(eliminations):
        function = _enclosing(s, s.operand_op[elimination.write], functions)
        found.setdefault(function, {})[index] = elimination
    return found


def _enclosing(s: Snapshot, op: int, functions: Container[int]) -> int:
    """Return the one of ``functions`` that op number ``op`` is in."""
    while op not in functions:
        assert op > 0, "a function of the trial was not analysed"
        op = s.block_op[s.op_block[op]]
    return op


def _most(before: ModuleAnalysis, function: FunctionAnalysis, eliminations: Iterable[Elimination]) -> Cost:
    """Return what ``function`` may cost after ``eliminations``, each of which saves the copy of its insertion."""
    old, model = cost(before, function), CostModel(before.effects)
    for elimination in eliminations:
        if elimination.write in before.effects.redundant_source:
            moved = [price for expense, price in model.of_operand(function, elimination.write) if expense.moves]
            old = replace(old, price=reduce(Price.minus, moved, old.price))
    return old


class _Outcome:
    """What the analysis of the copy says about each elimination."""

    def __init__(self, analysis: ModuleAnalysis, insertions: set[str]) -> None:
        self._analysis = analysis
        self.functions = by_name(analysis)
        self._insertions = _tagged(analysis, insertions, TRIAL_INSERTION)
        self._slices = _tagged(analysis, _SLICES, TRIAL_SLICE)
        self._owner = {function.function: function for function in analysis.functions}
        self._last_use: dict[int, dict[int, int]] = {}
        """By function and may-alias set, the last position at which a value of the set is used."""

    def _function(self, op: int) -> FunctionAnalysis:
        return self._owner[_enclosing(self._analysis.snapshot, op, self._owner)]

    def window(self, index: int, write: int) -> Window:
        """Return where, and in which memory, what elimination number ``index``, into ``write``, moves is computed."""
        s, insertion = self._analysis.snapshot, self._insertions[index]
        made = self._slices.get(index)
        value = s.operand_value[s.op_first_operand[insertion]] if made is None else s.op_first_result[made]
        begin = s.op_enter[insertion if made is None else made]
        return Window(begin, s.op_enter[insertion], self._function(insertion).sets.find(value), write)

    def objection(self, index: int) -> str | None:
        """Return why elimination number ``index`` saves nothing, or None."""
        s, effects = self._analysis.snapshot, self._analysis.effects
        insertion = self._insertions[index]
        function = self._function(insertion)
        made = self._slices.get(index)
        if made is not None:
            decision = function.decisions.get(s.op_first_operand[made]) if s.op_operand_count[made] else None
            if decision is not None and not decision.in_place:
                why = f": {decision.conflict.rule.value}" if decision.conflict else ""
                return f"the slice of the destination would get a buffer of its own{why}"
        writes = [operand for operand in s.operands(insertion) if operand in effects.redundant_source]
        if writes:
            redundant = all(write in function.redundant_writes for write in writes)
            return None if redundant else "the insertion would still copy"
        assert made is not None
        if self._is_used_after(function, s.op_first_result[made], insertion):
            return "the tensor is used later, when the memref may have changed"
        find = function.sets.equivalence.find
        source = s.operand_value[s.op_first_operand[insertion]]
        same = find(source) == find(s.op_first_result[made])
        return None if same else "the insertion would still copy"

    def _is_used_after(self, function: FunctionAnalysis, value: int, insertion: int) -> bool:
        """Whether a tensor that may share memory with ``value`` is used behind the insertion."""
        s, sets = self._analysis.snapshot, function.sets
        if function.function not in self._last_use:
            last = self._last_use[function.function] = {}
            for other in s.nested_values(function.function):
                if s.value_is_tensor[other] and s.value_uses[other]:
                    root, end = sets.find(other), max(map(s.operand_position, s.value_uses[other]))
                    last[root] = max(end, last.get(root, 0))
        return self._last_use[function.function].get(sets.find(value), 0) > s.op_enter[insertion]


def _tagged(analysis: ModuleAnalysis, names: Set[str], attribute: str) -> dict[int, int]:
    """Return the ops with ``attribute``, by its value; only ops called one of ``names`` are asked."""
    s = analysis.snapshot
    candidates = (op for op, name in enumerate(s.op_name) if name in names and attribute in s.ops[op].attributes)
    return {ir.IntegerAttr(s.ops[op].attributes[attribute]).value: op for op in candidates}
