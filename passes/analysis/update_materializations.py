"""Which destructive updates that end in a memref can be copies of their slices.

As in ``update_rewrites.py``, for ``bufferization.materialize_in_destination`` into a memref. Nothing can be loaded back
as a tensor, so every read must see the source. Its attribute ``restrict`` promises that no tensor shares the memory;
that is not relied on where a tensor is visibly made of the same memref.

Cost: linear in ops, and a binary search for each candidate. Nothing is changed here.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from mlir import ir

from .destructive_proofs import UpdateProofs
from .destructive_update import DestructiveUpdate, DestructiveUpdates, RefusedUpdate
from .index_problems import Answer
from .snapshot import Snapshot
from .tensor_effects import TensorEffects
from .update_outcomes import KeptStore, ReadFrom, RewriteRule, UpdateRewrite, is_whole_update, why_not_in_memory

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
"""Ops that use no memory if they have no memrefs, but for views and sizes."""


class _Memory:
    """Who uses memory in one function, by the memref that views are made of."""

    def __init__(self, snapshot: Snapshot, function: int) -> None:
        self._snapshot = snapshot
        self._roots: dict[int, int] = {}
        self.candidates: list[int] = []
        self.tensors: set[int] = set()
        self._used: list[int] = []
        self._written: dict[int, list[int]] = {}
        for op in snapshot.nested_ops(function):
            name = snapshot.op_name[op]
            memrefs = [o for o in snapshot.operands(op) if self._is_memref(snapshot.operand_value[o])]
            if name in _VIEWS and memrefs:
                source = self.root(snapshot.operand_value[memrefs[0]])
                self._roots.update((result, source) for result in snapshot.results(op))
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
        """Return the memref that ``value`` is a view of."""
        return self._roots.get(value, value)

    def is_used_in(self, root: int, begin: int, end: int) -> bool:
        """Whether memory may be used between two positions, other than to write what shares none with ``root``."""
        return any(
            bisect_left(positions, end) > bisect_right(positions, begin)
            for positions in (self._used, self._written.get(root, []))
        )


def _is_quiet(name: str, *, has_memrefs: bool) -> bool:
    """Whether an op, apart from what is nested in it, uses no memory."""
    if has_memrefs:
        return name in _VIEWS or name == "memref.dim"
    return name in _QUIET or name.partition(".")[0] in _QUIET_DIALECTS


def plan_materializations(
    effects: TensorEffects, function: int, proofs: UpdateProofs
) -> tuple[list[UpdateRewrite], list[KeptStore]]:
    """Return what becomes of each update that ``function`` materializes in a memref."""
    memory = _Memory(effects.snapshot, function)
    if not memory.candidates:
        return [], []
    updates = DestructiveUpdates(effects)
    updates.of_function(function)
    plans = [_plan(effects, function, memory, updates, proofs, store) for store in memory.candidates]
    kept = [plan for plan in plans if isinstance(plan, KeptStore)]
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
    proof = proofs.prove(update, function)
    reads = [access for access in update.updates if is_whole_update(s, access) and effects.reads[access.operand]]
    if proof.reads_source is not Answer.YES and not proofs.sees_source(update):
        reads += update.reads
    if reads:
        return KeptStore(store, RewriteRule.READS_TARGET, reads[0].op)
    if len(s.value_uses[update.value]) > 1:
        return KeptStore(store, RewriteRule.OTHER_USERS, store)
    copies = proof.covers is not Answer.YES and not effects.undefined[update.source]
    return UpdateRewrite(store, update, proof, ReadFrom.SOURCE, copies_source=copies, is_readable=False, reloads=False)
