"""Trace an inserted tensor back to the operands where its buffer begins.

An insertion copies a tensor that was computed step by step in one buffer. The *starts* are the operands where that
buffer comes into the computation:

* a tensor without content (``tensor.empty`` and views of it): any other content will do as well;
* an operand that is out-of-place: the op gets a new buffer there, with a copy of the operand's content if it is needed;
* an operand whose content the op does not need: what is there before does not matter.

What follows the value back is the op models' tables and the decisions of the one-shot analysis: a result to its tied
operand, a region result to what the region yields, a loop's argument to its initial value. Nothing is changed here.

Cost: each value once; every step is taken from the function's budget.
"""

from __future__ import annotations

import enum

from mlir import ir

from ....dialects.bufferizable import Relation
from ....dialects.support.frozen_classes import frozen
from ..conflicts.decisions import Decision, Strategy
from ..in_place.function_decisions import FunctionAnalysis
from ..whole_module.module import ModuleAnalysis
from .empty_tensor_moves import Obstacle, Places

__all__ = ["EMPTY", "VIEWS", "Start", "StartKind", "Trace"]

EMPTY = "tensor.empty"
VIEWS = frozenset({"tensor.cast", "tensor.collapse_shape", "tensor.expand_shape"})


class StartKind(enum.Enum):
    """What an operand is before it takes the slice of the destination."""

    EMPTY = "empty"
    """A tensor without content."""
    UNREAD = "unread"
    """A tensor whose content the op does not need."""
    COPIED = "copied"
    """A tensor that the op may not overwrite: its content is copied into the slice, not into a new buffer."""


@frozen
class Start:
    """An operand that is to take the slice; ``views`` are the casts and reshapes from the insertion back to it.

    ``is_direct`` says that no region, branch or call lies between: the views are made of the very buffer then.
    """

    operand: int
    views: tuple[int, ...]
    kind: StartKind
    is_direct: bool


