"""Carry out a plan of ``analysis/destinations/empty_tensors.py`` on a module, or on a copy of it for a trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import bufferization

from ....dialects.registry import find_model
from ....dialects.subsets import extract_slice
from ...analysis.destinations.empty_tensor_trial import TRIAL_INSERTION, TRIAL_SLICE
from ...analysis.destinations.empty_tensors import Elimination, EliminationPlan, inserted_operand
from ...analysis.destinations.insertion_trace import StartKind
from ...analysis.ir.block_graph import BlockGraph
from ...analysis.ir.snapshot import Snapshot
from ...analysis.whole_module.module import ModuleAnalysis
from .new_inits import fill_of, in_front

__all__ = ["all_ops", "apply_plan", "erase_unused", "fill_constants", "replace_operands"]

_VIEWS_OF_NOTHING = frozenset({"tensor.cast", "tensor.collapse_shape", "tensor.empty", "tensor.expand_shape"})


def all_ops(module: ir.Operation) -> list[ir.Operation]:
    """Return everything in ``module`` in the order of a snapshot, which reads blocks along branches. Linear."""
    found: list[ir.Operation] = []
    branches: list[bool] = []
    append, advance = found.append, ir.WalkResult.ADVANCE

    def visit(op: ir.Operation) -> ir.WalkResult:
        append(op)
        if len(op.successors):
            branches.append(True)
        return advance

    module.walk(visit, ir.WalkOrder.PRE_ORDER)
    return _all_ops_along_branches(module) if branches else found


def _all_ops_along_branches(module: ir.Operation) -> list[ir.Operation]:
    found: list[ir.Operation] = []
    left = [module]
    while left:
        op = left.pop()
        found.append(op)
        nested = [
            child.operation for region in op.regions for block in _in_order(list(region.blocks)) for child in block
        ]
        left += reversed(nested)
    return found


def _in_order(blocks: list[ir.Block]) -> list[ir.Block]:
    """Return the blocks of a region in the order in which a snapshot reads them."""
    if len(blocks) < 2:
        return blocks
    places = {block: index for index, block in enumerate(blocks)}
    graph = BlockGraph([[places[target] for target in block.successors] for block in blocks])
    return [blocks[place] for place in (*graph.order, *graph.unreachable)]


def apply_plan(analysis: ModuleAnalysis, plan: EliminationPlan, ops: Sequence[ir.Operation], *, tag: bool) -> None:
    """Carry out ``plan`` on ``ops``: those it was made for, or those of a copy, where ``tag`` marks new ops."""
    for index, elimination in enumerate(plan.eliminations):
        maker = _eliminate(analysis, elimination, ops)
        if tag:
            _tag(ops[analysis.snapshot.operand_op[elimination.write]], TRIAL_INSERTION, index)
            if maker is not None:
                _tag(maker, TRIAL_SLICE, index)


def _eliminate(analysis: ModuleAnalysis, elimination: Elimination, ops: Sequence[ir.Operation]) -> ir.Operation | None:
    """Let the starts of ``elimination`` take the slice, and return the op that makes it, if there is one."""
    s = analysis.snapshot
    place = ops[elimination.before]
    for op in elimination.moves:
        ops[op].move_before(place)
    insertion = ops[s.operand_op[elimination.write]]
    number = s.operand_index(inserted_operand(analysis, elimination.write))
    with ir.InsertionPoint(place), insertion.location:
        value, maker = _destination(insertion, s.operand_index(elimination.write), insertion.operands[number].type)
        slices = [_take_back(value, [ops[view] for view in start.views]) for start in elimination.starts]
    for start, taken in zip(elimination.starts, slices, strict=True):
        op, operand = ops[s.operand_op[start.operand]], s.operand_index(start.operand)
        copied = start.kind is StartKind.COPIED
        op.operands[operand] = _copy(op, op.operands[operand], taken) if copied else taken
    return maker


def _take_back(value: ir.Value, views: Sequence[ir.Operation]) -> ir.Value:
    """Undo `views`, the last one first, on `value`."""
    for view in views:
        type_, name = view.operands[0].type, view.name
        attributes: dict[str, ir.Attribute] = {}
        if name != "tensor.cast":
            name = "tensor.collapse_shape" if name == "tensor.expand_shape" else "tensor.expand_shape"
            attributes["reassociation"] = view.attributes["reassociation"]
            if name == "tensor.expand_shape":
                attributes["static_output_shape"] = ir.DenseI64ArrayAttr.get(ir.ShapedType(type_).shape)
        with view.location:
            value = ir.Operation.create(name, results=[type_], operands=[value], attributes=attributes).result
    return value


def _destination(insertion: ir.Operation, operand: int, wanted: ir.Type) -> tuple[ir.Value, ir.Operation | None]:
    """Build the part of the destination that `insertion` writes, and return it with the op that makes it, if any."""
    destination = insertion.operands[operand]
    if isinstance(destination.type, ir.MemRefType):
        made = bufferization.to_tensor(wanted, destination, restrict=True, writable=True)
        return made, ir.OpResult(made).owner.operation
    model = find_model(insertion.name)
    subset = model.subset(insertion, operand) if model is not None else None
    if subset is not None:
        made = extract_slice(destination, subset, wanted)
        return made, ir.OpResult(made).owner.operation
    if destination.type == wanted:
        return destination, None
    return ir.Operation.create("tensor.cast", results=[wanted], operands=[destination]).result, None


def _copy(op: ir.Operation, content: ir.Value, target: ir.Value) -> ir.Value:
    """Build a copy of ``content`` in ``target`` in front of ``op``, and return it."""
    name = "bufferization.materialize_in_destination"
    with in_front(op), op.location:
        return ir.Operation.create(name, results=[target.type], operands=[content, target]).result


def replace_operands(s: Snapshot, changes: Mapping[int, int]) -> None:
    """Let the ops of ``s`` have ``changes``: values of operands, by number. The tables stay as they are."""
    for operand, value in changes.items():
        s.ops[s.operand_op[operand]].operands[s.operand_index(operand)] = s.values[value]


def fill_constants(analysis: ModuleAnalysis, operands: Sequence[int]) -> None:
    """Let each of ``operands``, constants of one number or fills, be a fill of its own; erase what is not needed."""
    s = analysis.snapshot
    for operand in operands:
        op, number = s.ops[s.operand_op[operand]], s.operand_index(operand)
        uniform = ir.OpResult(op.operands[number]).owner.operation
        op.operands[number], _ = fill_of(uniform, op)
        if next(iter(uniform.results[0].uses), None) is None:
            uniform.erase()


def _tag(op: ir.Operation, attribute: str, index: int) -> None:
    op.attributes[attribute] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), index)


def erase_unused(module: ir.Operation, ops: Sequence[ir.Operation] | None = None) -> bool:
    """Erase the empty tensors, and views of them, that nothing uses any more; return whether there were any.

    ``ops`` is everything in ``module``, if that is known.
    """
    erased = False
    for op in reversed(all_ops(module) if ops is None else ops):
        if op.name in _VIEWS_OF_NOTHING and all(next(iter(result.uses), None) is None for result in op.results):
            op.erase()
            erased = True
    return erased
