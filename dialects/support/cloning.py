"""Clones of ops on other operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir

__all__ = ["attributes_of", "clone_with", "rebuild", "recreate", "replace_operands"]


def attributes_of(op: ir.Operation) -> dict[str, ir.Attribute]:
    """Return the attributes of `op`, as `ir.Operation.create` takes them."""
    found = op.attributes
    return {name: found[name] for name in found}


def recreate(
    op: ir.Operation,
    operands: Sequence[ir.Value],
    results: Sequence[ir.Type] = (),
    attributes: Mapping[str, ir.Attribute] | None = None,
    name: str | None = None,
) -> ir.Operation:
    """Create `op` anew at the insertion point, on `operands` and with `results`; its blocks move to the new op.

    It has the attributes and the name of `op` unless others are given.
    """
    given = attributes_of(op) if attributes is None else dict(attributes)
    new = ir.Operation.create(
        name or op.name, results=list(results), operands=list(operands), attributes=given, regions=len(op.regions)
    )
    for old, region in zip(op.regions, new.regions, strict=True):
        for block in list(old.blocks):
            block.append_to(region)
    return new


def replace_operands(root: ir.Operation, known: Mapping[ir.Value, ir.Value]) -> None:
    """Replace the operands of `root`, and of all ops nested in it, that `known` maps to other values."""
    work = [root]
    while work:
        op = work.pop()
        for number, value in enumerate(op.operands):
            if value in known:
                op.operands[number] = known[value]
        work += [inner.operation for region in op.regions for block in region for inner in block.operations]


def clone_with(op: ir.Operation, known: dict[ir.Value, ir.Value]) -> ir.Operation:
    """Clone `op` at the insertion point, on what `known` maps its operands to, and add its results to `known`."""
    copy = op.clone(ir.InsertionPoint.current).operation
    replace_operands(copy, known)
    known.update(zip(op.results, copy.results, strict=True))
    return copy


def rebuild(
    op: ir.Operation, operands: Sequence[ir.Value], types: Sequence[ir.Type], name: str | None = None
) -> ir.Operation:
    """Create an op like `op`, in front of it, with other operands and results. It takes over the regions of `op`."""
    with ir.InsertionPoint(op), op.location:
        return recreate(op, operands, types, name=name)
