"""Productions: scf.for and scf.while."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..building.boxes import random_box
from ..building.builder import Builder
from ..building.carried import (
    arguments_for,
    bind,
    declared,
    inits,
    loosened,
    named,
    names,
    pick_carried,
    steps,
    types,
    yielded_for,
)
from ..building.productions import production
from ..building.structured import computed_on
from ..building.values import IndexValue, Tensor
from .reshapes import reshaped
from .slices import take

FEATURE = "loops"


def _trips(builder: Builder) -> IndexValue:
    """Return how often a loop may run: from 0 to 4 times."""
    found = builder.pick_index(lambda i: all(i.bounds[n][1] <= 4 for n in builder.live))
    return found if found is not None and builder.draw.chance(0.6) else builder.constant(builder.draw.between(1, 3))


@dataclass(frozen=True)
class Counter:
    """The iteration of a loop: its range as MLIR text, induction variable, and argument sets in which it runs."""

    range: str
    index: IndexValue
    live: Sequence[int] | None = None


def random_counter(builder: Builder) -> Counter:
    """Return how a loop counts that runs a few times, or not at all."""
    upper = _trips(builder)
    lower = builder.constant(builder.draw.weighted((0, 1), (5, 1)))
    step = builder.constant(builder.draw.weighted((1, 2), (4, 1)))
    start = lower.bounds[0][0]
    bounds = tuple((start, max(start, high - 1)) for _, high in upper.bounds)
    live = [n for n in builder.live if upper.bounds[n][1] > start]
    return Counter(f"{lower.name} to {upper.name} step {step.name}", IndexValue(builder.name(), bounds), live)


def carry(
    builder: Builder, carried: Sequence[Tensor], counter: Counter, body: Callable[[list[Tensor]], Sequence[Tensor]]
) -> None:
    """Add an scf.for that carries tensors; `body` is given its arguments and adds what makes the next ones of them."""
    result, arguments = builder.name(), [replace(tensor, name=builder.name()) for tensor in carried]
    builder.emit(
        f"{named(result, len(carried))} = scf.for {counter.index.name} = {counter.range} "
        f"iter_args({inits(arguments, carried)}) -> ({types(carried)}) {{"
    )
    with builder.region(counter.live):
        values = body(arguments)
        builder.emit(f"scf.yield {names(values)} : {types(values)}")
    builder.emit("}")
    bind(builder, result, carried)


@production(FEATURE, 2.5, is_nest=True)
def for_loop(builder: Builder) -> None:
    """scf.for with one to three tensors, which it may swap."""
    carried = pick_carried(builder)
    counter = random_counter(builder)

    def body(arguments: list[Tensor]) -> list[Tensor]:
        builder.scope.indices.append(counter.index)
        builder.scope.tensors += arguments
        builder.scope.overwritten += arguments
        steps(builder, 4)
        return yielded_for(builder, arguments)

    carry(builder, carried, counter, body)


@production(FEATURE, 0.6, is_nest=True)
def changing_sizes(builder: Builder) -> None:
    """scf.for that carries a shrinking tensor, whose sizes are known only at run time."""
    source = builder.pick(lambda t: 0 < t.rank < 3)
    start = builder.cast(source, tuple(builder.value(size) for size in source.sizes))
    counter = random_counter(builder)
    argument, result, loose = builder.name(), builder.name(), loosened(builder, start)
    builder.emit(
        f"{result} = scf.for {counter.index.name} = {counter.range} "
        f"iter_args({argument} = {start.name}) -> ({start.type}) {{"
    )
    with builder.region(counter.live) as scope:
        scope.indices.append(counter.index)
        inside = builder.with_sizes_of(Tensor(argument, loose.sizes, loose.element))
        scope.tensors.append(inside)
        scope.overwritten.append(inside)
        steps(builder, 3)
        value = (
            inside
            if builder.draw.chance(0.3)
            else take(builder, inside, random_box(builder, inside.sizes, may_drop=False))
        )
        if builder.draw.chance(0.6):
            value = computed_on(builder, value)
        value = builder.cast(value, tuple(builder.value(size) for size in value.sizes))
        builder.emit(f"scf.yield {value.name} : {value.type}")
    builder.emit("}")
    builder.scope.tensors.append(builder.with_sizes_of(Tensor(result, loose.sizes, loose.element)))


@production(FEATURE, 0.6, is_nest=True)
def changing_shapes(builder: Builder) -> None:
    """scf.for that reshapes its carried tensor, and yields one of the old shape, which may alias the carried one."""
    carried = builder.pick(lambda t: 0 < t.rank < 3 and t.is_static)
    sizes = [size for size in carried.sizes if isinstance(size, int)]
    counter = random_counter(builder)

    def body(arguments: list[Tensor]) -> list[Tensor]:
        builder.scope.indices.append(counter.index)
        builder.scope.tensors += arguments
        other = reshaped(builder, arguments[0], [math.prod(sizes)] if len(sizes) > 1 else [1, *sizes])
        builder.scope.overwritten += [*arguments, other]
        steps(builder, 3)
        value = computed_on(builder, builder.like(other)) if builder.draw.chance(0.4) else builder.like(other)
        return [reshaped(builder, value, sizes) if builder.draw.chance(0.7) else builder.like(carried)]

    carry(builder, [carried], counter, body)


@production(FEATURE, 1.5, is_nest=True)
def while_loop(builder: Builder) -> None:
    """scf.while that counts; its condition forwards tensors, more or fewer than the loop carries."""
    carried = pick_carried(builder, 2)
    limit = _trips(builder)
    zero, one = builder.constant(0), builder.constant(1)
    result = builder.name()
    bounds = tuple((0, max(0, high)) for _, high in limit.bounds)
    inner = tuple((0, max(0, high - 1)) for _, high in limit.bounds)
    before, after = IndexValue(builder.name(), bounds), IndexValue(builder.name(), inner)
    place, outside = len(builder.lines), builder.scope.indices
    with builder.region() as scope:
        scope.indices.append(before)
        arguments = arguments_for(builder, carried)
        if builder.draw.chance(0.5):
            steps(builder, 2)
        handed = _handed(builder, arguments, outside)
        goes_on = builder.op(f"arith.cmpi slt, {before.name}, {limit.name} : index")
        builder.emit(f"scf.condition({goes_on}) {before.name}, {names(handed)} : index, {types(handed)}")
    begin = f"{before.name} = {zero.name}, {inits(arguments, carried)}"
    ends = f"(index, {types(carried)}) -> (index, {types(handed)})"
    head = f"{result}:{len(handed) + 1} = scf.while ({begin}) : {ends} {{"
    builder.lines.insert(place, "  " * builder.indent + head)
    builder.emit("} do {")
    live = [n for n in builder.live if limit.bounds[n][1] > 0]
    with builder.region(live):
        _while_body(builder, after, one, carried, handed)
    builder.emit("}")
    bind(builder, result, handed, first=1)


def _while_body(
    builder: Builder, number: IndexValue, one: IndexValue, carried: list[Tensor], handed: list[Tensor]
) -> None:
    """Write the second region, whose arguments are like `handed`; it yields tensors like `carried`."""
    builder.scope.indices.append(number)
    inside = arguments_for(builder, handed)
    builder.lines.append("  " * (builder.indent - 1) + f"^bb0({number.name}: index, {declared(inside)}):")
    steps(builder, 3)
    following = builder.op(f"arith.addi {number.name}, {one.name} : index")
    values = [_onward(builder, argument, inside) for argument in carried]
    builder.emit(f"scf.yield {following}, {names(values)} : index, {types(values)}")


def _handed(builder: Builder, arguments: list[Tensor], outside: list[IndexValue]) -> list[Tensor]:
    """Return the operands that the condition forwards: of types known outside, with sizes that are among `outside`."""
    models = [*arguments, builder.draw.choice(arguments)] if builder.draw.chance(0.25) else arguments
    names_outside = {index.name for index in outside}

    def known(value: Tensor, model: Tensor) -> Tensor:
        # A value may have the sizes of its model by names from inside of the loop.
        sizes = tuple(
            one if isinstance(one, int) or one.name in names_outside else other
            for one, other in zip(value.sizes, model.sizes, strict=True)
        )
        return replace(value, sizes=sizes)

    return [known(value, model) for value, model in zip(yielded_for(builder, models), models, strict=True)]


def _onward(builder: Builder, carried: Tensor, inside: list[Tensor]) -> Tensor:
    value = builder.like(carried)
    if builder.draw.chance(0.3):
        return computed_on(builder, value)
    alike = [
        t
        for t in inside
        if t.type == carried.type and t.element == carried.element and builder.same_shape(t.sizes, carried.sizes)
    ]
    return builder.draw.choice(alike) if alike and builder.draw.chance(0.3) else value
