"""Canonicalize as upstream does, and terminate on CFG loops.

In: any IR. Out: what `canonicalize` makes of it. Where blocks form no loop this is upstream's pass and nothing else.
Otherwise each back edge is hidden meanwhile: it leads through a branch on an opaque value, and a second edge with
opaque operands is added.

```text
^loop(%i: index):                         ^loop(%i: index):
  %j = arith.addi %i, %c1 : index           %j = arith.addi %i, %c1 : index
  cf.br ^loop(%j : index)           ->      cf.br ^back
                                          ^back:
                                            %p = builtin.unrealized_conversion_cast to i1
                                            cf.cond_br %p, ^loop(%j : index), ^other
                                          ^other:
                                            %k, %q = builtin.unrealized_conversion_cast to index, i1
                                            cf.cond_br %q, ^loop(%k : index), ^never
```

The reason: once a condition is folded that was the only way into a loop, upstream merges the blocks of the dead loop,
or finds that `%i` is always `%j`, and then `%j` is computed from itself. Folding it does not terminate (LLVM 22). Such
a value needs a back edge. While these are hidden no block of a loop is merged with its predecessor, and no block
argument is the same on all edges; dead blocks are erased as ever.

Where sizes turn out to be 0, upstream's pass leaves subviews that the verifier refuses; `empty_views` replaces them.
Where they turn out to be other than what a cast promises, it leaves casts that are refused: `impossible_casts`.
Where an `scf.forall` inserts a shared tensor into itself, it ends the process: `insertions_of_itself`.

Linear in the operations, besides upstream's pass. Upstream counterpart: `canonicalize`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from mlir import ir, rewrite
from mlir.dialects import arith, cf, llvm

from ...dialects.cf import BRANCHES
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from ..framework.upstream import parse_group
from .rewriting.empty_views import rewrite_empty_views
from .rewriting.impossible_casts import rewrite_impossible_casts
from .rewriting.insertions_of_itself import erase_insertions_of_itself

_GUARD = "inplace.guard"


def hide_back_edges(branches: Iterable[ir.Operation]) -> int:
    """Let each back edge of `cf` branches lead through a block of its own; return how many there are."""
    found = [op.block.region for op in branches]
    return sum(map(_hide_in, {region.blocks[0]: region for region in found}.values()))


def _hide_in(region: ir.Region) -> int:
    blocks = list(region.blocks)
    found = [(number, edges) for number, edges in enumerate(_back_edges(blocks)) if edges]
    if not found:
        return 0
    never = blocks[-1].create_after()
    with ir.InsertionPoint(never), region.owner.operation.location:
        llvm.UnreachableOp()
    for number, edges in found:
        _redirect(blocks[number], edges, never)
    return sum(len(edges) for _, edges in found)


def _terminator(block: ir.Block) -> ir.Operation:
    return block.operations[len(block.operations) - 1].operation


def _back_edges(blocks: Sequence[ir.Block]) -> list[list[int]]:
    """Return for each block which of its successors are ancestors in the depth-first search: the back edges."""
    numbers = {block: number for number, block in enumerate(blocks)}
    successors = [[numbers[block] for block in _terminator(block).successors] for block in blocks]
    back: list[list[int]] = [[] for _ in blocks]
    seen, on_path = set[int](), set[int]()
    for root in range(len(blocks)):  # Folding visits unreachable blocks, too.
        path = [] if root in seen else [(root, iter(enumerate(successors[root])))]
        seen.add(root)
        on_path.update(number for number, _ in path)
        while path:
            block, rest = path[-1]
            way, target = next(rest, (-1, -1))
            if way < 0:
                on_path.discard(block)
                path.pop()
            elif target in on_path:
                back[block].append(way)
            elif target not in seen:
                seen.add(target)
                on_path.add(target)
                path.append((target, iter(enumerate(successors[target]))))
    return back


def _redirect(block: ir.Block, ways: Sequence[int], never: ir.Block) -> None:
    """Let the branch at the end of a block lead through new blocks for its successors `ways`."""
    branch = _terminator(block)
    if branch.name not in BRANCHES.op_names:
        return
    operands = list(branch.operands)
    groups = [[operands[number] for number in group] for group in BRANCHES.successor_operands(branch)]
    for way in ways:
        with branch.location:
            between = _way_between(block, branch.successors[way], groups[way], never)
        groups[way], branch.successors[way] = [], between
    with ir.InsertionPoint(branch), branch.location:
        BRANCHES.with_successor_operands(branch, groups)
    branch.erase()


def _way_between(block: ir.Block, loop: ir.Block, values: Sequence[ir.Value], never: ir.Block) -> ir.Block:
    """Make the blocks `^back` and `^other` of above behind `block`; return the first one."""
    between, other = block.create_after(), never
    if values:
        other = between.create_after()
        with ir.InsertionPoint(other):
            unknown = _unknown([*(value.type for value in values), ir.IntegerType.get_signless(1)])
            *others, condition = unknown.results
            cf.CondBranchOp(condition, others, [], loop, never)
    with ir.InsertionPoint(between):
        condition = _unknown([ir.IntegerType.get_signless(1)])
        condition.attributes[_GUARD] = ir.UnitAttr.get()
        cf.CondBranchOp(condition.result, values, [], loop, other)
    return between


def _unknown(types: Sequence[ir.Type]) -> ir.Operation:
    return ir.Operation.create("builtin.unrealized_conversion_cast", results=types)


def restore_back_edges(root: ir.Operation) -> None:
    """Undo `hide_back_edges` in the remaining blocks; unreachable ones are erased."""
    for guard in find_ops(root, "builtin.unrealized_conversion_cast", where=lambda op: _GUARD in op.attributes):
        for branch in [use.owner.operation for use in guard.result.uses if use.owner.operation.name == "cf.cond_br"]:
            taken, _ = BRANCHES.successor_operands(branch)
            with ir.InsertionPoint(branch), branch.location:
                cf.BranchOp([branch.operands[number] for number in taken], branch.successors[0])
            branch.erase()
        with ir.InsertionPoint(guard), guard.location:
            guard.result.replace_all_uses_with(arith.constant(guard.result.type, 1))
        guard.erase()
    config = rewrite.GreedyRewriteConfig()
    config.enable_folding = False
    config.region_simplification_level = rewrite.GreedySimplifyRegionLevel.NORMAL
    rewrite.apply_patterns_and_fold_greedily(root, rewrite.RewritePatternSet().freeze(), config)


class CanonicalizePass(Pass[PassOptions]):
    """Canonicalize as upstream does, and terminate on CFG loops."""

    argument = "inplace-canonicalize"
    summary = "upstream's canonicalize, made to terminate on CFG loops that folding makes unreachable"
    statistics = (
        Statistic("hidden", "back edges that were hidden meanwhile"),
        Statistic("repeated", "insertions of shared tensors into themselves that were erased"),
        Statistic("empty", "subviews without elements, which MLIR refuses, that became reinterpret_cast"),
        Statistic("impossible", "casts to another static number, which MLIR refuses, that became reinterpret_cast"),
    )

    def run(self, op: ir.Operation) -> None:
        with op.context:
            branches, insertions = _found(op, BRANCHES.op_names, {"tensor.parallel_insert_slice"})
            hidden = hide_back_edges(branches)
            self.count("hidden", hidden)
            self.count("repeated", erase_insertions_of_itself(insertions))
            manager = parse_group("any", "canonicalize", op.context)
            manager.enable_verifier(False)  # What it would refuse is mended below, then all is verified.
            manager.run(op)
            subviews, casts = _found(op, {"memref.subview"}, {"memref.cast"})
            self.count("empty", rewrite_empty_views(subviews))
            self.count("impossible", rewrite_impossible_casts(casts))
            if hidden:
                restore_back_edges(op)


def _found(root: ir.Operation, *names: Collection[str]) -> list[list[ir.Operation]]:
    """For each of `names`, the ops that have one of these, by one walk."""
    ops = find_ops(root, *(name for group in names for name in group))
    return [[op for op in ops if op.name in group] for group in names]
