"""The promotion plan of a function: where the content of each memory is defined, stored, and joined (as in mem2reg).

The memory of a binding becomes a tensor value (see ``passes/dispatch/promote_bindings.py``). The stores determine the
values: exactly the region ops around a store forward the content; in CFGs, versions are joined by arguments of the
blocks in the iterated dominance frontier of the stores. The content is defined after the declaration, which moves to
the entry block if it is nested and its operands are available there.

Refused: accesses in ops with unknown control flow, stores in ops that cannot forward tensors, and stores of a thread
that depend on more than the thread. Plain data over the snapshot; nothing is changed. Linear in the ops times their
nesting depth at most, and in the blocks for each memory that is stored in a CFG.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....dialects.registry import find_model
from ....dialects.support.frozen_classes import frozen, frozen_slots
from ..index_sets.sums import IndexSums
from ..ir.dominance_frontier import DominatorTree
from ..ir.snapshot import Snapshot
from .binding_memories import BindingMemories, BindingMemory, BindingRefusal, read_memories
from .promotion_threads import ThreadStores, plan_threads

__all__ = ["ContentBegin", "PromotionPlan", "plan_promotion"]

_THREADED = frozenset(
    {"scf.execute_region", "scf.for", "scf.forall", "scf.if", "scf.index_switch", "scf.while"},
)
"""Ops that can forward the content stored in their regions."""

_PLAIN = frozenset({"affine.for", "affine.if", "affine.parallel", "memref.alloca_scope", "scf.parallel"})
"""Further ops with known control flow, besides those with a model."""

_MOVABLE = frozenset(
    {
        "arith.addi",
        "arith.constant",
        "arith.index_cast",
        "arith.muli",
        "arith.subi",
        "dispatch.binding",
        "dispatch.push_constant",
        "dispatch.tie_shape",
        "dispatch.workgroup_count",
        "dispatch.workgroup_id",
        "dispatch.workgroup_size",
    }
)


@frozen_slots
class ContentBegin:
    """The definition of a memory's content: after op ``root``, once ``moved`` have moved before ``before``."""

    root: int
    moved: tuple[int, ...] = ()
    before: int = -1


@frozen
class PromotionPlan:
    """The plan for function ``bindings.function``, by numbers of the snapshot and of memories."""

    bindings: BindingMemories
    stored: dict[int, tuple[int, ...]]
    """For an op with regions (including the function), the memories that are stored inside."""
    joins: dict[int, tuple[int, ...]]
    """For a block, the memories that get an argument there, which joins versions."""
    places: dict[int, ContentBegin]
    threads: ThreadStores
    problems: tuple[BindingRefusal, ...]


def plan_promotion(snapshot: Snapshot, function: int) -> PromotionPlan:
    """Plan the promotion of all bindings of op number ``function``, a ``func.func``."""
    return _Planner(snapshot, function).plan()


