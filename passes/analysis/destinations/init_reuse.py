"""Inits that need no allocation: a dead input replaces an empty one, a fill replaces a copied constant.

A destination-style op whose init has no content may as well be given an input of the same type as the init, if it may
read and write one buffer (``is_not_conflicting``): an elementwise op with equal maps. It pays if the input is not used
afterwards, as the analysis of the changed program tells (:func:`judge_reuses`). Only memory that the function
allocates itself is taken: arguments are overwritten only if marked ``bufferization.writable = true``, memory behind a
memref never.

A constant that is written is copied first. If all of its elements are one number, a fill makes the same content. So
does a second fill where the result of one is copied.

Cost: linear in ops and operands, with an analysis for each trial.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from mlir import ir

from ....dialects.bufferizable import Relation
from ....dialects.support.constants import is_splat
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from ..conflicts.decisions import Strategy
from ..effects.reader import TensorEffects
from ..effects.summary import declared_writable
from ..in_place.function_decisions import FunctionAnalysis
from ..ir.snapshot import Snapshot
from ..whole_module.module import ModuleAnalysis
from .costs import by_name, cost

__all__ = [
    "Reuse",
    "find_reuses",
    "is_fill",
    "is_own",
    "judge_reuses",
    "plan_reuses",
    "splat_inits",
    "stand_by_themselves",
]


@frozen
class Reuse:
    """Operand ``init`` is to be what operand ``source`` of the same op is."""

    init: int
    source: int


def splat_inits(analysis: ModuleAnalysis) -> list[int]:
    """Return the operands that are written or forwarded, and are splat constants or fills that are copied for that."""
    s, effects = analysis.snapshot, analysis.effects
    return [
        operand
        for function in analysis.functions
        for operand, decision in sorted(function.decisions.items())
        if decision.strategy is Strategy.OUT_OF_PLACE
        and decision.copies
        and (effects.writes[operand] or operand in effects.forwards)
        and not effects.discards[operand]
        and (is_splat(value := s.values[s.operand_value[operand]]) or (is_fill(value) and not _is_own(s, operand)))
    ]


def _is_own(s: Snapshot, operand: int) -> bool:
    """Whether ``operand`` is the only use of what an op of its block makes, which another such op would not change."""
    value = s.operand_value[operand]
    return s.value_uses[value] == [operand] and s.value_block[value] == s.op_block[s.operand_op[operand]]


def is_fill(value: ir.Value) -> bool:
    """Whether ``value``, of static sizes, is the result of a ``linalg.fill``."""
    return defining_op(value, "linalg.fill") is not None and ir.ShapedType(value.type).has_static_shape


def plan_reuses(analysis: ModuleAnalysis, excluded: Collection[Reuse]) -> list[Reuse]:
    """Return for each op with an empty init the first input that could take its place, but for those ``excluded``."""
    found: list[Reuse] = []
    for function in analysis.functions:
        if not function.refusals:
            foreign, find = _foreign_memory(analysis, function), function.sets.find
            found += find_reuses(analysis.effects, function.function, lambda v, f=foreign, r=find: r(v) in f, excluded)
    return found


def find_reuses(
    effects: TensorEffects, function: int, is_foreign: Callable[[int], bool], excluded: Collection[Reuse] = ()
) -> list[Reuse]:
    """Return the same for op number ``function``; memory that ``is_foreign`` says of a value is not overwritten."""
    return [
        reuse
        for op in effects.active_ops(function)
        if effects.snapshot.op_has_tensors[op]
        for reuse in _reuses_of(effects, op, is_foreign, excluded)
    ]


def _reuses_of(
    effects: TensorEffects, op: int, is_foreign: Callable[[int], bool], excluded: Collection[Reuse]
) -> list[Reuse]:
    """Return a reuse for each empty init of ``op``, no two of one value."""
    s = effects.snapshot
    found: dict[int, Reuse] = {}
    for init in s.operands(op):
        if _is_free(effects, init):
            reuses = (Reuse(init, source) for source in _sources(effects, init, is_foreign))
            free = (r for r in reuses if r not in excluded and s.operand_value[r.source] not in found)
            first = next(free, None)
            if first is not None:
                found[s.operand_value[first.source]] = first
    return list(found.values())


def _is_free(effects: TensorEffects, init: int) -> bool:
    """Whether ``init`` has no content, and the op writes all of it."""
    value = effects.snapshot.operand_value[init]
    if not effects.writes[init] or effects.reads[init] or value < 0 or not effects.undefined[value]:
        return False
    return any(tie.definite and tie.relation is Relation.EQUIVALENT for tie in effects.ties.get(init, ()))


def _sources(effects: TensorEffects, init: int, is_foreign: Callable[[int], bool]) -> Iterator[int]:
    """Yield the inputs that may be read while their buffer is written, and are not used behind the op."""
    s = effects.snapshot
    op = s.operand_op[init]
    model = effects.model(op)
    if model is None:
        return
    for source in s.operands(op):
        value = s.operand_value[source]
        if value < 0 or effects.writes[source] or effects.undefined[value]:
            continue
        if s.values[value].type != s.values[s.operand_value[init]].type or is_foreign(value):
            continue
        used_later = any(s.operand_position(use) > s.op_enter[op] for use in s.value_uses[value])
        if not used_later and model.is_not_conflicting(s.ops[op], s.operand_index(source), s.operand_index(init)):
            yield source


def _foreign_memory(analysis: ModuleAnalysis, function: FunctionAnalysis) -> set[int]:
    """Return the may-alias sets of memory that the function neither allocates nor is allowed to overwrite."""
    s = analysis.snapshot
    return {
        function.sets.find(value)
        for value in s.nested_values(function.function)
        if s.value_is_tensor[value] and not is_own(analysis.effects, function.function, value)
    }


def is_own(effects: TensorEffects, function: int, value: int) -> bool:
    """Whether ``value`` is in the buffer of other values, in a new one, or in an argument that may be overwritten."""
    s = effects.snapshot
    if value in effects.readonly:
        return False
    if value in effects.sources:
        return True
    op = s.value_op[value]
    if op < 0:
        is_argument = s.function_of(value) == function
        return is_argument and declared_writable(s.ops[function], s.value_index[value]) is True
    model = effects.model(op)
    if model is None or s.op_name[op] == "func.call" or model.loaded_state(s.ops[op]) is not None:
        return False
    return model.bufferizes_to_allocation(s.ops[op], s.value_index[value])


def judge_reuses(before: ModuleAnalysis, reuses: Sequence[Reuse], after: ModuleAnalysis) -> list[Reuse]:
    """Return which of ``reuses`` do not stand. ``after`` is of the module with all of them; its ops have equal numbers.

    One stands if its op works in place and no part of a larger buffer is returned; those of one function stand together
    if it costs no more than before. Which one is to blame for more is not known: half of them are rejected.
    """
    functions = by_name(after)
    failed: dict[Reuse, None] = {}
    for name, function in by_name(before).items():
        mine = _reuses_in(before, function.function, reuses)
        bad = _failing(after, functions[name], mine)
        if not bad and cost(after, functions[name]).exceeds(cost(before, function)):
            # Without any of its own it pays for what a function that it calls does.
            bad = mine[len(mine) // 2 :] or list(reuses)
        failed |= dict.fromkeys(bad)
    return list(failed)


def stand_by_themselves(reuses: Sequence[Reuse], after: ModuleAnalysis) -> bool:
    """Whether each of ``reuses`` stands, as far as it does not depend on what the module needed before."""
    return not any(
        _failing(after, function, _reuses_in(after, function.function, reuses)) for function in after.functions
    )


def _reuses_in(analysis: ModuleAnalysis, function: int, reuses: Iterable[Reuse]) -> list[Reuse]:
    s = analysis.snapshot
    ops = s.nested_ops(function)
    return [reuse for reuse in reuses if s.operand_op[reuse.init] in ops]


def _failing(after: ModuleAnalysis, function: FunctionAnalysis, reuses: Sequence[Reuse]) -> list[Reuse]:
    """Return those of ``reuses``, all in ``function``, that are out-of-place or of which a part is returned."""
    s, sets = after.snapshot, function.sets
    results = (s.operand_value[operand] for op in s.exits(function.function, 0) for operand in s.operands(op))
    handed_out = {sets.find(value) for value in results if value >= 0 and s.value_is_tensor[value]}

    def stands(operand: int) -> bool:
        decision, value = function.decisions.get(operand), s.operand_value[operand]
        if decision is None or not decision.in_place:
            return False
        is_part = any(slice_ is not None for _, slice_ in sets.path(value))
        # A caller would be given a copy of the part.
        return not is_part or sets.find(value) not in handed_out

    return [reuse for reuse in reuses if not stands(reuse.init)]
