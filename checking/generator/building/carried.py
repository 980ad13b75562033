"""Values that enter and leave regions: loop-carried tensors, region arguments, operands of terminators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .builder import Builder
from .structured import computed_on
from .values import IndexValue, Tensor, largest


def pick_carried(builder: Builder, most: int = 3) -> list[Tensor]:
    """Return the inits of loop-carried tensors; one may occur twice. Raises `NothingFits`."""
    first = builder.pick()
    # Those of one type can be swapped.
    others = (
        builder.like(first) if builder.draw.chance(0.6) else builder.pick() for _ in range(builder.draw.below(most))
    )
    return [first, *others]


def arguments_for(builder: Builder, tensors: Sequence[Tensor]) -> list[Tensor]:
    """Bring region arguments of the types and sizes of `tensors` into scope, as overwritten tensors."""
    arguments = [replace(tensor, name=builder.name()) for tensor in tensors]
    builder.scope.tensors += arguments
    builder.scope.overwritten += arguments
    return arguments


def steps(builder: Builder, most: int) -> None:
    """Add up to `most` random ops, at least one."""
    for _ in range(builder.draw.between(1, most)):
        builder.produce()


def yielded_for(builder: Builder, arguments: Sequence[Tensor]) -> list[Tensor]:
    """Return the yielded values of a loop: tensors of its arguments' types, often computed from these or swapped."""
    if len(arguments) > 1 and builder.draw.chance(0.3):
        first = arguments[0]
        alike = [t for t in arguments if t.type == first.type and builder.same_shape(t.sizes, first.sizes)]
        turned = [*alike[1:], alike[0]]
        swapped = {one.name: other for one, other in zip(alike, turned, strict=True)}
        values = [swapped.get(t.name, t) for t in arguments]
    else:
        values = [builder.like(t) for t in arguments]
    if builder.draw.chance(0.4):
        slot = builder.draw.below(len(values))
        values[slot] = computed_on(builder, values[slot])
    return values


def names(tensors: Sequence[Tensor]) -> str:
    """Return `%a, %b`."""
    return ", ".join(tensor.name for tensor in tensors)


def declared(tensors: Sequence[Tensor]) -> str:
    """Return `%a: tensor<…>, %b: …`."""
    return ", ".join(f"{tensor.name}: {tensor.type}" for tensor in tensors)


def inits(arguments: Sequence[Tensor], tensors: Sequence[Tensor]) -> str:
    """Return `%a = %t, …`: arguments with their inits."""
    return ", ".join(f"{a.name} = {t.name}" for a, t in zip(arguments, tensors, strict=True))


def types(tensors: Sequence[Tensor]) -> str:
    """Return the types, separated by commas."""
    return ", ".join(tensor.type for tensor in tensors)


def bind(builder: Builder, name: str, like: Sequence[Tensor], first: int = 0) -> list[Tensor]:
    """Bring the results of an op that has the name `name` into scope; the tensors are those from `first` on."""
    is_one = first + len(like) == 1
    results = [replace(t, name=name if is_one else f"{name}#{first + number}") for number, t in enumerate(like)]
    builder.scope.tensors += results
    builder.scope.overwritten += results
    return results


def named(name: str, count: int) -> str:
    """Return `%r:2`, or `%r` for one result."""
    return name if count == 1 else f"{name}:{count}"


def loosened(builder: Builder, tensor: Tensor) -> Tensor:
    """Return `tensor` with all sizes dynamic, of which only the largest value is known."""
    everywhere = range(builder.module.sets)
    sizes = (tuple((0, largest(size, n)) for n in everywhere) for size in tensor.sizes)
    return Tensor(tensor.name, tuple(IndexValue("", bounds) for bounds in sizes), tensor.element)
