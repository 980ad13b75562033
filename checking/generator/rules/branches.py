"""Productions: scf.if, scf.index_switch, scf.execute_region and shape.assuming."""

from __future__ import annotations

from collections.abc import Sequence

from ..building.boxes import random_box
from ..building.builder import Builder
from ..building.carried import bind, named, names, pick_carried, steps, types
from ..building.productions import production
from ..building.structured import computed_on
from ..building.values import ConditionValue, IndexValue, Tensor
from .slices import put, take

FEATURE = "branches"


def _open(
    builder: Builder,
    results: Sequence[Tensor],
    head: str,
    regions: Sequence[tuple[str, Sequence[int] | None]],
    *,
    ends: str = "scf.yield",
) -> None:
    """Add an op whose regions yield tensors like `results`; each has the text behind it and its live argument sets."""
    name = builder.name()
    builder.emit(f"{named(name, len(results))} = {head}")
    for following, live in regions:
        with builder.region(live):
            if builder.draw.chance(0.75):
                steps(builder, 3)
            values = [builder.like(tensor) for tensor in results]
            if builder.draw.chance(0.4):
                slot = builder.draw.below(len(values))
                values[slot] = computed_on(builder, values[slot])
            builder.emit(f"{ends} {names(values)} : {types(values)}")
        builder.emit(following)
    bind(builder, name, results)


@production(FEATURE, 2, is_nest=True)
def if_else(builder: Builder) -> None:
    """scf.if with one to three results."""
    results = pick_carried(builder)
    condition = _guard(builder) if builder.draw.chance(0.3) else builder.condition()
    taken, other = ([n for n in builder.live if condition.known[n] is not value] for value in (False, True))
    head = f"scf.if {condition.name} -> ({types(results)}) {{"
    _open(builder, results, head, [("} else {", taken), ("}", other)])


@production(FEATURE, 0.5, is_nest=True)
def one_part(builder: Builder) -> None:
    """scf.if that yields one slice of a tensor on both sides, or no content on either, for that slice of the tensor."""
    target = builder.pick(lambda t: t.rank > 0)
    box, condition = random_box(builder, target.sizes), builder.condition()
    result, has_content = Tensor(builder.name(), box.kept, target.element), builder.draw.chance(0.7)
    builder.emit(f"{result.name} = scf.if {condition.name} -> ({result.type}) {{")
    for following, value in (("} else {", False), ("}", True)):
        with builder.region([n for n in builder.live if condition.known[n] is not value]):
            part = take(builder, target, box) if has_content else builder.empty(box.kept, target.element)
            if has_content and builder.draw.chance(0.6):
                part = computed_on(builder, part)
            builder.emit(f"scf.yield {part.name} : {part.type}")
        builder.emit(following)
    if has_content:
        builder.scope.tensors.append(result)
    if not has_content or builder.draw.chance(0.5):
        result = computed_on(builder, result, has_content=has_content)
    put(builder, result, target, box)


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
    index = builder.draw.choice(builder.scope.indices)
    cases = [[n for n in builder.live if _may_be(index, n, case)] for case in (0, 1)]
    default = [n for n in builder.live if index.bounds[n][1] > 1]
    head = f"scf.index_switch {index.name} -> {types(results)}\ncase 0 {{"
    _open(builder, results, head, [("}\ncase 1 {", cases[0]), ("}\ndefault {", cases[1]), ("}", default)])


def _may_be(index: IndexValue, argument_set: int, number: int) -> bool:
    low, high = index.bounds[argument_set]
    return low <= number <= high


@production(FEATURE, 0.7, is_nest=True)
def execute_region(builder: Builder) -> None:
    """scf.execute_region, which runs once."""
    results = pick_carried(builder, 2)
    _open(builder, results, f"scf.execute_region -> ({types(results)}) {{", [("}", None)])


@production(FEATURE, 0.5, is_nest=True)
def assuming(builder: Builder) -> None:
    """shape.assuming, which runs once too."""
    results = pick_carried(builder, 2)
    witness = builder.op("shape.const_witness true")
    head = f"shape.assuming {witness} -> ({types(results)}) {{"
    _open(builder, results, head, [("}", None)], ends="shape.assuming_yield")
