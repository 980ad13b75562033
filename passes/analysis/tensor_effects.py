"""What every op does to tensors, as tables: the answers of the op models, asked once.

For each tensor operand: does its op read the content, does it write the buffer, which results may then live in that
buffer, where is the content merely forwarded to (region arguments, results), which part is touched. For each value:
is its content ever read, has it any content, may its buffer be written.

*Read* is refined to *content read*: making a view or forwarding a value reads nothing by itself, it hands the
obligation on. An operand that is viewed or forwarded is content-read iff a value it flows into is. The closure is
computed backwards over the flow edges with a work list, each edge once, so it is linear.

A function call answers from the callee's :class:`FunctionSummary` when there is one, else pessimistically.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from mlir import ir

from ...dialects.bufferizable import OpModel, Relation
from .function_summary import FunctionSummary, callee_name
from .index_sums import IndexSums
from .slices import Slice, slice_of
from .snapshot import Snapshot

__all__ = ["Refusal", "SharedOutput", "TensorEffects", "Tie"]

_WHOLE = frozenset({"scf.forall.in_parallel", "vector.mask"})
"""Ops whose regions have no place for conversions between tensors and memrefs."""

_LOADS = frozenset({"memref.load", "memref.dim", "vector.load"})

ModelLookup = Callable[[str], OpModel | None]


@dataclass(frozen=True, slots=True)
class Tie:
    """Value ``value`` may live in the buffer of the operand that owns this tie."""

    value: int
    relation: Relation
    definite: bool


@dataclass(frozen=True, slots=True)
class SharedOutput:
    """What a region argument that all runs of a parallel region insert into starts as and becomes."""

    operand: int
    result: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """An op that cannot be bufferized, and why."""

    op: ir.Operation
    message: str


class TensorEffects:
    """Tables over the operands and values of ``snapshot``; fill them function by function with :meth:`add_function`.

    ``boundaries`` says that functions' own arguments and results become buffers; ``allow_unknown`` that ops without
    a model are taken to read, write and alias everything they touch instead of being refused; ``calls_copy`` that a
    call may pass a copy of an operand's buffer, to give the callee the layout it asks for; ``copying_calls`` names the
    functions whose calls may, although others may not. Ops that ``allows`` says
    no to by their name keep their tensors, as unknown ops do.
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
        self.snapshot = snapshot
        self.boundaries = boundaries
        operands, values = len(snapshot.operand_op), len(snapshot.values)
        self.reads = bytearray(operands)
        self.writes = bytearray(operands)
        self.content_reads = bytearray(operands)
        self.must_in_place = bytearray(operands)
        self.escapes = bytearray(operands)
        self.discards = bytearray(operands)
        self.ties: dict[int, tuple[Tie, ...]] = {}
        self.forwards: dict[int, tuple[int, ...]] = {}
        self.slices: dict[int, Slice] = {}
        self.redundant_source: dict[int, int] = {}
        self.value_read = bytearray(values)
        self.undefined = bytearray(values)
        self.readonly: dict[int, str] = {}
        self.sources: dict[int, list[int]] = {}
        """For a value, the operands it is tied to or forwarded from."""
        self.shared: dict[int, list[tuple[int, int]]] = {}
        """For an op, pairs of its results that may share memory, whatever is decided about its operands."""
        self.shared_outputs: dict[int, SharedOutput] = {}
        """For an argument of a parallel region, where it comes from and which result it becomes."""
        self.early_definitions: dict[int, int] = {}
        """For such an argument, where it gets its content: in front of its op."""
        self.insertions: dict[int, list[int]] = {}
        """For such an argument, the operands that write what a run of the region inserts."""
        self.derived_reads: dict[int, list[int]] = {}
        """For an operand that hands out a memref, the operands that read that memref, if these are all there are."""
        self.refusals: list[Refusal] = []
        self.unknown_ops: set[int] = set()
        self._models = models
        self._sums = IndexSums(snapshot)
        self._summaries = summaries
        self._allow_unknown = allow_unknown
        self._calls_copy = calls_copy
        self._copying_calls = copying_calls
        self._allows = allows
        self._handed_out: dict[int, int] = {}
        """For an op without a model, a value that ops inside of it may hand their tensors to; -1 if there is none."""

    def tensor_operands(self, op: int) -> list[int]:
        """Return the operands of ``op`` that are tensors defined inside the snapshot."""
        s = self.snapshot
        return [o for o in s.operands(op) if s.operand_value[o] >= 0 and s.value_is_tensor[s.operand_value[o]]]

    def tensor_results(self, op: int) -> list[int]:
        """Return the results of ``op`` that are tensors."""
        s = self.snapshot
        return [v for v in s.results(op) if s.value_is_tensor[v]]

    def model(self, op: int) -> OpModel | None:
        """Return the model of op number ``op``, if it has one and it applies."""
        return None if op in self.unknown_ops else self._models(self.snapshot.op_name[op])

    # --- filling -----------------------------------------------------------------------------------------------

    def add_function(self, function: int) -> None:
        """Read the ops of ``function`` (callees first); refusals are collected, never raised."""
        s = self.snapshot
        ops = s.nested_ops(function)
        unreachable = next((op for op in (function, *ops) if s.has_unreachable_blocks(op)), None)
        if unreachable is not None:
            message = (
                f"'{s.op_name[unreachable]}' has a block that cannot be reached from the first one; remove it first "
                "(upstream pass canonicalize)"
            )
            self.refusals.append(Refusal(s.ops[unreachable], message))
            return
        self._add_arguments(function)
        for op in ops:
            operands, results = self.tensor_operands(op), self.tensor_results(op)
            if operands or results or self._has_tensor_arguments(op):
                self._add_op(op, operands, results)
            if op in s.op_successors:
                self._add_branch(op)
        self._close_reads(ops)

    def forget_function(self, function: int) -> None:
        """Take back what :meth:`add_function` entered for ``function``, but for refusals."""
        s = self.snapshot
        tables = (self.reads, self.writes, self.content_reads, self.must_in_place, self.escapes, self.discards)
        by_operand = (self.ties, self.forwards, self.slices, self.redundant_source, self.derived_reads)
        for op in s.nested_ops(function):
            self.shared.pop(op, None)
            self.unknown_ops.discard(op)
            self._handed_out.pop(op, None)
            for operand in s.operands(op):
                for table in tables:
                    table[operand] = False
                for entries in by_operand:
                    entries.pop(operand, None)
        for value in s.nested_values(function):
            self.value_read[value] = self.undefined[value] = False
            self.readonly.pop(value, None)
            self.sources.pop(value, None)

    def _has_tensor_arguments(self, op: int) -> bool:
        s = self.snapshot
        return any(s.value_is_tensor[a] for region in s.op_regions[op] for block in region for a in s.arguments(block))

    def _add_arguments(self, function: int) -> None:
        s = self.snapshot
        blocks = s.op_regions[function][0]
        if not blocks:
            return
        attributes = s.ops[function].attributes
        arg_attrs = ir.ArrayAttr(attributes["arg_attrs"]) if "arg_attrs" in attributes else None
        for argument in s.arguments(blocks[0]):
            if not s.value_is_tensor[argument]:
                continue
            if not self.boundaries:
                self.readonly[argument] = "a function argument that stays a tensor"
            elif arg_attrs is not None and _is_not_writable(ir.DictAttr(arg_attrs[s.value_index[argument]])):
                self.readonly[argument] = "a function argument marked bufferization.writable = false"

    def _add_op(self, op: int, operands: list[int], results: list[int]) -> None:
        s = self.snapshot
        name = s.op_name[op]
        summary = self._summaries.get(callee_name(s.ops[op])) if name == "func.call" and self.boundaries else None
        if summary is not None:
            self._add_call(op, operands, results, summary)
            return
        stays = name == "func.call" or (name == "func.return" and not self.boundaries) or self._ends_unknown(op)
        # A branch goes with the arguments of its blocks, which are never left on tensors.
        if not stays and op not in s.op_successors:
            left = self._left_without_place(op)
            if left is not None:
                message = f"the option dialect-filter leaves '{left}' on tensors, but there is no place for conversions"
                self.refusals.append(Refusal(s.ops[op], f"{message} next to it; add '{left.partition('.')[0]}'"))
                return
            stays = not self._allows(name)
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
        """Return the op that dialect-filter leaves on tensors although nothing can be put around ``op``, if any."""
        s = self.snapshot
        name, around = s.op_name[op], s.op_name[s.block_op[s.op_block[op]]]
        if around in _WHOLE and not self._allows(around):
            return around
        return name if not self._allows(name) and (name in _WHOLE or around in _WHOLE) else None

    def _add_forwardings(self, model: OpModel, op: int) -> None:
        s = self.snapshot
        for forwarding in model.forwardings(s.ops[op]):
            targets = [s.op_first_result[op] + r for r in forwarding.results]
            for region, argument in forwarding.arguments:
                targets.append(s.block_first_argument[s.op_regions[op][region][0]] + argument)
            for source_op in (op,) if forwarding.region is None else s.exits(op, forwarding.region):
                # A terminator that ends the program there, such as ub.unreachable, hands nothing over.
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

    def _add_branch(self, op: int) -> None:
        """A branch hands its operands to the arguments of the blocks that it may lead to."""
        s = self.snapshot
        model = self._models(s.op_name[op])
        passed = model.successor_operands(s.ops[op]) if model is not None else ()
        for index, block in enumerate(s.op_successors[op]):
            operands = passed[index] if index < len(passed) else ()
            tensors = [(i, a) for i, a in enumerate(s.arguments(block)) if s.value_is_tensor[a]]
            if tensors and len(operands) != s.block_argument_count[block]:
                message = (
                    f"op '{s.op_name[op]}' branches to a block with tensor arguments, but no bufferization model says "
                    "which operands they hold"
                )
                self.refusals.append(Refusal(s.ops[op], message))
                return
            for i, argument in tensors:
                self._forward(s.op_first_operand[op] + operands[i], [argument])

    def _add_operand(self, model: OpModel, op: int, operand: int) -> None:
        s = self.snapshot
        operation, index = s.ops[op], s.operand_index(operand)
        self.reads[operand] = model.bufferizes_to_memory_read(operation, index)
        self.writes[operand] = model.bufferizes_to_memory_write(operation, index)
        self.must_in_place[operand] = model.must_bufferize_in_place(operation, index)
        self.discards[operand] = model.discards_content(operation, index)
        if model.escapes(operation, index):
            self._add_escape(op, operand)
        first = s.op_first_result[op]
        ties = [Tie(first + a.result, a.relation, a.definite) for a in model.aliasing_values(operation, index)]
        shared = self.shared_outputs.get(s.operand_value[operand])
        if shared is not None and self.writes[operand] and not ties:
            self.insertions.setdefault(s.operand_value[operand], []).append(operand)
            ties = [Tie(shared.result, Relation.EQUIVALENT, True)]
        self._set_ties(operand, ties)
        subset = model.subset(operation, index)
        if subset is not None:
            self.slices[operand] = slice_of(subset, self._sums)
        source = model.redundant_source(operation, index)
        if source is not None:
            self.redundant_source[operand] = s.op_first_operand[op] + source

    def _add_escape(self, op: int, operand: int) -> None:
        """A memref that is only loaded from is no secret: those loads are reads like others."""
        s = self.snapshot
        uses = [use for result in s.results(op) for use in s.value_uses[result]]
        if not self.writes[operand] and all(s.op_name[s.operand_op[use]] in _LOADS for use in uses):
            self.derived_reads[operand] = uses
        else:
            self.escapes[operand] = True

    def _set_ties(self, operand: int, ties: Iterable[Tie]) -> None:
        ties = tuple(ties)
        if ties:
            self.ties[operand] = ties
            for tie in ties:
                self.sources.setdefault(tie.value, []).append(operand)

    def _ends_unknown(self, op: int) -> bool:
        """Whether ``op`` ends a region of an op without a model: nobody knows where its operands go."""
        s = self.snapshot
        block = s.op_block[op]
        ends = s.block_op[block] in self.unknown_ops and s.block_ops[block][-1] == op
        return ends and op not in s.op_successors

    def _add_unknown(self, op: int, operands: list[int], results: list[int], *, stays: bool) -> None:
        """An op nobody described: it may read and write every operand and return any of their buffers."""
        s = self.snapshot
        name = s.op_name[op]
        if not self._allow_unknown and not stays:
            message = (
                f"op '{name}' works on tensors but has no bufferization model; register one (entry point "
                "mlir_inplace.op_models), lower the op first, or set allow-unknown-ops=true"
            )
            self.refusals.append(Refusal(s.ops[op], message))
            return
        self.unknown_ops.add(op)
        # The op keeps its tensors: it gets them from and hands them to buffers, and as an op on tensors it does not
        # write what it is given. What it returns may be one of its operands, or what an op inside of it was given.
        # The arguments of other blocks than the first come from branches.
        entries = [block for region in s.op_regions[op] for block in region[:1]]
        arguments = [a for block in entries for a in s.arguments(block) if s.value_is_tensor[a]]
        # One tie for each operand will do: what it may become shares memory anyway, as one set of values.
        group, outer = [*results, *arguments], self._handed_out_around(op)
        self.shared[op] = list(pairwise(group))
        if group and outer >= 0:
            self.shared[op].append((group[0], outer))
        target = self._handed_out[op] = group[0] if group else outer
        for operand in operands:
            self.reads[operand] = True
            self._set_ties(operand, [Tie(target, Relation.UNKNOWN, False)] if target >= 0 else [])
        for result in results:
            self.readonly[result] = f"the result of {name}, whose buffer is not known to be writable"
        for argument in arguments:
            self.readonly[argument] = f"a region argument of {name}, whose buffer is not known"

    def _handed_out_around(self, op: int) -> int:
        """Return a value that an op inside of the ops without models around ``op`` may hand a tensor to; -1 if none."""
        s = self.snapshot
        while (op := s.block_op[s.op_block[op]]) > 0:
            if op in self._handed_out:
                return self._handed_out[op]
        return -1

    def _add_call(self, op: int, operands: list[int], results: list[int], summary: FunctionSummary) -> None:
        s = self.snapshot
        shared = self.shared.setdefault(op, [])
        copies = self._calls_copy or callee_name(s.ops[op]) in self._copying_calls
        for operand in operands:
            index = s.operand_index(operand)
            self.reads[operand] = summary.argument_is_read[index]
            self.writes[operand] = summary.argument_is_written[index]
            ties = []
            for result in results:
                result_ties = summary.result_ties[s.value_index[result]]
                relation = result_ties.get(index)
                if relation is not None:
                    # A call that may have to copy its operand for the sake of a layout promises no identity.
                    definite = len(result_ties) == 1 and relation is Relation.EQUIVALENT and not copies
                    ties.append(Tie(result, relation if definite else Relation.UNKNOWN, definite))
            self._set_ties(operand, ties)
            # A refused operand is copied once, and all results that may be in it are in that copy.
            shared.extend(pairwise(tie.value for tie in ties))
        first = s.op_first_result[op]
        shared.extend((first + a, first + b) for a, b in summary.shared_results)
        for result in results:
            reason = summary.result_readonly[s.value_index[result]]
            if reason:
                self.readonly[result] = reason

    # --- closing -----------------------------------------------------------------------------------------------

    def _close_reads(self, ops: range) -> None:
        """Compute ``content_reads`` and ``value_read`` backwards, and ``undefined`` forwards, over the flow edges."""
        s = self.snapshot
        work: list[int] = []
        for op in ops:
            for operand in s.operands(op):
                if self.reads[operand]:
                    self._mark_read(operand, work)
        while work:
            for operand in self.sources.get(work.pop(), ()):
                if not self.content_reads[operand] and (operand in self.forwards or not self.writes[operand]):
                    self._mark_read(operand, work)
        for op in ops:
            self._spread_undefined(op)

    def _mark_read(self, operand: int, work: list[int]) -> None:
        self.content_reads[operand] = True
        value = self.snapshot.operand_value[operand]
        if value >= 0 and not self.value_read[value]:
            self.value_read[value] = True
            work.append(value)

    def _spread_undefined(self, op: int) -> None:
        """A view of something without content has no content either."""
        s = self.snapshot
        for operand in s.operands(op):
            ties = self.ties.get(operand, ())
            if ties and not self.writes[operand] and self.undefined[s.operand_value[operand]]:
                for tie in ties:
                    if self.sources[tie.value] == [operand] and tie.definite:
                        self.undefined[tie.value] = True


def _is_not_writable(attributes: ir.DictAttr) -> bool:
    key = "bufferization.writable"
    return key in attributes and not ir.BoolAttr(attributes[key]).value
