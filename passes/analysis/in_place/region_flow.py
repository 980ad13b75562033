"""The tensors that regions forward: of loops to the next iteration, of branches to the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..conflicts.alias_sets import AliasSets
from ..effects.reader import TensorEffects
from ..effects.tables import CarriedTensor, Passed, RegionForwardings

__all__ = ["CarriedTensor", "Passed", "carried_values", "exit_values", "passed_values", "permuted"]


_NOTHING = RegionForwardings([], [], [])


def carried_values(effects: TensorEffects, op: int) -> list[CarriedTensor]:
    """Return the tensors that ``op`` carries from one iteration to the next; empty for ops that are not loops."""
    return _forwardings(effects, op).carried


def passed_values(effects: TensorEffects, op: int) -> list[Passed]:
    """Return the tensors that a region of ``op`` forwards to targets without other sources, as in `scf.while`."""
    return _forwardings(effects, op).passed


def exit_values(effects: TensorEffects, op: int) -> list[tuple[int, list[int]]]:
    """Return the terminator operands that are forwarded to results of ``op`` only, with those results."""
    return _forwardings(effects, op).exits


def _forwardings(effects: TensorEffects, op: int) -> RegionForwardings:
    """Return the forwardings of the regions of ``op``. Cached: each order of decisions needs them several times."""
    if not effects.snapshot.op_regions[op]:
        return _NOTHING
    found = effects.region_forwardings.get(op)
    if found is None:
        found = _read(effects, op)
        if not found.carried and not found.passed and not found.exits:
            found = _NOTHING
        effects.region_forwardings[op] = found
    return found


def _read(effects: TensorEffects, op: int) -> RegionForwardings:
    s = effects.snapshot
    found = RegionForwardings([], [], [])
    for operand in _terminator_operands(effects, op):
        targets = effects.forwards.get(operand, ())
        arguments = [value for value in targets if s.value_op[value] < 0]
        results = [value for value in targets if s.value_op[value] >= 0]
        if not arguments:
            if results:
                found.exits.append((operand, results))
        elif _is_passed(effects, targets):
            found.passed.append(Passed(operand, targets))
        else:
            found.carried.append(CarriedTensor(operand, arguments[0], results[0] if results else -1))
    return found


def _is_passed(effects: TensorEffects, targets: tuple[int, ...]) -> bool:
    """Whether each of ``targets`` has a single source."""
    return all(len(effects.sources[target]) == 1 for target in targets)


def _terminator_operands(effects: TensorEffects, op: int) -> Iterator[int]:
    s = effects.snapshot
    for region in range(len(s.op_regions[op])):
        for terminator in s.exits(op, region):
            yield from s.operands(terminator)


def permuted(
    effects: TensorEffects, sets: AliasSets, carried: list[CarriedTensor], values: Sequence[int] | None = None
) -> list[CarriedTensor]:
    """Return the largest part of ``carried`` whose yielded buffers are a permutation of its carried ones.

    ``values`` are to be taken for what is yielded, one for each entry.
    Repeatedly removes an entry whose carried buffer is not yielded exactly once, or whose yielded buffer is not carried
    by the part. Each entry is removed at most once, so linear.
    """
    find, s = sets.equivalence.find, effects.snapshot
    arguments = [find(entry.argument) for entry in carried]
    yielded = [find(value) for value in values or [s.operand_value[entry.operand] for entry in carried]]
    if len(carried) == 1:
        return carried if arguments == yielded else []
    by_argument: dict[int, list[int]] = {}
    by_yielded: dict[int, list[int]] = {}
    for index, (argument, value) in enumerate(zip(arguments, yielded, strict=True)):
        by_argument.setdefault(argument, []).append(index)
        by_yielded.setdefault(value, []).append(index)
    once = {value for value, indices in by_yielded.items() if len(indices) == 1}
    work = [i for i in range(len(carried)) if arguments[i] not in once or yielded[i] not in by_argument]
    left_out = set(work)
    while work:
        index = work.pop()
        # The entry's carried buffer is no longer carried, and no remaining entry yields its yielded one.
        for other in (*by_yielded.get(arguments[index], ()), *by_argument.get(yielded[index], ())):
            if other not in left_out:
                left_out.add(other)
                work.append(other)
    return [entry for index, entry in enumerate(carried) if index not in left_out]
