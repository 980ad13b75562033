"""All orders of decisions of a function, and the outcomes among them that differ.

An order is a permutation of the ops that something is decided for, one of the operands of each, and the flags of
`DecisionOrder` that can make a difference: `pass_on` and `rotate` for functions with loops, `exits_first` for those
with regions, `postpone` where something is postponed. All of them are tried up to a limit; above it a random sample,
always the same one of a seed.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...passes.analysis.effects.reader import TensorEffects
from ...passes.analysis.in_place.decision_order import DecisionOrder, nested_first
from ...passes.analysis.in_place.function_decisions import FunctionAnalysis, OneShotAnalyzer
from ...passes.analysis.in_place.options import AnalysisOptions
from ...passes.analysis.in_place.region_flow import carried_values, exit_values
from ...passes.analysis.ir.snapshot import Snapshot

__all__ = ["Outcomes", "Turns", "decisions_of", "find_outcomes"]

_MOST_PERMUTATIONS = 5040

Decisions = tuple[tuple[int, str, bool], ...]


@dataclass(frozen=True)
class Turns(DecisionOrder):
    """An order in which every op has a turn of its own. Ops are counted from their function."""

    turns: tuple[int, ...] = ()
    """The ops that something is decided for, in the order of their turns; the others do not matter."""
    places: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """By op, its operands in the order of their turns, where that is not the one they have."""

    def ops(self, effects: TensorEffects, function: int) -> Sequence[int]:
        """Return the ops inside of `function` in the order of their turns, each after those inside of it."""
        return self.sorted_ops(effects.snapshot, function)

    def sorted_ops(self, snapshot: Snapshot, function: int) -> Sequence[int]:
        """As `ops`, which needs no effects here."""
        ops = snapshot.nested_ops(function)
        ranks = [0] * len(ops)
        for rank, op in enumerate(self.turns):
            ranks[function + op - ops.start] = rank
        return nested_first(snapshot, ops, ranks)

    def operands(self, snapshot: Snapshot, op: int) -> Sequence[int]:
        """Return the operands of `op` in the order of their turns."""
        operands = snapshot.operands(op)
        for number, places in self.places:
            if op == _function(snapshot, op) + number:
                return [operands[place] for place in places]
        return operands


@dataclass(frozen=True)
class Outcomes:
    """One order for each outcome that differs from those before; how many orders were tried, and whether that is all.

    The first one stands for the order that is taken by default, which is None.
    """

    orders: list[DecisionOrder | None]
    tried: int
    is_complete: bool


def find_outcomes(
    effects: TensorEffects, start: FunctionAnalysis, options: AnalysisOptions, most: int, *, seed: int = 0
) -> Outcomes:
    """Analyse a function again in all orders, at most `most`; `start` is its analysis in the default order.

    `seed`: which orders are drawn if there are more.
    """
    known: dict[Decisions, DecisionOrder | None] = {decisions_of(effects, start): None}
    orders, is_complete = _orders(effects, start, most, seed)
    postponing: list[DecisionOrder] = []
    for order in orders:
        # An order that postpones nothing is the same as the one that may not.
        analyzer = OneShotAnalyzer(effects, start.function, options, order)
        known.setdefault(decisions_of(effects, analyzer.run()), order)
        if analyzer.is_postponing:
            postponing.append(replace(order, postpone=False))
    for order in postponing:
        found = OneShotAnalyzer(effects, start.function, options, order).run()
        known.setdefault(decisions_of(effects, found), order)
    return Outcomes(list(known.values()), len(orders) + len(postponing), is_complete)


def decisions_of(effects: TensorEffects, analysis: FunctionAnalysis) -> Decisions:
    """Return what was decided, in numbers that the same function has elsewhere too."""
    first = effects.snapshot.op_first_operand[analysis.function]
    found = ((operand - first, one.strategy.value, one.copies) for operand, one in analysis.decisions.items())
    return tuple(sorted(found))


def _function(snapshot: Snapshot, op: int) -> int:
    """Return the op around `op` that stands in the module."""
    while True:
        around = snapshot.block_op[snapshot.op_block[op]]
        if snapshot.op_block[around] < 0:
            return op
        op = around


def _orders(effects: TensorEffects, start: FunctionAnalysis, most: int, seed: int) -> tuple[list[Turns], bool]:
    """Return the orders to try, each of which postpones what may be postponed, and whether these are all."""
    s, function = effects.snapshot, start.function
    groups = _groups(effects, start)
    flags = _flags(effects, function)
    count = math.factorial(len(groups)) * math.prod(math.factorial(len(places)) for places in groups.values())
    if count <= _MOST_PERMUTATIONS:
        permuted = _permuted(function, groups, s)
        found = _distinct(effects, function, (replace(order, **one) for order in permuted for one in flags), most + 1)
        if len(found) <= most:
            return found, True
    draw = random.Random(count + seed)
    drawn = (replace(_drawn(draw, function, groups, s), **draw.choice(flags)) for _ in range(most))
    return _distinct(effects, function, drawn, most), False


def _groups(effects: TensorEffects, start: FunctionAnalysis) -> dict[int, list[int]]:
    """Return the ops whose turn matters, each with those of its operands whose turns do.

    What a loop yields to its next iteration is decided with the loop.
    """
    s = effects.snapshot
    groups: dict[int, list[int]] = {}
    exits = _exits(effects, start.function)
    for operand in sorted(start.decisions):
        op = s.operand_op[operand]
        if operand in effects.ties or effects.writes[operand] or effects.escapes[operand] or s.op_regions[op]:
            groups.setdefault(op, []).append(s.operand_index(operand))
        elif op in exits:
            groups.setdefault(op, [])
    return groups


def _exits(effects: TensorEffects, function: int) -> set[int]:
    """Return the terminators of branches."""
    around = effects.ops_around_tensors(function)
    return {effects.snapshot.operand_op[operand] for op in around for operand, _ in exit_values(effects, op)}


def _flags(effects: TensorEffects, function: int) -> list[dict[str, bool]]:
    """Return the flags that make a difference in a function, combined in every way."""
    carried = max((len(carried_values(effects, op)) for op in effects.ops_around_tensors(function)), default=0)
    exits = (True, False) if _exits(effects, function) else (False,)
    passes = (False, True) if carried else (False,)
    rotations = (False, True) if carried > 1 else (True,)
    return [
        {"exits_first": first, "pass_on": pass_on, "rotate": rotate, "postpone": True}
        for first, pass_on, rotate in itertools.product(exits, passes, rotations)
    ]


def _places(snapshot: Snapshot, op: int, decided: Sequence[int]) -> tuple[int, ...]:
    """Return all operands of an op, those that are decided first and in this order."""
    others = (place for place in range(len(snapshot.operands(op))) if place not in decided)
    return (*decided, *others)


def _permuted(function: int, groups: dict[int, list[int]], s: Snapshot) -> Iterator[Turns]:
    several = {op: places for op, places in groups.items() if len(places) > 1}
    inner = [list(itertools.permutations(places)) for places in several.values()]
    for turns in itertools.permutations(groups):
        for chosen in itertools.product(*inner):
            places = tuple((op - function, _places(s, op, p)) for op, p in zip(several, chosen, strict=True))
            yield Turns(turns=tuple(op - function for op in turns), places=places)


def _drawn(draw: random.Random, function: int, groups: dict[int, list[int]], s: Snapshot) -> Turns:
    turns = draw.sample(list(groups), len(groups))
    several = {op: draw.sample(places, len(places)) for op, places in groups.items() if len(places) > 1}
    places = tuple((op - function, _places(s, op, chosen)) for op, chosen in several.items())
    return Turns(turns=tuple(op - function for op in turns), places=places)


def _distinct(effects: TensorEffects, function: int, orders: Iterator[Turns], most: int) -> list[Turns]:
    """Leave out orders that come to the same, as an op is decided after those inside of it; stop at `most`."""
    found: dict[object, Turns] = {}
    exits = _exits(effects, function)
    for order in orders:
        decided = {function + op for op in order.turns} - (exits if order.exits_first else set())
        sequence = tuple(op for op in order.sorted_ops(effects.snapshot, function) if op in decided)
        found.setdefault((sequence, order.places, order.exits_first, order.pass_on, order.rotate), order)
        if len(found) == most:
            break
    return list(found.values())
