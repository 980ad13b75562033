"""Productions: tensor.gather and tensor.scatter at coordinates that are data."""

from __future__ import annotations

from .builder import Builder
from .productions import production
from .values import Size, Tensor

FEATURE = "indexed"


def _rows(builder: Builder, extent: Size) -> tuple[Tensor, int] | None:
    """Add a constant with some different positions below `extent`."""
    least = builder.minimum(extent)
    if least == 0:
        return None
    chosen = builder.draw.shuffled(range(least))[: builder.draw.between(1, min(3, least))]
    element = builder.draw.choice(("index", "i32", "i64"))
    numbers = ", ".join(f"[{number}]" for number in chosen)
    tensor = Tensor(builder.name(), (len(chosen), 1), element)
    builder.emit(f"{tensor.name} = arith.constant dense<[{numbers}]> : {tensor.type}")
    return tensor, len(chosen)


@production(FEATURE, 0.6)
def gather(builder: Builder) -> bool:
    """Some rows or columns of a tensor."""
    source = builder.pick(lambda t: t.rank in (1, 2, 3))
    if source is None:
        return False
    along = builder.draw.below(source.rank)
    rows = _rows(builder, source.sizes[along])
    if rows is None:
        return False
    rest = tuple(size for d, size in enumerate(source.sizes) if d != along)
    operands = f"{source.name}[{rows[0].name}] gather_dims([{along}]) : ({source.type}, {rows[0].type})"
    builder.define(f"tensor.gather {operands} -> {{}}", (rows[1], *rest), source.element)
    return True


@production(FEATURE, 0.8)
def scatter(builder: Builder) -> bool:
    """Some rows or columns of a tensor replaced."""
    target = builder.pick(lambda t: t.rank in (1, 2, 3))
    if target is None:
        return False
    along = builder.draw.below(target.rank)
    rows = _rows(builder, target.sizes[along])
    if rows is None:
        return False
    sizes = (rows[1], *(1 if d == along else size for d, size in enumerate(target.sizes)))
    source = builder.tensor_of(sizes, target.element, same_type=True)
    builder.written(target)
    text = f"tensor.scatter {source.name} into {target.name}[{rows[0].name}] scatter_dims([{along}]) unique"
    types = f"({source.type}, {target.type}, {rows[0].type})"
    builder.define(f"{text} : {types} -> {{}}", target.sizes, target.element)
    return True
