"""What becomes of a store of a destructive update: stores of the slices, or the rule that keeps it as it is."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from .destructive_proofs import UpdateProof
from .destructive_update import DestructiveUpdate, RefusedUpdate
from .snapshot import Snapshot

__all__ = ["KeptStore", "ReadFrom", "RewriteRule", "UpdateRewrite", "why_not_in_memory"]

_LINKS = frozenset({"scf.for", "scf.forall", "scf.if"})
_INSERTIONS = frozenset({"tensor.insert", "tensor.insert_slice", "tensor.parallel_insert_slice"})


class RewriteRule(enum.Enum):
    """Why a store stays as it is. The value is the phrase that remarks use."""

    NO_UPDATE = "its value is no destructive update"
    PART = "it is not all of the binding that is stored"
    ELSEWHERE = "the store is not in the block of the loop, so it may not run whenever the loop does"
    LATE_TARGET = "the target is there after the begin of the loop only"
    CONTROL_FLOW = "the tensor is handed on by an op other than scf.for and scf.if"
    UPDATE = "it is updated by an op other than tensor.insert and tensor.insert_slice"
    INTERLEAVED = "the target, or what may share its memory, is used between the begin of the loop and the store"
    SHARED = "a tensor is made of the memory of the target"
    READS_TARGET = "updated elements are, or may be, read again, and the target must not be loaded from"
    READ = "updated elements are, or may be, read again, by an op that no load can stand for"
    OTHER_USERS = "its value has other users, and the target must not be loaded from"
    GRID = "all workgroups may leave elements out, and a copy of the source would overwrite what others store"


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

    The target, operand 1 of ``store``, has to be there when the chain begins, and both have to run equally often.
    """
    first = update.ops[0]
    if s.op_block[first] != s.op_block[store] or s.op_enter[store] < s.op_exit[update.ops[-1]]:
        return RewriteRule.ELSEWHERE, first
    target = s.operand_value[s.op_first_operand[store] + 1]
    if s.value_position[target] > s.op_enter[first]:
        return RewriteRule.LATE_TARGET, s.value_op[target]
    for op in update.loops:
        if s.op_name[op] not in _LINKS:
            return RewriteRule.CONTROL_FLOW, op
    for access in update.updates:
        if s.op_name[access.op] not in _INSERTIONS:
            return RewriteRule.UPDATE, access.op
    return None
