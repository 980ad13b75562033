"""Convert block arguments to memrefs, or erase them where every branch forwards the same buffer.

A block is visited after its forward predecessors, so the buffers that they forward, and their types, are known. For a
back edge of a loop only the decision is known. An argument that is the same memref on every forward edge, and itself on
every back edge, is replaced by that memref. One that is dead is erased. Any other argument gets a type to which all
forwarded buffers can be cast (``whole_module/layouts.py``).

The branches are rebuilt when their region is finished, as op models rely on the old arguments until then. Linear in the
operands of branches.
"""

from __future__ import annotations

from mlir import ir

from ...analysis.in_place.function_decisions import FunctionAnalysis
from ...analysis.whole_module.module import ModuleAnalysis
from .rewriter import BufferRewriter

__all__ = ["BranchConversion"]


class BranchConversion:
    """Converts the blocks and branches of one function; called in the order of the snapshot."""

    def __init__(self, analysis: ModuleAnalysis, function: FunctionAnalysis, rewriter: BufferRewriter) -> None:
        self._snapshot = s = analysis.snapshot
        self._effects = analysis.effects
        self._function = function
        self._rewriter = rewriter
        self._passed: dict[int, ir.Value] = {}
        """By operand of a visited branch, the forwarded buffer."""
        self._types: dict[int, ir.Type] = {}
        """By tensor argument that stays a block argument, its memref type."""
        self._branches: dict[int, list[int]] = {}
        """By op, the branches in its regions."""
        self._dead = frozenset(self._effects.dead_code(function.function).forwarded.values())
        self._starts: dict[int, int] = {}
        for op in (function.function, *s.nested_ops(function.function)) if s.graphs else ():
            for region in s.op_regions[op]:
                for block in region[1:]:
                    if any(s.value_is_tensor[argument] for argument in s.arguments(block)):
                        self._starts[s.block_ops[block][0]] = block

    # --- blocks ------------------------------------------------------------------------------------------------

    def begin(self, op: int) -> None:
        """If ``op`` is the first of a block with tensor arguments, convert these. The old ones are erased later."""
        number = self._starts.get(op, -1)
        if number < 0:
            return
        s, block = self._snapshot, self._snapshot.blocks[number]
        old = list(block.arguments)
        for value, argument in zip(s.arguments(number), old, strict=True):
            if not s.value_is_tensor[value]:
                argument.replace_all_uses_with(block.add_argument(argument.type, argument.location))
                continue
            if value in self._dead:
                continue
            buffer = self._only_buffer(value)
            if buffer is None:
                type_ = self._types[value] = self._rewriter.carried_type(argument)
                buffer = block.add_argument(type_, argument.location)
            self._rewriter.hold(argument, buffer)
        self._rewriter.replaced.add_arguments(s.block_op[number], block, len(old))

    def _sides(self, argument: int) -> tuple[list[ir.Value], list[int]]:
        """Return the buffers forwarded on forward edges, and the operands of back edges."""
        sources = self._effects.sources[argument]
        forward = [self._passed[operand] for operand in sources if operand in self._passed]
        return forward, [operand for operand in sources if operand not in self._passed]

    def _only_buffer(self, argument: int) -> ir.Value | None:
        """Return the memref that all edges forward to ``argument``; None if they may forward different ones."""
        forward, back = self._sides(argument)
        same = all(buffer == forward[0] for buffer in forward) and all(self._is_itself(argument, o) for o in back)
        return forward[0] if same else None

    def _is_itself(self, argument: int, operand: int) -> bool:
        """Whether ``operand``, on a back edge, forwards the current buffer of ``argument``."""
        s, find = self._snapshot, self._function.sets.equivalence.find
        branches, position = s.block_branches[s.value_block[argument]], s.operand_position(operand)
        place, from_place = s.place(branches, s.value_position[argument]), s.place(branches, position)
        decision = self._function.decisions.get(operand)
        in_place = decision is None or decision.in_place
        same = in_place and find(s.operand_value[operand]) == find(argument)
        return same and s.graphs[branches].dominates(place, from_place)

    # --- branches ----------------------------------------------------------------------------------------------

    def leave(self, op: int) -> None:
        """Record the buffers that branch ``op`` forwards, with copies for out-of-place operands."""
        s = self._snapshot
        branch, first = s.ops[op], s.op_first_operand[op]
        for operand in self._effects.tensor_operands(op):
            if operand in self._effects.forwards:
                self._passed[operand] = self._rewriter.yielded_buffer(branch, operand - first, None)
        if any(s.value_is_tensor[a] for block in s.op_successors[op] for a in s.arguments(block)):
            self._branches.setdefault(s.block_op[s.op_block[op]], []).append(op)

    def finish(self, op: int) -> None:
        """Rebuild the branches in the regions of ``op``."""
        for branch in self._branches.pop(op, ()):
            self._rebuild(branch)

    def _rebuild(self, op: int) -> None:
        s = self._snapshot
        branch, model = s.ops[op], self._effects.model(op)
        assert model is not None
        operands: list[list[ir.Value]] = []
        with ir.InsertionPoint(branch), branch.location:
            for block, passed in zip(s.op_successors[op], model.successor_operands(branch), strict=True):
                values: list[ir.Value] = []
                for argument, index in zip(s.arguments(block), passed, strict=True):
                    if not s.value_is_tensor[argument]:
                        values.append(branch.operands[index])
                    elif argument in self._types:
                        values.append(self._hand_over(argument, s.op_first_operand[op] + index))
                operands.append(values)
            model.with_successor_operands(branch, operands)
        branch.erase()

    def _hand_over(self, argument: int, operand: int) -> ir.Value:
        s = self._snapshot
        back = s.operand_position(operand) >= s.value_position[argument]
        if back and self._is_itself(argument, operand):
            return self._rewriter.held_buffer(s.values[argument])
        return self._rewriter.cast(self._passed[operand], self._types[argument])
