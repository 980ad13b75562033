"""Groups: the ops that one tensor op was expanded to, and what they read and write.

They may read the tensor op's operands and their own temporaries; after the last of them, the memory that they wrote
holds its result. That an expansion computes the right value is not checked.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .accesses import VIEWS
from .machine import SymbolicMachine
from .memory import ContentVerdict
from .places import WHOLE, Place, join
from .states import View
from .terms import TermKind

__all__ = ["Groups"]

_WORK = "memory that an op is working on"
_FILLED_BY_COPIES = frozenset({"tensor.concat", "tensor.pad"})
_KEEPS_REST = {"tensor.scatter": 1}
"""Tensor ops that are expanded and keep a part of an operand: which one."""


@dataclass
class ExpandedOp:
    """The ops that tensor op ``tag`` was expanded to, in block ``block``."""

    tag: int
    block: int
    allocated: list[int] = field(default_factory=list[int])
    targets: dict[int, View] = field(default_factory=dict[int, View])


class Groups:
    """The groups that are open on ``machine``, in the block that is executed and the blocks around it."""

    def __init__(self, machine: SymbolicMachine) -> None:
        self.machine = machine
        self.block = -1
        self._groups: list[ExpandedOp] = []

    def forget(self) -> None:
        """Reset for another function, also after a failure."""
        self.block = -1
        self._groups.clear()

    def begin(self, op: int) -> None:
        """Close the group of this block unless ``op`` belongs to it."""
        if self._groups and self._groups[-1].block == self.block and self._groups[-1].tag != self.machine.tags[op]:
            self._close(self._groups.pop())

    def end_block(self) -> None:
        """Close the group of this block."""
        if self._groups and self._groups[-1].block == self.block:
            self._close(self._groups.pop())

    def open(self, op: int) -> ExpandedOp | None:
        """Return the group that ``op`` belongs to; None without a tag."""
        tag = self.machine.tags[op]
        if tag < 0:
            return None
        self.begin(op)
        if not self._groups or self._groups[-1].tag != tag:
            self._groups.append(ExpandedOp(tag, self.block))
        return self._groups[-1]

    def _close(self, group: ExpandedOp) -> None:
        """Set the memory that a group wrote to the results of its tensor op."""
        program = self.machine.program
        results = [v for v in program.snapshot.results(group.tag) if program.content[v] >= 0]
        results = [v for v in results if program.terms.table[program.content[v]].kind == TermKind.VALUE]
        if not group.targets and program.snapshot.op_name[group.tag] in _FILLED_BY_COPIES and group.allocated:
            group.targets[group.allocated[-1]] = View(group.allocated[-1])
        if len(results) != len(group.targets):
            return
        for result, (value, view) in zip(results, group.targets.items(), strict=True):
            writer = self.machine.snapshot.value_op[value]
            self.machine.write(view, frozenset({program.content[result]}), writer)

    def _base(self, value: int, tag: int) -> int:
        """Return the memref that ``value`` is a view of, past views made by ops of ``tag``."""
        s = self.machine.snapshot
        while (op := s.value_op[value]) >= 0 and s.op_name[op] in VIEWS and self.machine.tags[op] == tag:
            value = self.machine.operand(op, 0)
        return value

    def read(self, op: int, operand: int, value: int) -> None:
        """Check that a group reads an operand of its tensor op, or its own temporaries."""
        m, group = self.machine, self.open(op)
        if group is None:
            m.leave_out(op, operand, "an op that no tensor op is known for")
            return
        base = self._base(value, group.tag)
        view, tag = m.view(base), group.tag
        if base in group.targets or (view is not None and view.root in group.targets):
            return
        operands = m.program.tensor_operands(tag)
        if not operands:
            m.leave_out(op, operand, "memory that the program itself accesses")
            return
        answers = [(m.ask(view, m.program.operand_content(tag, i)), i) for i in operands]
        best = min(answers, key=lambda found: list(ContentVerdict).index(found[0].verdict))
        if best[0].verdict is ContentVerdict.NO and any(a.verdict is ContentVerdict.UNKNOWN for a, _ in answers):
            best = next(found for found in answers if found[0].verdict is ContentVerdict.UNKNOWN)
        m.read(op, operand, tag, m.program.operand_content(tag, best[1]), best[0])

    def write(self, op: int, value: int, place: Place = WHOLE) -> None:
        """Write ``place`` of memref ``value``; what the group keeps of it must be the operand of its tensor op."""
        m, group = self.machine, self.open(op)
        view = m.view(value)
        if view is None:
            m.forget(op, "memrefs that are not followed")
            return
        if group is not None:
            base = self._base(value, group.tag)
            target = m.view(base)
            kept = _KEEPS_REST.get(m.program.snapshot.op_name[group.tag], -1)
            if target is not None and base not in group.targets:
                if kept >= 0:
                    expected = m.program.operand_content(group.tag, kept)
                    m.read(op, 1, group.tag, expected, m.ask(target, expected))
                group.targets[base] = target
        m.write(View(view.root, join(view.place, place)), frozenset(), op, _WORK)
