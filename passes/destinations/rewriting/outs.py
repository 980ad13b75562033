"""Replace inits as planned, and erase the producers that are dead then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from mlir import ir
from mlir.dialects import tensor

from ....dialects.structured import index_constant
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import record
from ...analysis.destinations.outs_dependency import Retie
from ...analysis.ir.snapshot import Snapshot
from ...analysis.linalg.payload_effects import is_pure

__all__ = ["Erased", "apply_reties"]

_EMPTY = "tensor.empty"


@record
class Erased:
    """The ops that were erased: all numbers, and how many of them were not nested in another one that was."""

    ops: set[int] = field(default_factory=set[int])
    count: int = 0
    made: dict[int, int] = field(default_factory=dict[int, int])
    """How many new ops are in front of an op, by its number."""


def apply_reties(snapshot: Snapshot, reties: Sequence[Retie]) -> Erased:
    """Change the inits, in a program whose ``snapshot`` has the numbers of ``reties``; erase dead ops.

    Users come first, so that nothing is made for a producer that dies. Linear in the reties and the dead ops, after
    sorting. ``snapshot`` must not be used for erased ops.
    """
    erased = Erased()
    for retie in sorted(reties, key=lambda retie: -retie.operand):
        number = snapshot.operand_op[retie.operand]
        if number in erased.ops:
            continue
        op = snapshot.ops[number]
        value = snapshot.values[retie.target]
        if retie.is_empty:
            with ir.InsertionPoint(op), op.location:
                value, made = _empty_like(value, snapshot.values[retie.old].type)
            erased.made[number] = erased.made.get(number, 0) + made
        op.operands[snapshot.operand_index(retie.operand)] = value
        _erase_unused(snapshot, snapshot.value_op[retie.old], erased)
    return erased


def _empty_like(value: ir.Value, type_: ir.Type) -> tuple[ir.Value, int]:
    """Create a ``tensor.empty`` of ``type_`` with the sizes of ``value``; also return how many ops that takes."""
    shaped = ir.RankedTensorType(type_)
    op = defining_op(value, _EMPTY)
    if op is not None and value.type == type_:
        sizes, made = list(op.operands), 1
    else:
        sizes = [tensor.dim(value, index_constant(d)) for d in range(shaped.rank) if shaped.is_dynamic_dim(d)]
        made = 2 * len(sizes) + 1
    return ir.Operation.create(_EMPTY, results=[type_], operands=sizes).result, made


def _erase_unused(snapshot: Snapshot, candidate: int, erased: Erased) -> None:
    """Erase ``candidate`` if it has no users, then its operands that have no other users, and so on."""
    s, work = snapshot, [candidate]
    while work:
        op = work.pop()
        if op < 0 or op in erased.ops or any(True for result in s.ops[op].results for _ in result.uses):
            continue
        nested = [each for each in (op, *s.nested_ops(op)) if each not in erased.ops]
        if not all(is_pure(s.ops[each]) for each in nested):
            continue
        # The operands as they are now: some are other values than when the snapshot was made.
        values = {s.value_id(value) for each in nested for value in s.ops[each].operands}
        erased.ops.update(nested)
        erased.count += 1
        work += [s.value_op[value] for value in values if value >= 0]
        s.ops[op].erase()
