"""Make branches whose way is known unconditional, so that folding never meets a loop that nothing leads to.

Goes in: blocks with `cf.cond_br` and `cf.switch`. Comes out: `cf.br` where upstream's `sccp` finds the condition to be
constant; blocks that nothing leads to any more end with `ub.unreachable`, for `canonicalize` to erase. Left alone:
functions of single blocks, and blocks that were not reached in the first place.

    cf.cond_br %true, ^end, ^loop
    ->
    cf.br ^end                    // and ^loop ends with ub.unreachable

Linear in the operations, but for `sccp`, which runs on functions with such branches only.

Upstream counterpart: none. `canonicalize` folds such branches too, but goes on folding in the loop that it has cut off,
where a value may be computed from itself, and then does not end (LLVM 22).
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import cf, ub

from .base import Pass, Statistic
from .options import PassOptions
from .upstream import parse_group

_CONDITIONAL = frozenset({"cf.cond_br", "cf.switch"})


def analyze_branches(root: ir.Operation) -> list[ir.Region]:
    """Return the regions under `root` that branch on a condition. Changes nothing."""
    found: list[ir.Region] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        for region in op.regions:
            blocks = list(region.blocks)
            if len(blocks) > 1 and any(_terminator(block).name in _CONDITIONAL for block in blocks):
                found.append(region)
        return ir.WalkResult.ADVANCE

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def fold_branches(region: ir.Region) -> int:
    """Fold the branches of a region whose condition is a constant, cut off what is lost by that; return how many."""
    blocks = list(region.blocks)
    before = _reached(blocks)
    folded = sum(_fold(_terminator(block)) for block in blocks)
    lost = before - _reached(blocks) if folded else set[int]()
    for index in lost:
        terminator = _terminator(blocks[index])
        with ir.InsertionPoint(terminator), terminator.location:
            ub.UnreachableOp()
        terminator.erase()
    return folded


def _terminator(block: ir.Block) -> ir.Operation:
    return block.operations[len(block.operations) - 1].operation


def _reached(blocks: Sequence[ir.Block]) -> set[int]:
    """Return the numbers of the blocks that the first one leads to."""
    numbers = {block: index for index, block in enumerate(blocks)}
    found, work = {0}, [0]
    while work:
        for successor in _terminator(blocks[work.pop()]).successors:
            number = numbers[successor]
            if number not in found:
                found.add(number)
                work.append(number)
    return found


def _fold(terminator: ir.Operation) -> bool:
    value = _constant(terminator.operands[0]) if terminator.name in _CONDITIONAL else None
    if value is None:
        return False
    way, counts = _way(terminator, value)
    begin = 1 + sum(counts[:way])
    operands = list(terminator.operands)[begin : begin + counts[way]]
    with ir.InsertionPoint(terminator), terminator.location:
        cf.BranchOp(operands, terminator.successors[way])
    terminator.erase()
    return True


def _way(terminator: ir.Operation, value: int) -> tuple[int, list[int]]:
    """Return which successor is taken for `value`, and how many operands each successor is given."""
    attributes = terminator.attributes
    _, first, *others = ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"])
    if terminator.name == "cf.cond_br":
        return (0 if value else 1), [first, *others]
    values = ir.DenseIntElementsAttr(attributes["case_values"]) if "case_values" in attributes else None
    cases = [values[index] for index in range(len(values))] if values is not None else []
    way = cases.index(value) + 1 if value in cases else 0
    return way, [first, *ir.DenseI32ArrayAttr(attributes["case_operand_segments"])]


def _constant(value: ir.Value) -> int | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    return ir.IntegerAttr(owner.attributes["value"]).value


class FoldConstantBranchesPass(Pass[PassOptions]):
    """Make branches whose way is known unconditional."""

    argument = "inplace-fold-constant-branches"
    summary = "make branches whose condition is constant unconditional, so that canonicalize ends"
    statistics = (Statistic("folded", "branches that became unconditional"),)

    def run(self, op: ir.Operation) -> None:
        if not analyze_branches(op):
            return
        parse_group("any", "sccp", op.context).run(op)
        with op.context:
            self.count("folded", sum(map(fold_branches, analyze_branches(op))))
