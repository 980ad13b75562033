"""The summary of an analysed function, for its callers: conservative wherever the analysis is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, pairwise

from mlir import ir

from ....dialects.bufferizable import Relation
from ..conflicts.alias_sets import AliasSets
from ..effects.reader import TensorEffects
from ..effects.summary import FunctionSummary

__all__ = ["summarize_function"]

_LARGE = 16
"""Up to this number, results in one set are compared pairwise; more are assumed to share memory."""

_MANY = 64
"""Up to this number, the buffers of a set are compared with an argument or a result; with more it is taken to share
memory."""


def summarize_function(
    effects: TensorEffects, sets: AliasSets, function: int, redundant: Mapping[int, tuple[int, ...]]
) -> FunctionSummary:
    """Return which arguments of op number ``function`` are read and written, and which may hold its results.

    Values in one set share memory only if they have a common origin. A write of ``redundant`` without reshapes is never
    emitted. Linear in arguments times results.
    """
    s = effects.snapshot
    blocks = s.op_regions[function][0]
    arguments = list(s.arguments(blocks[0]))
    tensors = [argument for argument in arguments if s.value_is_tensor[argument]]
    written: dict[int, set[int]] = {}
    returns = s.returns(function)
    count = len(s.operands(returns[0])) if returns else _result_count(s.ops[function])
    ties: list[dict[int, Relation]] = [{} for _ in range(count)]
    readonly = [""] * count
    for number, op in enumerate(returns):
        for index, operand in enumerate(s.operands(op)):
            value = s.operand_value[operand]
            if not s.value_is_tensor[value]:
                continue
            found = {s.value_index[a]: _relation(sets, a, value) for a in tensors if _share(sets, a, value)}
            ties[index] = found if number == 0 else _either(ties[index], found)
            if _reach(sets, _classes(sets, sets.storage(value).readonly), value):
                readonly[index] = "the result of a function that may return a buffer which must not be written"
    return FunctionSummary(
        tuple(bool(effects.value_read[argument]) for argument in arguments),
        tuple(s.value_is_tensor[a] and _is_written(sets, a, redundant, written) for a in arguments),
        tuple(ties),
        tuple(readonly),
        tuple(dict.fromkeys(pair for op in returns for pair in _shared(effects, sets, op))) if count > 1 else (),
    )


def _result_count(function: ir.Operation) -> int:
    """Return how many results the type of a function has."""
    return len(ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).results)


def _is_written(
    sets: AliasSets, argument: int, redundant: Mapping[int, tuple[int, ...]], known: dict[int, set[int]]
) -> bool:
    """Whether a decided write may change the buffer of ``argument``; ``known`` has the written classes, by set."""
    root = sets.find(argument)
    if root not in known:
        emitted = (write.value for write in sets.storage(argument).writes if redundant.get(write.operand) != ())
        known[root] = _classes(sets, emitted)
    return _reach(sets, known[root], argument)


def _classes(sets: AliasSets, values: Iterable[int]) -> set[int]:
    """Return the equivalence classes of ``values``, or one more than are compared."""
    found: set[int] = set()
    for value in values:
        found.add(sets.equivalence.find(value))
        if len(found) > _MANY:
            break
    return found


def _reach(sets: AliasSets, classes: set[int], value: int) -> bool:
    """Whether one of ``classes``, all in the set of ``value``, may share memory with it."""
    return len(classes) > _MANY or any(sets.have_common_origin(root, value) for root in classes)


def _share(sets: AliasSets, first: int, second: int) -> bool:
    return sets.find(first) == sets.find(second) and sets.have_common_origin(first, second)


def _either(first: dict[int, Relation], second: dict[int, Relation]) -> dict[int, Relation]:
    """Merge the relations of a result at two returns: it is equivalent to an argument only if it is at both."""
    return {
        argument: first[argument] if first.get(argument) is second.get(argument) else Relation.UNKNOWN
        for argument in (*first, *second)
    }


def _shared(effects: TensorEffects, sets: AliasSets, op: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of values returned by ``op`` that may share memory."""
    s = effects.snapshot
    returned = [
        (s.operand_index(operand), s.operand_value[operand])
        for operand in s.operands(op)
        if s.value_is_tensor[s.operand_value[operand]]
    ]
    groups: dict[int, list[tuple[int, int]]] = {}
    for position, value in returned:
        groups.setdefault(sets.find(value), []).append((position, value))
    for group in groups.values():
        if len(group) > _LARGE:
            # Too many to compare: a chain connects them all. Callers merge the pairs into one set anyway.
            yield from ((a, b) for (a, _), (b, _) in pairwise(group))
            continue
        for (first, a), (second, b) in combinations(group, 2):
            if sets.have_common_origin(a, b):
                yield first, second


def _relation(sets: AliasSets, argument: int, value: int) -> Relation:
    same = sets.equivalence.find(argument) == sets.equivalence.find(value)
    return Relation.EQUIVALENT if same else Relation.UNKNOWN
