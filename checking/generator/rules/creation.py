"""Productions: tensors made of nothing, or of others: constants, splat, generate, pad, concat."""

from __future__ import annotations

from ..building.builder import Builder, NothingFits
from ..building.draw import Draw
from ..building.payloads import emit_binary
from ..building.productions import production
from ..building.values import ELEMENT_WEIGHTS, ELEMENTS, IndexValue, Size, Tensor

FEATURE = "creation"


def random_shape(builder: Builder) -> tuple[Size, ...]:
    """Return sizes of a new tensor, static and dynamic ones, rank 0 to 4."""
    rank = builder.draw.weighted((0, 1, 2, 3, 4), (1, 5, 6, 2, 1))
    sizes: list[Size] = []
    for _ in range(rank):
        index = builder.pick_index(lambda i: all(0 <= i.bounds[n][0] <= i.bounds[n][1] <= 6 for n in builder.live))
        if index is not None and builder.draw.chance(0.35):
            sizes.append(index)
        else:
            sizes.append(builder.static_size(3 if rank > 2 else 6))
    return tuple(sizes)


def draw_element(draw: Draw) -> str:
    """Return an element type, f32 more often than others."""
    return draw.weighted(ELEMENTS, ELEMENT_WEIGHTS)


def random_element(builder: Builder) -> str:
    """Return an element type, one that other tensors in scope have if possible."""
    known = builder.find() if builder.draw.chance(0.7) else None
    return known.element if known else draw_element(builder.draw)


@production(FEATURE, 0.7)
def constant(builder: Builder) -> None:
    """arith.constant: memory that must not be written."""
    sizes = tuple(builder.static_size(4) for _ in range(builder.draw.below(3)))
    tensor = builder.constant_tensor(sizes, random_element(builder))
    builder.scope.overwritten.append(tensor)


@production(FEATURE, 0.5)
def filled(builder: Builder) -> None:
    """linalg.fill of a new tensor."""
    builder.filled(random_shape(builder), random_element(builder))


@production(FEATURE, 0.5)
def splat(builder: Builder) -> None:
    """tensor.splat."""
    sizes, element = random_shape(builder), random_element(builder)
    scalar = builder.scalar(element)
    dynamic = f"[{names}]" if (names := Tensor("", sizes, element).dynamic) else ""
    builder.define(f"tensor.splat {scalar.name}{dynamic} : {{}}", sizes, element)


@production(FEATURE, 0.5)
def from_elements(builder: Builder) -> None:
    """tensor.from_elements."""
    sizes = builder.draw.choice([(), (1,), (2,), (3,), (2, 2)])
    element, count = random_element(builder), 1
    for size in sizes:
        count *= size
    names = ", ".join(builder.scalar(element).name for _ in range(count))
    builder.define(f"tensor.from_elements {names} : {{}}", tuple(sizes), element)


@production(FEATURE, 0.6)
def generate(builder: Builder) -> None:
    """tensor.generate, whose body may read other tensors."""
    sizes = random_shape(builder)
    if not sizes:
        raise NothingFits
    element = random_element(builder)
    positions = [builder.name() for _ in sizes]
    read = builder.find(lambda t: t.element == element and builder.same_shape(t.sizes, sizes))
    result = Tensor(builder.name(), sizes, element)
    builder.emit(f"{result.name} = tensor.generate {result.dynamic} {{")
    builder.emit(f"^bb0({', '.join(f'{p}: index' for p in positions)}):")
    if read is not None:
        value = builder.op(f"tensor.extract {read.name}[{', '.join(positions)}] : {read.type}")
    else:
        value = builder.literal(element, builder.draw.between(1, 50))
    if element == "index":
        value = emit_binary(builder, element, value, positions[0])
    builder.emit(f"  tensor.yield {value} : {element}")
    builder.emit(f"}} : {result.type}")
    builder.scope.tensors.append(result)


@production(FEATURE, 0.6)
def pad(builder: Builder) -> None:
    """tensor.pad by constants and by index values."""
    source = builder.pick(lambda t: t.rank in (1, 2) and all(builder.maximum(s) <= 5 for s in t.sizes))
    lows, highs, sizes = [], [], []
    for size in source.sizes:
        low, high = builder.draw.below(3), builder.draw.below(2)
        lows.append(low)
        highs.append(high)
        sizes.append(_sum(builder, [size], low + high))
    scalar, result = builder.scalar(source.element), Tensor(builder.name(), tuple(sizes), source.element)
    positions = ", ".join(f"{builder.name()}: index" for _ in sizes)
    builder.emit(f"{result.name} = tensor.pad {source.name} low{lows} high{highs} {{")
    builder.emit(f"^bb0({positions}):")
    builder.emit(f"  tensor.yield {scalar.name} : {source.element}")
    builder.emit(f"}} : {source.type} to {result.type}")
    builder.scope.tensors.append(result)


@production(FEATURE, 0.6)
def concat(builder: Builder) -> None:
    """tensor.concat of two or three tensors."""
    first = builder.pick(lambda t: t.rank in (1, 2) and all(builder.maximum(s) <= 5 for s in t.sizes))
    along = builder.draw.below(first.rank)
    parts = [first, *(builder.tensor_of(first.sizes, first.element) for _ in range(builder.draw.between(1, 2)))]
    # The op infers its type from the parts: the sizes apart from the concatenated one are stated if a part states them.
    parts = [builder.cast(part, first.sizes) for part in parts]
    joined = _sum(builder, [part.sizes[along] for part in parts], 0)
    sizes = tuple(joined if d == along else size for d, size in enumerate(first.sizes))
    names, types = ", ".join(p.name for p in parts), ", ".join(p.type for p in parts)
    builder.define(f"tensor.concat dim({along}) {names} : ({types}) -> {{}}", sizes, first.element)


def _sum(builder: Builder, sizes: list[Size], added: int) -> Size:
    """Return the sum of sizes and a number, as a number if all are numbers."""
    dynamic = [size for size in sizes if isinstance(size, IndexValue)]
    total = added + sum(size for size in sizes if isinstance(size, int))
    if not dynamic:
        return total
    terms = dynamic + ([builder.constant(total)] if total else [])
    result = terms[0]
    for term in terms[1:]:
        result = builder.define_index(
            f"arith.addi {result.name}, {term.name} : index",
            lambda n, a=result, b=term: (a.bounds[n][0] + b.bounds[n][0], a.bounds[n][1] + b.bounds[n][1]),
        )
    return result
