"""Which reason an emitted allocation or copy has: an operand's conflict, a layout, or what the op does.

A conflict was found when the operand was decided; here its rule only gets the name of the case at hand: the kind of the
read, of the loop that leads to it, or of the buffer that must not be written. Bounded time per event: a source is
followed back through in-place operands, a read through what it depends on.
"""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir

from ..conflicts.alias_sets import AliasSets
from ..conflicts.decisions import Conflict, Decision, Rule
from ..whole_module.module import ModuleAnalysis
from .events import BufferEvent, EventKind, Need
from .reasons import Reason

__all__ = ["Causes"]

_RULES = {
    Rule.READ_BY_WRITER: Reason.READ_BY_WRITER,
    Rule.WRITTEN_TWICE: Reason.WRITTEN_TWICE,
    Rule.ROTATION_SHARED: Reason.STARTS_SHARED,
    Rule.NOT_EQUIVALENT: Reason.YIELDED_ELSEWHERE,
    Rule.ESCAPES: Reason.ESCAPES,
    Rule.PARALLEL: Reason.WRITTEN_BY_THREADS,
    Rule.TOO_MANY_ACCESSES: Reason.BUDGET,
    Rule.NOT_CONTIGUOUS: Reason.GAPS,
    Rule.CHEAPER: Reason.CHEAPER,
    Rule.COPY_BEFORE_WRITE: Reason.COPY_BEFORE_WRITE,
}
"""Rules that are one reason each; the two others depend on the read, and on the buffer."""

_UNWRITABLE = {
    "arith.constant": Reason.CONSTANT,
    "bufferization.to_tensor": Reason.MEMREF_NOT_WRITABLE,
    "func.call": Reason.CALL_RESULT_NOT_WRITABLE,
    "ml_program.global_load": Reason.GLOBAL_NOT_WRITABLE,
    "ml_program.global_load_const": Reason.GLOBAL_NOT_WRITABLE,
}
"""By the op that makes a buffer which must not be written."""

_LAYOUTS = {
    "bufferization.to_buffer": Reason.LAYOUT_OF_MEMREF,
    "func.call": Reason.LAYOUT_OF_CALLEE,
    "func.func": Reason.LAYOUT_OF_RESULT,
}
"""By the op that wants another layout. A function wants one of what it returns."""

_RESHAPES = frozenset({"tensor.collapse_shape", "tensor.reshape"})
_REQUESTS = frozenset({"tensor.empty", "bufferization.alloc_tensor"})
_COPIES = {
    "bufferization.alloc_tensor": Reason.REQUESTED_COPY,
    "ml_program.global_store": Reason.STORED_TO_GLOBAL,
    "tensor.concat": Reason.JOINED,
    "tensor.pad": Reason.JOINED,
}
"""By the op that copies its operands into a buffer of its own."""

_MOST_OPS = 256
"""How many ops a search for a dependence looks at."""

_LONGEST = 64
"""How many operands a source is followed back through."""


