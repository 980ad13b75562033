"""The rewriter that op models build memref IR with.

It maps each tensor value to its memref and carries out decisions: an out-of-place operand gets an allocation and, if
its content is needed, a copy; a yielded value is copied if its decision requires it. It takes no decision.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import bufferization as bufferization_dialect

from ....dialects.bufferizable import Relation
from ....dialects.support.memref_types import dynamic_layout_type, identity_type, is_castable
from ...analysis.conflicts.decisions import Decision, Rule, Strategy
from ...analysis.effects.tables import Tie
from ...analysis.in_place.function_decisions import FunctionAnalysis
from ...analysis.whole_module.module import ModuleAnalysis
from .allocation import AllocationFunction
from .memref_builder import MemrefBuilder
from .replaced_ops import ReplacedOps
from .trace import BufferTrace

__all__ = ["BufferRewriter", "UnknownLayout"]


class UnknownLayout(enum.Enum):
    """Values of the option ``unknown-type-conversion``: layouts of memrefs that are made from tensors that stay."""

    DYNAMIC = "fully-dynamic-layout-map"
    IDENTITY = "identity-layout-map"


class BufferRewriter(MemrefBuilder):
    """Implements ``dialects.rewriter.Rewriter`` for the functions of one module, one function after the other.

    ``unknown`` is the layout of a buffer that is made from a tensor that is not bufferized. ``trace``,
    ``alignment`` and ``allocate``: see :class:`MemrefBuilder`.
    """

    def __init__(
        self,
        analysis: ModuleAnalysis,
        trace: BufferTrace,
        *,
        alignment: int,
        unknown: UnknownLayout,
        allocate: AllocationFunction,
    ) -> None:
        super().__init__(analysis.snapshot.root, trace, alignment, allocate)
        self._analysis = analysis
        self._snapshot = analysis.snapshot
        self._unknown = unknown
        self._at = 0
        self._terminators: dict[ir.Block, int] = {}
        """The terminators passed to the current op model, by block."""
        self._buffers: dict[int, ir.Value] = {}
        self._tensors: dict[int, ir.Value] = {}
        """The memrefs of values that stay tensors, in the current function."""
        self._outputs: dict[int, ir.Value] = {}
        """By argument of a parallel region, the buffer that is inserted into."""
        self._detached: set[int] = set()
        self._settled: set[ir.Value] = set()
        """The buffers of views that were copied."""
        self._unallocated: dict[int, list[ir.Value]] = {}
        """Tensors without content and without buffer: their dynamic sizes."""
        self._function: FunctionAnalysis | None = None
        self.replaced = ReplacedOps()
        self.signatures: dict[str, ir.FunctionType] = {}
        self.layouts: dict[int, ir.Type] = {}
        """The inferred memref types of values; see ``whole_module/layouts.py``."""

    def begin(self, function: FunctionAnalysis) -> None:
        """Start the conversion of ``function``, by its decisions."""
        self._function = function

    def turn_to(self, op: int) -> ir.Operation:
        """Make ``op`` the one at hand, which the model is given, and return it."""
        self._at = self._trace.op = op
        self._terminators.clear()
        return self._snapshot.ops[op]

    # --- looking up --------------------------------------------------------------------------------------------

    def _number(self, op: ir.Operation) -> int:
        """Return the number of the current op, or of a terminator passed to its model."""
        return self._at if op is self._snapshot.ops[self._at] else self._terminators[op.block]

    def _operand(self, op: ir.Operation, operand: int) -> int:
        return self._snapshot.op_first_operand[self._number(op)] + operand

    def _decision(self, operand: int) -> Decision | None:
        assert self._function is not None
        return self._function.decisions.get(operand)

    def _held(self, operand: int) -> ir.Value:
        return self._buffers[self._snapshot.operand_value[operand]]

    def buffer(self, op: ir.Operation, operand: int) -> ir.Value:
        """See :class:`Rewriter`."""
        number = self._operand(op, operand)
        decision = self._decision(number)
        if decision is None or decision.in_place or self._is_private_already(number, decision):
            return self._held(number)
        return self._private_copy(number, decision)

    def _is_private_already(self, operand: int, decision: Decision) -> bool:
        """Whether a value that is copied for its layout is in a new buffer that has no other uses."""
        if decision.conflict is None or decision.conflict.rule is not Rule.NOT_CONTIGUOUS:
            return False
        s = self._snapshot
        value = s.operand_value[operand]
        alone = len(s.value_uses[value]) == 1 and s.value_block[value] == s.op_block[s.operand_op[operand]]
        return alone and self._buffers.get(value) in self._settled

    def buffer_as(self, op: ir.Operation, operand: int, type_: ir.Type) -> ir.Value:
        """See :class:`Rewriter`."""
        number = self._operand(op, operand)
        decision = self._decision(number)
        copies = decision is not None and decision.strategy is Strategy.OUT_OF_PLACE and decision.copies
        if copies and not is_castable(self._held(number).type, type_):
            with self._trace.for_operand(number):
                return self.cast(self._held(number), type_)
        return self.cast(self.buffer(op, operand), type_)

    def _private_copy(self, operand: int, decision: Decision, view: ir.Value | None = None) -> ir.Value:
        """Return a new buffer for ``operand``, or for ``view`` of it, with its content if that is needed."""
        value = self._snapshot.operand_value[operand]
        source = self._buffers.get(value) if view is None else view
        if source is not None:
            return self.private_copy(operand, source, copies=decision.copies)
        with self._trace.for_operand(operand):
            type_ = ir.MemRefType(identity_type(self._snapshot.values[value].type))
            return self.allocate(type_, self._unallocated[value])

    def settle_view(self, op: ir.Operation, operand: int, view: ir.Value) -> ir.Value:
        """See :class:`Rewriter`."""
        number = self._operand(op, operand)
        decision = self._decision(number)
        if decision is None or decision.in_place:
            return view
        buffer = self._private_copy(number, decision, view)
        self._settled.add(buffer)
        return buffer

    def same_operand(self, op: ir.Operation, result: int) -> int | None:
        """See :class:`Rewriter`."""
        s, effects = self._snapshot, self._analysis.effects
        value = s.op_first_result[self._number(op)] + result
        for operand in effects.sources.get(value, ()):
            decision = self._decision(operand)
            surely = Tie(value, Relation.EQUIVALENT, definite=True) in effects.ties[operand]
            if surely and decision is not None and decision.in_place:
                return s.operand_index(operand)
        return None

    def needs_buffer(self, value: ir.Value) -> bool:
        """See :class:`Rewriter`."""
        assert self._function is not None
        return self._function.needs_buffer(self._analysis.effects, self._snapshot.value_id(value))

    def source_buffer(self, op: ir.Operation, operand: int) -> ir.Value:
        """See :class:`Rewriter`."""
        return self._held(self._operand(op, operand))

    def is_whole_slice(self, op: ir.Operation, operand: int) -> bool:
        """See :class:`Rewriter`."""
        return self._operand(op, operand) in self._analysis.effects.whole_slices

    def is_redundant_write(self, op: ir.Operation, operand: int) -> bool:
        """See :class:`Rewriter`."""
        assert self._function is not None
        reshaped = self._function.redundant_writes.get(self._operand(op, operand))
        return reshaped is not None and self._detached.isdisjoint(reshaped)

    # --- loops and branches ------------------------------------------------------------------------------------

    def terminator(self, op: ir.Operation, region: int) -> ir.Operation:
        """See :class:`Rewriter`."""
        (terminator,) = self.terminators(op, region)
        return terminator

    def terminators(self, op: ir.Operation, region: int) -> list[ir.Operation]:
        """See :class:`Rewriter`."""
        s = self._snapshot
        exits = s.exits(self._number(op), region)
        self._terminators.update((s.blocks[s.op_block[exit_]], exit_) for exit_ in exits)
        return [s.ops[exit_] for exit_ in exits]

    def carries_one_buffer(self, terminator: ir.Operation, operand: int) -> bool:
        """See :class:`Rewriter`."""
        decision = self._decision(self._operand(terminator, operand))
        return decision is not None and decision.strategy in (Strategy.IN_PLACE, Strategy.COPY_TO_CARRIED)

    def yielded_buffer(self, terminator: ir.Operation, operand: int, carried: ir.Value | None) -> ir.Value:
        """See :class:`Rewriter`."""
        number = self._operand(terminator, operand)
        decision = self._decision(number)
        if decision is None or decision.in_place:
            return self._held(number)
        if decision.strategy is Strategy.COPY_TO_CARRIED and carried is not None:
            if decision.copies:
                with self._trace.for_operand(number):
                    self.copy(self._held(number), carried)
            return carried
        return self._private_copy(number, decision)

    def held_buffer(self, value: ir.Value) -> ir.Value:
        """See :class:`Rewriter`."""
        return self._buffers[self._snapshot.value_id(value)]

    def output_buffer(self, argument: ir.Value) -> ir.Value:
        """See :class:`Rewriter`."""
        value = self._snapshot.value_id(argument)
        buffer = self._buffers[value]
        for operand in self._analysis.effects.insertions.get(value, ()):
            decision = self._decision(operand)
            if decision is not None and not decision.in_place:
                buffer = self._private_copy(operand, decision)
                break
        self._outputs[value] = buffer
        return buffer

    def inserted_buffer(self, op: ir.Operation, operand: int) -> ir.Value:
        """See :class:`Rewriter`."""
        return self._outputs[self._snapshot.operand_value[self._operand(op, operand)]]

    def carried_type(self, value: ir.Value) -> ir.Type:
        """See :class:`Rewriter`."""
        return self.layouts.get(self._snapshot.value_id(value)) or dynamic_layout_type(value.type)

    def hold(self, value: ir.Value, buffer: ir.Value) -> None:
        """See :class:`Rewriter`."""
        self._buffers[self._snapshot.value_id(value)] = buffer

    def copies_state(self, op: ir.Operation) -> bool:
        """See :class:`Rewriter`."""
        return self._number(op) in self._analysis.state.copied

    def signature(self, function: str) -> ir.FunctionType | None:
        """See :class:`Rewriter`."""
        return self.signatures.get(function)

    # --- replacing ---------------------------------------------------------------------------------------------

    def replace(self, op: ir.Operation, results: Sequence[ir.Value | None]) -> None:
        """See :class:`Rewriter`."""
        number = self._number(op)
        for value, replacement in zip(self._snapshot.results(number), results, strict=True):
            if self._snapshot.value_is_tensor[value]:
                if replacement is not None:
                    self._buffers[value] = replacement
                else:
                    self._unallocated[value] = [v for v in op.operands if isinstance(v.type, ir.IndexType)]
            elif replacement is not None:
                self._snapshot.values[value].replace_all_uses_with(replacement)
        self.replaced.add(number, op)

    def detach(self, value: ir.Value) -> None:
        """See :class:`Rewriter`."""
        self._detached.add(self._snapshot.value_id(value))

    def keep(self, op: ir.Operation) -> None:
        """See :class:`Rewriter`."""
        number = self._number(op)
        for value in self._snapshot.results(number):
            if self._snapshot.value_is_tensor[value]:
                self._buffers[value] = self._snapshot.values[value]

    def keep_on_tensors(self, op: int) -> None:
        """Keep an op without a model: convert buffers to tensors for its operands, and its results to buffers."""
        s = self._snapshot
        for operand in s.operands(op):
            value = s.operand_value[operand]
            if value >= 0 and s.value_is_tensor[value] and value in self._buffers:
                decision = self._decision(operand)
                if value in self._tensors and (decision is None or decision.in_place):
                    continue
                index = s.operand_index(operand)
                tensor = bufferization_dialect.to_tensor(s.values[value].type, self.buffer(s.ops[op], index))
                s.ops[op].operands[index] = tensor
        results = [value for value in s.results(op) if s.value_is_tensor[value]]
        if results:
            with ir.InsertionPoint.after(s.ops[op]):
                for value in results:
                    self.hold_tensor(value)

    def hold_tensor(self, value: int) -> None:
        """Create the memref of a value that stays a tensor, at the current insertion point; none if it is encoded."""
        if value in self._analysis.effects.encoded:
            return
        tensor = self._snapshot.values[value]
        make = identity_type if self._unknown is UnknownLayout.IDENTITY else dynamic_layout_type
        type_ = make(tensor.type)
        self._buffers[value] = self._tensors[value] = bufferization_dialect.to_buffer(type_, tensor, read_only=True)

    def drop_unused(self) -> None:
        """Erase the unused memrefs of tensors that stay, at the end of a function."""
        for buffer in self._tensors.values():
            if next(iter(buffer.uses), None) is None:
                ir.OpResult(buffer).owner.erase()
        self._tensors.clear()

    def sweep(self, op: ir.Operation) -> None:
        """See :class:`Rewriter`."""
        self.replaced.erase_inside(self._number(op))
