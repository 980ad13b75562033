"""The IR read once into integer tables.

A binding call costs about as much as a hundred Python list accesses, and wrappers are not interned, so no analysis
walks wrappers: it works on this snapshot, in which ops, blocks, values and operands are small integers.

Numbering
    One preorder walk gives every block a position where it begins and one where it ends, every op a position where it
    is entered and one where it is left (the same one for an op without regions). "``a`` lies inside ``b``" is then a
    comparison of four integers, and within straight-line code "before" is ``<``. The blocks of a region with branches
    are read in loop-nested topological order (``block_graph.py``), so a definition comes before its uses there too.

What is kept
    Ops, their operands, results, regions and blocks; values with their definition and uses; for every block the
    innermost *repetitive* region around it (a loop's body). The walk is iterative: nesting depth is not limited by
    Python's stack.

Regions with several blocks
    Such a region, and every loop that its branches form, has a number in the block tables as well: it begins where its
    first block begins and ends where its last block ends. Blocks that the entry does not reach are read last.

What is not
    Attributes and types, except for the one question whether a value is a tensor. A snapshot describes
    the IR at the time of the walk; after the IR is mutated, its positions are not valid.

Cost: one binding call per op, operand, result, region and block, 5–8 µs an op; memory is linear too.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from copy import copy

from mlir import ir

from ....dialects.bufferizable import is_tensor
from .block_graph import BlockGraph
from .block_tables import BlockTables
from .symbols import callee_name

__all__ = ["Snapshot"]

Reader = Iterator["Reader"]
RegionQuestion = Callable[[ir.Operation, str, int], bool]


class Snapshot(BlockTables):
    """Integer tables of everything nested in ``root``, which is op number 0.

    ``is_repetitive(op, name, region)`` tells which regions run more than once, ``is_parallel`` (none if not given)
    which of these may overlap their runs in time; both are asked once per region of an op inside ``root``. Linear in
    the number of ops, operands and results.
    """

    def __init__(
        self, root: ir.Operation, is_repetitive: RegionQuestion, is_parallel: RegionQuestion | None = None
    ) -> None:
        super().__init__()
        self.root = root
        self.ops: list[ir.Operation] = []
        self.op_name: list[str] = []
        self.op_enter: list[int] = []
        self.op_exit: list[int] = []
        self.op_regions: list[tuple[tuple[int, ...], ...]] = []
        self.op_first_operand: list[int] = []
        self.op_operand_count: list[int] = []
        self.op_first_result: list[int] = []
        self.op_result_count: list[int] = []
        self.op_has_tensors: list[bool] = []
        """Whether an operand, from inside of the root, or a result is a tensor."""
        self.op_successors: dict[int, tuple[int, ...]] = {}
        """For an op that branches, the blocks it branches to."""

        self.operand_op: list[int] = []
        self.operand_value: list[int] = []

        self.values: list[ir.Value] = []
        self.value_op: list[int] = []
        self.value_block: list[int] = []
        self.value_index: list[int] = []
        self.value_position: list[int] = []
        self.value_is_tensor: list[bool] = []
        self.value_uses: list[list[int]] = []

        self._ids: dict[ir.Value, int] = {}
        self._callees: dict[int, str] = {}
        self._is_repetitive = is_repetitive
        self._is_parallel = is_parallel
        self._position = 0
        self._tensor_types: dict[ir.Type, bool] = {}
        self._read(root)

    # --- reading -----------------------------------------------------------------------------------------------

    def _next_position(self) -> int:
        self._position += 1
        return self._position

    def _read(self, root: ir.Operation) -> None:
        """Walk with a stack of generators, one per op that has regions and is still being read."""
        stack = [self._read_op(root, -1)]
        while stack:
            nested = next(stack[-1], None)
            if nested is None:
                stack.pop()
            else:
                stack.append(nested)

    def _read_op(self, op: ir.Operation, block: int) -> Iterator[Reader]:
        """Enter ``op`` into the tables; yields a reader for every nested op that has regions."""
        number = self._enter_op(op, block)
        op_regions, ask = op.regions, self._is_parallel
        regions: list[tuple[int, ...]] = []
        for index in range(len(op_regions)):
            blocks = list(op_regions[index].blocks)
            repetitive = block >= 0 and self._is_repetitive(op, self.op_name[number], index)
            parallel = repetitive and ask is not None and ask(op, self.op_name[number], index)
            if len(blocks) > 1:
                numbers = self._enter_blocks(blocks, number, index, repetitive, parallel)
            else:
                numbers = tuple(self._enter_block(b, number, index, repetitive, parallel) for b in blocks)
            regions.append(numbers)
            for nested_number in numbers:
                nested = self.blocks[nested_number]
                self._begin_block(nested_number, nested)
                for child in nested.operations:
                    operation = child.operation
                    if len(operation.regions):
                        yield self._read_op(operation, nested_number)
                    else:
                        self._enter_leaf(operation, nested_number)
                self.block_end[nested_number] = self._next_position()
            if len(blocks) > 1:
                self._end_blocks(numbers)
        self.op_regions[number] = tuple(regions)
        self.op_exit[number] = self._next_position()
        self._define_results(op, number, block)

    def _enter_leaf(self, op: ir.Operation, block: int) -> None:
        number = self._enter_op(op, block)
        self.op_exit[number] = self._position
        self._define_results(op, number, block)

    def _enter_op(self, op: ir.Operation, block: int) -> int:
        number = len(self.ops)
        self.ops.append(op)
        self.op_name.append(op.name)
        self.op_block.append(block)
        self._position = position = self._position + 1
        self.op_enter.append(position)
        self.op_exit.append(0)
        self.op_regions.append(())
        self.op_first_result.append(-1)
        self.op_result_count.append(0)
        if block >= 0:
            self.block_ops[block].append(number)
        operand_op, operand_value, is_tensor = self.operand_op, self.operand_value, self.value_is_tensor
        first = operand = len(operand_op)
        self.op_first_operand.append(first)
        find, tensors = self._ids.get, False
        for value in op.operands:
            value_id = find(value, -1)
            # -1: defined outside of the root, or for a block that cannot be reached, which may name anything.
            if value_id >= 0:
                self.value_uses[value_id].append(operand)
                tensors = tensors or is_tensor[value_id]
            operand_op.append(number)
            operand_value.append(value_id)
            operand += 1
        self.op_operand_count.append(operand - first)
        self.op_has_tensors.append(tensors)
        return number

    def _enter_block(self, block: ir.Block, op: int, region: int, repetitive: bool, parallel: bool) -> int:
        number = len(self.blocks)
        parent = self.op_block[op]
        self.blocks.append(block)
        self.block_op.append(op)
        self.block_region.append(region)
        self.block_depth.append(self.block_depth[parent] + 1 if parent >= 0 else 0)
        self.block_jump.append(self._jump(parent) if parent >= 0 else number)
        self.block_around.append(parent)
        self.block_branches.append(-1)
        self.block_begin.append(0)
        self.block_end.append(0)
        self.block_ops.append([])
        self.block_first_argument.append(-1)
        self.block_argument_count.append(0)
        self.block_loop.append(number if repetitive else (self.block_loop[parent] if parent >= 0 else -1))
        self.block_parallel.append(number if parallel else (self.block_parallel[parent] if parent >= 0 else -1))
        return number

    def _jump(self, parent: int) -> int:
        """Return where a block in ``parent`` jumps to: over two jumps of one length, or to ``parent``.

        The lengths are those of the skew-binary numbers.
        """
        depths, jumps = self.block_depth, self.block_jump
        jump = jumps[parent]
        over = jumps[jump]
        return over if depths[parent] - depths[jump] == depths[jump] - depths[over] else parent

    def _enter_blocks(
        self, blocks: list[ir.Block], op: int, region: int, repetitive: bool, parallel: bool
    ) -> tuple[int, ...]:
        """Enter the blocks of a region with branches, then the region and its loops."""
        graph = BlockGraph.of(blocks)
        first = len(self.blocks)
        ordered = [blocks[b] for b in (*graph.order, *graph.unreachable)]
        numbers = tuple(self._enter_block(b, op, region, repetitive=False, parallel=False) for b in ordered)
        whole = self._enter_block(blocks[0], op, region, repetitive, parallel)
        self.graphs[whole], self.graph_first[whole] = graph, first
        for loop in graph.loops:
            number = self._enter_block(self.blocks[first + loop.begin], op, region, repetitive=True, parallel=False)
            self.block_around[number] = whole if loop.outer < 0 else whole + 1 + loop.outer
            self.block_branches[number] = whole
            self.block_parallel[number] = self.block_parallel[whole]
        for index, number in enumerate(numbers):
            loop = graph.loop_of[index] if index < len(graph.order) else -1
            around = whole if loop < 0 else whole + 1 + loop
            self.block_around[number], self.block_branches[number] = around, whole
            self.block_loop[number], self.block_parallel[number] = self.block_loop[around], self.block_parallel[around]
        return numbers

    def _end_blocks(self, numbers: tuple[int, ...]) -> None:
        """Set the extent of a region with branches and of its loops, and say what branches where."""
        first, whole = numbers[0], self.block_branches[numbers[0]]
        graph = self.graphs[whole]
        self.block_begin[whole], self.block_end[whole] = self.block_begin[first], self.block_end[numbers[-1]]
        for index, loop in enumerate(graph.loops):
            self.block_begin[whole + 1 + index] = self.block_begin[first + loop.begin]
            self.block_end[whole + 1 + index] = self.block_end[first + loop.end]
        for index, targets in enumerate(graph.successors):
            if targets:
                self.op_successors[self.block_ops[first + index][-1]] = tuple(first + target for target in targets)

    def _begin_block(self, number: int, block: ir.Block) -> None:
        position = self.block_begin[number] = self._next_position()
        self.block_first_argument[number] = len(self.values)
        for index, argument in enumerate(block.arguments):
            self._define(argument, -1, number, index, position)
        self.block_argument_count[number] = len(self.values) - self.block_first_argument[number]

    def _define_results(self, op: ir.Operation, number: int, block: int) -> None:
        first, position, tensors = len(self.values), self.op_exit[number], False
        for index, value in enumerate(op.results):
            tensors |= self._define(value, number, block, index, position)
        self.op_first_result[number] = first
        self.op_result_count[number] = len(self.values) - first
        if tensors:
            self.op_has_tensors[number] = True

    def _define(self, value: ir.Value, op: int, block: int, index: int, position: int) -> bool:
        """Enter a value, and return whether it is a tensor."""
        type_ = value.type
        tensor = self._tensor_types.get(type_)
        if tensor is None:
            tensor = self._tensor_types[type_] = is_tensor(type_)
        values = self.values
        self._ids[value] = len(values)
        values.append(value)
        self.value_op.append(op)
        self.value_block.append(block)
        self.value_index.append(index)
        self.value_position.append(position)
        self.value_is_tensor.append(tensor)
        self.value_uses.append([])
        return tensor

    def with_operands(self, changes: Mapping[int, int]) -> Snapshot:
        """Return what a new snapshot would be, now that nothing changed but ``changes``: values of operands, by number.

        A value takes the place of one of the same type, and is defined in front of the op. Tables that stay as they
        are belong to both snapshots. Linear in the operands and values, without reading the IR.
        """
        other = copy(self)
        other.operand_value, other.value_uses = self.operand_value.copy(), self.value_uses.copy()
        other.change_operands(changes)
        return other

    def change_operands(self, changes: Mapping[int, int]) -> None:
        """Become what :meth:`with_operands` returns. Linear in the uses of the values concerned."""
        added: dict[int, list[int]] = {self.operand_value[operand]: [] for operand in changes}
        for operand, value in changes.items():
            self.operand_value[operand] = value
            added.setdefault(value, []).append(operand)
        for value, operands in added.items():
            if value >= 0:
                kept = [operand for operand in self.value_uses[value] if operand not in changes]
                self.value_uses[value] = sorted(kept + operands)

    def move(
        self, root: ir.Operation, ops: list[ir.Operation], blocks: list[ir.Block], ids: dict[ir.Value, int]
    ) -> None:
        """Be the snapshot of ``root``, of which all tables are the same (``twins.py``)."""
        self.root, self.ops, self.blocks, self.values, self._ids = root, ops, blocks, list(ids), ids

    # --- asking ------------------------------------------------------------------------------------------------

    def value_id(self, value: ir.Value) -> int:
        """Return the number of ``value``, or -1 if it is not defined inside the root."""
        return self._ids.get(value, -1)

    def tensor_types(self) -> list[ir.Type]:
        """Return the tensor types that occur, each once."""
        return [type_ for type_, tensor in self._tensor_types.items() if tensor]

    def operands(self, op: int) -> range:
        """Return the operand numbers of ``op``."""
        first = self.op_first_operand[op]
        return range(first, first + self.op_operand_count[op])

    def nested_operands(self, ops: range) -> range:
        """Return the operands of ``ops``, consecutive ones, whose operands are so, too."""
        if not ops:
            return range(0)
        last = ops[-1]
        return range(self.op_first_operand[ops.start], self.op_first_operand[last] + self.op_operand_count[last])

    def operand_index(self, operand: int) -> int:
        """Return which operand of its op ``operand`` is."""
        return operand - self.op_first_operand[self.operand_op[operand]]

    def operand_position(self, operand: int) -> int:
        """Return where the op of ``operand`` is entered."""
        return self.op_enter[self.operand_op[operand]]

    def results(self, op: int) -> range:
        """Return the values that ``op`` defines."""
        first = self.op_first_result[op]
        return range(first, first + self.op_result_count[op])

    def terminator(self, op: int, region: int) -> int:
        """Return the last op of the only block of a region of ``op``."""
        return self.block_ops[self.op_regions[op][region][0]][-1]

    def comes_from_branches(self, value: int) -> bool:
        """Whether ``value`` is an argument of a block that branches lead to."""
        block = self.value_block[value]
        branches = self.block_branches[block]
        return self.value_op[value] < 0 and branches >= 0 and block != self.graph_first[branches]

    def has_unreachable_blocks(self, op: int) -> bool:
        """Whether a region of ``op`` has blocks that its first one does not lead to."""
        branches = [self.block_branches[region[0]] for region in self.op_regions[op] if len(region) > 1]
        return any(self.graphs[number].unreachable for number in branches)

    def exits(self, op: int, region: int) -> list[int]:
        """Return the terminators that leave a region of ``op``: the last ops of its blocks that do not branch."""
        blocks = self.op_regions[op][region]
        last = [self.block_ops[block][-1] for block in blocks if self.block_ops[block]]
        return last if len(blocks) == 1 else [o for o in last if o not in self.op_successors]

    def callee(self, call: int) -> str:
        """Return the symbol that op number ``call``, a ``func.call``, names."""
        found = self._callees.get(call)
        if found is None:
            found = self._callees[call] = callee_name(self.ops[call])
        return found

    def returns(self, function: int) -> list[int]:
        """Return the ops that return from ``function``: one at the end of each block that does not branch."""
        return [op for op in self.exits(function, 0) if self.op_name[op] == "func.return"]

    def function_of(self, argument: int) -> int:
        """Return the ``func.func`` that value ``argument`` is an argument of; -1 if it is none."""
        block = self.value_block[argument]
        function = self.block_op[block]
        is_entry = self.value_op[argument] < 0 and self.op_regions[function][0][0] == block
        return function if is_entry and self.op_name[function] == "func.func" else -1

    def is_inside(self, position: int, op: int) -> bool:
        """Whether ``position`` lies in a region of ``op``; its results do not."""
        return self.op_enter[op] < position < self.op_exit[op]

    def is_in_loop(self, position: int, loop: int) -> bool:
        """Whether ``position`` lies in the loop number ``loop``: one of branches, or all regions of a loop op."""
        if self.block_branches[loop] >= 0:
            return self.encloses(loop, position)
        return self.is_inside(position, self.block_op[loop])

    def loop_end(self, loop: int) -> int:
        """Return the last position inside of the loop number ``loop``."""
        return self.block_end[loop] if self.block_branches[loop] >= 0 else self.op_exit[self.block_op[loop]] - 1

    def parent_block(self, block: int) -> int:
        """Return the block that holds the op around ``block``; -1 at the root."""
        return self.op_block[self.block_op[block]]

    def nested_values(self, op: int) -> range:
        """Return the values defined inside of ``op``: its regions' arguments and the results of nested ops."""
        begin, end = self.op_enter[op], self.op_exit[op]
        return range(bisect_right(self.value_position, begin), bisect_left(self.value_position, end))

    def nested_ops(self, op: int) -> range:
        """Return everything nested in ``op``: ops are numbered in preorder, so it is a range of numbers."""
        return range(op + 1, bisect_right(self.op_enter, self.op_exit[op]))