class Causes:
    """Reasons for the events of a module; asked after its conversion, so that no op is looked at."""

    def __init__(self, analysis: ModuleAnalysis) -> None:
        self._analysis = analysis
        self._snapshot = s = analysis.snapshot
        self._effects = analysis.effects
        self._decisions: dict[int, Decision] = {}
        self._sets: dict[int, AliasSets] = {}
        self._returned: dict[int, frozenset[int]] = {}
        """By function, the alias sets of what it returns."""
        for function in analysis.functions:
            self._decisions.update(function.decisions)
            number, find = function.function, function.sets.find
            values = [s.operand_value[o] for op in s.returns(number) for o in s.operands(op)]
            self._sets[number] = function.sets
            self._returned[number] = frozenset(find(value) for value in values if s.value_is_tensor[value])

    @property
    def decisions(self) -> Mapping[int, Decision]:
        """The decisions of all functions."""
        return self._decisions

    def of_event(self, event: BufferEvent, function: int) -> Reason:
        """Return why ``event`` was emitted, in op number ``function``."""
        if event.need is Need.OPERAND:
            conflict = self._decisions[event.operand].conflict
            assert conflict is not None
            return self.of_conflict(conflict)
        if event.need is Need.LAYOUT:
            return self._of_layout(event)
        return self._of_op(event, function)

    def of_conflict(self, conflict: Conflict) -> Reason:
        """Return which case of its rule a conflict is."""
        s = self._snapshot
        if conflict.rule is Rule.READ_AFTER_WRITE:
            if s.op_name[s.operand_op[conflict.read]] == "func.return":
                return Reason.OLD_CONTENT_RETURNED
            if conflict.loop >= 0:
                return Reason.READ_IN_NEXT_ITERATION
            needs_both = self._depends(s.operand_op[conflict.read], s.operand_op[conflict.write])
            return Reason.READ_WITH_NEW_CONTENT if needs_both else Reason.READ_LATER
        if conflict.rule is Rule.NOT_WRITABLE:
            op = s.value_op[conflict.value]
            if op >= 0:
                return _UNWRITABLE.get(s.op_name[op], Reason.NOT_WRITABLE)
            if s.function_of(conflict.value) < 0:
                return Reason.NOT_WRITABLE
            return Reason.ARGUMENT_NOT_WRITABLE if self._effects.boundaries else Reason.ARGUMENT_STAYS_TENSOR
        return _RULES[conflict.rule]

    def _depends(self, op: int, on: int) -> bool:
        """Whether op number ``op`` uses what op number ``on`` computes, directly, by what is computed from it.

        Looks at a bounded number of ops; what is behind more of them is not found.
        """
        s = self._snapshot
        work, seen = [op], {op}
        while work and len(seen) < _MOST_OPS:
            inside = work.pop()
            for operand in (*s.operands(inside), *s.nested_operands(s.nested_ops(inside))):
                maker = s.value_op[s.operand_value[operand]] if s.operand_value[operand] >= 0 else -1
                if maker == on or (0 <= maker < on and s.is_inside(s.op_enter[on], maker)):
                    return True
                if maker > on and maker not in seen:
                    seen.add(maker)
                    work.append(maker)
        return False

    def _of_layout(self, event: BufferEvent) -> Reason:
        name = self._snapshot.op_name[event.op]
        if name in _RESHAPES:
            return Reason.UNKNOWN_STRIDES if _has_unknown_strides(event.type) else Reason.GAPS
        return _LAYOUTS.get(name, Reason.LAYOUT)

    def _of_op(self, event: BufferEvent, function: int) -> Reason:
        s, op = self._snapshot, event.op
        name = s.op_name[op]
        if op in self._analysis.state.copied:
            return Reason.GLOBAL_OVERWRITTEN
        if event.kind is EventKind.COPY:
            return _COPIES.get(name) or self._of_source(op, function)
        if name == "tensor.reshape":
            return Reason.LAYOUT_OF_SHAPE
        find, returned = self._sets[function].find, self._returned[function]
        if any(find(value) in returned for value in s.results(op) if s.value_is_tensor[value]):
            return Reason.RESULT
        return Reason.REQUESTED if name in _REQUESTS else Reason.NO_INIT

    def _of_source(self, op: int, function: int) -> Reason:
        """Return why ``op`` copies its source into its destination, by the buffer that the source is in."""
        s, effects = self._snapshot, self._effects
        tensors = effects.tensor_operands(op)
        write = next((operand for operand in tensors if operand in effects.redundant_source), -1)
        if write < 0 and len(tensors) != 1:
            return Reason.MOVED
        value = s.operand_value[tensors[0] if write < 0 else effects.redundant_source[write]]
        root = self._origin(value)
        if root is None:
            return Reason.COMPUTED_ELSEWHERE
        decision = self._decisions.get(write)
        find = self._sets[function].find
        in_place = write >= 0 and (decision is None or decision.in_place)
        if in_place and find(value) == find(s.operand_value[write]):
            return Reason.MOVED_WITHIN
        if s.value_op[root] < 0:
            return Reason.FROM_ARGUMENT if s.function_of(root) >= 0 else Reason.COMPUTED_ELSEWHERE
        return Reason.FROM_CONSTANT if s.op_name[s.value_op[root]] == "arith.constant" else Reason.COMPUTED_ELSEWHERE

    def _origin(self, value: int) -> int | None:
        """Return the value whose buffer ``value`` is in; None if an op in between has a buffer of its own."""
        s, sources = self._snapshot, self._effects.sources
        for _ in range(_LONGEST):
            behind = sources.get(value, ())
            if len(behind) != 1:
                return value if not behind else None
            decision = self._decisions.get(behind[0])
            if self._effects.writes[behind[0]] or (decision is not None and not decision.in_place):
                return None
            value = s.operand_value[behind[0]]
        return None


def _has_unknown_strides(type_: ir.MemRefType) -> bool:
    strides, _ = type_.get_strides_and_offset()
    return ir.ShapedType.get_dynamic_stride_or_offset() in strides
