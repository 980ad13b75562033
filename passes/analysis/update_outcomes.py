"""What becomes of a store of a destructive update: stores of the slices, or the rule that keeps it as it is."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from .destructive_proofs import UpdateProof
from .destructive_update import DestructiveUpdate, RefusedUpdate
from .snapshot import Snapshot

__all__ = [
    "KeptStore",
    "ReadFrom",
    "RewriteRule",
    "UpdateRewrite",
    "has_updated_tiles",
    "late_numbers",
    "why_not_in_memory",
]

_LINKS = frozenset({"scf.for", "scf.forall", "scf.if"})
_INSERTIONS = frozenset({"tensor.insert", "tensor.insert_slice", "tensor.parallel_insert_slice"})

_SUMS = frozenset(f"affine.{name}" for name in ("apply", "max", "min")) | {
    "arith.addi",
    "arith.constant",
    "arith.muli",
    "arith.subi",
    "memref.subview",
}
"""Ops on numbers, and views, that may run at another time: they never fail and touch no memory."""

_MOST_NUMBERS = 32


class RewriteRule(enum.Enum):
    """Why a store stays as it is. The value is the phrase that remarks use."""

    NO_UPDATE = "its value is no destructive update"
    ELSEWHERE = "the store is not in the block of the loop, so it may not run whenever the loop does"
    LATE_TARGET = "the target is there after the begin of the loop only"
    CONTROL_FLOW = "the tensor is handed on by an op other than scf.for, scf.forall and scf.if"
    UPDATE = "it is updated by an op other than an insertion of a slice or of an element"
    IN_THREAD = "a thread of an scf.forall stores at the top level of its body only"
    THREAD_SLICES = "the slices that one thread of an scf.forall inserts may overlap"
    THREADS = "a thread of an scf.forall would read, in the target, what another one may have stored"
    INTERLEAVED = "the target, or what may share its memory, is used between the begin of the loop and the store"
    SHARED = "a tensor is made of the memory of the target"
    READS_TARGET = "updated elements are, or may be, read again, and the target must not be loaded from"
    READ = "updated elements are, or may be, read again, by an op that no load can stand for"
    OTHER_USERS = "its value has other users, and the target must not be loaded from"
    GRID = "all workgroups may leave elements out, and a copy of the source would overwrite what others store"
    GRID_READS = "a workgroup would read, in the target, what another one may have stored"


class ReadFrom(enum.Enum):
    """Where the content of the tensor is read."""

    SOURCE = "the source"
    SOURCE_BINDING = "the binding that the source was loaded from"
    TARGET = "the target"


@dataclass(frozen=True, slots=True)
class UpdateRewrite:
    """``store`` goes away: the updates store their slices to its target."""

    store: int
    update: DestructiveUpdate
    proof: UpdateProof
    reads: ReadFrom
    copies_source: bool
    reloads: bool
    """Whether the value has other users, who see what the target holds after the outermost op."""

    @property
    def first(self) -> int:
        """The first op of the chain."""
        return self.update.ops[0]


@dataclass(frozen=True, slots=True)
class KeptStore:
    """``store`` stays, by ``rule``, because of op ``culprit``."""

    store: int
    rule: RewriteRule
    culprit: int
    refused: RefusedUpdate | None = None


def why_not_in_memory(s: Snapshot, store: int, update: DestructiveUpdate) -> tuple[RewriteRule, int] | None:
    """Return a rule that keeps ``store``, whatever its memory is, and the op that breaks it.

    The target, and where in it ``store`` stores, has to be there when the chain begins, and both run equally often.
    """
    first = update.ops[0]
    if s.op_block[first] != s.op_block[store] or s.op_enter[store] < s.op_exit[update.ops[-1]]:
        return RewriteRule.ELSEWHERE, first
    late = late_numbers(s, store, update)
    if isinstance(late, int):
        return RewriteRule.LATE_TARGET, late
    for op in update.loops:
        if s.op_name[op] not in _LINKS:
            return RewriteRule.CONTROL_FLOW, op
    for access in update.updates:
        if s.op_name[access.op] not in _INSERTIONS:
            return RewriteRule.UPDATE, access.op
    return None


def late_numbers(s: Snapshot, store: int, update: DestructiveUpdate) -> list[int] | int:
    """Return what computes where ``store`` stores, behind the begin of the chain; or an op that has to stay there.

    Sums and the like can be computed earlier in the same block: what they are made of is there.
    """
    begin, block = s.op_enter[update.ops[0]], s.op_block[store]
    found: set[int] = set()
    waiting = [s.operand_value[operand] for operand in s.operands(store)[1:]]
    while waiting:
        value = waiting.pop()
        op = s.value_op[value] if value >= 0 and s.value_position[value] > begin else -1
        if op < 0 or op in found:
            continue
        if s.op_block[op] != block or s.op_name[op] not in _SUMS or len(found) == _MOST_NUMBERS:
            return op
        found.add(op)
        waiting.extend(s.operand_value[operand] for operand in s.operands(op))
    return sorted(found, key=s.op_enter.__getitem__)


def has_updated_tiles(s: Snapshot, update: DestructiveUpdate) -> bool:
    """Whether a slice that ``update`` inserts may be a destructive update itself."""
    for access in update.updates:
        tile = s.operand_value[s.op_first_operand[access.op]]
        maker = s.value_op[tile] if tile >= 0 else -1
        if maker >= 0 and (s.op_name[maker] in _LINKS or s.op_name[maker] in _INSERTIONS):
            return True
    return False
