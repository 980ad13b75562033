"""Dead inputs that replace empty inits, as far as they are known before the in-place analysis.

A reuse (``init_reuse.py``) is *plain* if the input was made by ops of its block that each write a new buffer or go on
in the buffer of the one before, and if nothing but reads of that block, up to the op, uses it. Nothing else sees that
memory then, so a plain reuse mostly stands, and it is made before the first analysis instead of after it.

That analysis then judges the reuse like any trial. What the program cost before is not known, since it was never
analysed as it was; but it cannot have cost less if each operand that is out-of-place now belongs to a clash
(``in_place/fewest_allocations.py``) that was there before.

Nothing is changed here. See docs/theory/destinations.md. Cost: linear in ops and operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from ....dialects.bufferizable import Relation
from ....dialects.linalg import MODELS
from ....dialects.support.constants import is_splat
from ..effects.reader import TensorEffects
from ..in_place.fewest_allocations import has_fewest_allocations
from ..in_place.function_decisions import FunctionAnalysis
from ..ir.snapshot import Snapshot
from ..whole_module.module import ModuleAnalysis
from .costs import is_looped
from .init_reuse import Reuse, find_reuses, is_own

__all__ = ["needed_no_less", "plain_reuses"]

_WHOLE = (Relation.EQUIVALENT, Relation.RESHAPED)


def plain_reuses(effects: TensorEffects, function: int) -> list[Reuse]:
    """Return the plain reuses of op number ``function``, whose effects are known.

    There are none where other changes come first: where something is inserted, or a constant may become a fill.
    """
    if effects.redundant_source or _has_numbers_to_fill(effects, function):
        return []
    s = effects.snapshot
    values = s.nested_values(function)
    first, plain = values.start, bytearray(len(values))
    # The source of a tie that is written has a smaller number than its result.
    for value in values:
        if s.value_is_tensor[value]:
            plain[value - first] = _is_made_here(effects, function, value) and all(
                plain[s.operand_value[operand] - first] for operand in effects.sources.get(value, ())
            )
    # What may yet turn out to be memory of the function comes first if it stands first, later on.
    found = find_reuses(effects, function, lambda value: not is_own(effects, function, value))
    return [
        reuse
        for reuse in found
        if plain[(value := s.operand_value[reuse.source]) - first]
        and _is_only_read(effects, value)
        and effects.model(s.operand_op[reuse.init]) in MODELS
    ]


def _has_numbers_to_fill(effects: TensorEffects, function: int) -> bool:
    """Whether a splat constant is written or forwarded."""
    s = effects.snapshot
    return any(
        (effects.writes[use] or use in effects.forwards) and is_splat(s.values[s.op_first_result[op]])
        for op in effects.active_ops(function)
        if s.op_name[op] == "arith.constant"
        for use in s.value_uses[s.op_first_result[op]]
    )


def _is_made_here(effects: TensorEffects, function: int, value: int) -> bool:
    """Whether the op of ``value`` allocates its buffer, or forwards all of that of its only source.

    The op writes it, or is all that ever uses the source.
    """
    s, op = effects.snapshot, effects.snapshot.value_op[value]
    if op < 0 or op in effects.shared:
        return False
    sources = effects.sources.get(value)
    if sources is None:
        return is_own(effects, function, value)
    ties = effects.ties.get(sources[0], ())
    if len(sources) > 1 or len(ties) != 1 or value in effects.readonly or not ties[0].definite:
        return False
    if effects.writes[sources[0]]:
        return ties[0].relation is Relation.EQUIVALENT
    return ties[0].relation in _WHOLE and len(s.value_uses[s.operand_value[sources[0]]]) == 1


def _is_only_read(effects: TensorEffects, value: int) -> bool:
    """Whether only ops of its block use ``value``, and none of them views, forwards or keeps its memory."""
    s = effects.snapshot
    block = s.value_block[value]
    for use in s.value_uses[value]:
        passes_on = use in effects.forwards or (use in effects.ties and not effects.writes[use])
        if passes_on or effects.escapes[use] or s.op_block[s.operand_op[use]] != block:
            return False
    return True


def needed_no_less(before: Snapshot, reuses: Sequence[Reuse], after: ModuleAnalysis) -> bool:
    """Whether no decisions about the module as it was, whose tables are ``before``, cost less than those ``after``.

    False where that is not known.
    """
    effects = copy(after.effects)
    effects.snapshot = before
    changed = {before.operand_op[reuse.init] for reuse in reuses}

    def is_as_before(function: FunctionAnalysis) -> bool:
        ops = before.nested_ops(function.function)
        return changed.isdisjoint(ops) and "func.call" not in before.op_name[ops.start : ops.stop]

    return all(is_as_before(function) or _needed_no_less(effects, after, function) for function in after.functions)


def _needed_no_less(effects: TensorEffects, after: ModuleAnalysis, function: FunctionAnalysis) -> bool:
    """The same for one function; ``effects`` are those before."""
    operand_op = after.snapshot.operand_op
    refused = [operand_op[decision.operand] for decision in function.decisions.values() if not decision.in_place]
    return (
        not function.refusals
        and not any(is_looped(after, op) for op in refused)
        and not any(operand in effects.redundant_source for operand in function.decisions)
        and not any(decision.copies for decision in function.decisions.values())
        and has_fewest_allocations(effects, function)
    )
