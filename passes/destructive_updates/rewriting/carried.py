"""Drop loop-carried tensors, and results of branches, that became pass-through.

Each function takes an op whose blocks yield the dropped tensors as they came in, and puts one without them in its
place. Linear in the operands and results of the op.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mlir import ir

from ....dialects.support.cloning import rebuild
from ...analysis.destructive_updates.chains import Link

__all__ = ["drop"]


def drop(op: ir.Operation, links: Sequence[Link]) -> None:
    """Drop the tensors of ``links``, which belong to ``op``, from it."""
    dropped = {link.index for link in links}
    if op.name == "scf.for":
        _drop_carried(op, dropped)
    elif op.name == "scf.forall":
        _drop_shared(op, dropped)
    elif op.name == "scf.while":
        _drop_repeated(op, links)
    else:
        _drop_results(op, dropped)


def _drop_carried(op: ir.Operation, dropped: Collection[int]) -> None:
    """Drop iteration arguments of an ``scf.for``."""
    body = op.regions[0].blocks[0]
    operands = list(op.operands)
    for index in sorted(dropped, reverse=True):
        _stand_for(operands[3 + index], op.results[index], body.arguments[1 + index])
        body.erase_argument(1 + index)
    _shrink_terminator(body, dropped)
    _replace(op, [*operands[:3], *_without(operands[3:], dropped)], dropped)


def _drop_shared(op: ir.Operation, dropped: Collection[int]) -> None:
    """Drop shared outputs of an ``scf.forall``; they have no insertions left."""
    body = op.regions[0].blocks[0]
    operands, count = list(op.operands), len(op.results)
    first, rank = len(operands) - count, len(body.arguments) - count
    for index in sorted(dropped, reverse=True):
        _stand_for(operands[first + index], op.results[index], body.arguments[rank + index])
        body.erase_argument(rank + index)
    segments = [*ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])][:3]
    op.attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([*segments, count - len(dropped)])
    _replace(op, [*operands[:first], *_without(operands[first:], dropped)], dropped)


def _drop_repeated(op: ir.Operation, links: Sequence[Link]) -> None:
    """Drop carried tensors of an ``scf.while``; its inits and results may be in different order."""
    before, after = (region.blocks[0] for region in op.regions)
    operands = list(op.operands)
    for link in links:
        given = operands[link.carried]
        _stand_for(given, op.results[link.index], before.arguments[link.carried], after.arguments[link.index])
    carried, dropped = {link.carried for link in links}, {link.index for link in links}
    for block, indices in ((before, carried), (after, dropped)):
        for index in sorted(indices, reverse=True):
            block.erase_argument(index)
    # The first operand of scf.condition is the condition.
    _shrink_terminator(before, {1 + index for index in dropped})
    _shrink_terminator(after, carried)
    _replace(op, _without(operands, carried), dropped)


def _drop_results(op: ir.Operation, dropped: Collection[int]) -> None:
    """Drop results of an ``scf.if``: both of its branches yield values from outside for them."""
    yielded = list(list(op.regions[0].blocks[0].operations)[-1].operation.operands)
    for index in dropped:
        op.results[index].replace_all_uses_with(yielded[index])
    for region in op.regions:
        _shrink_terminator(region.blocks[0], dropped)
    _replace(op, list(op.operands), dropped)


def _stand_for(value: ir.Value, *others: ir.Value) -> None:
    for other in others:
        other.replace_all_uses_with(value)


def _without(values: Sequence[ir.Value], dropped: Collection[int]) -> list[ir.Value]:
    return [value for index, value in enumerate(values) if index not in dropped]


def _shrink_terminator(block: ir.Block, dropped: Collection[int]) -> None:
    old = list(block.operations)[-1].operation
    kept = _without(list(old.operands), dropped)
    ir.Operation.create(old.name, operands=kept, ip=ir.InsertionPoint(old), loc=old.location)
    old.erase()


def _replace(op: ir.Operation, operands: Sequence[ir.Value], dropped: Collection[int]) -> None:
    """Replace ``op`` by one without the dropped results."""
    left = [result for index, result in enumerate(op.results) if index not in dropped]
    new = rebuild(op, operands, [result.type for result in left])
    for old, result in zip(left, new.results, strict=True):
        old.replace_all_uses_with(result)
    op.erase()
