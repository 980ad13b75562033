"""Plan which tensors are computed in the slice of the destination that they are inserted into.

An insertion copies a tensor into a part of its destination. If the tensor was computed, step by step in one buffer, in
a ``tensor.empty`` or in a copy of another tensor, it may as well be computed in that part of the destination; the
insertion then copies nothing. The plan says for each insertion which operands take the slice in the place of the empty
tensor (the *starts*, see ``insertion_trace.py``), where the slice is made, and which ops move in front of it because
the slice needs them. Nothing is changed here.

See docs/theory/destinations.md for why the plan is legal. Whether it pays is a question for the analysis of the changed
program (``empty_tensor_trial.py``).

Cost: linear in ops and uses; a function gets a budget of steps in proportion to its size. Counterpart upstream:
``EmptyTensorElimination.cpp``.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir

from ....dialects.bufferizable import Relation, Subset
from ....dialects.subsets import static_entries
from ....dialects.support.frozen_classes import frozen
from ....dialects.support.memref_types import (
    collapsed_type,
    dynamic_layout_type,
    expanded_type,
    identity_type,
    reshaped_type,
    subview_type,
)
from ....dialects.tensor.shapes import reassociation_of
from ..in_place.function_decisions import FunctionAnalysis
from ..whole_module.module import ModuleAnalysis
from .empty_tensor_moves import Needs, Obstacle, Places
from .insertion_trace import EMPTY, Start, Trace

__all__ = [
    "Elimination",
    "EliminationPlan",
    "KeptInsertion",
    "copying_insertions",
    "inserted_operand",
    "plan_eliminations",
]

_MATERIALIZE = "bufferization.materialize_in_destination"


@frozen
class Elimination:
    """One insertion whose source can be computed in its destination.

    ``write`` is the destination operand, ``before`` the op that the slice is made in front of, and ``moves`` the ops
    that go there first, in this order. All are numbers of the snapshot.
    """

    write: int
    before: int
    moves: tuple[int, ...]
    starts: tuple[Start, ...]


@frozen
class KeptInsertion:
    """An insertion of what was computed in another buffer, which has to stay; ``op`` is what stands in the way."""

    write: int
    reason: str
    op: int


@frozen
class EliminationPlan:
    """The eliminations, in the order in which to carry them out, and the insertions that stay."""

    eliminations: tuple[Elimination, ...]
    kept: tuple[KeptInsertion, ...]


def plan_eliminations(analysis: ModuleAnalysis, excluded: frozenset[int], *, inits: bool = False) -> EliminationPlan:
    """Plan for every analysed function; the insertions into the operands ``excluded`` are left alone.

    With ``inits`` inits that have content or are overwritten may take a slice too, not only empty tensors.
    """
    eliminations: list[Elimination] = []
    kept: list[KeptInsertion] = []
    for function in analysis.functions:
        if not function.refusals:
            planner = _Planner(analysis, function, inits=inits)
            planner.run(excluded)
            eliminations += planner.eliminations
            kept += planner.kept
    return EliminationPlan(tuple(eliminations), tuple(kept))


def copying_insertions(analysis: ModuleAnalysis, function: FunctionAnalysis) -> Iterator[int]:
    """Yield the destination operands of the insertions of ``function`` that copy, in program order."""
    s = analysis.snapshot
    for op in analysis.effects.active_ops(function.function):
        if s.op_name[op] == _MATERIALIZE and not s.value_is_tensor[s.operand_value[s.op_first_operand[op] + 1]]:
            yield s.op_first_operand[op] + 1
            continue
        for operand in s.operands(op):
            if operand in analysis.effects.redundant_source and operand not in function.redundant_writes:
                yield operand


def inserted_operand(analysis: ModuleAnalysis, write: int) -> int:
    """Return the operand that is inserted into the destination operand ``write``."""
    s, source = analysis.snapshot, analysis.effects.redundant_source.get(write)
    return s.op_first_operand[s.operand_op[write]] if source is None else source


class _Planner:
    """Plans the insertions of one function, in program order."""

    def __init__(self, analysis: ModuleAnalysis, function: FunctionAnalysis, *, inits: bool) -> None:
        self._analysis = analysis
        self._inits = inits
        self._snapshot = analysis.snapshot
        self._effects = analysis.effects
        self._function = function
        self._places = Places(analysis.snapshot, function.function)
        self.eliminations: list[Elimination] = []
        self.kept: list[KeptInsertion] = []
        self._taken: set[int] = set()
        """Memrefs that are made into a tensor for an insertion already."""

    def run(self, excluded: frozenset[int]) -> None:
        """Plan every insertion: first those into what is no start of another, whose destination stays as it is."""
        traces = [
            trace
            for write in copying_insertions(self._analysis, self._function)
            if write not in excluded
            for trace in self._trace(write)
        ]
        outer = {start.operand: trace.write for trace in traces for start in trace.starts}
        planned: set[int] = set()
        for nested in (False, True):
            for trace in traces:
                if (trace.write in outer) is nested:
                    self._try(trace, planned, outer.get(trace.write) in planned)

    def _trace(self, write: int) -> Iterator[Trace]:
        """Yield the way back from an insertion, if it leads to where a buffer begins and nothing forbids to go it."""
        trace = Trace(self._analysis, self._function, self._places, write, inits=self._inits)
        trace.run(inserted_operand(self._analysis, write))
        if self._inits and (trace.obstacle is not None or not trace.starts):
            shorter = Trace(self._analysis, self._function, self._places, write, inits=True, unread=True)
            shorter.run(inserted_operand(self._analysis, write))
            trace = shorter if shorter.starts and shorter.obstacle is None else trace
        if trace.starts and trace.obstacle is not None:
            self._keep(trace, trace.obstacle)
        elif trace.starts:
            yield trace

    def _try(self, trace: Trace, planned: set[int], is_nested: bool) -> None:
        try:
            if is_nested:
                reason = "the destination is to become a slice of another tensor first"
                raise Obstacle(reason, trace.insertion)
            self.eliminations.append(self._plan(trace))
            planned.add(trace.write)
        except Obstacle as obstacle:
            self._keep(trace, obstacle)

    def _keep(self, trace: Trace, obstacle: Obstacle) -> None:
        self.kept.append(KeptInsertion(trace.write, obstacle.reason, obstacle.op))

    def _plan(self, trace: Trace) -> Elimination:
        """Return how to compute the source of an insertion in place; raises :class:`Obstacle`."""
        s, write = self._snapshot, trace.write
        decision = self._function.decisions.get(write)
        if decision is not None and not decision.in_place:
            why = f": {decision.conflict.rule.value}" if decision.conflict else ""
            raise Obstacle(f"the destination of the insertion gets a buffer of its own{why}", trace.insertion)
        insertion = trace.insertion
        before = self._places.earliest([s.operand_op[start.operand] for start in trace.starts], insertion)
        subset = self._subset(write)
        if not self._is_inside(write, subset):
            self._places.check_always_reached(before, insertion)
        needs = Needs(frozenset(trace.ops), before)
        entries = (*subset.offsets, *subset.sizes, *subset.strides) if subset else ()
        self._places.bring(needs, [s.operand_value[write]])
        self._places.bring(needs, [s.value_id(entry) for entry in entries if isinstance(entry, ir.Value)])
        if not s.value_is_tensor[s.operand_value[write]]:
            self._check_memory(write, before, trace.starts)
        for start in trace.starts:
            self._check_views(write, start, subset)
        self._places.settle(needs, (s.operand_op[start.operand] for start in trace.starts))
        return Elimination(write, before, tuple(needs.moves), tuple(trace.starts))

    def _subset(self, write: int) -> Subset | None:
        """Return the slice of the destination that is written; None for all of it."""
        s = self._snapshot
        op = s.operand_op[write]
        model = self._effects.model(op) if s.value_is_tensor[s.operand_value[write]] else None
        return None if model is None else model.subset(s.ops[op], s.operand_index(write))

    def _is_inside(self, write: int, subset: Subset | None) -> bool:
        """Whether the slice certainly lies in its destination, also when the insertion is not reached in the end."""
        s = self._snapshot
        if subset is None:
            return True
        shape = ir.ShapedType(s.values[s.operand_value[write]].type).shape
        for extent, offset, size, stride in zip(shape, subset.offsets, subset.sizes, subset.strides, strict=True):
            if not (isinstance(offset, int) and isinstance(size, int) and isinstance(stride, int)):
                return False
            if offset < 0 or stride < 0 or extent < 0 or offset + (size - 1) * stride >= extent:
                return False
        return True

    def _check_memory(self, write: int, before: int, starts: list[Start]) -> None:
        """A memref is not followed by the analysis: nothing else may use memory while the tensor is computed in it."""
        s = self._snapshot
        insertion, value = s.operand_op[write], s.operand_value[write]
        if any(start.views for start in starts) or s.values[value].type.shape != self._source_type(write).shape:
            raise Obstacle("the source is cast or reshaped on its way into a memref", insertion)
        if not isinstance(s.values[value].type, ir.MemRefType):
            raise Obstacle("the memref has no rank", insertion)
        if value in self._taken or any(
            s.op_name[s.operand_op[use]] == "bufferization.to_tensor" for use in s.value_uses[value]
        ):
            raise Obstacle("the memref is used as another tensor", insertion)
        self._places.check_no_memory(before, insertion)
        self._taken.add(value)

    def _source_type(self, write: int) -> ir.ShapedType:
        s = self._snapshot
        return ir.ShapedType(s.values[s.operand_value[inserted_operand(self._analysis, write)]].type)

    def _check_views(self, write: int, start: Start, subset: Subset | None) -> None:
        """Casts and reshapes, and what undoes them, must be views of the slice: a collapse might copy."""
        s = self._snapshot
        if not start.views:
            return
        with s.ops[s.operand_op[write]].location:
            types = [self._slice_type(write, subset)]
            for op in start.views:
                types.append(self._viewed(op, types[-1], undo=True))
            type_ = types.pop()
            for op in reversed(start.views):
                before = types.pop()
                # The conversion takes back an expansion by taking what was expanded.
                taken_back = start.is_direct and s.op_name[op] == "tensor.collapse_shape"
                type_ = before if taken_back else self._viewed(op, type_, undo=False)

    def _viewed(self, op: int, type_: ir.MemRefType, *, undo: bool) -> ir.MemRefType:
        """Return the type of what cast or reshape ``op``, or the opposite, makes of a buffer of ``type_``."""
        operation = self._snapshot.ops[op]
        shapes = [ir.ShapedType(value.type) for value in (operation.operands[0], operation.results[0])]
        shape = shapes[not undo].shape
        if operation.name == "tensor.cast":
            return reshaped_type(type_, shape)
        if not all(shaped.has_static_shape for shaped in shapes):
            raise Obstacle("a reshape of dynamic sizes lies between", op)
        groups = reassociation_of(operation)
        if (operation.name == "tensor.expand_shape") is not undo:
            return expanded_type(type_, shape, groups)
        collapsed = collapsed_type(type_, shape, groups)
        if collapsed is None:
            raise Obstacle("the slice may not be contiguous, as the reshape between would need", op)
        return collapsed

    def _slice_type(self, write: int, subset: Subset | None) -> ir.MemRefType:
        """Return a type that the slice's buffer can be cast to."""
        s = self._snapshot
        value = s.operand_value[write]
        make = identity_type if self._is_new(value) else dynamic_layout_type
        whole = ir.MemRefType(make(s.values[value].type))
        if subset is None:
            return whole
        groups = [static_entries(group) for group in (subset.offsets, subset.sizes, subset.strides)]
        return subview_type(whole, groups[0], groups[1], groups[2], self._source_type(write).shape)

    def _is_new(self, value: int) -> bool:
        """Whether ``value`` surely lies in a contiguous buffer that the function makes."""
        s, effects = self._snapshot, self._effects
        while self._places.spend() and s.value_op[value] >= 0:
            sources = effects.sources.get(value, ())
            if not sources:
                return s.op_name[s.value_op[value]] == EMPTY
            ties = effects.ties.get(sources[0], ())
            if len(sources) > 1 or not all(tie.definite and tie.relation is Relation.EQUIVALENT for tie in ties):
                return False
            value = s.operand_value[sources[0]]
        return False
