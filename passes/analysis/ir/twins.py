"""From a copy of a program to the program itself: a snapshot of one becomes that of the other.

A trial changes a copy. If it succeeds the same changes are made to the program, and all that is known about the copy,
by the numbers of its snapshot, holds for the program: two programs whose ops have the same names, operands, results and
regions have equal snapshots. This is compared, op by op, in about half of the time that reading one takes.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from .snapshot import Snapshot

__all__ = ["move_to_twin"]


def move_to_twin(snapshot: Snapshot, root: ir.Operation, ops: Sequence[ir.Operation]) -> bool:
    """Let ``snapshot`` be that of ``root``, whose ``ops`` are in the order of a walk, if they are as those it is of.

    Returns False, and changes nothing, if they are not, or if there are branches between blocks. Attributes and types
    are not compared. Linear.
    """
    s = snapshot
    if s.graphs or len(ops) != len(s.ops) or any(op.name != name for op, name in zip(ops, s.op_name, strict=True)):
        return False
    blocks, values = list(s.blocks), list(s.values)
    for number, op in enumerate(ops):
        results = list(op.results)
        nested = [list(region.blocks) for region in op.regions] if s.op_regions[number] else []
        if len(results) != s.op_result_count[number] or [*map(len, nested)] != [*map(len, s.op_regions[number])]:
            return False
        values[(first := s.op_first_result[number]) : first + len(results)] = results
        for region, found in zip(s.op_regions[number], nested, strict=True):
            for at, block in zip(region, found, strict=True):
                arguments = list(block.arguments)
                if len(arguments) != s.block_argument_count[at]:
                    return False
                blocks[at] = block
                values[(first := s.block_first_argument[at]) : first + len(arguments)] = arguments
    ids = {value: number for number, value in enumerate(values)}
    if [ids.get(value, -1) for op in ops for value in op.operands] != s.operand_value:
        return False
    s.move(root, list(ops), blocks, ids)
    return True
