"""Memref types of buffers (strides, offset and memory space), inferred before the conversion.

Types of function arguments are needed before the callers are converted, types of loop arguments before the body. If all
incoming buffers are known, their smallest common layout is used; otherwise it would be "any strides".

Contract: reads the snapshot, the finished decisions and the op models' ``buffer_type``, changes nothing. The result for
a value is an *upper bound*: the buffer that the conversion makes for it can be cast to that type without a copy.

Method: a least fixpoint. A value's type is the join (``joint_type``) of its sources: the operands of every call for an
argument of a private function, the returned values for a call's result, init and yields for a loop-carried tensor, the
forwarded operands for a block argument; otherwise the op's model gives it. Values start without a type and only rise,
an entry of a layout from static to dynamic, so each changes at most rank + 2 times. Only values that a query depends on
are visited, and recursion needs no special treatment. See docs/theory/layouts.md.

Cost: linear in those values and what they depend on, times the rank. Counterpart upstream: ``getBufferType``, which
follows definitions backwards and gives arguments of functions any strides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from mlir import ir

from ....dialects.bufferizable import Relation
from ....dialects.support.frozen_classes import frozen
from ....dialects.support.memref_types import dynamic_layout_type, identity_type, joint_type, memory_space_of
from ..conflicts.decisions import Decision, Strategy
from ..ir.snapshot import Snapshot
from ..ir.symbols import may_name_functions, named_symbols
from .module import ModuleAnalysis

__all__ = ["Callers", "Signatures", "find_callers", "infer_layouts", "returned_operands"]


def _unchanged(type_: ir.Type) -> ir.Type:
    return type_


@frozen
class Signatures:
    """The function types that are given before the inference.

    ``fixed``: the types of the arguments that do not depend on callers. ``calls``: the calls of each function whose
    arguments do. ``declared``: the types of functions without a body. ``converted`` maps the type of a returned buffer
    to the result type. Without ``boundaries`` functions keep their tensors, and calls return any buffer.
    """

    boundaries: bool
    fixed: Mapping[int, ir.Type] = field(default_factory=dict)
    calls: Mapping[str, Sequence[int]] = field(default_factory=dict)
    declared: Mapping[str, ir.FunctionType] = field(default_factory=dict)
    converted: Callable[[ir.Type], ir.Type] = field(default_factory=lambda: _unchanged)


@frozen
class Callers:
    """The calls of each function, by its name, and the private functions that have no other callers."""

    calls: Mapping[str, tuple[int, ...]]
    closed: frozenset[str]


def find_callers(analysis: ModuleAnalysis) -> Callers:
    """Return the calls of each function. Inspects attributes of ops in dialects that may name functions; linear."""
    s = analysis.snapshot
    names = _function_names(analysis)
    calls: dict[str, list[int]] = {}
    inside = {op for function in names.values() for op in s.nested_ops(function) if s.op_name[op] == "func.call"}
    open_ = {name for name, op in names.items() if not _is_private(s.ops[op])}
    for op, name in enumerate(s.op_name):
        if op in inside:
            calls.setdefault(s.callee(op), []).append(op)
        elif may_name_functions(name):
            open_.update(named_symbols(s.ops[op]))
    closed = frozenset(name for name in names if name in calls and name not in open_)
    return Callers({name: tuple(ops) for name, ops in calls.items()}, closed)


def _function_names(analysis: ModuleAnalysis) -> dict[str, int]:
    s = analysis.snapshot
    functions = (function.function for function in analysis.functions)
    return {ir.StringAttr(s.ops[op].attributes["sym_name"]).value: op for op in functions}


def _is_private(function: ir.Operation) -> bool:
    attributes = function.attributes
    return "sym_visibility" in attributes and ir.StringAttr(attributes["sym_visibility"]).value == "private"


def returned_operands(snapshot: Snapshot, function: int) -> list[int]:
    """Return the operands of every return of op number ``function``, return by return."""
    return [operand for op in snapshot.returns(function) for operand in snapshot.operands(op)]


def infer_layouts(analysis: ModuleAnalysis, signatures: Signatures) -> dict[int, ir.Type]:
    """Return the memref types of values that the conversion will need.

    These are the function arguments that ``signatures`` does not fix, the returned values of recursive functions, loop
    arguments that change buffers, and block arguments of branches. Needs a current context and location.
    """
    return _Inference(analysis, signatures).run()


_ALL = -1
"""Stands for all operands in place of one."""


class _Inference:
    def __init__(self, analysis: ModuleAnalysis, signatures: Signatures) -> None:
        self._snapshot = analysis.snapshot
        self._effects = analysis.effects
        self._signatures = signatures
        self._functions = _function_names(analysis) if signatures.boundaries else {}
        self._names = {function: name for name, function in self._functions.items()}
        self._recursive = analysis.recursive
        self._decisions: dict[int, Decision] = {}
        for function in analysis.functions:
            self._decisions.update(function.decisions)
        self._types: dict[int, ir.Type] = {}
        self._behind: dict[int, list[int]] = {}
        """By value, the operands whose buffer types determine its type."""
        self._users: dict[int, list[tuple[int, int]]] = {}
        """By value, the values whose types depend on its type, each with the operand in between."""
        self._carried: dict[int, int] = {}
        """By loop result, the corresponding loop argument."""
        for targets in self._effects.forwards.values():
            arguments = [value for value in targets if self._snapshot.value_op[value] < 0]
            if arguments:
                self._carried.update((value, arguments[0]) for value in targets if value not in arguments)

    def run(self) -> dict[int, ir.Type]:
        wanted = list(self._wanted())
        values = self._reachable(wanted)
        self._solve((value, _ALL) for value in values)
        # Values without a type depend on each other only: functions that only call each other.
        unknown = [value for value in values if value not in self._types]
        for value in unknown:
            self._types[value] = self._any(value)
        self._solve([user for value in unknown for user in self._users.get(value, ())])
        return {value: self._types[value] for value in wanted}

    def _wanted(self) -> Iterator[int]:
        s, effects = self._snapshot, self._effects
        for name, function in self._functions.items():
            arguments = s.arguments(s.op_regions[function][0][0])
            yield from (v for v in arguments if s.value_is_tensor[v] and v not in self._signatures.fixed)
            if name in self._recursive:
                for operand in returned_operands(s, function):
                    if s.value_is_tensor[s.operand_value[operand]]:
                        yield s.operand_value[operand]
        for operand, targets in effects.forwards.items():
            decision = self._decisions.get(operand)
            strategies = (Strategy.ROTATE, Strategy.PASS_ON, Strategy.OUT_OF_PLACE)
            changes = decision is None or decision.strategy in strategies
            yield from (v for v in targets if s.value_op[v] < 0 and (changes or s.comes_from_branches(v)))

    # --- what depends on what ----------------------------------------------------------------------------------

    def _reachable(self, wanted: Iterable[int]) -> list[int]:
        """Return ``wanted`` and all values they depend on; enters each as a user of its dependences."""
        seen = dict.fromkeys(wanted)
        work = list(seen)
        while work:
            value = work.pop()
            behind = self._behind[value] = self._operands_behind(value)
            for operand in behind:
                source = self._snapshot.operand_value[operand]
                if source < 0 or source in self._effects.encoded:
                    continue
                self._users.setdefault(source, []).append((value, operand))
                if source not in seen:
                    seen[source] = None
                    work.append(source)
        return sorted(seen)

    def _operands_behind(self, value: int) -> list[int]:
        """Return the operands whose buffer types determine the type of ``value``."""
        s = self._snapshot
        op, index = s.value_op[value], s.value_index[value]
        if value in self._signatures.fixed:
            return []
        if op >= 0 and s.op_name[op] == "func.call":
            function = self._functions.get(s.callee(op), -1)
            return returned_operands(s, function)[index :: s.op_result_count[op]] if function >= 0 else []
        function = s.function_of(value)
        if function >= 0:
            calls = self._signatures.calls.get(self._names.get(function, ""), ())
            return [s.op_first_operand[call] + index for call in calls]
        sources = self._effects.sources.get(value, [])
        argument = self._carried.get(value, -1)
        # A loop's result has the type of the loop argument, even if the loop must run and change the buffer.
        return sources if argument < 0 else list(dict.fromkeys([*sources, *self._effects.sources[argument]]))

    # --- the fixpoint ------------------------------------------------------------------------------------------

    def _solve(self, changes: Iterable[tuple[int, int]]) -> None:
        """Raise types up to the fixpoint; ``changes`` are pairs of a value and the operand whose type has changed."""
        work = list(changes)[::-1]
        waiting = set(work)
        while work:
            change = work.pop()
            waiting.discard(change)
            value, operand = change
            # A function may have any number of calls, and a block of branches to it: only what has changed is joined.
            joins = self._snapshot.function_of(value) >= 0 or self._snapshot.comes_from_branches(value)
            type_ = self._join(value, [operand]) if joins and operand != _ALL else self._evaluate(value)
            if type_ is None or type_ == (old := self._types.get(value)):
                continue
            self._types[value] = type_ if old is None else joint_type(self._tensor(value), [old, type_])
            if self._types[value] == old:
                continue
            for user in self._users.get(value, ()):
                if user not in waiting:
                    waiting.add(user)
                    work.append(user)

    def _tensor(self, value: int) -> ir.Type:
        return self._snapshot.values[value].type

    def _any(self, value: int) -> ir.Type:
        return dynamic_layout_type(self._tensor(value))

    def _evaluate(self, value: int) -> ir.Type | None:
        """Return the type of ``value`` from the types of its dependences so far; None if none is known yet."""
        s, effects = self._snapshot, self._effects
        if value in self._signatures.fixed:
            return self._signatures.fixed[value]
        op = s.value_op[value]
        operands = self._behind[value]
        if op >= 0 and s.op_name[op] == "func.call":
            return self._call_result(value, op, operands)
        if op >= 0 and not any(operand in effects.forwards for operand in operands):
            return self._op_result(value, op, operands)
        if self._snapshot.function_of(value) < 0 and not s.comes_from_branches(value):
            model = effects.model(op if op >= 0 else s.block_op[s.value_block[value]])
            if model is None or not model.joins_buffer_types:
                return self._any(value)
        return self._join(value, operands) if operands else self._any(value)

    def _join(self, value: int, operands: Iterable[int]) -> ir.Type | None:
        handed = [type_ for operand in operands if (type_ := self._buffer_type(operand)) is not None]
        return joint_type(self._tensor(value), handed) if handed else None

    def _call_result(self, value: int, op: int, returned: list[int]) -> ir.Type | None:
        if op in self._effects.unknown_ops:
            return self._any(value)
        declared = self._signatures.declared.get(self._snapshot.callee(op))
        if declared is not None:
            return declared.results[self._snapshot.value_index[value]]
        if not returned:
            return self._any(value)
        type_ = self._join(value, returned)
        return None if type_ is None else self._signatures.converted(type_)

    def _op_result(self, value: int, op: int, operands: list[int]) -> ir.Type | None:
        """Return the type that the op model gives for a result, or any layout if it gives none."""
        s, effects = self._snapshot, self._effects
        model = effects.model(op)
        if model is None:
            return self._any(value)
        handed: dict[int, ir.Type] = {}
        for operand in operands:
            type_ = self._buffer_type(operand)
            if type_ is None:
                return None
            decision = self._decisions.get(operand)
            if decision is not None and not decision.in_place:
                views = [tie for tie in effects.ties[operand] if tie.value == value and tie.relation is Relation.VIEW]
                if views:
                    return identity_type(self._tensor(value), memory_space_of(type_))
            if operand in effects.whole_slices:
                return type_
            handed[s.operand_index(operand)] = type_
        found = model.buffer_type(s.ops[op], s.value_index[value], handed)
        return self._any(value) if found is None else found

    def _buffer_type(self, operand: int) -> ir.Type | None:
        """Return the type of the buffer that ``operand`` is in: its value's, or a copy's."""
        source = self._snapshot.operand_value[operand]
        type_ = self._types.get(source)
        decision = self._decisions.get(operand)
        if type_ is None or decision is None or decision.in_place:
            return type_
        if decision.strategy is Strategy.COPY_TO_CARRIED:
            return None
        return identity_type(self._tensor(source), memory_space_of(type_))
