"""The grid of workgroups as a loop around the body of a function."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import func, scf

from ....dialects.structured import index_constant
from ....dialects.support.frozen_classes import frozen

__all__ = ["Grid", "enclose"]


@frozen
class Grid:
    """The loops around the body: `outer` is the outermost op, `block` the innermost block, `ids` the loop indices."""

    outer: ir.Operation
    block: ir.Block
    ids: Sequence[ir.Value] = ()


def enclose(
    function: func.FuncOp, ahead: Sequence[ir.Operation], bounds: Sequence[ir.Value], *, parallel: bool
) -> Grid:
    """Put the body of `function` into a loop from 0 to each of `bounds`, outermost first; `ahead` stays before it.

    The loop is an `scf.forall` if `parallel`, else an `scf.for` for each bound. Without bounds the body goes into an
    `scf.execute_region`, which also holds a body of several blocks inside the loop.
    """
    blocks = list(function.body.blocks)
    entry = blocks[0]
    with ir.InsertionPoint.at_block_begin(entry), function.location:
        grid = _make(bounds, parallel=parallel)
        for op in ahead:
            op.move_before(grid.outer)
        operations = [op.operation for op in entry.operations]
        body = operations[operations.index(grid.outer) + 1 :]
        if len(blocks) > 1 and bounds:
            with ir.InsertionPoint.at_block_begin(grid.block):
                region = scf.ExecuteRegionOp([])
            _fill_region(region.regions[0].blocks.append(), body, blocks[1:])
        elif not bounds:
            _fill_region(grid.block, body, blocks[1:])
        else:
            terminator = [op.operation for op in grid.block.operations][-1]
            for op in body[:-1]:
                op.move_before(terminator)
            body[-1].erase()
        with ir.InsertionPoint(entry):
            func.ReturnOp([])
    return grid


def _make(bounds: Sequence[ir.Value], *, parallel: bool) -> Grid:
    """Build an empty loop at the insertion point."""
    if not bounds:
        once = scf.ExecuteRegionOp([])
        return Grid(once.operation, once.regions[0].blocks.append())
    if parallel:
        count = len(bounds)
        loop = scf.ForallOp([0] * count, list(bounds), [1] * count)
        with ir.InsertionPoint(loop.body):
            scf.InParallelOp()
        return Grid(loop.operation, loop.body, list(loop.induction_variables))
    zero, one = index_constant(0), index_constant(1)
    loops: list[scf.ForOp] = []
    for bound in bounds:
        with ir.InsertionPoint.at_block_begin(loops[-1].body) if loops else ir.InsertionPoint.current:
            loops.append(scf.ForOp(zero, bound, one))
        with ir.InsertionPoint(loops[-1].body):
            scf.YieldOp([])
    return Grid(loops[0].operation, loops[-1].body, [loop.induction_variable for loop in loops])


def _fill_region(first: ir.Block, body: Sequence[ir.Operation], others: Sequence[ir.Block]) -> None:
    """Move `body` into `first`, and `others` after it; returns become yields."""
    for op in body:
        first.append(op)
    for block in others:
        block.append_to(first.region)
    for block in first.region.blocks:
        last = [op.operation for op in block.operations][-1]
        if last.name == "func.return":
            with ir.InsertionPoint(last), last.location:
                scf.YieldOp([])
            last.erase()
