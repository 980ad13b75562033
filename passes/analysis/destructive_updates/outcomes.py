"""The outcome for a store of a destructive update: stores of the slices, or the rule that keeps it unchanged."""

from __future__ import annotations

import enum

from mlir import ir

from ....dialects.support.frozen_classes import frozen_slots
from ..effects.reader import TensorEffects
from ..ir.snapshot import Snapshot
from .bounds import may_be_inside
from .chains import DestructiveUpdate, RefusedUpdate, UpdateAccess
from .proofs import UpdateProof

__all__ = [
    "KeptStore",
    "ReadFrom",
    "RewriteRule",
    "UpdateRewrite",
    "has_updated_tiles",
    "late_numbers",
    "why_not_in_memory",
]

_LINKS = frozenset({"scf.for", "scf.forall", "scf.if", "scf.while"})
_TRANSFERS = frozenset({"vector.transfer_read", "vector.transfer_write"})
_INSERTIONS = frozenset({"tensor.insert", "tensor.insert_slice", "tensor.parallel_insert_slice"})
_TILE_READS = frozenset({"tensor.extract", "tensor.extract_slice"})

_SUMS = frozenset(f"affine.{name}" for name in ("apply", "max", "min")) | {
    "arith.addi",
    "arith.constant",
    "arith.muli",
    "arith.subi",
    "memref.subview",
}
"""Index arithmetic and views that may be moved: they never fail and access no memory."""

_MOST_NUMBERS = 32


class RewriteRule(enum.Enum):
    """Why a store is kept unchanged. The value is the phrase that remarks use."""

    NO_UPDATE = "the stored value is not a destructive update"
    ELSEWHERE = "the store is in another block than the loop, and need not run as often"
    LATE_TARGET = "the target does not dominate the loop"
    UPDATE = "it is updated by an op that is neither an insertion nor a linalg op"
    OUTSIDE = "a slice is out of bounds of the target, or its stride is not positive, so it cannot be stored"
    TRANSFER = "a vector transfer is masked, or may be out of bounds"
    IN_THREAD = "stores inside of an scf.forall must be at the top level of its body"
    THREAD_SLICES = "the slices that one thread of an scf.forall inserts may overlap"
    THREADS = "a thread of an scf.forall would read elements of the target that another thread may have stored"
    INTERLEAVED = "the target, or an alias of it, may be used between the start of the loop and the store"
    SHARED = "a tensor may alias the target"
    READS_TARGET = "updated elements may be read again, and the target must not be loaded from"
    READ = "updated elements may be read again, by an op that cannot be replaced by a load"
    VALUE = "its target is a tensor: bufferization decides whether it is updated in place"
    OTHER_USERS = "the stored value has other users, and the target must not be loaded from"
    GRID = "the workgroups may not cover the tensor, and a copy of the source would overwrite stores of others"
    GRID_READS = "a workgroup would read elements of the target that another one may have stored"


class ReadFrom(enum.Enum):
    """Where reads of the tensor load its content from."""

    SOURCE = "the source"
    SOURCE_BINDING = "the binding that the source was loaded from"
    TARGET = "the target"


@frozen_slots
class UpdateRewrite:
    """``store`` is erased: the updates store their slices to its target."""

    store: int
    update: DestructiveUpdate
    proof: UpdateProof
    reads: ReadFrom
    copies_source: bool
    is_readable: bool
    """Whether the target may be loaded from."""
    reloads: bool
    """Whether the value has other users, which reload the target after the outermost op."""

    @property
    def first(self) -> int:
        """The first op of the chain."""
        return self.update.ops[0]


@frozen_slots
class KeptStore:
    """``store`` is kept, by ``rule``, because of op ``culprit``."""

    store: int
    rule: RewriteRule
    culprit: int
    refused: RefusedUpdate | None = None


def why_not_in_memory(effects: TensorEffects, store: int, update: DestructiveUpdate) -> tuple[RewriteRule, int] | None:
    """Return the rule that keeps ``store`` for any kind of memory, and the op that violates it; None if there is none.

    The target and the stored slice of it must be available where the chain begins, and both must run equally often.
    """
    s, first = effects.snapshot, update.ops[0]
    if s.op_block[first] != s.op_block[store] or s.op_enter[store] < s.op_exit[update.ops[-1]]:
        return RewriteRule.ELSEWHERE, first
    late = late_numbers(s, store, update)
    if isinstance(late, int):
        return RewriteRule.LATE_TARGET, late
    for access in update.updates:
        if s.op_name[access.op] in _TRANSFERS:
            if not is_box(effects, access):
                return RewriteRule.TRANSFER, access.op
        elif s.op_name[access.op] not in _INSERTIONS and not is_whole_update(s, access):
            return RewriteRule.UPDATE, access.op
        if not may_be_inside(effects.slices.get(access.operand), s.ops[store]):
            return RewriteRule.OUTSIDE, access.op
    return None


def is_whole_update(s: Snapshot, access: UpdateAccess) -> bool:
    """Whether the access is a linalg op, which computes all of the next version."""
    return s.op_name[access.op].startswith("linalg.")


def is_tile_read(effects: TensorEffects, access: UpdateAccess) -> bool:
    """Whether a load of a tile can replace a read."""
    name = effects.snapshot.op_name[access.op]
    return name in _TILE_READS or (name in _TRANSFERS and is_box(effects, access))


def is_box(effects: TensorEffects, access: UpdateAccess) -> bool:
    """Whether a vector transfer must access a full box of scalar elements inside of the tensor."""
    s = effects.snapshot
    attributes = s.ops[access.op].attributes
    type_ = ir.ShapedType(s.values[s.operand_value[access.operand]].type)
    if access.operand not in effects.slices or isinstance(type_.element_type, ir.VectorType):
        return False
    is_masked = list(ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"]))[-1] != 0
    is_inside = "in_bounds" in attributes and all(ir.BoolAttr(b).value for b in ir.ArrayAttr(attributes["in_bounds"]))
    around = s.op_name[s.block_op[s.op_block[access.op]]]
    return is_inside and not is_masked and around != "vector.mask"


def late_numbers(s: Snapshot, store: int, update: DestructiveUpdate) -> list[int] | int:
    """Return the ops after the start of the chain that compute the slice of ``store``; or one that cannot be moved.

    Index arithmetic can be moved up in the same block, as its own operands are available there.
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
