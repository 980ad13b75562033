"""Convert the functions of an analysed module to memrefs: a walk in program order that calls the op models.

All decisions are taken before, and modules that cannot be bufferized are refused before. Functions are converted
callees first, so that the callee's new type is known at a call. Linear in the number of ops.
"""

from __future__ import annotations

from mlir import ir

from ...analysis.in_place.function_decisions import FunctionAnalysis
from ...analysis.whole_module.layouts import Signatures, infer_layouts
from ...analysis.whole_module.module import ModuleAnalysis
from ...dispatch.rewriting.preparation import declare_memrefs
from .boundary import SignatureConverter
from .branches import BranchConversion
from .rewriter import BufferRewriter
from .tidy import tidy

__all__ = ["convert_module"]


def convert_module(analysis: ModuleAnalysis, rewriter: BufferRewriter, boundary: SignatureConverter | None) -> None:
    """Convert every analysed function; ``boundary`` converts function types, None keeps them on tensors."""
    if boundary is not None:
        boundary.declare(analysis, rewriter)
    else:
        rewriter.layouts = infer_layouts(analysis, Signatures(boundaries=False))
    _convert_state(analysis, rewriter)
    for function in analysis.functions:
        _FunctionConversion(analysis, function, rewriter, boundary).run()
    for function in analysis.functions:
        tidy(analysis.snapshot.ops[function.function])
    rewriter.globals.drop_unused()
    declare_memrefs(analysis.snapshot.root)


def _convert_state(analysis: ModuleAnalysis, rewriter: BufferRewriter) -> None:
    """Convert the global tensors of the module to memrefs."""
    for number in analysis.state.declarations:
        op, model = rewriter.turn_to(number), analysis.effects.model(number)
        assert model is not None, op.name
        with ir.InsertionPoint(op), op.location:
            model.bufferize(op, rewriter)
        op.erase()


class _FunctionConversion:
    """The conversion of one function."""

    def __init__(
        self,
        analysis: ModuleAnalysis,
        function: FunctionAnalysis,
        rewriter: BufferRewriter,
        boundary: SignatureConverter | None,
    ) -> None:
        self._snapshot = analysis.snapshot
        self._effects = analysis.effects
        self._function = function
        self._rewriter = rewriter
        self._boundary = boundary
        self._branches = BranchConversion(analysis, function, rewriter)

    def run(self) -> None:
        """Assign buffers to the arguments, convert the body, finish the signature."""
        s, number = self._snapshot, self._function.function
        op = s.ops[number]
        self._rewriter.begin(self._function)
        block = s.op_regions[number][0][0]
        self._erase_dead(number)
        with op.location:
            if self._boundary is None:
                self._keep_arguments(block)
            else:
                self._boundary.enter(op, self._rewriter)
        self._convert_body(number)
        self._branches.finish(number)
        self._rewriter.replaced.erase_inside(number)
        self._rewriter.drop_unused()
        if self._boundary is not None:
            self._rewriter.turn_to(number)
            with op.location:
                self._boundary.finish(op, self._rewriter)

    def _erase_dead(self, function: int) -> None:
        s, dead = self._snapshot, self._effects.dead_code(function)
        for operand, argument in dead.forwarded.items():
            # Until the branch is rebuilt without it; what was forwarded may be erased.
            s.ops[s.operand_op[operand]].operands[s.operand_index(operand)] = s.values[argument]
        for op in sorted(dead.ops, reverse=True):
            if s.block_op[s.op_block[op]] not in dead.ops:
                s.ops[op].erase()

    def _keep_arguments(self, block: int) -> None:
        """Keep the arguments of ``block`` as tensors, with conversions to buffers."""
        s = self._snapshot
        with ir.InsertionPoint.at_block_begin(s.blocks[block]):
            for argument in s.arguments(block):
                if s.value_is_tensor[argument]:
                    self._rewriter.hold_tensor(argument)

    def _convert_body(self, function: int) -> None:
        """Visit ops in program order; a region op is entered before its body and bufferized after it."""
        s = self._snapshot
        open_ops, dead = [], self._effects.dead_ops(function)
        # With branches, a block with tensor arguments may begin with any op.
        for op in s.nested_ops(function) if s.op_successors else self._effects.active_ops(function):
            while open_ops and s.op_exit[open_ops[-1]] < s.op_enter[op]:
                self._leave(open_ops.pop())
            self._branches.begin(op)
            if op in dead:
                continue
            if s.op_regions[op]:
                self._enter(op)
                open_ops.append(op)
            else:
                self._leave(op)
        while open_ops:
            self._leave(open_ops.pop())

    def _touches_tensors(self, op: int) -> bool:
        effects = self._effects
        return bool(effects.tensor_operands(op) or effects.tensor_results(op)) or effects.has_tensor_arguments(op)

    def _enter(self, op: int) -> None:
        if not self._touches_tensors(op):
            return
        model, operation = self._effects.model(op), self._rewriter.turn_to(op)
        with ir.InsertionPoint(operation), operation.location:
            if model is not None:
                model.enter(operation, self._rewriter)
            else:
                for region in self._snapshot.op_regions[op]:
                    for block in region[:1]:
                        self._keep_arguments(block)

    def _leave(self, op: int) -> None:
        if not self._touches_tensors(op):
            return
        operation = self._rewriter.turn_to(op)
        if op in self._snapshot.op_successors:
            with ir.InsertionPoint(operation), operation.location:
                self._branches.leave(op)
            return
        if self._is_forwarded(op):
            self._leave_region(op)
            return
        model = self._effects.model(op)
        self._branches.finish(op)
        with ir.InsertionPoint(operation if model is not None else self._place(op)), operation.location:
            if model is None:
                self._rewriter.keep_on_tensors(op)
            else:
                model.bufferize(operation, self._rewriter)

    def _place(self, op: int) -> ir.Operation:
        """Return the op in front of which the operands of ``op``, which stays on tensors, are converted."""
        s = self._snapshot
        around = s.block_op[s.op_block[op]]
        return s.ops[around if s.op_name[around] == "scf.forall.in_parallel" else op]

    def _leave_region(self, terminator: int) -> None:
        """Call the model of the parent op of ``terminator`` to finish that region."""
        s = self._snapshot
        block = s.op_block[terminator]
        around = s.block_op[block]
        model = self._effects.model(around)
        assert model is not None
        with ir.InsertionPoint(s.ops[terminator]), s.ops[terminator].location:
            model.leave_region(self._rewriter.turn_to(around), s.block_region[block], self._rewriter)

    def _is_forwarded(self, op: int) -> bool:
        """Whether ``op`` is a terminator that its parent op converts: all its tensors are forwarded."""
        s, effects = self._snapshot, self._effects
        if s.op_result_count[op] or s.op_regions[op]:
            return False
        operands = effects.tensor_operands(op)
        return bool(operands) and all(operand in effects.forwards for operand in operands)
