"""Which destructive updates that end in a memref can be rewritten to copies of their slices.

As in ``rewrites.py``, for ``bufferization.materialize_in_destination`` into a memref. Elements and vectors can be
loaded back from it. A tensor cannot, as later stores would change its memory: such reads must use the source. The
attribute ``restrict`` promises that no tensor shares the memory. This is not relied on if a ``to_tensor`` or
``to_buffer`` of the same memref is visible. Updates that end in tensors are only reported by a remark.

Cost: linear in ops, and a binary search for each candidate. Nothing is changed here.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from mlir import ir

from ..effects.reader import TensorEffects
from ..effects.summary import declared_writable
from ..index_sets.problems import Answer
from ..ir.snapshot import Snapshot
from .chains import DestructiveUpdate, DestructiveUpdates, RefusedUpdate, UpdateAccess
from .outcomes import KeptStore, ReadFrom, RewriteRule, UpdateRewrite, is_box, is_whole_update, why_not_in_memory
from .proofs import UpdateProof, UpdateProofs
from .races import UpdateRaces

__all__ = ["plan_materializations"]

MATERIALIZE = "bufferization.materialize_in_destination"
_TENSORS = frozenset({"bufferization.to_buffer", "bufferization.to_tensor"})
_VIEWS = frozenset(
    {"memref.cast", "memref.collapse_shape", "memref.expand_shape", "memref.reinterpret_cast", "memref.subview"}
)
_QUIET_DIALECTS = frozenset({"arith", "linalg", "math", "tensor"})
_QUIET = _VIEWS | {
    "affine.apply",
    "affine.max",
    "affine.min",
    "memref.dim",
    "scf.for",
    "scf.forall",
    "scf.forall.in_parallel",
    "scf.condition",
    "scf.if",
    "scf.while",
    "scf.yield",
    "vector.transfer_read",
    "vector.transfer_write",
}
"""Ops that access no memory: those without memref operands, views and size queries."""


class _Memory:
    """The accesses to memory in one function, by the memref at the root of the views."""

    def __init__(self, snapshot: Snapshot, function: int) -> None:
        self._snapshot = snapshot
        self._roots: dict[int, int] = {}
        self.candidates: list[int] = []
        self.values: list[int] = []
        """Ops where updates may end in tensors: materializations into tensors, and returns."""

        self.tensors: set[int] = set()
        self._used: list[int] = []
        self._written: dict[int, list[int]] = {}
        for op in snapshot.nested_ops(function):
            name = snapshot.op_name[op]
            memrefs = [o for o in snapshot.operands(op) if self._is_memref(snapshot.operand_value[o])]
            if name in _VIEWS and memrefs:
                source = self.root(snapshot.operand_value[memrefs[0]])
                self._roots.update((result, source) for result in snapshot.results(op))
            if name == "func.return" or (name == MATERIALIZE and not memrefs):
                self.values.append(op)
            if name == MATERIALIZE and memrefs:
                self.candidates.append(op)
                root = self.root(snapshot.operand_value[memrefs[0]])
                self._written.setdefault(root, []).append(snapshot.op_enter[op])
            elif not _is_quiet(name, has_memrefs=bool(memrefs)):
                self._used.append(snapshot.op_enter[op])
            if name in _TENSORS:
                memory = [*(snapshot.operand_value[o] for o in memrefs), *snapshot.results(op)]
                self.tensors.update(self.root(value) for value in memory)

    def _is_memref(self, value: int) -> bool:
        return value < 0 or isinstance(self._snapshot.values[value].type, ir.MemRefType | ir.UnrankedMemRefType)

    def root(self, value: int) -> int:
        """Return the root memref that ``value`` is a view of."""
        return self._roots.get(value, value)

    def is_used_in(self, root: int, begin: int, end: int) -> bool:
        """Whether memory of ``root`` may be accessed between two positions; writes to other roots do not count."""
        return any(
            bisect_left(positions, end) > bisect_right(positions, begin)
            for positions in (self._used, self._written.get(root, []))
        )


def _is_quiet(name: str, *, has_memrefs: bool) -> bool:
    """Whether an op, without its regions, accesses no memory."""
    if has_memrefs:
        return name in _VIEWS or name == "memref.dim"
    return name in _QUIET or name.partition(".")[0] in _QUIET_DIALECTS


def plan_materializations(
    effects: TensorEffects, function: int, proofs: UpdateProofs
) -> tuple[list[UpdateRewrite], list[KeptStore]]:
    """Return the rewrites of updates that ``function`` materializes in a memref, and the kept stores."""
    memory = _Memory(effects.snapshot, function)
    if not memory.candidates and not memory.values:
        return [], []
    updates = DestructiveUpdates(effects)
    updates.of_function(function)
    plans = [_plan(effects, function, memory, updates, proofs, store) for store in memory.candidates]
    kept = [plan for plan in plans if isinstance(plan, KeptStore)]
    kept += [KeptStore(op, RewriteRule.VALUE, op) for op in memory.values if _ends_in_value(effects, updates, op)]
    return [plan for plan in plans if isinstance(plan, UpdateRewrite)], kept


def _plan(
    effects: TensorEffects,
    function: int,
    memory: _Memory,
    updates: DestructiveUpdates,
    proofs: UpdateProofs,
    store: int,
) -> UpdateRewrite | KeptStore | None:
    s = effects.snapshot
    value, target = (s.operand_value[operand] for operand in s.operands(store))
    update = updates.of_value(value) if value >= 0 else None
    if isinstance(update, RefusedUpdate):
        return KeptStore(store, RewriteRule.NO_UPDATE, update.culprit, update)
    if not isinstance(update, DestructiveUpdate) or not update.loops:
        return None
    kept = why_not_in_memory(effects, store, update)
    if kept is not None:
        return KeptStore(store, *kept)
    root = memory.root(target)
    used = memory.is_used_in(root, s.op_enter[update.ops[0]], s.op_enter[store])
    if used:
        return KeptStore(store, RewriteRule.INTERLEAVED, store)
    if root in memory.tensors or "restrict" not in s.ops[store].attributes:
        return KeptStore(store, RewriteRule.SHARED, store)
    if len(s.value_uses[update.value]) > 1:
        return KeptStore(store, RewriteRule.OTHER_USERS, store)
    return _where(effects, store, update, proofs, proofs.prove(update, function))


def _where(
    effects: TensorEffects, store: int, update: DestructiveUpdate, proofs: UpdateProofs, proof: UpdateProof
) -> UpdateRewrite | KeptStore:
    """Decide where reads load from, and whether the source must be copied to the memref first."""
    s = effects.snapshot
    reads = ReadFrom.SOURCE
    wholes = [access for access in update.updates if is_whole_update(s, access) and effects.reads[access.operand]]
    if wholes or (proof.reads_source is not Answer.YES and not proofs.sees_source(update)):
        for access in (*wholes, *update.reads):
            if s.op_name[access.op] != "tensor.extract" and not _is_read_box(effects, access):
                return KeptStore(store, RewriteRule.READ, access.op)
        if not UpdateRaces(proofs).are_threads_apart(update):
            return KeptStore(store, RewriteRule.THREADS, update.reads[0].op)
        reads = ReadFrom.TARGET
    needs_source = reads is ReadFrom.TARGET or proof.covers is not Answer.YES
    copies = needs_source and not effects.undefined[update.source]
    return UpdateRewrite(store, update, proof, reads, copies_source=copies, is_readable=False, reloads=False)


def _is_read_box(effects: TensorEffects, access: UpdateAccess) -> bool:
    return effects.snapshot.op_name[access.op] == "vector.transfer_read" and is_box(effects, access)


def _ends_in_value(effects: TensorEffects, updates: DestructiveUpdates, op: int) -> bool:
    """Whether ``op`` materializes an update by loops in a tensor, or returns one of a writable argument."""
    s = effects.snapshot
    is_return = s.op_name[op] == "func.return"
    for operand in list(s.operands(op))[: None if is_return else 1]:
        value = s.operand_value[operand]
        update = updates.of_value(value) if value >= 0 and s.value_is_tensor[value] else None
        if not isinstance(update, DestructiveUpdate) or not update.loops:
            continue
        if not is_return or _is_writable_argument(s, update.source):
            return True
    return False


def _is_writable_argument(s: Snapshot, value: int) -> bool:
    """Whether ``value`` is a function argument marked ``bufferization.writable = true``."""
    function = s.function_of(value)
    return function >= 0 and declared_writable(s.ops[function], s.value_index[value]) is True
