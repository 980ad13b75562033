"""Effects of memref ops without regions on the state, one method for each kind.

An op with the name and operands of its tensor op is compared operand by operand; ``groups.py`` tracks tensor ops that
were expanded.
"""

from __future__ import annotations

from mlir import ir

from .accesses import MEMORY_READS, MEMORY_WRITES, transfer_box
from .groups import Groups
from .machine import SymbolicMachine
from .places import WHOLE, Opaque, Place, Reshape, join
from .reading import element_place, shape_of, slice_place
from .states import View
from .terms import FREED, UNDEFINED

__all__ = ["Operations"]

_STORES = frozenset({"bufferization.materialize_in_destination", "ml_program.global_store", "dispatch.commit"})
"""Tensor ops without results that bufferize to a copy."""


class Operations:
    """Executes ops without control flow on ``machine``."""

    def __init__(self, machine: SymbolicMachine, groups: Groups) -> None:
        self.machine = machine
        self.groups = groups
        self._places: dict[int, Place] = {}
        """Places of views, loads and stores, by op: indices are the same in each run."""

    # --- views and allocations -------------------------------------------------------------------------------------

    def make_view(self, op: int, name: str) -> None:
        """Execute a view op."""
        m, s = self.machine, self.machine.snapshot
        view, result = m.view(m.operand(op, 0)), s.results(op)[0]
        if view is None:
            m.alias(result, None)
            return
        if op not in self._places:
            self._places[op] = self._viewed(op, name, result)
        m.views[result] = View(view.root, join(view.place, self._places[op]))

    def _viewed(self, op: int, name: str, result: int) -> Place:
        """Return the place of view ``result`` in its source."""
        m, s = self.machine, self.machine.snapshot
        if name == "memref.subview":
            return slice_place(s, op, m.scalars, s.values[result].type)
        if name in ("memref.expand_shape", "memref.collapse_shape"):
            before, after = (shape_of(value.type) for value in (s.ops[op].operands[0], s.values[result]))
            assert before is not None
            assert after is not None
            return (Reshape(before, after),) if before != after else WHOLE
        return WHOLE if name in ("memref.cast", "memref.memory_space_cast") else (Opaque(result),)

    def allocate(self, op: int) -> None:
        """Execute an allocation."""
        m = self.machine
        root = m.snapshot.results(op)[0]
        m.renew(root)
        m.new_root(root, frozenset({UNDEFINED}), op)
        group = self.groups.open(op)
        if group is not None:
            group.allocated.append(root)

    def free(self, op: int) -> None:
        """Execute a deallocation."""
        view = self.machine.view(self.machine.operand(op, 0))
        if view is not None:
            self.machine.write(View(view.root), frozenset({FREED}), op)

    def copy(self, op: int) -> None:
        """Execute a copy; if a tensor op became just this copy, check its operand."""
        m = self.machine
        source, target = m.view(m.operand(op, 0)), m.view(m.operand(op, 1))
        tag = m.tags[op]
        if m.tensor_name(op) in _STORES and not m.program.snapshot.op_result_count[tag]:
            expected = m.program.operand_content(tag, 0)
            m.read(op, 0, tag, expected, m.ask(source, expected))
        if target is None:
            m.forget(op, "memrefs that are not followed")
        else:
            m.copy(source, target, op)

    # --- loads and stores ------------------------------------------------------------------------------------------

    def load(self, op: int, name: str) -> None:
        """Check a load of an element or a vector."""
        m, base = self.machine, MEMORY_READS[name]
        tag = m.tags[op]
        if m.tensor_name(op) not in (name, "tensor.extract") or m.program.operand_content(tag, base) < 0:
            self.groups.read(op, base, m.operand(op, base))
            return
        place = self._touched(op, name, base)
        m.check(op, base, tag, m.program.terms.part(m.program.operand_content(tag, base), place), place)

    def store(self, op: int, name: str) -> None:
        """Execute a store of an element or a vector."""
        m, base = self.machine, MEMORY_WRITES[name]
        tag, value = m.tags[op], m.operand(op, base)
        program, view = m.program, m.view(value)
        result = program.snapshot.results(tag)[0] if tag >= 0 and program.snapshot.op_result_count[tag] else -1
        if m.tensor_name(op) not in (name, "tensor.insert") or view is None or result < 0:
            self.groups.write(op, value, self._touched(op, name, base))
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
        """Check the elements of the destination that a vector store does not write."""
        m, operation = self.machine, self.machine.snapshot.ops[op]
        vector, shape = operation.operands[0].type, shape_of(operation.operands[base].type)
        if not self._is_masked(op) and isinstance(vector, ir.VectorType) and tuple(vector.shape) == shape:
            return
        m.check(op, base, tag, m.program.terms.part(m.program.operand_content(tag, base), place), place)

    def _is_masked(self, op: int) -> bool:
        s, operation = self.machine.snapshot, self.machine.snapshot.ops[op]
        around = s.block_op[s.op_block[op]]
        if s.op_name[around] == "vector.mask" or "operandSegmentSizes" not in operation.attributes:
            return True
        segments = ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"])
        return segments[len(segments) - 1] != 0

    def _touched(self, op: int, name: str, base: int) -> Place:
        """Return the place in operand ``base`` that a load or store accesses; all of it if unknown."""
        if op not in self._places:
            self._places[op] = self._read_touched(op, name, base)
        return self._places[op]

    def _read_touched(self, op: int, name: str, base: int) -> Place:
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
        """Check the operands of an unknown op, which may write all of them."""
        m = self.machine
        twin = m.twin(op)
        for i in range(m.snapshot.op_operand_count[op]):
            value = m.operand(op, i)
            if value < 0 or not m.is_shaped[value]:
                continue
            view = m.view(value)
            expected = m.program.operand_content(twin, i) if twin >= 0 else -1
            if expected >= 0 and (view is not None or m.snapshot.value_is_tensor[value]):
                m.check(op, i, twin, expected)
            elif m.is_memref(value):
                m.leave_out(op, i, "an op that is not known")
                if view is not None:
                    m.write(View(view.root), frozenset(), op, "an op that is not known")
