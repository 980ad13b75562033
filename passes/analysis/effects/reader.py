"""The effects of every op on tensors: queries the op models once and fills ``tables.py``.

Effects that no model describes are entered here as well: those of function arguments, of branches and of ops without a
model, and reads through views and forwardings (``content_reads.py``). Linear in ops, operands and values.

A call has the effects of the callee's :class:`FunctionSummary` if there is one, otherwise pessimistic ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import pairwise

from ....dialects.bufferizable import OpModel, Relation
from ....dialects.bufferization import MEMREF_LOADS
from ....dialects.registry import broken_models
from ..index_sets.slices import slice_of
from ..index_sets.sums import IndexSums
from ..ir.snapshot import Snapshot
from .commit_chains import enter_commits
from .content_reads import close_reads
from .kept_memrefs import outlives_iteration
from .slice_iterations import SliceIterations
from .summary import FunctionSummary, declared_writable
from .tables import EffectTables, Refusal, SharedOutput, Tie
from .whole_slices import mark_whole_slices

__all__ = ["TensorEffects"]

_WHOLE = frozenset({"scf.forall.in_parallel", "vector.mask"})
"""Ops whose regions cannot hold conversions between tensors and memrefs."""

_INSERTS = "scf.forall.in_parallel"
"""Of these, the one whose ops stay with it: conversions of what they insert can be in front of it."""

_ENTRY_POINT = "entry point mlir_inplace.op_models"
"""How a package brings models of its own, in messages."""

ModelLookup = Callable[[str], OpModel | None]


class TensorEffects(EffectTables):
    """The tables of ``snapshot``; fill them function by function with :meth:`add_function`.

    ``boundaries``: function arguments and results become buffers. ``allow_unknown``: ops without a model are assumed to
    read, write and alias all their tensors, instead of being refused. ``calls_copy``: any call may pass a copy of an
    operand's buffer, in the layout of the callee's argument. ``copying_calls``: the functions whose calls may do so
    anyway. ``allows``: whether an op of this name is bufferized; other ops keep their tensors, as unknown ops do.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        models: ModelLookup,
        summaries: Mapping[str, FunctionSummary],
        *,
        boundaries: bool,
        allow_unknown: bool,
        calls_copy: bool = False,
        copying_calls: Collection[str] = (),
        allows: Callable[[str], bool] = lambda name: True,
    ) -> None:
        super().__init__(snapshot)
        self.boundaries = boundaries
        self.any_layout = boundaries
        """Whether arguments of public functions are buffers of any layout, unless an attribute states one."""
        self._models = models
        self._sums = IndexSums(snapshot)
        self.slice_iterations = SliceIterations(snapshot)
        self._summaries = summaries
        self._allow_unknown = allow_unknown
        self._calls_copy = calls_copy
        self._copying_calls = copying_calls
        self._allows = allows
        self._is_filtered = not all(map(allows, set(snapshot.op_name)))
        self._committed: list[int] = []
        """Operands of the current function that must be in place and are overwritten with another operand."""
        self._required: list[int] = []
        """The same of ops with results."""
        self.required: dict[int, list[int]] = {}
        """By function, the operands that must be in place and are overwritten, of ops that return what they hold."""

    def model(self, op: int) -> OpModel | None:
        """Return the model of op number ``op``, if it has one that applies."""
        return None if op in self.unknown_ops else self._models(self.snapshot.op_name[op])

    def reads_before_regions(self, op: int) -> bool:
        """Whether ``op`` reads its own operands only before its regions run."""
        model = self.model(op)
        return model is not None and model.reads_before_regions(self.snapshot.ops[op])

    # --- filling -----------------------------------------------------------------------------------------------

    def add_function(self, function: int) -> None:
        """Read the ops of ``function`` (callees first); refusals are collected, never raised."""
        s = self.snapshot
        ops = s.nested_ops(function)
        branching = (function, *ops) if s.graphs else ()
        unreachable = next((op for op in branching if s.has_unreachable_blocks(op)), None)
        if unreachable is not None:
            message = (
                f"'{s.op_name[unreachable]}' has a block that cannot be reached from the first one; remove it first "
                "(upstream pass canonicalize)"
            )
            self.refusals.append(Refusal(s.ops[unreachable], message))
            return
        self._add_arguments(function)
        self._committed.clear()
        self._required.clear()
        for op in self.active_ops(function):
            operands, results = self.tensor_operands(op), self.tensor_results(op)
            if operands or results or self.has_tensor_arguments(op):
                self._add_op(op, operands, results)
            if op in s.op_successors:
                self._add_branch(op, self.dead_code(function).forwarded)
        mark_whole_slices(self, self._sums, self.active_ops(function))
        close_reads(self, ops)
        enter_commits(self, function, self._committed)
        self.required[function] = list(self._required)

    def _add_arguments(self, function: int) -> None:
        s = self.snapshot
        blocks = s.op_regions[function][0]
        if not blocks:
            return
        for argument in s.arguments(blocks[0]):
            if not s.value_is_tensor[argument]:
                continue
            if not self.boundaries:
                self.readonly[argument] = "a function argument that stays a tensor"
            elif declared_writable(s.ops[function], s.value_index[argument]) is False:
                self.readonly[argument] = "a function argument marked bufferization.writable = false"

    def _add_op(self, op: int, operands: list[int], results: list[int]) -> None:
        s = self.snapshot
        name = s.op_name[op]
        summary = self._summaries.get(s.callee(op)) if name == "func.call" and self.boundaries else None
        if summary is not None:
            self._add_call(op, operands, results, summary)
            return
        stays = name == "func.call" or (name == "func.return" and not self.boundaries) or self._ends_unknown(op)
        # A branch is bufferized with the arguments of its successors, which never stay tensors.
        if not stays and op not in s.op_successors:
            left = self._left_without_place(op) if self._is_filtered else None
            if left is not None:
                message = f"the option dialect-filter leaves '{left}' on tensors, but no conversion may be next to it"
                self.refusals.append(Refusal(s.ops[op], f"{message}; add '{left.partition('.')[0]}' to the filter"))
                return
            filtered = self._is_filtered and (not self._allows(name) or self._stays_with_loop(op))
            stays = filtered or (bool(self.encoded) and self._is_encoded(op))
        model = None if stays else self._models(name)
        if model is None:
            self._add_unknown(op, operands, results, stays=stays)
            return
        reason = model.refuse(s.ops[op])
        if reason is not None:
            self.refusals.append(Refusal(s.ops[op], reason))
            return
        for operand in operands:
            self._add_operand(model, op, operand)
        self._add_forwardings(model, op)
        for result in results:
            index = s.value_index[result]
            if not model.is_writable(s.ops[op], index):
                self.readonly[result] = f"the result of {name}, which must not be written"
            self.undefined[result] = model.result_is_undefined(s.ops[op], index)

    def _left_without_place(self, op: int) -> str | None:
        """Return the op that dialect-filter leaves on tensors where no conversions can be next to ``op``, if any."""
        s = self.snapshot
        name, around = s.op_name[op], s.op_name[s.block_op[s.op_block[op]]]
        if self._stays_with_loop(op):
            return None
        if around in _WHOLE and not self._allows(around):
            return around
        return name if not self._allows(name) and (name in _WHOLE or around in _WHOLE) else None

    def _is_encoded(self, op: int) -> bool:
        """Whether ``op`` takes, makes or hands on a tensor with an encoding."""
        s = self.snapshot
        forwarded = (s.operands(exit_) for region in range(len(s.op_regions[op])) for exit_ in s.exits(op, region))
        operands = [*s.operands(op), *(operand for exits in forwarded for operand in exits)]
        values = [*s.results(op), *(s.operand_value[operand] for operand in operands)]
        blocks = (block for region in s.op_regions[op] for block in region[:1])
        return not self.encoded.isdisjoint([*values, *(a for block in blocks for a in s.arguments(block))])

    def _stays_with_loop(self, op: int) -> bool:
        """Whether ``op`` inserts into outputs of a loop that dialect-filter leaves on tensors."""
        s = self.snapshot
        return s.op_name[s.block_op[s.op_block[op]]] == _INSERTS and not self._allows(_INSERTS)

    def _add_forwardings(self, model: OpModel, op: int) -> None:
        s = self.snapshot
        for forwarding in model.forwardings(s.ops[op]):
            targets = [s.op_first_result[op] + r for r in forwarding.results]
            for region, argument in forwarding.arguments:
                targets.append(s.block_first_argument[s.op_regions[op][region][0]] + argument)
            for source_op in (op,) if forwarding.region is None else s.exits(op, forwarding.region):
                # A terminator that ends the program there, such as ub.unreachable, forwards nothing.
                if forwarding.operand < s.op_operand_count[source_op]:
                    self._forward(s.op_first_operand[source_op] + forwarding.operand, targets)
            if forwarding.shared:
                result, argument = targets
                self.shared_outputs[argument] = SharedOutput(s.op_first_operand[op] + forwarding.operand, result)
                self.early_definitions[argument] = s.op_enter[op]

    def _forward(self, operand: int, targets: list[int]) -> None:
        self.forwards[operand] = tuple(targets)
        for target in targets:
            self.sources.setdefault(target, []).append(operand)

    def _add_branch(self, op: int, dead: Mapping[int, int]) -> None:
        """A branch forwards its operands to the arguments of its successors, unless these are ``dead``."""
        s = self.snapshot
        model = self._models(s.op_name[op])
        passed = model.successor_operands(s.ops[op]) if model is not None else ()
        for index, block in enumerate(s.op_successors[op]):
            operands = passed[index] if index < len(passed) else ()
            tensors = [(i, a) for i, a in enumerate(s.arguments(block)) if s.value_is_tensor[a]]
            if tensors and len(operands) != s.block_argument_count[block]:
                message = (
                    f"op '{s.op_name[op]}' branches to a block with tensor arguments, but has no model of "
                    "the operands that it forwards to them"
                )
                self.refusals.append(Refusal(s.ops[op], message))
                return
            for i, argument in tensors:
                if s.op_first_operand[op] + operands[i] not in dead:
                    self._forward(s.op_first_operand[op] + operands[i], [argument])
        if op in self.unknown_ops and self.tensor_operands(op):
            problem = f"op '{s.op_name[op]}' branches on tensors but has no bufferization model; register one"
            self.refusals.append(Refusal(s.ops[op], f"{problem} ({_ENTRY_POINT})"))

    def _add_operand(self, model: OpModel, op: int, operand: int) -> None:
        s = self.snapshot
        operation, index = s.ops[op], operand - s.op_first_operand[op]
        self.reads[operand] = model.bufferizes_to_memory_read(operation, index)
        self.writes[operand] = model.bufferizes_to_memory_write(operation, index)
        self.must_in_place[operand] = model.must_bufferize_in_place(operation, index)
        self.discards[operand] = model.discards_content(operation, index)
        self.shape_only[operand] = model.needs_only_shape(operation, index)
        if model.escapes(operation, index):
            if s.results(op):
                self._add_escape(op, operand)
            else:
                self.escapes[operand] = True
        first = s.op_first_result[op]
        ties = [Tie(first + a.result, a.relation, a.definite) for a in model.aliasing_values(operation, index)]
        shared = self.shared_outputs.get(s.operand_value[operand])
        if shared is not None and self.writes[operand] and not ties:
            self.insertions.setdefault(s.operand_value[operand], []).append(operand)
            ties = [Tie(shared.result, Relation.EQUIVALENT, True)]
        self._set_ties(operand, ties)
        if ties and self.reads[operand] and self.writes[operand]:
            self.keeps[operand] = model.only_keeps_content(operation, index)
        subset = model.subset(operation, index)
        if subset is not None:
            self.slices[operand] = slice_of(subset, self._sums)
        source = model.redundant_source(operation, index)
        if source is not None:
            self.redundant_source[operand] = s.op_first_operand[op] + source
            if self.must_in_place[operand]:
                (self._required if s.results(op) else self._committed).append(operand)

    def _add_escape(self, op: int, operand: int) -> None:
        """If the memref that the op returns is only loaded from, the loads are its reads; otherwise it escapes."""
        s = self.snapshot
        uses = [use for result in s.results(op) for use in s.value_uses[result]]
        if not self.writes[operand] and all(s.op_name[s.operand_op[use]] in MEMREF_LOADS for use in uses):
            self.derived_reads[operand] = uses
        else:
            self.escapes[operand] = True
            self.outlives[operand] = outlives_iteration(s, op)

    def _set_ties(self, operand: int, ties: Iterable[Tie]) -> None:
        ties = tuple(ties)
        if ties:
            self.ties[operand] = ties
            for tie in ties:
                self.sources.setdefault(tie.value, []).append(operand)

    def _ends_unknown(self, op: int) -> bool:
        """Whether ``op`` terminates a region of an op without a model: its operands may be forwarded anywhere."""
        s = self.snapshot
        block = s.op_block[op]
        ends = s.block_op[block] in self.unknown_ops and s.block_ops[block][-1] == op
        return ends and op not in s.op_successors

    def _add_unknown(self, op: int, operands: list[int], results: list[int], *, stays: bool) -> None:
        """Enter an op without a model: it may read every operand and return any of their buffers."""
        s = self.snapshot
        name = s.op_name[op]
        problem = None if stays else _why_unknown(name, self._allow_unknown)
        if problem is not None:
            self.refusals.append(Refusal(s.ops[op], problem))
            return
        self.unknown_ops.add(op)
        # The op keeps its tensors, with conversions from and to buffers around it. As an op on tensors it does not
        # write its operands. A result may be one of its operands, or an operand of an op inside of it.
        # The arguments of blocks other than the first come from branches.
        entries = [block for region in s.op_regions[op] for block in region[:1]]
        arguments = [a for block in entries for a in s.arguments(block) if s.value_is_tensor[a]]
        # One tie for each operand is enough: all its possible targets are in one may-alias set anyway.
        group, outer = [*results, *arguments], self._unknown_target_around(op)
        self.shared[op] = list(pairwise(group))
        if group and outer >= 0:
            self.shared[op].append((group[0], outer))
        target = self.unknown_targets[op] = group[0] if group else outer
        for operand in operands:
            self.reads[operand] = True
            self._set_ties(operand, [Tie(target, Relation.UNKNOWN, False)] if target >= 0 else [])
        for result in results:
            self.readonly[result] = f"the result of {name}, whose buffer is not known to be writable"
        for argument in arguments:
            self.readonly[argument] = f"a region argument of {name}, whose buffer is not known"

    def _unknown_target_around(self, op: int) -> int:
        """Return a value of an enclosing op without a model that tensors of ``op`` may flow to; -1 if none."""
        s = self.snapshot
        while (op := s.block_op[s.op_block[op]]) > 0:
            if op in self.unknown_targets:
                return self.unknown_targets[op]
        return -1

    def _add_call(self, op: int, operands: list[int], results: list[int], summary: FunctionSummary) -> None:
        s = self.snapshot
        shared = self.shared.setdefault(op, [])
        copies = self._calls_copy or s.callee(op) in self._copying_calls
        for operand in operands:
            index = s.operand_index(operand)
            self.reads[operand] = summary.argument_is_read[index]
            self.writes[operand] = summary.argument_is_written[index]
            ties = []
            for result in results:
                result_ties = summary.result_ties[s.value_index[result]]
                relation = result_ties.get(index)
                if relation is not None:
                    # The result of a call that may copy its operand to another layout is not surely equivalent to it.
                    definite = len(result_ties) == 1 and relation is Relation.EQUIVALENT and not copies
                    ties.append(Tie(result, relation if definite else Relation.UNKNOWN, definite))
            self._set_ties(operand, ties)
            # A refused operand is copied once: all results that may be in its buffer share that copy.
            shared.extend(pairwise(tie.value for tie in ties))
        first = s.op_first_result[op]
        shared.extend((first + a, first + b) for a, b in summary.shared_results)
        for result in results:
            reason = summary.result_readonly[s.value_index[result]]
            if reason:
                self.readonly[result] = reason


def _why_unknown(name: str, allow: bool) -> str | None:
    """Return why an op on tensors without a model is refused; None if it is not.

    A package that failed to load may contain the model, so the message names that package.
    """
    if broken := broken_models():
        return f"op '{name}' works on tensors but has no bufferization model that can be used: {broken[0]}"
    if allow:
        return None
    lower = "lower the op first" + (" (lower-affine)" if name.startswith("affine.") else "")
    return (
        f"op '{name}' works on tensors but has no bufferization model; register one ({_ENTRY_POINT}), "
        f"{lower}, or set allow-unknown-ops=true"
    )
