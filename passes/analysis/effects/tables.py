"""The effects of ops on tensors, as tables over the operands and values of a snapshot; filled by ``reader.py``.

For each tensor operand: whether its op reads the content and writes the buffer, the tied results, the region arguments
and results that it is forwarded to, and the slice that is accessed. For each value: whether its content is ever read,
whether it has any content, and whether its buffer may be written. Constant time per lookup.
"""

from __future__ import annotations

from typing import NamedTuple

from mlir import ir

from ....dialects.bufferizable import Relation
from ....dialects.support.frozen_classes import frozen_slots
from ..index_sets.slices import Slice
from ..ir.snapshot import Snapshot
from .dead_ops import DeadCode, find_dead_code

__all__ = [
    "CarriedTensor",
    "CommittedContent",
    "EffectTables",
    "Passed",
    "Refusal",
    "RegionForwardings",
    "SharedOutput",
    "Tie",
]


class Tie(NamedTuple):
    """Value ``value`` may be in the buffer of the operand that owns this tie."""

    value: int
    relation: Relation
    definite: bool


@frozen_slots
class SharedOutput:
    """The init operand and the result of a region argument that all runs of a parallel region insert into."""

    operand: int
    result: int


@frozen_slots
class CommittedContent:
    """The content of operand ``operand`` is overwritten by the final content of its memory.

    ``continues``: its own content may be a part of the final one. ``steps`` are the operands of the chain from one to
    the other, empty if any source of the final content is not such a step.
    """

    operand: int
    continues: bool
    steps: tuple[int, ...]


@frozen_slots
class Refusal:
    """An op that cannot be bufferized, and why."""

    op: ir.Operation
    message: str


class CarriedTensor(NamedTuple):
    """One loop-carried tensor: the terminator's operand, and the region argument and the result it is forwarded to.

    ``result`` is -1 if the operand is forwarded to the argument only.
    """

    operand: int
    argument: int
    result: int


class Passed(NamedTuple):
    """One tensor that a region forwards to the argument of another region and to results, as alternatives."""

    operand: int
    targets: tuple[int, ...]


@frozen_slots
class RegionForwardings:
    """The forwardings of the regions of an op: to the next iteration, to another region, and to results only."""

    carried: list[CarriedTensor]
    passed: list[Passed]
    exits: list[tuple[int, list[int]]]


