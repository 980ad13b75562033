"""Productions: tensor.gather and tensor.scatter at coordinates that are data."""

from __future__ import annotations

from ..building.builder import Builder, NothingFits
from ..building.productions import production
from ..building.values import Size, Tensor

FEATURE = "indexed"


def _rows(builder: Builder, extent: Size) -> Tensor:
    """Add a constant with some different positions below `extent`."""
    least = builder.minimum(extent)
    if least == 0:
        raise NothingFits
    chosen = builder.draw.shuffled(range(least))[: builder.draw.between(1, min(3, least))]
    element = builder.draw.choice(("index", "i32", "i64"))
    numbers = ", ".join(f"[{number}]" for number in chosen)
    tensor = Tensor(builder.name(), (len(chosen), 1), element)
    builder.emit(f"{tensor.name} = arith.constant dense<[{numbers}]> : {tensor.type}")
    return tensor


@production(FEATURE, 0.6)
def gather(builder: Builder) -> None:
    """Some rows or columns of a tensor."""
    source = builder.pick(lambda t: t.rank in (1, 2, 3))
    along = builder.draw.below(source.rank)
    rows = _rows(builder, source.sizes[along])
    rest = tuple(size for d, size in enumerate(source.sizes) if d != along)
    operands = f"{source.name}[{rows.name}] gather_dims([{along}]) : ({source.type}, {rows.type})"
    builder.define(f"tensor.gather {operands} -> {{}}", (rows.sizes[0], *rest), source.element)


@production(FEATURE, 0.8)
def scatter(builder: Builder) -> None:
    """Some rows or columns of a tensor replaced."""
    target = builder.pick(lambda t: t.rank in (1, 2, 3))
    along = builder.draw.below(target.rank)
    rows = _rows(builder, target.sizes[along])
    sizes = (rows.sizes[0], *(1 if d == along else size for d, size in enumerate(target.sizes)))
    source = builder.tensor_of(sizes, target.element, same_type=True)
    builder.written(target)
    text = f"tensor.scatter {source.name} into {target.name}[{rows.name}] scatter_dims([{along}]) unique"
    types = f"({source.type}, {target.type}, {rows.type})"
    builder.define_like(target, f"{text} : {types} -> {{}}")
