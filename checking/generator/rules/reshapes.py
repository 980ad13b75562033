"""Productions: the same elements in another shape or under another type."""

from __future__ import annotations

from collections.abc import Sequence

from ..building.builder import Builder, NothingFits
from ..building.productions import production
from ..building.values import IndexValue, Size, Tensor, shape_text

FEATURE = "reshapes"


@production(FEATURE, 1)
def cast(builder: Builder) -> None:
    """tensor.cast: some sizes are forgotten, or stated."""
    source = builder.pick(lambda t: t.rank > 0)
    sizes: list[Size] = []
    for size in source.sizes:
        known = {builder.minimum(size), builder.maximum(size)}
        if isinstance(size, int):
            sizes.append(builder.constant(size) if builder.draw.chance(0.5) else size)
        else:
            sizes.append(known.pop() if len(known) == 1 and 0 not in known and builder.draw.chance(0.5) else size)
    if shape_text(tuple(sizes)) == shape_text(source.sizes):
        raise NothingFits
    builder.cast(source, tuple(sizes))


@production(FEATURE, 0.3)
def forget_rank(builder: Builder) -> None:
    """A cast to an unranked tensor and back."""
    source = builder.pick()
    name, unranked = builder.name(), f"tensor<*x{source.element}>"
    builder.emit(f"{name} = tensor.cast {source.name} : {source.type} to {unranked}")
    builder.define_like(source, f"tensor.cast {name} : {unranked} to {{}}")


@production(FEATURE, 1)
def expand_shape(builder: Builder) -> None:
    """A dimension becomes two, one of which may be 1."""
    source = builder.pick(lambda t: 0 < t.rank < 4)
    split = builder.draw.below(source.rank)
    size = source.sizes[split]
    if isinstance(size, IndexValue):
        parts: tuple[Size, Size] = (size, 1) if builder.draw.chance(0.5) else (1, size)
    else:
        factor = builder.draw.choice([f for f in range(1, size + 1) if size % f == 0] or [1])
        parts = (factor, size // factor)
    sizes = (*source.sizes[:split], *parts, *source.sizes[split + 1 :])
    groups = [[d] for d in range(split)] + [[split, split + 1]] + [[d + 1] for d in range(split + 1, source.rank)]
    texts = ", ".join(str(s) if isinstance(s, int) else s.name for s in sizes)
    builder.define(
        f"tensor.expand_shape {source.name} {groups} output_shape [{texts}] : {source.type} into {{}}",
        sizes,
        source.element,
    )


@production(FEATURE, 1)
def collapse_shape(builder: Builder) -> None:
    """Two dimensions become one: both are known, or one of them is 1."""
    source = builder.pick(lambda t: t.rank > 1)
    pairs = enumerate(zip(source.sizes, source.sizes[1:], strict=False))
    joined = {d: product for d, (one, other) in pairs if (product := _product(one, other)) is not None}
    if not joined:
        raise NothingFits
    first = builder.draw.choice(list(joined))
    sizes = (*source.sizes[:first], joined[first], *source.sizes[first + 2 :])
    groups = [[d] for d in range(first)] + [[first, first + 1]] + [[d] for d in range(first + 2, source.rank)]
    text = f"tensor.collapse_shape {source.name} {groups} : {source.type} into {{}}"
    builder.define(text, sizes, source.element)


def _product(one: Size, other: Size) -> Size | None:
    if isinstance(one, int) and isinstance(other, int):
        return one * other if one * other <= 24 else None
    if one == 1:
        return other
    return one if other == 1 else None


@production(FEATURE, 0.4)
def reshape(builder: Builder) -> None:
    """tensor.reshape by a tensor of sizes, some of which may be known only when the program runs."""
    source = builder.pick(lambda t: 0 < t.rank < 4)
    sizes = builder.draw.shuffled([1, *source.sizes])
    reshaped(builder, source, [builder.value(s) if builder.draw.chance(0.3) else s for s in sizes])


def reshaped(builder: Builder, source: Tensor, sizes: Sequence[Size]) -> Tensor:
    """Add a tensor.reshape to sizes of as many elements."""
    shape, count = builder.name(), len(sizes)
    if all(isinstance(size, int) for size in sizes):
        element, numbers = "i64", ", ".join(map(str, sizes))
        builder.emit(f"{shape} = arith.constant dense<[{numbers}]> : tensor<{count}xi64>")
    else:
        element, values = "index", ", ".join(builder.value(size).name for size in sizes)
        builder.emit(f"{shape} = tensor.from_elements {values} : tensor<{count}xindex>")
    text = f"tensor.reshape {source.name}({shape}) : ({source.type}, tensor<{count}x{element}>) -> {{}}"
    return builder.define(text, tuple(sizes), source.element)
