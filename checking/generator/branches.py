"""Productions: scf.if, scf.index_switch, scf.execute_region and shape.assuming."""

from __future__ import annotations

from collections.abc import Sequence

from .builder import Builder, NothingFits
from .carried import bind, named, names, pick_carried, steps, types
from .productions import production
from .structured import computed_on
from .values import ConditionValue, IndexValue, Tensor

FEATURE = "branches"


def _branch(
    builder: Builder, results: Sequence[Tensor], live: Sequence[int] | None, *, ends: str = "scf.yield"
) -> None:
    """Add the content of a region that hands out tensors like `results`."""
    with builder.region(live):
        if builder.draw.chance(0.75):
            steps(builder, 3)
        values = [builder.like(tensor) for tensor in results]
        if builder.draw.chance(0.4):
            slot = builder.draw.below(len(values))
            values[slot] = computed_on(builder, values[slot])
        builder.emit(f"{ends} {names(values)} : {types(values)}")


@production(FEATURE, 2, is_nest=True)
def if_else(builder: Builder) -> None:
    """scf.if with one to three results."""
    results = pick_carried(builder)
    condition = _guard(builder) if builder.draw.chance(0.3) else builder.condition()
    name = builder.name()
    builder.emit(f"{named(name, len(results))} = scf.if {condition.name} -> ({types(results)}) {{")
    _branch(builder, results, [n for n in builder.live if condition.known[n] is not False])
    builder.emit("} else {")
    _branch(builder, results, [n for n in builder.live if condition.known[n] is not True])
    builder.emit("}")
    bind(builder, name, results)


def _guard(builder: Builder) -> ConditionValue:
    """Add the question whether an index is large enough."""
    index = builder.draw.choice(builder.scope.indices)
    limit = builder.constant(builder.draw.below(3))
    number = limit.bounds[0][0]
    condition = ConditionValue(builder.name(), tuple(_is_greater(bounds, number) for bounds in index.bounds))
    builder.emit(f"{condition.name} = arith.cmpi sgt, {index.name}, {limit.name} : index")
    builder.scope.conditions.append(condition)
    return condition


def _is_greater(bounds: tuple[int, int], number: int) -> bool | None:
    if bounds[0] > number:
        return True
    return False if bounds[1] <= number else None


@production(FEATURE, 1, is_nest=True)
def index_switch(builder: Builder) -> None:
    """scf.index_switch with two cases and a default."""
    results = pick_carried(builder, 2)
    index = builder.pick_index()
    if index is None:
        raise NothingFits
    name = builder.name()
    builder.emit(f"{named(name, len(results))} = scf.index_switch {index.name} -> {types(results)}")
    for case in (0, 1):
        builder.emit(f"case {case} {{")
        _branch(builder, results, [n for n in builder.live if _may_be(index, n, case)])
        builder.emit("}")
    builder.emit("default {")
    _branch(builder, results, [n for n in builder.live if index.bounds[n][1] > 1])
    builder.emit("}")
    bind(builder, name, results)


def _may_be(index: IndexValue, argument_set: int, number: int) -> bool:
    low, high = index.bounds[argument_set]
    return low <= number <= high


@production(FEATURE, 0.7, is_nest=True)
def execute_region(builder: Builder) -> None:
    """scf.execute_region, which runs once."""
    results = pick_carried(builder, 2)
    name = builder.name()
    builder.emit(f"{named(name, len(results))} = scf.execute_region -> ({types(results)}) {{")
    _branch(builder, results, None)
    builder.emit("}")
    bind(builder, name, results)


@production(FEATURE, 0.5, is_nest=True)
def assuming(builder: Builder) -> None:
    """shape.assuming, which runs once too."""
    results = pick_carried(builder, 2)
    name, witness = builder.name(), builder.name()
    builder.emit(f"{witness} = shape.const_witness true")
    builder.emit(f"{named(name, len(results))} = shape.assuming {witness} -> ({types(results)}) {{")
    _branch(builder, results, None, ends="shape.assuming_yield")
    builder.emit("}")
    bind(builder, name, results)
