"""Bindings of dispatch functions: their content on entry, and what must be in them at each return.

Promotion creates a ``dispatch.contents`` for each piece of a slot at the entry, and a ``dispatch.commit`` for each
stored piece before each return. So the memory of a binding is a root whose content is that of ``dispatch.contents`` on
entry; at a return it must hold the committed value, or its old content if nothing is committed.
"""

from __future__ import annotations

from mlir import ir

from .machine import SymbolicMachine
from .memory import Layer
from .places import WHOLE, LinearSum
from .states import View

__all__ = ["Bindings"]

_FOREIGN = "memory that the program itself accesses"
Slot = tuple[int, int]
Piece = tuple[Slot, LinearSum, ir.Type]


class Bindings:
    """The bindings of the function that ``machine`` executes."""

    def __init__(self, machine: SymbolicMachine) -> None:
        self.machine = machine
        s, t = machine.snapshot, machine.program.snapshot
        self._declarations = [op for op, name in enumerate(s.op_name) if name == "dispatch.binding"]
        self._contents: dict[int, list[int]] = {}
        """For each declaration of the tensor program, its `dispatch.contents`."""
        self._commits: dict[int, list[int]] = {}
        for op, name in enumerate(t.op_name) if self._declarations else ():
            if name == "dispatch.contents":
                self._contents.setdefault(self._declaration(op), []).append(op)
            elif name == "dispatch.commit":
                self._commits.setdefault(machine.program.operand(op, 1), []).append(op)
        self._roots: dict[int, list[int]] = {}
        """For each piece of the function's memory, its `dispatch.contents`."""

    def _declaration(self, contents: int) -> int:
        """Return the declaration that op ``contents`` reads, past `dispatch.tie_shape`; -1 for none."""
        program, op = self.machine.program, contents
        while op >= 0 and program.snapshot.op_name[op] != "dispatch.binding":
            value = program.operand(op, 0) if program.snapshot.op_operand_count[op] else -1
            op = program.snapshot.value_op[value] if value >= 0 else -1
        return op

    def enter(self, function: int) -> None:
        """Set the memory of each declaration in ``function`` to its content on entry."""
        m, s = self.machine, self.machine.snapshot
        self._roots.clear()
        first, last = s.op_enter[function], s.op_exit[function]
        pieces: dict[Piece, int] = {}
        for op in self._declarations:
            if not first < s.op_enter[op] < last:
                continue
            value = s.results(op)[0]
            if not m.is_shaped[value]:
                continue
            root = pieces.setdefault(self._piece(op), value)
            m.views[value] = View(root)
            found = self._contents.get(m.tags[op], []) if m.tags[op] >= 0 else []
            self._roots.setdefault(root, []).extend(found)
        for root, found in self._roots.items():
            terms = frozenset(m.program.content[m.program.snapshot.results(op)[0]] for op in found)
            m.state.set(root, (Layer(WHOLE, terms, -1, _FOREIGN),))

    def _piece(self, op: int) -> Piece:
        """Return the piece of a slot that ``op`` declares; equal pieces are the same memory."""
        m, operation = self.machine, self.machine.snapshot.ops[op]
        attributes = operation.attributes
        slot = ir.IntegerAttr(attributes["set"]).value, ir.IntegerAttr(attributes["binding"]).value
        has_offset = ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"])[0] == 1
        return slot, m.scalars.sum(m.operand(op, 0)) if has_offset else LinearSum(0), operation.results[0].type

    def run(self, op: int, name: str) -> None:
        """Execute `dispatch.tie_shape`, which is a view; other ops of the dialect do not access memory."""
        m = self.machine
        view = m.view(m.operand(op, 0)) if name == "dispatch.tie_shape" else None
        if view is not None and m.is_shaped[m.snapshot.results(op)[0]]:
            m.views[m.snapshot.results(op)[0]] = view

    def leave(self, op: int) -> int:
        """Check each piece of memory at return ``op``; return the first key that no read here uses."""
        m, program = self.machine, self.machine.program
        key = m.snapshot.op_operand_count[op]
        for root, found in self._roots.items():
            for contents in found:
                value = program.snapshot.results(contents)[0]
                commits = self._commits.get(value, [])
                here = [o for o in commits if program.snapshot.op_block[o] == self._twin_block(op)]
                self._judge(op, key, root, here[-1] if here else contents, is_clear=bool(here) or not commits)
                key += 1
        return key

    def _judge(self, op: int, key: int, root: int, tensor_op: int, *, is_clear: bool) -> None:
        """Check that ``root`` holds the value that ``tensor_op`` commits, or its content on entry."""
        m, program = self.machine, self.machine.program
        if not is_clear:
            m.leave_out(op, key, _FOREIGN)
            return
        committed = program.snapshot.op_name[tensor_op] == "dispatch.commit"
        value = program.operand(tensor_op, 0) if committed else program.snapshot.results(tensor_op)[0]
        expected = program.content[value]
        m.read(op, 0, tensor_op, expected, m.ask(View(root), expected), key)

    def _twin_block(self, op: int) -> int:
        """Return the block of the tensor program that return ``op`` ends."""
        twin = self.machine.twin(op)
        return self.machine.program.snapshot.op_block[twin] if twin >= 0 else -1
