"""Which destructive updates can be rewritten to stores of their slices, and where each read loads from.

A candidate is a tensor that ``dispatch.store`` writes to all of a binding. Its updates become stores during the chain,
instead of one store at its end. This is correct if no other op accesses that memory in between, if the final content of
the memory is the same, and if every read gets the same content:

* from the *source*, if no element is read after its update: the source is a value, independent of memory; or
* from the binding it was loaded from, tile by tile, if nothing is stored there before the read; or
* from the *target*, which holds the current version of the tensor at any time if it held the source at the beginning.

The source is stored to the target first if elements may keep its content. See docs/theory/destructive-updates.md.

Cost: linear in the accesses of each update, plus the queries of ``proofs.py``. Nothing is changed here.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field
from itertools import combinations

from ....dialects import dispatch
from ....dialects.support.frozen_classes import frozen_slots, record
from ..dispatch.binding_accesses import LOAD, BindingAccesses, Window
from ..effects.reader import TensorEffects
from ..index_sets.problems import Answer
from ..index_sets.slices import SliceRelation, slice_relation
from ..ir.snapshot import Snapshot
from .bounds import may_be_inside
from .chains import DestructiveUpdate, DestructiveUpdates, RefusedUpdate, UpdateAccess
from .outcomes import KeptStore, ReadFrom, RewriteRule, UpdateRewrite, is_tile_read, is_whole_update, why_not_in_memory
from .proofs import UpdateProof, UpdateProofs
from .races import UpdateRaces
from .windows import PlannedWindows

__all__ = ["DispatchRewrites", "plan_rewrites"]

_MOST_STORES = 16
"""The largest number of stores between a load and a store of the same memory that are checked."""

_INSERTIONS = frozenset({"tensor.insert", "tensor.insert_slice", "vector.transfer_write"})


@frozen_slots
class DispatchRewrites:
    """The plan for one function."""

    accepted: list[UpdateRewrite]
    kept: list[KeptStore]
    tiles: list[tuple[int, int]]
    """Slices that become loads: each by its op and by the load of the whole tensor that it is a slice of."""
    redundant: list[int]
    """Stores of content that is in the memory already."""
    problem: int = -1
    """An op whose accesses are unknown, -1 if there is none; with one, nothing is planned."""


@record
class _Windows:
    """The windows in which planned rewrites store to or load from each slot, with the original store or load."""

    loads: dict[dispatch.Slot, PlannedWindows] = field(default_factory=dict[dispatch.Slot, PlannedWindows])
    stores: dict[dispatch.Slot, PlannedWindows] = field(default_factory=dict[dispatch.Slot, PlannedWindows])

    def uses(self, slot: dispatch.Slot, window: Window, *, for_store: bool) -> list[int]:
        """Return the planned ops that conflict in ``window``: stores, and ``for_store`` also loads."""
        taken = [windows[slot] for windows in (self.stores, *([self.loads] * for_store)) if slot in windows]
        return [op for windows in taken for op in windows.meeting(window, _MOST_STORES + 2)]


_Kept = tuple[RewriteRule, int]
"""The rule that keeps a store, and the op that violates it."""


@record
class _Candidate:
    """A store that only the slices of its update can still keep, with the facts about them."""

    store: int
    update: DestructiveUpdate
    proof: UpdateProof
    wholes: list[UpdateAccess]
    """Linalg ops that compute the next version from the previous one."""
    is_readable: bool
    """Whether the target may be loaded from."""
    reloads: bool
    """Whether the value has other users."""
    reads: ReadFrom = ReadFrom.SOURCE

    @property
    def first_read(self) -> int:
        """The first op that reads a version."""
        return (*self.wholes, *self.update.reads)[0].op


class _Planner:
    def __init__(self, effects: TensorEffects, function: int, proofs: UpdateProofs) -> None:
        self.snapshot: Snapshot = effects.snapshot
        self.effects = effects
        self.function = function
        self.proofs = proofs
        self.accesses = BindingAccesses(effects.snapshot, function)
        self.updates = DestructiveUpdates(effects)
        self.races = UpdateRaces(proofs)
        self.windows = _Windows()
        self.redundant: set[int] = set()
        """Stores that change nothing."""

        self._rewritten: set[int] = set()
        """Values whose other uses are already replaced by loads from a target."""

        s = self.snapshot
        self.has_grid = any(s.op_name[op] == "dispatch.workgroup_id" for op in s.nested_ops(function))

    def is_redundant(self, store: int) -> bool:
        """Whether ``store`` stores the value that was loaded from the same memory, with no store to it in between.

        If the load is in an enclosing block, the store comes after it in all iterations of the loops in between: stores
        anywhere in them count.
        """
        s, accesses = self.snapshot, self.accesses
        load = s.value_op[s.operand_value[s.op_first_operand[store]]]
        if load < 0 or s.op_name[load] != LOAD or not accesses.is_same_part(load, store):
            return False
        block, around = s.op_block[load], store
        while s.op_block[around] != block:
            around = s.block_op[s.op_block[around]]
            if around <= self.function:
                return False
        slot = accesses.slot(store)
        window = (s.op_enter[load], s.op_enter[store] if around == store else s.op_exit[around] + 1)
        stores = accesses.stores_in(slot, window, 2 * _MOST_STORES)
        others = [other for other in stores if other != store and other not in self.redundant]
        if self.windows.uses(slot, window, for_store=False):
            return False
        return self._are_apart(load, others, block)

    def is_untouched(self, access: int, window: Window, *, from_loads: bool) -> bool:
        """Whether no op in ``window`` but ``access`` stores to its memory, nor, with ``from_loads``, loads from it."""
        slot = self.accesses.slot(access)
        found = self.accesses.accesses_in if from_loads else self.accesses.stores_in
        others = [*found(slot, window, _MOST_STORES + 2), *self.windows.uses(slot, window, for_store=from_loads)]
        block = self.snapshot.op_block[access]
        return self._are_apart(access, [other for other in others if other != access], block)

    def _are_apart(self, access: int, others: list[int], block: int) -> bool:
        return len(others) <= _MOST_STORES and all(self._is_apart(access, other, block) for other in others)

    def _is_apart(self, load: int, other: int, block: int) -> bool:
        s = self.snapshot
        first, second = dispatch.subset_of(s.ops[load]), dispatch.subset_of(s.ops[other])
        if first is None or second is None or not self.accesses.is_same_memory(load, other):
            return False
        return self.proofs.are_apart((first, s.op_block[load]), (second, s.op_block[other]), block)

    def plan(self, store: int) -> UpdateRewrite | KeptStore | None:
        """Plan the rewrite of ``store``; None if no loop, branch or insertion defines its value.

        None also if the value is reloaded from another target: then it is no longer an update.
        """
        s = self.snapshot
        value = s.operand_value[s.op_first_operand[store]]
        update = self.updates.of_value(value) if value >= 0 else None
        if isinstance(update, RefusedUpdate):
            return KeptStore(store, RewriteRule.NO_UPDATE, update.culprit, update)
        if update is None or not (update.loops or s.op_name[update.ops[-1]] in _INSERTIONS):
            return None
        if update.value in self._rewritten:
            return None
        kept = self._why_not(store, update)
        if kept is not None:
            return KeptStore(store, *kept)
        proof = self.proofs.prove(update, self.function)
        rewrite = self._where(store, update, proof)
        if isinstance(rewrite, UpdateRewrite):
            self._rewritten.add(update.value)
            window = (s.op_enter[rewrite.first] - 1, s.op_enter[store] + 1)
            self.windows.stores.setdefault(self.accesses.slot(store), PlannedWindows()).add(window, store)
            if rewrite.reads is ReadFrom.SOURCE_BINDING:
                load = s.value_op[update.source]
                window = (s.op_enter[load], s.op_exit[update.ops[-1]])
                self.windows.loads.setdefault(self.accesses.slot(load), PlannedWindows()).add(window, load)
        return rewrite

    def _why_not(self, store: int, update: DestructiveUpdate) -> _Kept | None:
        """Return the rule that keeps the store independently of the proofs about the slices; None if there is none."""
        s, first = self.snapshot, update.ops[0]
        kept = why_not_in_memory(self.effects, store, update) or self._why_not_in_threads(store, update)
        if kept is not None:
            return kept
        if not self.is_untouched(store, (s.op_enter[first], s.op_enter[store]), from_loads=True):
            return RewriteRule.INTERLEAVED, store
        return None

    def _why_not_in_threads(self, store: int, update: DestructiveUpdate) -> _Kept | None:
        """Return the rule by which promotion could not turn stores in threads of a forall back into a value."""
        s = self.snapshot
        around = s.block_op[s.op_block[store]]
        while around > self.function:
            if s.op_name[around] == "scf.forall":
                return RewriteRule.IN_THREAD, around
            around = s.block_op[s.op_block[around]]
        for link in update.links:
            if s.op_name[link.op] != "scf.forall":
                continue
            slices = [self.effects.slices.get(step) for chain in link.chains for step in chain if isinstance(step, int)]
            for one, other in combinations(slices[:_MOST_STORES], 2):
                if one is None or other is None or slice_relation(one, other) is not SliceRelation.DISJOINT:
                    return RewriteRule.THREAD_SLICES, link.op
            if len(slices) > _MOST_STORES:
                return RewriteRule.THREAD_SLICES, link.op
        return None

    # --- rules about what is proven ----------------------------------------------------------------------------

    def _where(self, store: int, update: DestructiveUpdate, proof: UpdateProof) -> UpdateRewrite | KeptStore:
        """Decide where reads load from, and whether the source must be copied to the target first."""
        s = self.snapshot
        candidate = _Candidate(
            store,
            update,
            proof,
            [access for access in update.updates if is_whole_update(s, access) and self.effects.reads[access.operand]],
            is_readable=dispatch.access_of(self.accesses.binding(store).type).reads,
            reloads=len(s.value_uses[update.value]) > 1,
        )
        candidate.reads = self._reads_from(candidate)
        for why_kept in self._RULES:
            kept = why_kept(self, candidate)
            if kept is not None:
                return KeptStore(store, *kept)
        copies = self._needs_copy(candidate)
        return UpdateRewrite(store, update, proof, candidate.reads, copies, candidate.is_readable, candidate.reloads)

    def _reads_from(self, candidate: _Candidate) -> ReadFrom:
        """Return where reads load from, if no rule keeps the store."""
        update, reads_source = candidate.update, candidate.proof.reads_source is Answer.YES
        if candidate.wholes or (update.reads and not reads_source and not self.proofs.sees_source(update)):
            return ReadFrom.TARGET
        if reads_source and self._is_loaded_tile_by_tile(candidate.store, update):
            return ReadFrom.SOURCE_BINDING
        return ReadFrom.SOURCE

    def _why_unreadable(self, candidate: _Candidate) -> _Kept | None:
        """Updated elements are read again, and the target must not be loaded from."""
        if candidate.reads is not ReadFrom.TARGET or candidate.is_readable:
            return None
        return RewriteRule.READS_TARGET, candidate.first_read

    def _why_no_loads(self, candidate: _Candidate) -> _Kept | None:
        """Some read cannot be replaced by a load of a tile of the target."""
        for access in candidate.update.reads if candidate.reads is ReadFrom.TARGET else ():
            if not is_tile_read(self.effects, access):
                return RewriteRule.READ, access.op
            if not self._may_be_load(access.operand, candidate.store):
                return RewriteRule.OUTSIDE, access.op
        return None

    def _why_no_reload(self, candidate: _Candidate) -> _Kept | None:
        """The value has other users, and the target must not be loaded from."""
        if not candidate.reloads or candidate.is_readable:
            return None
        return RewriteRule.OTHER_USERS, candidate.store

    def _why_threads(self, candidate: _Candidate) -> _Kept | None:
        """A thread would read elements of the target that another one may have stored."""
        if candidate.reads is not ReadFrom.TARGET or self.races.are_threads_apart(candidate.update):
            return None
        return RewriteRule.THREADS, candidate.update.reads[0].op

    def _why_grid_reads(self, candidate: _Candidate) -> _Kept | None:
        """A workgroup would read elements of the target that another one may have stored."""
        store, update = candidate.store, candidate.update
        if self._is_own(store):
            return None
        if candidate.reloads:
            return RewriteRule.GRID_READS, store
        if candidate.reads is not ReadFrom.TARGET or self._is_in_own_elements(store, update):
            return None
        return RewriteRule.GRID_READS, candidate.first_read

    def _why_grid(self, candidate: _Candidate) -> _Kept | None:
        """The source must be stored to the target first, although other workgroups store there as well."""
        if self._is_own(candidate.store) or not self._needs_copy(candidate):
            return None
        return RewriteRule.GRID, candidate.update.ops[0]

    _RULES = (_why_unreadable, _why_no_loads, _why_no_reload, _why_threads, _why_grid_reads, _why_grid)
    """Checked in this order; the first rule that holds keeps the store."""

    def _needs_copy(self, candidate: _Candidate) -> bool:
        """Whether the source must be copied to the target first: elements may keep its content, or are read there."""
        store, update, proof = candidate.store, candidate.update, candidate.proof
        by_grid = self._is_in_every_workgroup(store, update) and proof.covers_with_grid is Answer.YES
        is_covered = proof.covers is Answer.YES or (by_grid and not candidate.reloads)
        return (not is_covered or candidate.reads is ReadFrom.TARGET) and not self._holds_source(store, update)

    def _is_own(self, store: int) -> bool:
        """Whether no two workgroups store the same element."""
        return not self.has_grid or self.races.are_parts_apart(store, self.function)

    def _is_in_own_elements(self, store: int, update: DestructiveUpdate) -> bool:
        """Whether the tensor is all of the target and no other workgroup updates elements that this one reads."""
        s = self.snapshot
        has_wholes = any(is_whole_update(s, access) for access in update.updates)
        is_whole = self.accesses.is_whole(store) and not has_wholes
        return is_whole and self.races.are_workgroups_apart(update, self.function)

    def _is_loaded_tile_by_tile(self, store: int, update: DestructiveUpdate) -> bool:
        """Whether the source is a load, and loads of its tiles at the reads would return the same content."""
        s, accesses = self.snapshot, self.accesses
        load = s.value_op[update.source]
        if load < 0 or s.op_name[load] != LOAD:
            return False
        if not all(is_tile_read(self.effects, a) and self._may_be_load(a.operand, load) for a in update.reads):
            return False
        window = (s.op_enter[load], s.op_exit[update.ops[-1]])
        if s.op_block[load] != s.op_block[update.ops[0]] or not self.is_untouched(load, window, from_loads=False):
            return False
        if accesses.slot(load) != accesses.slot(store):
            return True
        return accesses.is_same_part(load, store) and (self._is_own(store) or self._is_in_own_elements(store, update))

    def _may_be_load(self, read: int, access: int) -> bool:
        """Whether a load from the memory of ``access`` may replace the read of operand ``read``."""
        return may_be_inside(self.effects.slices.get(read), self.snapshot.ops[access])

    def _holds_source(self, store: int, update: DestructiveUpdate) -> bool:
        """Whether the target already holds the source when the chain begins, or the source has no content."""
        s, accesses = self.snapshot, self.accesses
        if self.effects.undefined[update.source]:
            return True
        load = s.value_op[update.source]
        if load < 0 or s.op_name[load] != LOAD or s.op_block[load] != s.op_block[update.ops[0]]:
            return False
        window = (s.op_enter[load], s.op_enter[update.ops[0]])
        return accesses.is_same_part(load, store) and self.is_untouched(load, window, from_loads=False)

    def _is_in_every_workgroup(self, store: int, update: DestructiveUpdate) -> bool:
        """Whether each workgroup runs the chain once, for the same elements: in the only block of the function."""
        s = self.snapshot
        blocks = s.op_regions[self.function][0]
        return self.accesses.is_whole(store) and s.op_block[update.ops[0]] == blocks[0] and len(blocks) == 1


def plan_rewrites(effects: TensorEffects, function: int, proofs: UpdateProofs) -> DispatchRewrites:
    """Return the plan for each whole store of ``function``, and the slices that become loads."""
    planner = _Planner(effects, function, proofs)
    if planner.accesses.problem >= 0:
        return DispatchRewrites([], [], [], [], planner.accesses.problem)
    planner.updates.of_function(function)
    accepted: list[UpdateRewrite] = []
    kept: list[KeptStore] = []
    for store in planner.accesses.stores:
        if planner.is_redundant(store):
            planner.redundant.add(store)
            continue
        plan = planner.plan(store)
        if isinstance(plan, UpdateRewrite):
            accepted.append(plan)
        elif plan is not None:
            kept.append(plan)
    return DispatchRewrites(accepted, kept, _tile_loads(planner, accepted), sorted(planner.redundant))


def _tile_loads(planner: _Planner, accepted: list[UpdateRewrite]) -> list[tuple[int, int]]:
    """Return the slices of loaded tensors, inside of rewritten loops, that can be replaced by loads of tiles.

    Nothing is stored to the slot from the load to the end of the loop, which is in the block of the load.
    """
    s, accesses = planner.snapshot, planner.accesses
    chains = sorted({op for plan in accepted for op in plan.update.ops if s.op_regions[op]}, key=s.op_enter.__getitem__)
    begins = [s.op_enter[op] for op in chains]
    found: list[tuple[int, int]] = []
    for load in accesses.loads:
        for use in s.value_uses[s.op_first_result[load]]:
            place = bisect_right(begins, s.operand_position(use)) - 1
            if place < 0 or s.op_name[s.operand_op[use]] != "tensor.extract_slice":
                continue
            chain = chains[place]
            window = (s.op_enter[load], s.op_exit[chain])
            if s.op_block[chain] != s.op_block[load] or not s.op_enter[load] < s.operand_position(use) < window[1]:
                continue
            is_inside = may_be_inside(planner.effects.slices.get(use), s.ops[load])
            if is_inside and planner.is_untouched(load, window, from_loads=False):
                found.append((s.operand_op[use], load))
    return found
