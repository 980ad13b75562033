"""Ops without an init whose result is inserted into a destination: they could be given one.

``tensor.pad``, ``generate``, ``from_elements``, ``splat``, ``concat`` and elementwise ops on tensors have no init that
a slice of the destination could replace; neither has a constant that is inserted as it is. The plan says
which of them an insertion leads back to; the analysis of the changed program tells whether an init pays. Nothing is
changed here.

Cost: linear in ops and uses: each value is visited once in a function.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir

from ....dialects.elementwise import ElementwiseModel
from ....dialects.support.constants import is_splat
from ....dialects.support.frozen_classes import frozen
from ..in_place.function_decisions import FunctionAnalysis
from ..whole_module.module import ModuleAnalysis
from .empty_tensors import copying_insertions, inserted_operand

__all__ = ["Initless", "plan_inits"]

_MAKERS = frozenset({"tensor.concat", "tensor.from_elements", "tensor.generate", "tensor.pad", "tensor.splat"})


@frozen
class Initless:
    """Op number ``op`` of the snapshot is to be given an init.

    Of a constant only the insertion's ``operand`` becomes a fill: others may read the constant. Else it is None.
    """

    op: int
    operand: int | None = None


def plan_inits(analysis: ModuleAnalysis) -> list[Initless]:
    """Return the ops without an init that insertions lead back to, and constants that are inserted, in any order."""
    found: dict[Initless, None] = {}
    for function in analysis.functions:
        if not function.refusals:
            found.update(dict.fromkeys(_function_inits(analysis, function)))
    return list(found)


def _function_inits(analysis: ModuleAnalysis, function: FunctionAnalysis) -> Iterator[Initless]:
    s, effects = analysis.snapshot, analysis.effects
    seen: set[int] = set()
    work: list[int] = []
    for write in copying_insertions(analysis, function):
        source = inserted_operand(analysis, write)
        value = s.operand_value[source]
        if is_splat(s.values[value]) and _is_plain(s.values[value].type):
            yield Initless(s.value_op[value], source)
        work.append(value)
    while work:
        value = work.pop()
        if value < 0 or value in seen:
            continue
        seen.add(value)
        op = s.value_op[value]
        if op >= 0 and _is_initless(analysis, op):
            yield Initless(op)
        else:
            work += [s.operand_value[operand] for operand in effects.sources.get(value, ())]


def _is_initless(analysis: ModuleAnalysis, number: int) -> bool:
    """Whether the op has one result and no init, and an equal op with an init can be built."""
    op = analysis.snapshot.ops[number]
    if len(op.results) != 1:
        return False
    elementwise = isinstance(analysis.effects.model(number), ElementwiseModel)
    if not elementwise and op.name not in _MAKERS:
        return False
    parts = op.name in ("tensor.pad", "tensor.concat")
    operands = list(op.operands)[:1] if op.name == "tensor.pad" else list(op.operands)
    tensors = [op.results[0], *(operands if elementwise or parts else ())]
    return all(_is_plain(value.type) for value in tensors)


def _is_plain(type_: ir.Type) -> bool:
    """Whether slices and empty tensors of ``type_`` can be made: it has a rank, no encoding, and elements."""
    return isinstance(type_, ir.RankedTensorType) and type_.encoding is None and 0 not in type_.shape
