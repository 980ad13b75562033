"""What all analyses of one function have in common, whatever they decide: its ops, their order in time, and its reads.

No decision brings values of different *parts* of a function into one buffer. So what is decided in one does not depend
on the others, and an analysis of a part alone costs what the part does.

Linear in the function; the reads of a value are looked up once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property

from ..conflicts.accesses import Read
from ..conflicts.liveness import Liveness
from ..effects.reader import TensorEffects
from ..effects.unranked import is_copyable
from ..ir.program_order import ProgramOrder
from ..ir.union_find import UnionFind
from .decision_order import FIRST, PASSING_ON, TOP_DOWN, UNROTATED, DecisionOrder
from .region_flow import carried_values

__all__ = ["FunctionTables"]


class FunctionTables:
    """The tables of op number ``function``, whose effects were added before, or of a part of it."""

    def __init__(self, effects: TensorEffects, function: int) -> None:
        s = effects.snapshot
        self._effects = effects
        self._function = function
        self.ops: Sequence[int] = effects.active_ops(function)
        self.around = effects.ops_around_tensors(function)
        self.values: Sequence[int] = [value for value in s.nested_values(function) if s.value_is_tensor[value]]
        self.part: frozenset[int] | None = None
        """The values of the part; None if these are the tables of all of the function."""
        exclusive = frozenset([op for op in self.ops if len(s.op_regions[op]) > 1 and self._is_exclusive(op)])
        self.order = ProgramOrder(s, exclusive, effects.early_definitions)
        self.live = Liveness(effects, self.order)
        self._reads: dict[int, list[Read]] = {}
        self._turns: list[tuple[DecisionOrder, Sequence[int]]] = []
        self._whole: FunctionTables | None = None
        """The tables of all of the function, if these are of a part."""

    def reads(self, value: int) -> list[Read]:
        """Return when and where the content of ``value`` may be read."""
        found = self._reads.get(value)
        if found is None:
            found = self._reads[value] = self.live.reads(value)
        return found

    def turns(self, order: DecisionOrder) -> Iterable[int]:
        """Return the ops in the order in which they are decided."""
        if self._whole is not None:
            part = frozenset(self.ops)
            return (op for op in self._whole.turns(order) if op in part)
        # Orders are few, and hashing one costs as much as deciding an op.
        found = next((turns for known, turns in self._turns if known is order), None)
        if found is None:
            ops, active = order.ops(self._effects, self._function), frozenset(self.ops)
            found = ops if len(active) == len(ops) else [op for op in ops if op in active]
            self._turns.append((order, found))
        return found

    def orders(self) -> Sequence[DecisionOrder]:
        """Return the orders in which something else may be decided."""
        carries = any(carried_values(self._effects, op) for op in self.around)
        return (FIRST, TOP_DOWN, PASSING_ON, UNROTATED) if carries else (FIRST, TOP_DOWN)

    def of_part(self, values: Sequence[int]) -> FunctionTables:
        """Return the tables of the part that consists of ``values``."""
        s, found = self._effects.snapshot, set[int]()
        for value in values:
            found.update(s.operand_op[operand] for operand in s.value_uses[value])
            found.add(s.value_op[value] if s.value_op[value] >= 0 else s.block_op[s.value_block[value]])
        for op in list(found):
            around = s.block_op[s.op_block[op]]
            while around >= 0 and around not in found:
                found.add(around)
                around = s.block_op[s.op_block[around]]
        part = copy(self)
        part._whole = self
        part.ops = [op for op in self.ops if op in found or op in s.op_successors]
        part.around = self.around & found
        part.values, part.part = values, frozenset(values)
        return part

    def sharing(self) -> UnionFind:
        """Return which values may be brought into one buffer, or copied onto each other, as sets."""
        effects, s, sharing = self._effects, self._effects.snapshot, UnionFind()
        for op in self.ops:
            for first, second in effects.shared.get(op, ()):
                sharing.union(first, second)
            for operand in effects.tensor_operands(op):
                for other in self._near(operand):
                    sharing.union(s.operand_value[operand], other)
        return sharing

    @cached_property
    def parts(self) -> UnionFind:
        """The parts, as sets of values: those that share, and those of one loop, whose buffers may be swapped."""
        effects, s, parts = self._effects, self._effects.snapshot, self.sharing()
        for op in self.around:
            carried = carried_values(effects, op)
            for entry in carried[1:]:
                parts.union(carried[0].argument, entry.argument)
        for argument, output in effects.shared_outputs.items():
            parts.union(argument, output.result)
        first: dict[int, int] = {}
        for value in self.values if s.graphs else ():
            if s.value_op[value] < 0 and value in effects.sources:
                parts.union(first.setdefault(s.value_block[value], value), value)
        return parts

    def refusable(self, operands: Iterable[int]) -> frozenset[int]:
        """Return those of ``operands`` that can be refused from the start, by their op alone."""
        effects, decided = self._effects, self._decided
        return frozenset(
            operand
            for operand in operands
            if operand not in decided and not effects.must_in_place[operand] and is_copyable(effects, operand)
        )

    @cached_property
    def _decided(self) -> set[int]:
        """What loops yield to their next iterations, and what threads insert: that is decided in any case."""
        decided = {entry.operand for op in self.ops for entry in carried_values(self._effects, op)}
        decided.update(operand for operands in self._effects.insertions.values() for operand in operands)
        return decided

    def _near(self, operand: int) -> list[int]:
        """Return the values that a decision about ``operand`` brings together with its own."""
        effects, s = self._effects, self._effects.snapshot
        near = [tie.value for tie in effects.ties.get(operand, ())] + list(effects.forwards.get(operand, ()))
        if operand in effects.redundant_source:
            near.append(s.operand_value[effects.redundant_source[operand]])
        if (copied := effects.copied_operand(operand)) >= 0:
            near.append(s.operand_value[copied])
        return near

    def _is_exclusive(self, op: int) -> bool:
        model = self._effects.model(op)
        return model is not None and model.are_exclusive_regions(self._effects.snapshot.ops[op])
