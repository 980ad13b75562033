"""Inits that are not read, and can be replaced by their destination or by a new empty tensor.

An op that writes all of its init and reads nothing of it depends on the init's sizes only. The plan says which such
operands take another value: the *top* that ties lead up to (``tied_inits.py``), which has the same type and
sizes, or a ``tensor.empty`` with the sizes of the top. A top is above the init in the def-use chain, so it is visible
wherever the init is. Nothing is changed here; whether it pays is asked in ``outs_profit.py``. See
docs/theory/destinations.md for why it is legal.

Cost: linear in ops and uses.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Set

from mlir import ir

from ....dialects.bufferizable import Relation
from ....dialects.registry import find_model
from ....dialects.support.frozen_classes import frozen
from ..in_place.function_decisions import FunctionAnalysis
from ..whole_module.module import ModuleAnalysis
from .costs import by_name
from .tied_inits import Destinations

__all__ = ["KeptInit", "Mode", "OutsRule", "Retie", "is_fusible", "plan_reties"]

_FRESH = frozenset({"bufferization.alloc_tensor", "tensor.empty"})
_GENERIC = "linalg.generic"
_MATERIALIZE = "bufferization.materialize_in_destination"
_VIEWS = frozenset(
    {"tensor.cast", "tensor.collapse_shape", "tensor.expand_shape", "tensor.extract_slice", "tensor.reshape"}
)


class Mode(enum.Enum):
    """What replaces an init that is not read."""

    PRESERVE_DESTINATION = "preserve-destination"
    EMPTY = "empty"


class OutsRule(enum.Enum):
    """Why an init stays. The value is the phrase that remarks use."""

    NEEDED = "its content is needed"
    DEPENDS = "the op has another use of the same value, so it depends on it anyway"
    ANOTHER_TYPE = "it is a view of the computed tensor, with another type or shape"
    ENCODING = "its type has an encoding, so no other tensor can replace it"
    SIZES = "its dynamic sizes are known from the value itself only"
    COST = "replacing it would cost a copy or an allocation"
    CALLERS = "replacing it would cost a copy or an allocation in another function"
    UNDECIDED = "deciding whether it pays would take too many rounds of analysis"


@frozen
class Retie:
    """Init ``operand`` takes value ``target`` instead of ``old``: all numbers of the snapshot.

    ``is_empty`` says that it takes a new empty tensor of the sizes of ``target`` instead.
    """

    operand: int
    old: int
    target: int
    is_empty: bool = False
    stays_input: bool = False
    """The op has ``old`` as an input as well, but is its only user then."""


@frozen
class KeptInit:
    """Init ``operand`` stays as it is."""

    operand: int
    rule: OutsRule
    detail: str = ""

    @property
    def reason(self) -> str:
        """The rule, and what exactly."""
        return f"{self.rule.value}: {self.detail}" if self.detail else self.rule.value


def plan_reties(analysis: ModuleAnalysis, mode: Mode) -> tuple[dict[str, list[Retie]], list[KeptInit]]:
    """Plan for every function whose in-place analysis refused nothing: changes by function name, and what stays."""
    planner = _Planner(analysis, mode)
    reties: dict[str, list[Retie]] = {}
    for name, function in by_name(analysis).items():
        found = [] if function.refusals else planner.plan(function)
        if found:
            reties[name] = found
    return reties, planner.kept


class _Planner:
    """Goes through the inits of one function after the other."""

    def __init__(self, analysis: ModuleAnalysis, mode: Mode) -> None:
        self._snapshot = analysis.snapshot
        self._effects = analysis.effects
        self._mode = mode
        self._top = Destinations(analysis.effects).top
        self.kept: list[KeptInit] = []

    def plan(self, function: FunctionAnalysis) -> list[Retie]:
        """Return the legal changes of ``function`` that free an op of a dependence, in program order."""
        s = self._snapshot
        chosen: list[Retie] = []
        dependent: list[Retie] = []
        for op in s.nested_ops(function.function):
            inits = [init for init in self._inits(op) if self._is_unread(init)]
            reties = [retie for retie in map(self._retie, inits) if retie is not None]
            others = self._other_values(op, frozenset(inits)) if reties else frozenset[int]()
            for retie in reties:
                (dependent if retie.old in others else chosen).append(retie)
        left = {retie.operand for retie in (*chosen, *dependent)}
        for retie in dependent:
            inputs = [use for use in s.value_uses[retie.old] if use not in left]
            if len(inputs) == 1 and is_fusible(s.ops[s.value_op[retie.old]], s.ops[s.operand_op[inputs[0]]]):
                chosen.append(Retie(retie.operand, retie.old, retie.target, retie.is_empty, stays_input=True))
            else:
                self._keep(retie.operand, OutsRule.DEPENDS)
        return chosen

    def _keep(self, operand: int, rule: OutsRule, detail: str = "") -> None:
        self.kept.append(KeptInit(operand, rule, detail))

    def _inits(self, op: int) -> Iterator[int]:
        """Yield the operands of ``op`` that it writes and that are certainly the buffers of results.

        A destination that the program asks for is none: the op is there for it.
        """
        s, effects = self._snapshot, self._effects
        if s.op_name[op] == _MATERIALIZE:
            return
        for operand in s.operands(op):
            ties = effects.ties.get(operand, ())
            if len(ties) != 1 or not effects.writes[operand] or effects.must_in_place[operand]:
                continue
            tie, mine = ties[0], s.value_op[ties[0].value] == op
            if mine and tie.definite and tie.relation is Relation.EQUIVALENT and s.operand_value[operand] >= 0:
                yield operand

    def _is_unread(self, init: int) -> bool:
        """Whether the content of ``init`` is not needed; if it is, and there is a producer, that is why it stays."""
        s = self._snapshot
        if not self._effects.reads[init]:
            return True
        if self._top(s.operand_value[init]) != s.operand_value[init]:
            op = s.ops[s.operand_op[init]]
            model = find_model(op.name)
            self._keep(init, OutsRule.NEEDED, model.why_content_is_needed(op, s.operand_index(init)) if model else "")
        return False

    def _retie(self, init: int) -> Retie | None:
        """Return what unread ``init`` may become, or None if there is nothing better, or nothing legal."""
        s = self._snapshot
        old = s.operand_value[init]
        top = self._top(old)
        empty = self._mode is Mode.EMPTY or top in self._effects.readonly
        if self._mode is Mode.EMPTY:
            wanted = s.value_op[old] < 0 or s.op_name[s.value_op[old]] not in _FRESH
        else:
            # A read-only argument costs what an empty tensor does; a constant may lose its last user.
            wanted = top != old or (empty and s.value_op[old] >= 0)
        if not wanted:
            self._tell_of_views(init, old)
            return None
        type_ = s.values[old].type
        if not isinstance(type_, ir.RankedTensorType) or type_.encoding is not None:
            self._keep(init, OutsRule.ENCODING)
            return None
        if empty and top == old and s.value_op[old] >= 0 and not type_.has_static_shape:
            self._keep(init, OutsRule.SIZES)
            return None
        return Retie(init, old, top, empty)

    def _tell_of_views(self, init: int, old: int) -> None:
        """Say so if ``old`` is a slice, cast or reshape of what has a destination further up."""
        s = self._snapshot
        view = s.value_op[old]
        if view < 0 or s.op_name[view] not in _VIEWS:
            return
        source = s.operand_value[s.op_first_operand[view]]
        if source >= 0 and self._top(source) != source:
            self._keep(init, OutsRule.ANOTHER_TYPE, f"'{s.op_name[view]}'")

    def _other_values(self, op: int, inits: Set[int]) -> Set[int]:
        """Return what ``op`` uses other than as one of the unread ``inits``, in its payload as well."""
        s = self._snapshot
        ops = (op, *s.nested_ops(op)) if s.op_regions[op] else (op,)
        return {s.operand_value[o] for nested in ops for o in s.operands(nested) if o not in inits}


def is_fusible(producer: ir.Operation, consumer: ir.Operation) -> bool:
    """Whether both are loops without an order over tensors, of the kind that elementwise fusion looks for."""
    if producer.name != _GENERIC or consumer.name != _GENERIC:
        return False
    parallel = "#linalg.iterator_type<parallel>"
    return all(str(kind) == parallel for kind in ir.ArrayAttr(producer.attributes["iterator_types"]))
