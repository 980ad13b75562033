"""The rewriter that op models build memref IR with.

It knows which memref holds each tensor value and carries out decisions: an out-of-place operand gets an allocation
and, if its content is needed, a copy; a yielded value is copied where that was decided. It takes no decision.

Tensor ops stay in place, dead, until the region op around them is finished: they still name the values that later
ops look up. They are erased backwards, so that no op is erased before its users.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import bufferization as bufferization_dialect
from mlir.dialects import memref

from ....dialects.support.dense_elements import Elements
from ....dialects.support.memref_types import dynamic_layout_type, identity_type, is_castable
from ...analysis.conflicts.decisions import Decision, Rule, Strategy
from ...analysis.in_place.function_decisions import FunctionAnalysis
from ...analysis.whole_module.module import ModuleAnalysis
from ...verification.checker.trace import BufferTrace, EventKind
from .allocation import AllocationFunction, allocate_on_heap
from .globals import Globals

__all__ = ["BufferRewriter", "UnknownLayout"]

_ALIGNMENT = 64


class UnknownLayout(enum.Enum):
    """Values of the option ``unknown-type-conversion``: layouts of memrefs that are made from tensors that stay."""

    DYNAMIC = "fully-dynamic-layout-map"
    IDENTITY = "identity-layout-map"


class BufferRewriter:
    """Implements ``dialects.rewriter.Rewriter`` for the functions of one module, one function after the other.

    ``trace`` collects which operand each allocation and copy was made for. ``alignment`` is in bytes, 0 for none.
    ``unknown`` is the layout that is asked for where a buffer is made from a tensor that stays. ``allocate`` makes the
    buffers.
    """

    def __init__(
        self,
        analysis: ModuleAnalysis,
        trace: BufferTrace,
        *,
        alignment: int = _ALIGNMENT,
        unknown: UnknownLayout = UnknownLayout.DYNAMIC,
        allocate: AllocationFunction = allocate_on_heap,
    ) -> None:
        self._analysis = analysis
        self._snapshot = analysis.snapshot
        self._globals = Globals(analysis.snapshot.root, alignment)
        self._trace = trace
        self._alignment = alignment
        self._unknown = unknown
        self._allocate = allocate
        # By identity: models are handed the snapshot's own wrappers, and an op's hash changes with its operands.
        self._numbers = {id(op): number for number, op in enumerate(analysis.snapshot.ops)}
        self._buffers: dict[int, ir.Value] = {}
        self._tensors: dict[int, ir.Value] = {}
        """The memrefs that were made from values that stay tensors, in the function at hand."""
        self._outputs: dict[int, ir.Value] = {}
        """For an argument of a parallel region, the buffer that is inserted into."""
        self._detached: set[int] = set()
        self._settled: set[ir.Value] = set()
        """The buffers of views that were copied."""
        self._unallocated: dict[int, list[ir.Value]] = {}
        """Tensors without content and without buffer: their dynamic sizes."""
        self._function: FunctionAnalysis | None = None
        self._dead: list[tuple[int, ir.Operation]] = []
        self._retired: list[tuple[int, ir.Block, int]] = []
        self.signatures: dict[str, ir.FunctionType] = {}
        self.layouts: dict[int, ir.Type] = {}
        """What was inferred of the types of buffers; see ``whole_module/layouts.py``."""

    def begin(self, function: FunctionAnalysis) -> None:
        """Make the decisions of ``function`` the ones to carry out."""
        self._function = function

    # --- looking up --------------------------------------------------------------------------------------------

    def _operand(self, op: ir.Operation, operand: int) -> int:
        return self._snapshot.op_first_operand[self._numbers[id(op)]] + operand

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
        """Whether a value that is copied for its layout is in a new buffer, which nothing else will use."""
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
        unranked = source.type if source is not None and isinstance(source.type, ir.UnrankedMemRefType) else None
        if source is not None and unranked is not None:
            source = ir.OpResult(source).owner.operands[0]  # The analysis saw to it that it was ranked before.
        if source is None:
            type_ = identity_type(self._snapshot.values[value].type)
            sizes = self._unallocated[value]
        else:
            shaped = ir.MemRefType(source.type)
            sizes = self.sizes(source)
            type_ = ir.MemRefType.get(shaped.shape, shaped.element_type, memory_space=shaped.memory_space)
        with self._trace.for_operand(operand):
            target = self.allocate(ir.MemRefType(type_), sizes)
            if decision.copies and source is not None:
                self.copy(source, target)
        return target if unranked is None else memref.cast(unranked, target)

    def settle_view(self, op: ir.Operation, operand: int, view: ir.Value) -> ir.Value:
        """See :class:`Rewriter`."""
        number = self._operand(op, operand)
        decision = self._decision(number)
        if decision is None or decision.in_place:
            return view
        buffer = self._private_copy(number, decision, view)
        self._settled.add(buffer)
        return buffer

    def needs_buffer(self, value: ir.Value) -> bool:
        """See :class:`Rewriter`."""
        assert self._function is not None
        return self._function.needs_buffer(self._analysis.effects, self._snapshot.value_id(value))

    def sizes(self, buffer: ir.Value) -> list[ir.Value]:
        """See :class:`Rewriter`."""
        type_ = ir.MemRefType(buffer.type)
        return [memref.dim(buffer, self.index(d)) for d in range(type_.rank) if type_.is_dynamic_dim(d)]

    @staticmethod
    def index(value: int) -> ir.Value:
        """Return an ``arith.constant`` of type index."""
        type_ = ir.IndexType.get()
        attributes = {"value": ir.IntegerAttr.get(type_, value)}
        return ir.Operation.create("arith.constant", results=[type_], attributes=attributes).result

    def source_buffer(self, op: ir.Operation, operand: int) -> ir.Value:
        """See :class:`Rewriter`."""
        return self._held(self._operand(op, operand))

    def is_redundant_write(self, op: ir.Operation, operand: int) -> bool:
        """See :class:`Rewriter`."""
        assert self._function is not None
        reshaped = self._function.redundant_writes.get(self._operand(op, operand))
        return reshaped is not None and self._detached.isdisjoint(reshaped)

    # --- loops and branches ------------------------------------------------------------------------------------

    def terminator(self, op: ir.Operation, region: int) -> ir.Operation:
        """See :class:`Rewriter`."""
        return self._snapshot.ops[self._snapshot.terminator(self._numbers[id(op)], region)]

    def terminators(self, op: ir.Operation, region: int) -> list[ir.Operation]:
        """See :class:`Rewriter`."""
        s = self._snapshot
        return [s.ops[exit_] for exit_ in s.exits(self._numbers[id(op)], region)]

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

    # --- building ----------------------------------------------------------------------------------------------

    def allocate(self, type_: ir.MemRefType, dynamic_sizes: Sequence[ir.Value] = ()) -> ir.Value:
        """See :class:`Rewriter`."""
        result = self._allocate(type_, dynamic_sizes, self._alignment)
        self._trace.record(EventKind.ALLOCATION, type_)
        return result

    def copy(self, source: ir.Value, target: ir.Value) -> None:
        """See :class:`Rewriter`."""
        memref.copy(source, target)
        self._trace.record(EventKind.COPY, ir.MemRefType(source.type))

    def cast(self, buffer: ir.Value, type_: ir.Type) -> ir.Value:
        """See :class:`Rewriter`."""
        if buffer.type == type_:
            return buffer
        if is_castable(buffer.type, type_):
            return memref.cast(type_, buffer)
        wanted = ir.MemRefType(type_)
        contiguous = ir.MemRefType.get(wanted.shape, wanted.element_type, memory_space=wanted.memory_space)
        sizes = [memref.dim(buffer, self.index(d)) for d in range(wanted.rank) if wanted.is_dynamic_dim(d)]
        target = self.allocate(contiguous, sizes)
        self.copy(buffer, target)
        assert is_castable(target.type, type_), f"{buffer.type} cannot become {type_}"
        return target if target.type == type_ else memref.cast(type_, target)

    def copies_state(self, op: ir.Operation) -> bool:
        """See :class:`Rewriter`."""
        return self._numbers[id(op)] in self._analysis.state.copied

    def constant(self, attribute: Elements, type_: ir.MemRefType) -> ir.Value:
        """See :class:`Rewriter`."""
        return self._globals.get(attribute, type_)

    def signature(self, function: str) -> ir.FunctionType | None:
        """See :class:`Rewriter`."""
        return self.signatures.get(function)

    # --- replacing ---------------------------------------------------------------------------------------------

    def replace(self, op: ir.Operation, results: Sequence[ir.Value | None]) -> None:
        """See :class:`Rewriter`."""
        number = self._numbers[id(op)]
        for value, replacement in zip(self._snapshot.results(number), results, strict=True):
            if self._snapshot.value_is_tensor[value]:
                if replacement is not None:
                    self._buffers[value] = replacement
                else:
                    self._unallocated[value] = [v for v in op.operands if isinstance(v.type, ir.IndexType)]
            elif replacement is not None:
                self._snapshot.values[value].replace_all_uses_with(replacement)
        self._dead.append((number, op))

    def detach(self, value: ir.Value) -> None:
        """See :class:`Rewriter`."""
        self._detached.add(self._snapshot.value_id(value))

    def keep(self, op: ir.Operation) -> None:
        """See :class:`Rewriter`."""
        number = self._numbers[id(op)]
        for value in self._snapshot.results(number):
            if self._snapshot.value_is_tensor[value]:
                self._buffers[value] = self._snapshot.values[value]

    def keep_on_tensors(self, op: ir.Operation) -> None:
        """Leave an op without a model as it is: hand it tensors made from buffers and take buffers of its results."""
        number = self._numbers[id(op)]
        s = self._snapshot
        for operand in s.operands(number):
            value = s.operand_value[operand]
            if value >= 0 and s.value_is_tensor[value] and value in self._buffers:
                decision = self._decision(operand)
                if value in self._tensors and (decision is None or decision.in_place):
                    continue
                index = s.operand_index(operand)
                tensor = bufferization_dialect.to_tensor(s.values[value].type, self.buffer(op, index))
                op.operands[index] = tensor
        results = [value for value in s.results(number) if s.value_is_tensor[value]]
        if results:
            with ir.InsertionPoint.after(op):
                for value in results:
                    self.hold_tensor(value)

    def hold_tensor(self, value: int) -> None:
        """Let a value that stays a tensor be held by a memref that is made from it here."""
        tensor = self._snapshot.values[value]
        make = identity_type if self._unknown is UnknownLayout.IDENTITY else dynamic_layout_type
        type_ = make(tensor.type)
        self._buffers[value] = self._tensors[value] = bufferization_dialect.to_buffer(type_, tensor, read_only=True)

    def drop_unused(self) -> None:
        """Erase the memrefs of tensors that stay which nobody asked for, at the end of a function."""
        for buffer in self._tensors.values():
            if next(iter(buffer.uses), None) is None:
                ir.OpResult(buffer).owner.erase()
        self._tensors.clear()

    def drop_unused_globals(self) -> None:
        """Erase the constants whose buffers nobody asked for in the end, when all functions are converted."""
        self._globals.drop_unused()

    def sweep(self, op: ir.Operation) -> None:
        """See :class:`Rewriter`."""
        first = self._numbers[id(op)]
        self.sweep_after(first)

    def retire_arguments(self, number: int, block: ir.Block, count: int) -> None:
        """State that the first ``count`` arguments of ``block``, in a region of op ``number``, have been replaced."""
        self._retired.append((number, block, count))

    def sweep_after(self, number: int) -> None:
        """Erase every replaced op whose number is greater than ``number``, last first, and replaced block arguments."""
        while self._dead and self._dead[-1][0] > number:
            self._dead.pop()[1].erase()
        while self._retired and self._retired[-1][0] >= number:
            _, block, count = self._retired.pop()
            for _ in range(count):
                block.erase_argument(0)
