"""Structured ops on memrefs: they read inputs, write outputs, and no iteration may overwrite what another reads."""

from __future__ import annotations

from .accesses import init_count, maps_of, writes_all
from .groups import Groups
from .machine import SymbolicMachine
from .memory import ContentAnswer, ContentVerdict, unknown
from .places import Overlap, overlap
from .terms import UNDEFINED

__all__ = ["StructuredOps"]


class StructuredOps:
    """Executes structured ops on ``machine``."""

    def __init__(self, machine: SymbolicMachine, groups: Groups) -> None:
        self.machine = machine
        self.groups = groups

    def run(self, op: int) -> None:
        """Check the inputs of a structured op and write its outputs."""
        m, operation = self.machine, self.machine.snapshot.ops[op]
        twin, count = m.twin(op), m.snapshot.op_operand_count[op]
        if twin >= 0 and m.program.snapshot.op_operand_count[twin] != count:
            twin = -1
        first = count - init_count(operation)
        arguments = operation.regions[0].blocks[0].arguments
        used = [next(iter(argument.uses), None) is not None for argument in arguments]
        for i in range(count):
            value = m.operand(op, i)
            if not m.is_shaped[value]:
                continue
            if used[i] or (i >= first and not writes_all(operation, i)):
                self._read(op, i, twin, is_sure=used[i])
            if i < first and used[i]:
                self._check_order(op, i, range(first, count), twin)
        if m.snapshot.op_result_count[op]:
            return  # It stayed on tensors, and writes no memory.
        result = 0
        for i in range(first, count):
            value = m.operand(op, i)
            view = m.view(value)
            if twin < 0:
                self.groups.write(op, value)
            elif view is None:
                m.forget(op, "memrefs that are not followed")
            elif m.program.operand_content(twin, i) < 0:
                m.write(view, frozenset(), op, "memory that the program itself accesses")
            elif m.is_shaped[value]:
                content = m.program.content[m.program.snapshot.results(twin)[result]]
                m.write(view, frozenset({content}), op)
            result += m.is_shaped[value]

    def _read(self, op: int, operand: int, twin: int, *, is_sure: bool) -> None:
        m = self.machine
        if twin < 0:
            if is_sure:
                self.groups.read(op, operand, m.operand(op, operand))
            return
        expected = m.program.operand_content(twin, operand)
        if expected < 0:
            m.leave_out(op, operand, "memory that the program itself accesses")
            return
        answer = m.ask_operand(op, operand, expected)
        if not is_sure and answer.verdict is ContentVerdict.NO:
            answer = unknown("elements that may all be overwritten")
        m.read(op, operand, twin, expected, answer)

    def _check_order(self, op: int, operand: int, inits: range, twin: int) -> None:
        """Check that no iteration writes elements of ``operand`` that another one reads."""
        m = self.machine
        view = m.view(m.operand(op, operand))
        for init in inits if not m.snapshot.op_result_count[op] else ():
            target = m.view(m.operand(op, init))
            if view is None or target is None or not m.may_overlap(view, target):
                continue
            maps = maps_of(m.snapshot.ops[op])
            same = view.root == target.root and overlap(view.place, target.place)[0] is Overlap.SAME
            if same and maps[operand] == maps[init] and maps[init].is_permutation:
                continue
            tag = twin if twin >= 0 else m.tags[op]
            read = m.reads.get((op, operand))
            expected = read.expected if read is not None else UNDEFINED
            if expected == UNDEFINED and twin >= 0:
                continue  # Any content will do.
            is_wrong = same and twin >= 0 and m.program.terms.is_defined(expected)
            verdict = ContentVerdict.NO if is_wrong else ContentVerdict.UNKNOWN
            m.read(op, operand, tag, expected, ContentAnswer(verdict, op, reason="an op that writes what it reads"))
