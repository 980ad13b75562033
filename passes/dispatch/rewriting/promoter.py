"""Rewrites one function by a :class:`PromotionPlan`: the memory of each binding becomes a tensor value.

One walk in program order keeps the current content of every memory. A load extracts a slice of it, a store inserts a
slice, which makes the next content. Region ops and blocks forward the contents that the plan lists. Linear in the ops,
and in the forwarded values; no other ops are visited.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import tensor

from ....dialects.bufferizable import Subset
from ....dialects.dispatch import commit, contents, sizes_of, subset_of
from ....dialects.registry import find_model
from ....dialects.structured import index_constant
from ....dialects.subsets import extract_slice, insert_slice, parallel_insert_slice
from ...analysis.dispatch.promotion_plan import PromotionPlan
from ...analysis.ir.snapshot import Snapshot
from .region_ops import extend_op, extend_terminator

__all__ = ["Promoter"]

_LOOPS = frozenset({"scf.for", "scf.forall", "scf.while"})
"""Ops whose regions get forwarded values as arguments."""


class Promoter:
    """Carries out ``plan`` on the ops of ``snapshot``; :meth:`run` once, under the function's context and location."""

    def __init__(self, snapshot: Snapshot, plan: PromotionPlan) -> None:
        self._snapshot = snapshot
        self._plan = plan
        self._function = plan.bindings.function
        self._memories = plan.bindings.memories
        self._contents: dict[int, ir.Value] = {}
        self._current: dict[int, ir.Value] = {}
        self._sizes: dict[int, Sequence[ir.Value]] = {}
        """The dynamic sizes of a memory, once they were needed."""
        self._given: dict[int, list[ir.Value]] = {}
        """For an op that is being rewritten, the contents before it."""
        self._ends: dict[int, dict[int, ir.Value]] = {}
        """For a block that branches, the contents at its end."""
        self._outputs: dict[int, dict[int, ir.Value]] = {}
        """For a forall, its shared outputs."""
        self._waiting: dict[int, list[int]] = {}
        """For a memory, stores of a thread that no load of the thread has needed yet."""
        self._locations: dict[int, ir.Location] = {}
        """For a memory, the location of the last store so far."""

    def run(self) -> None:
        """Rewrite the function."""
        s, places = self._snapshot, self._plan.places
        # An op that moves for two memories ends up before the one that is used first.
        for memory in sorted(places, key=lambda m: -s.op_enter[max(places[m].before, 0)]):
            self._begin_memory(memory)
        open_ops: list[int] = []
        for op in s.nested_ops(self._function):
            while open_ops and s.op_exit[open_ops[-1]] < s.op_enter[op]:
                self._leave(open_ops.pop())
            if s.block_ops[s.op_block[op]][0] == op:
                self._begin_block(s.op_block[op])
            if s.op_regions[op]:
                if op in self._plan.stored:
                    self._given[op] = [self._content(memory) for memory in self._plan.stored[op]]
                open_ops.append(op)
            else:
                self._leave(op)
        while open_ops:
            self._leave(open_ops.pop())
        self._drop_declarations()

    # --- memories ----------------------------------------------------------------------------------------------

    def _begin_memory(self, memory: int) -> None:
        """Move the declaration if that was planned, and build the content after it."""
        s, place = self._snapshot, self._plan.places[memory]
        for op in place.moved:
            s.ops[op].move_before(s.ops[place.before])
        root = s.ops[place.root]
        with ir.InsertionPoint.after(root), root.location:
            self._contents[memory] = self._current[memory] = contents(root.results[0])

    def _whole(self, memory: int) -> Subset:
        """Return all of ``memory`` as a slice."""
        shape = self._memories[memory].type.shape
        dynamic = [d for d, size in enumerate(shape) if ir.ShapedType.is_dynamic_size(size)]
        sizes = dict(zip(dynamic, self._dynamic_sizes(memory, dynamic), strict=True)) if dynamic else {}
        rank = len(shape)
        return Subset((0,) * rank, tuple(sizes.get(d, size) for d, size in enumerate(shape)), (1,) * rank)

    def _dynamic_sizes(self, memory: int, dimensions: list[int]) -> Sequence[ir.Value]:
        if memory not in self._sizes:
            value = self._contents[memory]
            sizes: Sequence[ir.Value] = sizes_of(self._snapshot.ops[self._plan.places[memory].root])
            if not sizes:
                owner = ir.OpResult(value).owner.operation
                with ir.InsertionPoint.after(owner), owner.location:
                    sizes = [tensor.dim(value, index_constant(dimension)) for dimension in dimensions]
            self._sizes[memory] = sizes
        return self._sizes[memory]

    def _drop_declarations(self) -> None:
        """Erase the declarations that were promoted under another name."""
        s = self._snapshot
        for memory, place in self._plan.places.items():
            for op in reversed((*self._memories[memory].declarations, *self._memories[memory].ties)):
                operation = s.ops[op]
                if op != place.root and next(iter(operation.results[0].uses), None) is None:
                    operation.erase()

    # --- accesses ----------------------------------------------------------------------------------------------

    def _load(self, op: int) -> None:
        operation, memory = self._snapshot.ops[op], self._plan.bindings.memory_of[op]
        stored = self._plan.threads.forwarded.get(op)
        if stored is not None and stored >= 0:
            operation.results[0].replace_all_uses_with(self._snapshot.ops[stored].operands[0])
            operation.erase()
            return
        subset = subset_of(operation) or self._whole(memory)
        with ir.InsertionPoint(operation), operation.location:
            content = self._content(memory) if stored is None else self._current[memory]
            value = extract_slice(content, subset, operation.results[0].type)
        operation.results[0].replace_all_uses_with(value)
        operation.erase()

    def _store(self, op: int) -> None:
        s, memory = self._snapshot, self._plan.bindings.memory_of[op]
        self._locations[memory] = s.ops[op].location
        if s.block_op[s.op_block[op]] in self._plan.threads.inserted:
            # The op stays until the thread ends: there it is inserted, and into the local content if a load needs it.
            self._waiting.setdefault(memory, []).append(op)
            return
        operation = s.ops[op]
        with ir.InsertionPoint(operation):
            self._insert(op)
        operation.erase()

    def _insert(self, op: int) -> None:
        """Insert what store ``op`` stores into the current content, at the insertion point."""
        operation, memory = self._snapshot.ops[op], self._plan.bindings.memory_of[op]
        with operation.location:
            subset = subset_of(operation) or self._whole(memory)
            self._current[memory] = insert_slice(operation.operands[0], self._current[memory], subset)

    def _content(self, memory: int) -> ir.Value:
        """Return the current content of ``memory``, with what the thread has stored so far."""
        for op in self._waiting.pop(memory, ()):
            with ir.InsertionPoint.after(self._snapshot.ops[op]):
                self._insert(op)
        return self._current[memory]

    # --- regions -----------------------------------------------------------------------------------------------

    def _begin_block(self, block: int) -> None:
        s = self._snapshot
        op, region = s.block_op[block], s.block_region[block]
        memories = self._plan.stored.get(op, ())
        if not memories:
            return
        if block != s.op_regions[op][region][0]:
            self._begin_branched_block(block)
        elif op != self._function:
            values = self._given[op]
            if s.op_name[op] in _LOOPS:
                values = [self._add_argument(block, memory) for memory in memories]
            self._current.update(zip(memories, values, strict=True))
            if s.op_name[op] == "scf.forall":
                self._outputs[op] = dict(zip(memories, values, strict=True))

    def _begin_branched_block(self, block: int) -> None:
        s, branches = self._snapshot, self._snapshot.block_branches[block]
        first = s.graph_first[branches]
        dominator = first + s.graphs[branches].immediate_dominator[block - first]
        self._current.update(self._ends[dominator])
        for memory in self._plan.joins.get(block, ()):
            self._current[memory] = self._add_argument(block, memory)

    def _add_argument(self, block: int, memory: int) -> ir.Value:
        s = self._snapshot
        return s.blocks[block].add_argument(self._memories[memory].type, s.ops[s.block_op[block]].location)

    def _leave(self, op: int) -> None:
        s, name = self._snapshot, self._snapshot.op_name[op]
        if name == "dispatch.load":
            self._load(op)
        elif name == "dispatch.store":
            self._store(op)
        elif op in self._plan.stored:
            self._leave_region_op(op)
        else:
            block = s.op_block[op]
            memories = self._plan.stored.get(s.block_op[block], ())
            if memories and s.block_ops[block][-1] == op:
                self._end_block(op, block, memories)

    def _end_block(self, op: int, block: int, memories: tuple[int, ...]) -> None:
        """Let terminator ``op`` forward the contents of ``memories``."""
        s, name = self._snapshot, self._snapshot.op_name[op]
        operation = s.ops[op]
        if op in s.op_successors:
            self._ends[block] = {memory: self._current[memory] for memory in memories}
            self._branch(op)
        elif name == "func.return":
            for memory in memories:
                with ir.InsertionPoint(operation), self._locations.get(memory, operation.location):
                    commit(self._current[memory], self._contents[memory])
        elif name in ("scf.condition", "scf.yield"):
            extend_terminator(operation, [self._current[memory] for memory in memories])

    def _branch(self, op: int) -> None:
        s = self._snapshot
        targets = s.op_successors[op]
        if not any(target in self._plan.joins for target in targets):
            return
        operation, model = s.ops[op], find_model(s.op_name[op])
        assert model is not None
        values = list(operation.operands)
        passed = [
            [*(values[i] for i in own), *(self._current[memory] for memory in self._plan.joins.get(target, ()))]
            for own, target in zip(model.successor_operands(operation), targets, strict=True)
        ]
        with ir.InsertionPoint(operation), operation.location:
            model.with_successor_operands(operation, passed)
        operation.erase()

    def _leave_region_op(self, op: int) -> None:
        s, name = self._snapshot, self._snapshot.op_name[op]
        memories, given = self._plan.stored[op], self._given.pop(op)
        types = [self._memories[memory].type for memory in memories]
        if name == "scf.forall":
            self._insert_in_parallel(op)
        if name == "scf.if" and not s.op_regions[op][1]:
            otherwise = ir.Block.create_at_start(s.ops[op].regions[1], [], [])
            ir.Operation.create("scf.yield", operands=given, ip=ir.InsertionPoint(otherwise), loc=s.ops[op].location)
        results = extend_op(s.ops[op], given if name in _LOOPS else [], types)
        self._current.update(zip(memories, results, strict=True))

    def _insert_in_parallel(self, loop: int) -> None:
        """Let each thread of ``loop`` insert its stores at its end."""
        s, outputs = self._snapshot, self._outputs.pop(loop)
        ends = s.ops[s.terminator(loop, 0)].regions[0].blocks[0]
        kept = set(self._plan.threads.inserted[loop])
        memory_of = self._plan.bindings.memory_of
        for op in s.block_ops[s.op_regions[loop][0][0]]:
            if s.op_name[op] != "dispatch.store":
                continue
            operation, memory = s.ops[op], memory_of[op]
            if op in kept:
                with operation.location:
                    with ir.InsertionPoint(operation):
                        subset = subset_of(operation) or self._whole(memory)
                    with ir.InsertionPoint(ends):
                        parallel_insert_slice(operation.operands[0], outputs[memory], subset)
            self._waiting.pop(memory, None)
            operation.erase()
