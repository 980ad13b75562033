"""The grid of workgroups as a loop around the body of a function."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, func, scf

__all__ = ["Grid", "enclose"]

Bound = ir.Value | int


class Grid:
    """The loop around the body: `outer` is the outermost op, `block` the innermost block, `ids` what counts in it."""

    def __init__(self, outer: ir.Operation, block: ir.Block, ids: Sequence[ir.Value]) -> None:
        self.outer = outer
        self.block = block
        self.ids = tuple(ids)


def enclose(function: func.FuncOp, ahead: Sequence[ir.Operation], bounds: Sequence[Bound], *, parallel: bool) -> Grid:
    """Put the body of `function` into a loop from 0 to each of `bounds`, outermost first; `ahead` stays in front.

    Parallel is an `scf.forall`, else there is an `scf.for` for each bound. Without bounds the body goes into an
    `scf.execute_region`, which runs once; it is also what holds a body of several blocks inside the loop.
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


def _make(bounds: Sequence[Bound], *, parallel: bool) -> Grid:
    """An empty loop at the insertion point."""
    if not bounds:
        once = scf.ExecuteRegionOp([])
        return Grid(once.operation, once.regions[0].blocks.append(), ())
    if parallel:
        count = len(bounds)
        loop = scf.ForallOp([0] * count, list(bounds), [1] * count)
        with ir.InsertionPoint(loop.body):
            scf.InParallelOp()
        return Grid(loop.operation, loop.body, list(loop.induction_variables))
    index = ir.IndexType.get()
    zero, one = arith.constant(index, 0), arith.constant(index, 1)
    tops = [arith.constant(index, bound) if isinstance(bound, int) else bound for bound in bounds]
    outer: ir.Operation | None = None
    block: ir.Block | None = None
    ids: list[ir.Value] = []
    for top in tops:
        point = ir.InsertionPoint.at_block_begin(block) if block is not None else ir.InsertionPoint.current
        with point:
            loop = scf.ForOp(zero, top, one)
            block = loop.body
            with ir.InsertionPoint(block):
                scf.YieldOp([])
        ids.append(loop.induction_variable)
        outer = outer or loop.operation
    assert outer is not None and block is not None
    return Grid(outer, block, ids)


def _fill_region(first: ir.Block, body: Sequence[ir.Operation], others: Sequence[ir.Block]) -> None:
    """Move `body` into `first` and `others` behind it; what returned from the function yields."""
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
