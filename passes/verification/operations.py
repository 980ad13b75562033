"""What ops on memrefs do to the state, one method for each kind; control flow and calls are in ``control.py``.

An op with the name and the operands of the tensor op that it comes from is compared operand by operand. Several ops
that one tensor op was expanded to are a *group*: what they read must be one of the tensor op's operands or their own
work, and what they wrote is its result when the last of them has run. That an expansion computes what its tensor op
means is not the checker's business.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mlir import ir

from .accesses import MEMORY_READS, MEMORY_WRITES, VIEWS, init_count, maps_of, transfer_box, writes_all
from .machine import Machine, View
from .memory import Answer, Verdict
from .places import WHOLE, Opaque, Overlap, Place, Reshape, join, overlap
from .reading import element_place, shape_of, slice_place
from .terms import FREED, UNDEFINED, Kind

__all__ = ["Operations"]

_WORK = "memory that an op is working on"
_FILLED_BY_COPIES = frozenset({"tensor.concat", "tensor.pad"})
_KEEPS_REST = {"tensor.scatter": 1}
"""Tensor ops that are expanded and leave a part of an operand as it was."""
_STORES = frozenset({"bufferization.materialize_in_destination", "ml_program.global_store", "dispatch.commit"})
"""Tensor ops without results whose copy is all that is left of them."""


@dataclass
class Group:
    """The ops that tensor op ``tag`` was expanded to, in block ``block``."""

    tag: int
    block: int
    allocated: list[int] = field(default_factory=list[int])
    targets: dict[int, View] = field(default_factory=dict[int, View])


class Operations:
    """Executes ops without control flow on ``machine``."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.block = -1
        self._groups: list[Group] = []

    # --- groups ----------------------------------------------------------------------------------------------------

    def forget_groups(self) -> None:
        """Begin with another function, wherever the last one was left."""
        self.block = -1
        self._groups.clear()

    def begin(self, op: int) -> None:
        """Finish the group of this block that ``op`` is not of."""
        if self._groups and self._groups[-1].block == self.block and self._groups[-1].tag != self.machine.tags[op]:
            self._close(self._groups.pop())

    def end_block(self) -> None:
        """Finish the group of this block."""
        if self._groups and self._groups[-1].block == self.block:
            self._close(self._groups.pop())

    def open_group(self, op: int) -> Group | None:
        """Return the group that ``op`` belongs to; None without a tag."""
        tag = self.machine.tags[op]
        if tag < 0:
            return None
        self.begin(op)
        if not self._groups or self._groups[-1].tag != tag:
            self._groups.append(Group(tag, self.block))
        return self._groups[-1]

    def _close(self, group: Group) -> None:
        """Let what a group wrote be the results of its tensor op."""
        program = self.machine.program
        results = [v for v in program.snapshot.results(group.tag) if program.content[v] >= 0]
        results = [v for v in results if program.terms.table[program.content[v]].kind == Kind.VALUE]
        if not group.targets and program.snapshot.op_name[group.tag] in _FILLED_BY_COPIES and group.allocated:
            group.targets[group.allocated[-1]] = View(group.allocated[-1])
        if len(results) != len(group.targets):
            return
        for result, (value, view) in zip(results, group.targets.items(), strict=True):
            writer = self.machine.snapshot.value_op[value]
            self.machine.write(view, frozenset({program.content[result]}), writer)

    def _base(self, value: int, tag: int) -> int:
        """Return what ``value`` is a view of, past the views that the ops of ``tag`` make."""
        s = self.machine.snapshot
        while (op := s.value_op[value]) >= 0 and s.op_name[op] in VIEWS and self.machine.tags[op] == tag:
            value = self.machine.operand(op, 0)
        return value

    def _group_read(self, op: int, operand: int, value: int) -> None:
        """Check that a group reads one of the operands of its tensor op, or its own work."""
        m, group = self.machine, self.open_group(op)
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
        best = min(answers, key=lambda found: list(Verdict).index(found[0].verdict))
        if best[0].verdict is Verdict.NO and any(a.verdict is Verdict.UNKNOWN for a, _ in answers):
            best = next(found for found in answers if found[0].verdict is Verdict.UNKNOWN)
        m.read(op, operand, tag, m.program.operand_content(tag, best[1]), best[0])

    def _group_write(self, op: int, value: int, place: Place = WHOLE) -> None:
        m, group = self.machine, self.open_group(op)
        view = m.view(value)
        if view is None:
            self.forget(op, "memrefs that are not followed")
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

    def forget(self, op: int, reason: str) -> None:
        """Let nothing be known of any memory from ``op`` on."""
        m = self.machine
        roots = {view.root for view in m.views.values()}
        for root in roots:
            if m.state.get(root):
                m.write(View(root), frozenset(), op, reason)

    # --- views and allocations -------------------------------------------------------------------------------------

    def make_view(self, op: int, name: str) -> None:
        """Follow a view."""
        m, s = self.machine, self.machine.snapshot
        view, result = m.view(m.operand(op, 0)), s.results(op)[0]
        if view is None:
            m.views.pop(result, None)
            return
        place: Place = WHOLE
        if name == "memref.subview":
            place = slice_place(s, op, m.scalars, s.values[result].type)
        elif name in ("memref.expand_shape", "memref.collapse_shape"):
            before, after = (shape_of(value.type) for value in (s.ops[op].operands[0], s.values[result]))
            assert before is not None
            assert after is not None
            place = (Reshape(before, after),) if before != after else WHOLE
        elif name not in ("memref.cast", "memref.memory_space_cast"):
            place = (Opaque(result),)
        m.views[result] = View(view.root, join(view.place, place))

    def allocate(self, op: int) -> None:
        """Make a new piece of memory."""
        m = self.machine
        root = m.snapshot.results(op)[0]
        m.renew(root)
        m.new_root(root, frozenset({UNDEFINED}), op)
        group = self.open_group(op)
        if group is not None:
            group.allocated.append(root)

    def free(self, op: int) -> None:
        """Give memory back."""
        view = self.machine.view(self.machine.operand(op, 0))
        if view is not None:
            self.machine.write(View(view.root), frozenset({FREED}), op)

    def copy(self, op: int) -> None:
        """Copy; if all that is left of a tensor op is the copy, its operand is checked."""
        m = self.machine
        source, target = m.view(m.operand(op, 0)), m.view(m.operand(op, 1))
        tag = m.tags[op]
        if tag >= 0 and m.program.snapshot.op_name[tag] in _STORES and not m.program.snapshot.op_result_count[tag]:
            expected = m.program.operand_content(tag, 0)
            m.read(op, 0, tag, expected, m.ask(source, expected))
        if target is None:
            self.forget(op, "memrefs that are not followed")
        else:
            m.copy(source, target, op)

    # --- loads and stores ------------------------------------------------------------------------------------------

    def load(self, op: int, name: str) -> None:
        """Check a load: of an element, or of a vector."""
        m, base = self.machine, MEMORY_READS[name]
        tag = m.tags[op]
        tensor_name = m.program.snapshot.op_name[tag] if tag >= 0 else ""
        if tensor_name not in (name, "tensor.extract") or m.program.operand_content(tag, base) < 0:
            self._group_read(op, base, m.operand(op, base))
            return
        place = self._touched(op, name, base)
        expected = m.program.terms.part(m.program.operand_content(tag, base), place)
        m.read(op, base, tag, expected, m.ask(m.view(m.operand(op, base)), expected, place))

    def store(self, op: int, name: str) -> None:
        """Store an element, or a vector."""
        m, base = self.machine, MEMORY_WRITES[name]
        tag, value = m.tags[op], m.operand(op, base)
        program, view = m.program, m.view(value)
        tensor_name = program.snapshot.op_name[tag] if tag >= 0 else ""
        result = program.snapshot.results(tag)[0] if tag >= 0 and program.snapshot.op_result_count[tag] else -1
        if tensor_name not in (name, "tensor.insert") or view is None or result < 0:
            self._group_write(op, value, self._touched(op, name, base))
            return
        place = self._touched(op, name, base)
        if name == "memref.store":
            written = program.terms.element(m.scalars.symbol(m.operand(op, 0)))
        else:
            written = program.terms.value(result)
            if self._is_masked(op) or not place:
                self._check_kept(op, base, tag, place)
        m.write(View(view.root, join(view.place, place)), frozenset({written}), op)

    def _check_kept(self, op: int, base: int, tag: int, place: Place) -> None:
        """Check the elements of the destination that a vector store leaves as they were."""
        m, operation = self.machine, self.machine.snapshot.ops[op]
        vector, shape = operation.operands[0].type, shape_of(operation.operands[base].type)
        if not self._is_masked(op) and isinstance(vector, ir.VectorType) and tuple(vector.shape) == shape:
            return
        expected = m.program.terms.part(m.program.operand_content(tag, base), place)
        m.read(op, base, tag, expected, m.ask(m.view(m.operand(op, base)), expected, place))

    def _is_masked(self, op: int) -> bool:
        s, operation = self.machine.snapshot, self.machine.snapshot.ops[op]
        around = s.block_op[s.op_block[op]]
        if s.op_name[around] == "vector.mask" or "operandSegmentSizes" not in operation.attributes:
            return True
        segments = ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"])
        return segments[len(segments) - 1] != 0

    def _touched(self, op: int, name: str, base: int) -> Place:
        """Return the place in operand ``base`` that a load or store touches; all of it if that is not known."""
        m, operation = self.machine, self.machine.snapshot.ops[op]
        shape = shape_of(operation.operands[base].type)
        if shape is None:
            return WHOLE
        indices = [m.scalars.sum(m.operand(op, base + 1 + i)) for i in range(len(shape))]
        if name.startswith("memref."):
            return element_place(shape, indices)
        if name.startswith("vector.transfer_"):
            vector = operation.operands[0].type if base else operation.results[0].type
            return transfer_box(operation, base, vector, indices)
        return WHOLE

    def other(self, op: int) -> None:
        """Check what an op without a rule of its own is handed, and let it write any of it."""
        m = self.machine
        twin = m.twin(op)
        for i in range(m.snapshot.op_operand_count[op]):
            value = m.operand(op, i)
            if value < 0 or not m.is_shaped[value]:
                continue
            view = m.view(value)
            expected = m.program.operand_content(twin, i) if twin >= 0 else -1
            if expected >= 0 and view is not None:
                m.read(op, i, twin, expected, m.ask(view, expected))
            elif isinstance(m.snapshot.values[value].type, ir.MemRefType | ir.UnrankedMemRefType):
                m.leave_out(op, i, "an op that is not known")
                if view is not None:
                    m.write(View(view.root), frozenset(), op, "an op that is not known")

    # --- structured ops --------------------------------------------------------------------------------------------

    def structured(self, op: int) -> None:
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
                self._structured_read(op, i, twin, is_sure=used[i])
            if i < first and used[i]:
                self._check_order(op, i, range(first, count), twin)
        result = 0
        for i in range(first, count):
            value = m.operand(op, i)
            view = m.view(value)
            if twin < 0:
                self._group_write(op, value)
            elif view is None:
                self.forget(op, "memrefs that are not followed")
            elif m.program.operand_content(twin, i) < 0:
                m.write(view, frozenset(), op, "memory that the program itself accesses")
            elif m.is_shaped[value]:
                content = m.program.content[m.program.snapshot.results(twin)[result]]
                m.write(view, frozenset({content}), op)
            result += m.is_shaped[value]

    def _structured_read(self, op: int, operand: int, twin: int, *, is_sure: bool) -> None:
        m = self.machine
        if twin < 0:
            if is_sure:
                self._group_read(op, operand, m.operand(op, operand))
            return
        expected = m.program.operand_content(twin, operand)
        if expected < 0:
            m.leave_out(op, operand, "memory that the program itself accesses")
            return
        answer = m.ask(m.view(m.operand(op, operand)), expected)
        if not is_sure and answer.verdict is Verdict.NO:
            answer = Answer(Verdict.UNKNOWN, reason="elements that may all be overwritten")
        m.read(op, operand, twin, expected, answer)

    def _check_order(self, op: int, operand: int, inits: range, twin: int) -> None:
        """Check that no iteration writes what another one reads of ``operand``."""
        m = self.machine
        view = m.view(m.operand(op, operand))
        for init in inits:
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
            verdict = Verdict.NO if same and twin >= 0 else Verdict.UNKNOWN
            m.read(op, operand, tag, expected, Answer(verdict, op, reason="an op that writes what it reads"))
