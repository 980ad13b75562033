"""Rounds of planning, moving and analysis until no read of an old content can be moved that saves a copy.

A round plans (``passes/analysis/destinations/read_moves.py``), moves, and analyses the outcome, which shows what else
is read after a write. When nothing is left to move, the module goes back to the cheapest outcome. What did not pay for
all operands together is tried for each by itself.

Cost: one analysis if nothing can move, or if nothing is copied but what must not be written; at most ``_TRIALS`` more,
and in a large module fewer unless they pay.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ...analysis.conflicts.decisions import Rule
from ...analysis.costs.price import Price
from ...analysis.destinations.costs import LIVE_OPTIONS, cost
from ...analysis.destinations.read_moves import Move, MoveKind, plan_moves
from ...analysis.in_place.cost_model import CostModel, Expense
from ...analysis.in_place.function_decisions import FunctionAnalysis
from ...analysis.whole_module.module import ModuleAnalysis, analyze_module

__all__ = ["MovedRead", "move_reads"]

_TRIALS = 12
_SMALL = 1024
"""The most ops of a module in which moves are tried one by one, and as long as there are trials."""
_PATIENCE = 2
"""How many rounds may make a larger module no cheaper, one after the other."""


@frozen
class MovedRead:
    """What moved, for a remark."""

    location: ir.Location
    message: str
    kind: MoveKind


def move_reads(module: ir.Operation, known: ModuleAnalysis | None) -> tuple[list[MovedRead], ModuleAnalysis]:
    """Move what saves copies; return what was done, and the analysis of the module as it is then.

    ``known`` decides what an analysis of the module with ``LIVE_OPTIONS`` would, if there is one.
    """
    with module.context:
        if known is not None and known.erased and _may_copy_less(known):
            known = None
        current = known if known is not None else analyze_module(module, LIVE_OPTIONS)
        if current.refusals or not _may_copy_less(current) or not plan_moves(current):
            return [], current
        rounds = _Rounds(current)
        rounds.run(None)
        alone = _operands(rounds.best, plan_moves(rounds.best))
        if len(alone) > 1 and len(current.snapshot.ops) <= _SMALL:
            for operand in alone:
                rounds.run(operand)
    return rounds.done, rounds.best


def _operands(analysis: ModuleAnalysis, moves: Sequence[Move]) -> list[tuple[ir.Operation, int]]:
    """The operands for which there are ``moves``: ops with the numbers of their operands."""
    s = analysis.snapshot
    return [(s.ops[s.operand_op[move.decision]], s.operand_index(move.decision)) for move in moves]


def _is_operand(analysis: ModuleAnalysis, wanted: tuple[ir.Operation, int] | None, operand: int) -> bool:
    s = analysis.snapshot
    return wanted is None or (s.operand_index(operand), s.ops[s.operand_op[operand]]) == (wanted[1], wanted[0])


class _Rounds:
    """The best state of the module so far, with its analysis, and what was done to it; the module is in that state."""

    def __init__(self, analysis: ModuleAnalysis) -> None:
        self.best = analysis
        self.done: list[MovedRead] = []
        self._left = _TRIALS

    def run(self, operand: tuple[ir.Operation, int] | None) -> None:
        """Move, for all operands or for one, while there is something to move; then go back to the best state."""
        current, undo, told = self.best, list[_Undo](), list[MovedRead]()
        patience = _TRIALS if len(current.snapshot.ops) <= _SMALL else _PATIENCE
        while self._left and len(undo) < patience and _may_copy_less(self.best):
            moves = plan_moves(current, partial(_is_operand, current, operand))
            if not moves:
                break
            self._left -= 1
            told += [_describe(current, move) for move in moves]
            undo.append(_Undo(current))
            for move in moves:
                undo[-1].carry_out(move)
            current = analyze_module(current.snapshot.root, LIVE_OPTIONS)
            if _saves_copies(current, self.best):
                self.best = current
                self.done += told
                undo.clear()
                told.clear()
        for one in reversed(undo):
            one.run()


def _saves_copies(analysis: ModuleAnalysis, other: ModuleAnalysis) -> bool:
    """Whether ``analysis`` costs less than ``other`` because fewer bytes are copied, or fewer operands refused."""
    new, old = _price(analysis), _price(other)
    return new < old and (new.refusals, new.copied) < (old.refusals, old.copied)


def _may_copy_less(analysis: ModuleAnalysis) -> bool:
    """Whether there are copies, of what can be bufferized, that another order of the ops may save."""
    costs = CostModel(analysis.effects)
    return any(
        price.copied > 0 and not _is_of_readonly(analysis, function, expense)
        for function in analysis.functions
        for expense, price in costs.expenses(function)
    )


def _is_of_readonly(analysis: ModuleAnalysis, function: FunctionAnalysis, expense: Expense) -> bool:
    """Whether a copy is made because memory must not be written, or is one into such a copy.

    It is made in any order of the ops: who else reads that memory, and when, was not the reason.
    """
    if expense.packs or expense.makes:
        return False
    s = analysis.snapshot
    operands = s.operands(s.operand_op[expense.number]) if expense.moves else (expense.number,)
    decisions = filter(None, map(function.decisions.get, operands))
    return any(one.conflict is not None and one.conflict.rule is Rule.NOT_WRITABLE for one in decisions)


def _price(analysis: ModuleAnalysis) -> Price:
    """What the decisions and new tensors of all functions cost."""
    costs = (cost(analysis, function, new_tensors=True).price for function in analysis.functions)
    return reduce(Price.plus, costs, Price())._replace(refusals=len(analysis.refusals))


class _Undo:
    """Carries out moves, and takes them back."""

    def __init__(self, analysis: ModuleAnalysis) -> None:
        self._snapshot = analysis.snapshot
        self._blocks: dict[int, None] = {}
        self._copies: list[tuple[ir.Operation, int, tuple[int, ...]]] = []

    def carry_out(self, move: Move) -> None:
        s = self._snapshot
        place = s.ops[move.place]
        self._blocks[s.op_block[move.place]] = None
        if move.kind is MoveKind.WRITE:
            for op in reversed(move.ops):
                s.ops[op].move_after(place)
            return
        for op in move.ops:
            s.ops[op].move_before(place)
        if move.kind is MoveKind.SLICE:
            self._copy(move, place)

    def _copy(self, move: Move, place: ir.Operation) -> None:
        s, source = self._snapshot, self._snapshot.values[move.slice]
        with ir.InsertionPoint(place), s.ops[s.value_op[move.slice]].location:
            copy = ir.Operation.create(
                "bufferization.alloc_tensor",
                results=[source.type],
                operands=[source],
                attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 1, 0])},
            )
        for use in move.uses:
            s.ops[s.operand_op[use]].operands[s.operand_index(use)] = copy.result
        self._copies.append((copy, move.slice, move.uses))

    def run(self) -> None:
        """Let everything be as it was."""
        s = self._snapshot
        for copy, value, uses in self._copies:
            for use in uses:
                s.ops[s.operand_op[use]].operands[s.operand_index(use)] = s.values[value]
            copy.erase()
        for block in self._blocks:
            *others, last = s.block_ops[block]
            for op in others:
                s.ops[op].move_before(s.ops[last])


def _describe(analysis: ModuleAnalysis, move: Move) -> MovedRead:
    """What ``move`` does to which op, said of the operand that was out-of-place."""
    s = analysis.snapshot
    writer = s.operand_op[move.decision]
    moved = s.op_name[s.value_op[move.slice] if move.kind is MoveKind.SLICE else move.ops[-1]]
    what = {
        MoveKind.READ: f"'{moved}' moves in front of it, and reads the old content there",
        MoveKind.WRITE: "it moves behind the last read of the old content",
        MoveKind.SLICE: f"the result of '{moved}' is copied in front of it",
    }[move.kind]
    message = f"operand #{s.operand_index(move.decision)} of '{s.op_name[writer]}' is not kept as a whole: {what}"
    return MovedRead(s.ops[writer].location, message, move.kind)
