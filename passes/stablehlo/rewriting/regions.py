"""Regions of StableHLO ops: moved into `scf` ops whole, or cloned onto scalars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlir import ir
from mlir.dialects import scf

from ....dialects.support.cloning import clone_with
from .scalars import as_tensor, scalar_of

__all__ = ["compute_on_scalars", "inline_body", "move_body", "replace_results", "yield_scalars"]


def move_body(block: ir.Block, target: ir.Block, values: Sequence[ir.Value]) -> list[ir.Value]:
    """Move the ops of `block` to the end of `target`, with `values` for its arguments; return what it returned.

    A value that is a scalar stands for a tensor of rank 0. The terminator is erased.
    """
    *ops, terminator = list(block.operations)
    with ir.InsertionPoint(target):
        _replace(block.arguments, values)
    for op in ops:
        target.append(op)
    returned = list(terminator.operands)
    terminator.operation.erase()
    return returned


def inline_body(op: ir.Operation) -> None:
    """Move the ops of the only block of `op`, which runs once, in front of it; what it returns replaces the results."""
    (block,) = op.regions[0].blocks
    *inner, terminator = list(block.operations)
    for moved in inner:
        moved.operation.move_before(op)
    replace_results(op, list(terminator.operands))


def yield_scalars(block: ir.Block, returned: Sequence[ir.Value]) -> None:
    """End `block` with an `scf.yield` of `returned`, tensors of rank 0 as scalars."""
    with ir.InsertionPoint(block):
        scf.YieldOp([scalar_of(value) for value in returned])


def replace_results(op: ir.Operation, values: Sequence[ir.Value]) -> None:
    """Replace the results of `op` by `values`, in which scalars stand for tensors of rank 0, and erase `op`."""
    _replace(op.results, values)
    op.erase()


def _replace(olds: Iterable[ir.Value], news: Iterable[ir.Value]) -> None:
    for old, new in zip(olds, news, strict=True):
        if next(iter(old.uses), None) is not None:
            old.replace_all_uses_with(as_tensor(new, old.type))


def compute_on_scalars(block: ir.Block, values: Sequence[ir.Value]) -> list[ir.Value]:
    """Clone the ops of `block`, whose arguments are tensors of rank 0, onto scalars; return the scalars it returns."""
    known: dict[ir.Value, ir.Value] = {}
    for argument, value in zip(block.arguments, values, strict=True):
        known[argument] = as_tensor(value, argument.type)
    *ops, terminator = list(block.operations)
    for op in ops:
        clone_with(op.operation, known)
    return [scalar_of(known.get(value, value)) for value in terminator.operands]