class _Planner:
    def __init__(self, snapshot: Snapshot, function: int) -> None:
        self._snapshot = snapshot
        self._function = function
        self._entry = snapshot.op_regions[function][0][0]
        self._sums = IndexSums(snapshot)
        self._bindings = read_memories(snapshot, self._sums, function)
        self._problems = list(self._bindings.problems)
        self._runs_in_place: dict[int, int] = {function: -1}
        """For an op, the innermost one around it with unknown control flow; -1 if there is none."""

    def plan(self) -> PromotionPlan:
        memories = self._bindings.memories
        self._problems.extend(self._refuse_mixed())
        self._problems.extend(self._refuse_unreachable())
        stored, blocks = self._collect_stores()
        self._refuse_loads()
        places = {m: self._place(memory) for m, memory in enumerate(memories) if memory.loads or memory.stores}
        threads = plan_threads(self._snapshot, self._sums, self._bindings, stored)
        problems = (*self._problems, *threads.problems)
        joins = {} if problems else self._joins(stored, blocks)
        found = {m: place for m, place in places.items() if place is not None}
        return PromotionPlan(self._bindings, stored, joins, found, threads, problems)

    def _refuse_mixed(self) -> Iterator[BindingRefusal]:
        for memory in self._bindings.memories:
            accesses = (*memory.loads, *memory.stores)
            if memory.contents and accesses:
                message = f"{memory.slot} was promoted before, but is accessed here; use its contents"
                yield BindingRefusal(min(accesses), message, (("these are its contents", memory.contents[0]),))

    def _refuse_unreachable(self) -> Iterator[BindingRefusal]:
        s = self._snapshot
        for op in (self._function, *s.nested_ops(self._function)) if s.graphs else ():
            if s.has_unreachable_blocks(op):
                message = f"'{s.op_name[op]}' has a block that cannot be reached from the first one"
                yield BindingRefusal(op, f"{message}; remove it first (upstream pass canonicalize)")
            for region in s.op_regions[op]:
                for block in region if len(region) > 1 else ():
                    yield from self._branch(block)

    def _branch(self, block: int) -> Iterator[BindingRefusal]:
        s = self._snapshot
        op = s.block_ops[block][-1]
        if op in s.op_successors and find_model(s.op_name[op]) is None:
            message = f"'{s.op_name[op]}' branches, but has no model of the operands that it forwards"
            yield BindingRefusal(op, f"{message}; use cf.br, cf.cond_br or cf.switch")

    # --- accesses ----------------------------------------------------------------------------------------------

    def _collect_stores(self) -> tuple[dict[int, tuple[int, ...]], dict[int, dict[int, None]]]:
        """Return the memories that are stored inside of each op with regions, and in each block of a CFG."""
        s = self._snapshot
        stored: dict[int, dict[int, None]] = {}
        blocks: dict[int, dict[int, None]] = {}
        for number, memory in enumerate(self._bindings.memories):
            for store in memory.stores:
                self._refuse_store(store, memory)
                op = store
                while op != self._function:
                    block = s.op_block[op]
                    if s.block_branches[block] >= 0:
                        blocks.setdefault(block, {})[number] = None
                    op = s.block_op[block]
                    inside = stored.setdefault(op, {})
                    if number in inside:
                        break
                    inside[number] = None
        return {op: tuple(sorted(inside)) for op, inside in stored.items()}, blocks

    def _refuse_store(self, store: int, memory: BindingMemory) -> None:
        s = self._snapshot
        op, around = s.block_op[s.op_block[store]], -1
        while op != self._function:
            if s.op_name[op] not in _THREADED:
                around = op
            op = s.block_op[s.op_block[op]]
        if around >= 0:
            message = (
                f"a store to {memory.slot} inside of '{s.op_name[around]}', which cannot forward what is "
                "stored; use scf.for, scf.while, scf.if or scf.forall, or store what the op returns behind it"
            )
            self._problems.append(BindingRefusal(store, message, ((f"this is '{s.op_name[around]}'", around),)))

    def _refuse_loads(self) -> None:
        s = self._snapshot
        for memory in self._bindings.memories:
            for load in memory.loads:
                around = self._unknown_around(load)
                if around >= 0:
                    message = (
                        f"a load from {memory.slot} inside of '{s.op_name[around]}', of which is not known "
                        "when its regions run; load the tensor in front of it"
                    )
                    self._problems.append(BindingRefusal(load, message, ((f"this is '{s.op_name[around]}'", around),)))

    def _unknown_around(self, op: int) -> int:
        s, known = self._snapshot, self._runs_in_place
        chain: list[int] = []
        op = s.block_op[s.op_block[op]]
        while op not in known:
            chain.append(op)
            op = s.block_op[s.op_block[op]]
        answer = known[op]
        for around in reversed(chain):
            name = s.op_name[around]
            plain = name in _PLAIN or find_model(name) is not None
            answer = known[around] = answer if plain else around
        return answer

    # --- places ------------------------------------------------------------------------------------------------

    def _place(self, memory: BindingMemory) -> ContentBegin | None:
        """Return the definition of the content of ``memory``: before its first access, in the entry block."""
        s = self._snapshot
        first = min((*memory.loads, *memory.stores), key=s.op_enter.__getitem__)
        while s.op_block[first] != self._entry and s.block_op[s.op_block[first]] != self._function:
            first = s.block_op[s.op_block[first]]
        before = first if s.op_block[first] == self._entry else s.block_ops[self._entry][-1]
        moved: dict[int, None] = {}
        work = [memory.root]
        while work:
            op = work.pop()
            if op in moved or (s.op_block[op] == self._entry and s.op_enter[op] < s.op_enter[before]):
                continue
            if s.op_name[op] not in _MOVABLE:
                self._refuse_place(memory, op)
                return None
            moved[op] = None
            for operand in s.operands(op):
                value = s.operand_value[operand]
                if s.value_op[value] >= 0:
                    work.append(s.value_op[value])
                elif s.value_block[value] != self._entry:
                    self._refuse_place(memory, s.block_op[s.value_block[value]])
                    return None
        return ContentBegin(memory.root, tuple(sorted(moved)), before if moved else -1)

    def _refuse_place(self, memory: BindingMemory, op: int) -> None:
        message = (
            f"{memory.slot} is declared with an offset or a size that is not known at the beginning of the "
            "function; declare all of the memory there, and use slices of it"
        )
        note = (f"it depends on '{self._snapshot.op_name[op]}'", op)
        self._problems.append(BindingRefusal(memory.root, message, (note,)))

    # --- joins -------------------------------------------------------------------------------------------------

    def _joins(
        self, stored: dict[int, tuple[int, ...]], blocks: dict[int, dict[int, None]]
    ) -> dict[int, tuple[int, ...]]:
        s = self._snapshot
        found: dict[int, list[int]] = {}
        for op, memories in stored.items():
            for region in s.op_regions[op]:
                if len(region) < 2:
                    continue
                tree, first = DominatorTree(s.graphs[s.block_branches[region[0]]]), region[0]
                for memory in memories:
                    defining = [block - first for block in region if memory in blocks.get(block, ())]
                    for place in tree.joins(defining):
                        found.setdefault(first + place, []).append(memory)
        return {block: tuple(memories) for block, memories in found.items()}