class EffectTables:
    """The tables of one module; missing entries are false or absent."""

    encoded: frozenset[int] = frozenset()
    """Tensors that have no buffers: their ops are taken as ops without a model."""

    skip_dead: bool = False
    """Whether dead ops have no entries, and no elements are kept that nobody reads; set before anything is entered."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        operands, values = len(snapshot.operand_op), len(snapshot.values)
        self.reads, self.writes = bytearray(operands), bytearray(operands)
        self.content_reads, self.keeps = bytearray(operands), bytearray(operands)
        """By written operand, ``keeps``: whether its op reads it only to leave a part of it in the tied result."""
        self.must_in_place = bytearray(operands)
        self.escapes = bytearray(operands)
        self.outlives = bytearray(operands)
        """By operand that escapes, whether its memref may be in use in a later iteration of a loop around the op."""
        self.discards, self.shape_only = bytearray(operands), bytearray(operands)
        self.ties: dict[int, tuple[Tie, ...]] = {}
        self.forwards: dict[int, tuple[int, ...]] = {}
        self.slices: dict[int, Slice] = {}
        self.redundant_source: dict[int, int] = {}
        self.whole_slices: set[int] = set()
        """Operands whose slice, of dynamic sizes, is all of them: ``slices`` has no entry for these."""
        self.value_read, self.undefined = bytearray(values), bytearray(values)
        self.readonly: dict[int, str] = {}
        self.sources: dict[int, list[int]] = {}
        """For a value, the operands it is tied to or forwarded from."""
        self.shared: dict[int, list[tuple[int, int]]] = {}
        """By op, pairs of its results that may share memory independently of the decisions about its operands."""
        self.shared_outputs: dict[int, SharedOutput] = {}
        """By argument of a parallel region, its init operand and its result."""
        self.early_definitions: dict[int, int] = {}
        """By such argument, the position where its content is defined: in front of its op."""
        self.insertions: dict[int, list[int]] = {}
        """By such argument, the operands of the insertions of a run of the region."""
        self.derived_reads: dict[int, list[int]] = {}
        """For an operand whose op returns a memref of it, the operands that read that memref, if these are all uses."""
        self.commits: dict[int, list[CommittedContent]] = {}
        """By function, its commits."""
        self.region_forwardings: dict[int, RegionForwardings] = {}
        """By op with regions, the cached forwardings of these (``in_place/region_flow.py``)."""
        self.refusals: list[Refusal] = []
        self.unknown_ops: set[int] = set()
        self._active: dict[int, list[int]] = {}
        self._dead: dict[int, DeadCode] = {}
        self.unknown_targets: dict[int, int] = {}
        """For an op without a model, a value that tensors of ops inside of it may flow to; -1 if there is none."""

    def dead_ops(self, function: int) -> frozenset[int]:
        """Return the ops in ``function`` that have no entries here, as nothing that they compute is used."""
        return self.dead_code(function).ops

    def dead_code(self, function: int) -> DeadCode:
        """Return the dead ops in ``function``, and what is forwarded to dead arguments, which is no forwarding here."""
        found = self._dead.get(function)
        if found is None:
            found = find_dead_code(self.snapshot, function) if self.skip_dead else DeadCode(frozenset(), {})
            self._dead[function] = found
        return found

    def active_ops(self, function: int) -> list[int]:
        """Return the ops in ``function`` with tensors, regions or successors: no dead ones, and few payload ops."""
        s = self.snapshot
        found = self._active.get(function)
        if found is None:
            tensors, dead = s.op_has_tensors, self.dead_ops(function)
            found = self._active[function] = [
                op
                for op in s.nested_ops(function)
                if (tensors[op] or s.op_regions[op] or op in s.op_successors) and op not in dead
            ]
        return found

    def ops_around_tensors(self, function: int) -> set[int]:
        """Return the ops in ``function`` with active ops or tensor arguments in their regions; skips most payload ops.

        Only the regions of these ops can forward tensors or write them in threads.
        """
        s, active = self.snapshot, self.active_ops(function)
        following = zip(active, (*active[1:], function), strict=False)
        return {
            op
            for op, after in following
            if s.op_regions[op]
            and (s.op_enter[op] < s.op_enter[after] < s.op_exit[op] or self.has_tensor_arguments(op))
        }

    def keeps_unread(self) -> bool:
        """Whether some op leaves elements of an operand as they were in a result that nobody reads."""
        written = (operand for operand, keeps in enumerate(self.keeps) if keeps)
        return any(not self.value_read[tie.value] for operand in written for tie in self.ties[operand])

    def is_same_buffer(self, operand: int, value: int) -> bool:
        """Whether ``value`` is equivalent to ``operand`` if that is in place."""
        return Tie(value, Relation.EQUIVALENT, True) in self.ties.get(operand, ())

    def has_tensor_arguments(self, op: int) -> bool:
        """Whether a block in the regions of ``op`` has an argument that is a tensor."""
        s = self.snapshot
        return any(s.value_is_tensor[a] for region in s.op_regions[op] for block in region for a in s.arguments(block))

    def tensor_operands(self, op: int) -> list[int]:
        """Return the operands of ``op`` that are tensors defined inside the snapshot."""
        s = self.snapshot
        first, values, is_tensor = s.op_first_operand[op], s.operand_value, s.value_is_tensor
        return [o for o in range(first, first + s.op_operand_count[op]) if values[o] >= 0 and is_tensor[values[o]]]

    def copied_operand(self, write: int) -> int:
        """Return the operand that a ``linalg.copy`` copies, unconverted, into all of ``write``; -1 if it is none."""
        s, op = self.snapshot, self.snapshot.operand_op[write]
        source, value = s.op_first_operand[op], s.operand_value
        if s.op_name[op] != "linalg.copy" or source == write or min(value[source], value[write]) < 0:
            return -1
        return source if s.values[value[source]].type == s.values[value[write]].type else -1

    def tensor_results(self, op: int) -> list[int]:
        """Return the results of ``op`` that are tensors."""
        s = self.snapshot
        first, is_tensor = s.op_first_result[op], s.value_is_tensor
        return [v for v in range(first, first + s.op_result_count[op]) if is_tensor[v]]

    def forget_function(self, function: int) -> None:
        """Remove all entries for ``function`` except refusals."""
        s = self.snapshot
        self.commits.pop(function, None)
        tables = (self.reads, self.writes, self.content_reads, self.must_in_place, self.escapes, self.discards)
        tables = (*tables, self.keeps, self.shape_only, self.outlives)
        by_operand = (self.ties, self.forwards, self.slices, self.redundant_source, self.derived_reads)
        for op in s.nested_ops(function):
            self.region_forwardings.pop(op, None)
            self.shared.pop(op, None)
            self.unknown_ops.discard(op)
            self.unknown_targets.pop(op, None)
            for operand in s.operands(op):
                for table in tables:
                    table[operand] = False
                for entries in by_operand:
                    entries.pop(operand, None)
                self.whole_slices.discard(operand)
        for value in s.nested_values(function):
            self.value_read[value] = self.undefined[value] = False
            self.readonly.pop(value, None)
            self.sources.pop(value, None)