class Trace:
    """Follows the source of the insertion into operand ``write`` back to where its buffer begins.

    Without ``inits`` only tensors without content count as a beginning. With ``unread`` an operand that the op only
    overwrites does, wherever it comes from: for insertions that cannot be traced further.
    """

    def __init__(
        self,
        analysis: ModuleAnalysis,
        function: FunctionAnalysis,
        places: Places,
        write: int,
        *,
        inits: bool,
        unread: bool = False,
    ) -> None:
        self._snapshot = analysis.snapshot
        self._effects = analysis.effects
        self._function = function
        self._places = places
        self._inits = inits
        self._unread = unread
        self.write = write
        self.insertion = analysis.snapshot.operand_op[write]
        self.starts: list[Start] = []
        self._copied: set[int] = set()
        self.ops: set[int] = {self.insertion}
        self.obstacle: Obstacle | None = None

    def run(self, source: int) -> None:
        """Collect ``starts``, the ops on the way, and the first obstacle."""
        s, work = self._snapshot, []
        seen: set[int] = set()

        def follow(operand: int, views: tuple[int, ...], *, direct: bool) -> None:
            value = s.operand_value[operand]
            if self._is_made_without_content(value):
                self._start(operand, views, direct=direct)
            elif operand != source and self._inits and self._is_copied_view(value):
                self._copy_into(operand, views, direct=direct)
            elif value not in seen:
                seen.add(value)
                work.append((value, views, direct))

        follow(source, (), direct=True)
        while work:
            value, views, direct = work.pop()
            if not self._places.spend():
                self._object("the way from the empty tensor to the insertion is too long", self.insertion)
                return
            sources = self._effects.sources.get(value, ())
            if not sources:
                self._object("the source of the insertion may also have content from elsewhere", self._definer(value))
            for operand in sources:
                op = s.operand_op[operand]
                self.ops.add(op)
                stays = direct and operand in self._effects.ties and s.op_name[op] != "func.call"
                if self._leads_on(operand, value, views, direct=stays):
                    follow(operand, (*views, op) if s.op_name[op] in VIEWS else views, direct=stays)

    def _is_made_without_content(self, value: int) -> bool:
        """Whether ``value`` is a new tensor without content or a view of one, and no such tensor that is forwarded."""
        s, effects = self._snapshot, self._effects
        while effects.undefined[value] and (sources := effects.sources.get(value)):
            if sources[0] in effects.forwards:
                return False
            value = s.operand_value[sources[0]]
        return bool(effects.undefined[value])

    def _object(self, reason: str, op: int) -> None:
        if self.obstacle is None:
            self.obstacle = Obstacle(reason, op)

    def _definer(self, value: int) -> int:
        s = self._snapshot
        return s.value_op[value] if s.value_op[value] >= 0 else s.block_op[s.value_block[value]]

    def _start(self, operand: int, views: tuple[int, ...], *, direct: bool) -> None:
        s = self._snapshot
        value = s.operand_value[operand]
        while s.op_name[s.value_op[value]] != EMPTY and value in self._effects.sources:
            value = s.operand_value[self._effects.sources[value][0]]
        name = s.op_name[s.value_op[value]]
        if name == EMPTY:
            self.starts.append(Start(operand, views, StartKind.EMPTY, direct))
        else:
            self._object(f"'{name}' asks for a buffer of its own", s.value_op[value])

    def _copy_into(self, operand: int, views: tuple[int, ...], *, direct: bool) -> None:
        # A loop's initial value leads to its argument and to its result.
        if operand in self._copied:
            return
        self._copied.add(operand)
        kind = StartKind.COPIED if self._effects.content_reads[operand] else StartKind.UNREAD
        self.starts.append(Start(operand, views, kind, direct))

    def _is_copied_view(self, value: int) -> bool:
        """Whether ``value`` would be a view of another buffer, but is a copy, as it or the buffer is written later."""
        s, effects = self._snapshot, self._effects
        sources = effects.sources.get(value, ())
        if len(sources) != 1 or sources[0] not in effects.ties or effects.writes[sources[0]]:
            return False
        decision = self._function.decisions.get(sources[0])
        is_ranked = isinstance(s.values[value].type, ir.RankedTensorType)
        return is_ranked and decision is not None and decision.strategy is Strategy.OUT_OF_PLACE

    def _leads_on(self, operand: int, value: int, views: tuple[int, ...], *, direct: bool) -> bool:
        """Whether the buffer of ``value`` may be that of ``operand``; objects where it is not known to be."""
        s, effects = self._snapshot, self._effects
        op = s.operand_op[operand]
        decision = self._function.decisions.get(operand)
        if decision is not None and decision.strategy is Strategy.COPY_TO_CARRIED:
            return False
        problem = self._problem(operand, value)
        if problem:
            self._object(problem, op)
        elif self._begins(operand, decision):
            self._copy_into(operand, views, direct=direct)
            return False
        if decision is not None and decision.strategy in (Strategy.ROTATE, Strategy.PASS_ON):
            self._object("a loop may go on with another buffer on the way", op)
        elif decision is not None and not decision.in_place and not effects.undefined[s.operand_value[operand]]:
            why = f": {decision.conflict.rule.value}" if decision.conflict else ""
            self._object(f"a buffer is changed on the way{why}", op)
        return True

    def _problem(self, operand: int, value: int) -> str | None:
        """Return why ``value`` is not all of what the op makes of ``operand``, in the same place and form."""
        s, effects = self._snapshot, self._effects
        name = s.op_name[s.operand_op[operand]]
        tie = next((tie for tie in effects.ties.get(operand, ()) if tie.value == value), None)
        if tie is not None:
            if not tie.definite:
                return "the source of the insertion may be one of several buffers"
            if tie.relation not in (Relation.EQUIVALENT, Relation.RESHAPED):
                return "only a part of the computed tensor is inserted"
            if not effects.writes[operand] and name not in VIEWS:
                return f"what '{name}' does cannot be undone"
        types = [s.values[v].type for v in (s.operand_value[operand], value)]
        if name in VIEWS and not all(isinstance(type_, ir.RankedTensorType) for type_ in types):
            return "a tensor without a rank lies between"
        if name not in VIEWS and types[0] != types[1]:
            return "the type changes on the way"
        return None

    def _begins(self, operand: int, decision: Decision | None) -> bool:
        """Whether a buffer begins here, and another one may be put in its place, with a copy of what is needed."""
        s, effects = self._snapshot, self._effects
        if not self._inits or decision is None or s.op_name[s.operand_op[operand]] in VIEWS:
            return False
        if effects.discards[operand] or effects.undefined[s.operand_value[operand]]:
            return False
        value = s.operand_value[operand]
        # Threads insert into the argument of their loop and into nothing else.
        if not isinstance(s.values[value].type, ir.RankedTensorType) or operand in effects.insertions.get(value, ()):
            return False
        if decision.strategy is Strategy.OUT_OF_PLACE:
            return True
        return self._unread and not effects.content_reads[operand] and bool(effects.writes[operand])
