"""Functions and calls.

A callee that was executed before has a summary: the arguments it writes, those it returns, the values it reads. Any
other callee may write every memref it is passed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mlir import ir

from .bindings import Bindings
from .machine import SymbolicMachine
from .memory import ContentVerdict, unknown
from .module_memory import ModuleMemory
from .places import WHOLE
from .states import View

__all__ = ["Functions"]

_BY_ANOTHER_NAME = "memory that a callee may write through an alias"
_READS_ONLY = frozenset({"read", "none"})


@dataclass
class Summary:
    """Summary of a function: ``returned`` has the number of an argument for each result, or -1 for other memory."""

    written: set[int] = field(default_factory=set[int])
    returned: list[int] | None = None
    needed: set[int] = field(default_factory=set[int])
    arguments: range = range(0)
    apart: bool = True
    """Whether no two results may share memory."""
    stores: bool = False
    """Whether it writes globals, or calls an unknown function."""


class Functions:
    """Enters and leaves functions of ``machine``."""

    def __init__(self, machine: SymbolicMachine) -> None:
        self.machine = machine
        self.bindings = Bindings(machine)
        self.summaries: dict[str, Summary] = {}
        self.memory = ModuleMemory(machine)
        self._summary = Summary()
        self._arguments = range(0)
        self._contents: list[int] = []
        """For each argument, the term of the tensor argument that it was; -1 for none."""
        self._function = -1
        self._handed: dict[str, list[tuple[str, int, set[int]]]] = {}
        """By callee: who hands it which operand, and the values that this needs, if the callee needs the operand."""

    def in_order(self) -> Iterator[int]:
        """Yield the functions with a body, callees first; arbitrary within recursion."""
        s = self.machine.snapshot
        functions = {self._name(op): op for op, name in enumerate(s.op_name) if name == "func.func"}
        done: set[str] = set()
        for first in functions:
            work = [(first, False)]
            while work:
                name, left = work.pop()
                op = functions.get(name, -1)
                if left and op >= 0 and s.op_regions[op][0]:
                    yield op
                if left or name in done or op < 0:
                    continue
                done.add(name)
                work.append((name, True))
                work.extend((self._callee(call), False) for call in s.nested_ops(op) if s.op_name[call] == "func.call")

    def _name(self, op: int) -> str:
        return ir.StringAttr(self.machine.snapshot.ops[op].attributes["sym_name"]).value

    def _callee(self, op: int) -> str:
        return ir.FlatSymbolRefAttr(self.machine.snapshot.ops[op].attributes["callee"]).value

    # --- bodies ----------------------------------------------------------------------------------------------------

    def enter(self, function: int) -> None:
        """Set the arguments of ``function`` to the values of its twin's."""
        m, program = self.machine, self.machine.program
        self._function = function
        self._arguments = m.snapshot.arguments(m.snapshot.op_regions[function][0][0])
        twin = m.twin(function)
        blocks = program.snapshot.op_regions[twin][0] if twin >= 0 else ()
        tensors = program.snapshot.arguments(blocks[0]) if blocks else range(0)
        self._summary = Summary(arguments=tensors)
        m.needed, m.stores_state = set(), False
        self._contents = [-1] * len(self._arguments)
        if len(tensors) == len(self._arguments):
            m.pair(self._arguments, tensors)
            self._contents = [program.content[tensor] for tensor in tensors]
        for argument, content in zip(self._arguments, self._contents, strict=True):
            if not m.is_shaped[argument]:
                continue
            if m.is_memref(argument):
                m.new_root(argument, frozenset({content} if content >= 0 else ()), -1, "memory of the program itself")
            elif content >= 0:
                m.tensors[argument] = content
        self.bindings.enter(function)

    def leave(self, function: int) -> None:
        """Store the summary for callers."""
        m = self.machine
        self._summary.needed, self._summary.stores = m.needed, m.stores_state
        self.summaries[self._name(function)] = self._summary
        self._settle(self._name(function))

    def _settle(self, function: str) -> None:
        """Let callers of ``function`` need what it needs, and so on: there are such callers before it in recursion."""
        work = [function]
        while work:
            callee = work.pop()
            summary = self.summaries[callee]
            for caller, i, values in self._handed.get(callee, ()):
                if caller in self.summaries and i < len(summary.arguments) and summary.arguments[i] in summary.needed:
                    needed = self.summaries[caller].needed
                    if not values <= needed:
                        needed |= values
                        work.append(caller)

    def end(self, op: int) -> None:
        """Check the operands of a return."""
        m = self.machine
        twin = m.twin(op)
        arguments = {argument: index for index, argument in enumerate(self._arguments)}
        for index, (argument, given) in enumerate(zip(self._arguments, self._contents, strict=True)):
            content = m.state.get(argument)
            if content and (given < 0 or not m.memory.holds(content, WHOLE, given).is_right):
                self._summary.written.add(index)
        returned: list[int] = []
        for i in range(m.snapshot.op_operand_count[op]):
            value = m.operand(op, i)
            view = m.view(value)
            whole = view is not None and not view.place and not m.related.get(view.root)
            returned.append(arguments.get(view.root, -1) if whole and view is not None else -1)
            if twin >= 0 and m.is_shaped[value]:
                self._check(op, i, twin)
        self._summary.apart = self._summary.apart and self._are_apart(op)
        before = self._summary.returned
        same = before is None or before == returned
        self._summary.returned = returned if same else [-1] * len(returned)
        key = self.bindings.leave(op)
        for index in m.program.unwritable.get(m.twin(self._function), ()):
            self._check_kept(op, index, key + index)

    def _are_apart(self, op: int) -> bool:
        """Whether the memref operands of return ``op`` are disjoint roots."""
        m, seen = self.machine, dict[int, View | None]()
        for i in range(m.snapshot.op_operand_count[op]):
            value = m.operand(op, i)
            if not m.is_shaped[value]:
                continue
            view = m.view(value)
            if view is None or m.related.get(view.root) or view.root in seen:
                return False
            seen[view.root] = view
        return True

    def _check_kept(self, op: int, index: int, key: int) -> None:
        """Check that argument ``index`` is unchanged at return ``op``."""
        m = self.machine
        expected = self._contents[index] if index < len(self._contents) else -1
        if expected >= 0 and m.state.get(self._arguments[index]):
            answer = m.ask(View(self._arguments[index]), expected)
            m.read(op, index, m.twin(self._function), expected, answer, key)

    def _check(self, op: int, i: int, twin: int) -> None:
        """Check operand ``i`` of an op that is the same in both programs."""
        m = self.machine
        expected = m.program.operand_content(twin, i)
        if expected >= 0:
            m.check(op, i, twin, expected)

    def leave_out(self, function: int, reason: str) -> None:
        """Record that nothing in ``function`` is checked."""
        for op in self.machine.snapshot.nested_ops(function):
            self.leave_out_op(op, reason)

    def leave_out_op(self, op: int, reason: str) -> None:
        """Record that the reads of ``op`` are not checked."""
        m = self.machine
        tag = m.tags[op]
        if tag < 0 or (m.snapshot.op_regions[op] and not m.snapshot.op_name[op].startswith("linalg.")):
            return
        for i in m.program.tensor_operands(tag):
            m.leave_out(op, i, reason)

    # --- calls -----------------------------------------------------------------------------------------------------

    def call(self, op: int) -> None:
        """Check the operands of a call, and apply the effects of the callee."""
        m, s, program = self.machine, self.machine.snapshot, self.machine.program
        twin = m.twin(op)
        summary = self.summaries.get(self._callee(op))
        count = s.op_operand_count[op]
        operands = [m.operand(op, i) for i in range(count)]
        if twin >= 0:
            for i in program.tensor_operands(twin):
                self._check_handed(op, i, twin, summary)
        for i in self._written(op, summary):
            view = m.view(operands[i])
            if m.is_shaped[operands[i]] and view is None:
                m.forget(op, "memrefs that are not followed")
            elif view is not None:
                m.write(view, frozenset(), op, "a call that may write it")
        returned = summary.returned if summary is not None else None
        results = s.results(op)
        apart = summary is not None and summary.apart
        made: set[int] = set()
        for index, result in enumerate(results):
            if m.is_shaped[result]:
                content = program.content[program.snapshot.results(twin)[index]] if twin >= 0 else -1
                argument = returned[index] if returned is not None else -1
                self._take(op, result, content, operands, argument)
                if not apart:
                    made |= self._relate_results(result, made)
        self.memory.drop(op)
        m.stores_state |= summary is None or summary.stores

    def _take(self, op: int, result: int, content: int, operands: list[int], argument: int) -> None:
        """Let ``result`` of a call, with ``content``, be one of its operands, or memory that may alias any of them."""
        m = self.machine
        if not m.is_memref(result):
            m.tensors.update(dict.fromkeys([result], content) if content >= 0 else {})
            return
        terms = frozenset({content} if content >= 0 else ())
        given = m.view(operands[argument]) if argument >= 0 else None
        if given is not None:
            # Its content is still known if the callee did not write it, and under the terms of other results.
            held = m.memory.names(m.state.get(given.root), given.place)
            twin = m.twin(op)
            expected = m.program.operand_content(twin, argument) if twin >= 0 else -1
            if expected >= 0 and m.ask(given, expected).is_right:
                held |= {expected}
            m.write(given, terms | held, op, "a call")
            m.views[result] = given
            return
        m.renew(result)
        m.new_root(result, terms, op, "a call")
        m.vague.add(result)
        m.relate(result, {view.root for value in operands if (view := m.view(value)) is not None})

    def _relate_results(self, result: int, others: set[int]) -> set[int]:
        """Record that ``result`` may alias ``others``, results of the same call; return its root."""
        m = self.machine
        view = m.view(result)
        if view is None:
            return set()
        m.relate(view.root, others - {view.root})
        m.vague.add(view.root)
        return {view.root}

    def _check_handed(self, op: int, i: int, twin: int, summary: Summary | None) -> None:
        """Check what is handed over; the caller needs it if the callee does, which recursion may show later."""
        m, callee = self.machine, self._callee(op)
        is_needed = summary is not None and i < len(summary.arguments) and summary.arguments[i] in summary.needed
        before, m.needed = m.needed, set[int]()
        self._judge_handed(op, i, twin, summary, is_needed)
        if is_needed:
            before |= m.needed
        else:
            self._handed.setdefault(callee, []).append((self._name(self._function), i, m.needed))
        m.needed = before

    def _judge_handed(self, op: int, i: int, twin: int, summary: Summary | None, is_needed: bool) -> None:
        self._check(op, i, twin)
        found = self.machine.reads.get((op, i))
        if found is None or found.answer.verdict is ContentVerdict.UNKNOWN:
            return
        if found.answer.is_right:
            reason = _BY_ANOTHER_NAME if self._is_overwritten(op, i, summary) else ""
        else:
            reason = "" if is_needed else "a callee that may not read it"
        if reason:
            self.machine.read(op, i, twin, found.expected, unknown(reason))

    def _is_overwritten(self, op: int, i: int, summary: Summary | None) -> bool:
        """Whether the callee may write the memory of operand ``i`` through another operand or a global."""
        m = self.machine
        view = m.view(m.operand(op, i))
        if view is None:
            return False
        count = m.snapshot.op_operand_count[op]
        others = (m.view(m.operand(op, j)) for j in self._written(op, summary) if j != i and j < count)
        if any(other is not None and m.may_overlap(view, other) for other in others):
            return True
        is_state = view.root in self.memory.globals.values() and not self.memory.is_constant(view.root)
        return is_state and (summary is None or summary.stores)

    def _written(self, op: int, summary: Summary | None) -> set[int]:
        """Return which operands call ``op`` may write; without a summary, by attributes of the callee."""
        if summary is not None:
            return summary.written
        access = self.machine.program.accesses.get(self._callee(op), {})
        return {i for i in range(self.machine.snapshot.op_operand_count[op]) if access.get(i) not in _READS_ONLY}
