"""Productions: extract and insert of slices and elements, dim and rank."""

from __future__ import annotations

from ..building.boxes import Box, element_position, random_box
from ..building.builder import Builder
from ..building.productions import production
from ..building.structured import computed_on
from ..building.values import ELEMENTS, ConditionValue, IndexValue, Scalar, Tensor

FEATURE = "slices"


def take(builder: Builder, source: Tensor, box: Box) -> Tensor:
    """Add an extract_slice."""
    text = f"tensor.extract_slice {source.name}{box.text} : {source.type} to {{}}"
    return builder.define(text, box.kept, source.element)


def put(builder: Builder, source: Tensor, target: Tensor, box: Box) -> Tensor:
    """Add an insert_slice; the type of `source` must be that of the slice."""
    builder.written(target)
    text = f"tensor.insert_slice {source.name} into {target.name}{box.text} : {source.type} into {{}}"
    return builder.define_like(target, text)


@production(FEATURE, 2)
def extract_slice(builder: Builder) -> None:
    """A part of a tensor."""
    source = builder.pick(lambda t: t.rank > 0)
    take(builder, source, random_box(builder, source.sizes))


@production(FEATURE, 2)
def insert_slice(builder: Builder) -> None:
    """A part of a tensor replaced by something else."""
    target = builder.pick(lambda t: t.rank > 0)
    box = random_box(builder, target.sizes)
    put(builder, builder.tensor_of(box.kept, target.element, same_type=True), target, box)


@production(FEATURE, 3)
def update_slice(builder: Builder) -> None:
    """The matching pair: a slice extracted, updated, and inserted back, or at the same place of another tensor."""
    target = builder.pick(lambda t: t.rank > 0)
    box = random_box(builder, target.sizes)
    tile = take(builder, target, box)
    if tile.rank and builder.draw.chance(0.25):
        inner = random_box(builder, tile.sizes)
        result = put(builder, computed_on(builder, take(builder, tile, inner)), tile, inner)
    else:
        result = computed_on(builder, tile)
    where = target if builder.draw.chance(0.8) else builder.like(target)
    put(builder, result, where, box)


@production(FEATURE, 1)
def moved_slice(builder: Builder) -> None:
    """A part of a tensor copied to another, perhaps overlapping, part of it."""
    target = builder.pick(lambda t: t.rank > 0)
    box = random_box(builder, target.sizes, may_drop=False)
    offsets = [0 if builder.draw.chance(0.5) else offset for offset in box.offsets]
    moved = Box(tuple(offsets), box.sizes, box.strides)
    first, second = builder.draw.shuffled([box, moved])
    put(builder, take(builder, target, first), target, second)


@production(FEATURE, 1.5)
def insert(builder: Builder) -> None:
    """One element replaced."""
    target = builder.pick()
    position = element_position(builder, target)
    scalar = builder.scalar(target.element)
    builder.written(target)
    builder.define_like(target, f"tensor.insert {scalar.name} into {target.name}[{position}] : {{}}")


@production(FEATURE, 1)
def extract(builder: Builder) -> None:
    """One element read, which is used as a number from then on."""
    source = builder.pick()
    position = element_position(builder, source)
    scalar = Scalar(builder.op(f"tensor.extract {source.name}[{position}] : {source.type}"), source.element)
    builder.scope.scalars.append(scalar)
    if source.element == "i1":
        builder.scope.conditions.append(ConditionValue(scalar.name, (None,) * builder.module.sets))


@production(FEATURE, 0.5)
def element_as_index(builder: Builder) -> None:
    """An element that decides where something else is read or written."""
    source = builder.pick(lambda t: t.element in ("i32", "i64", "index"))
    position = element_position(builder, source)
    name, element = builder.name(), source.element
    builder.emit(f"{name} = tensor.extract {source.name}[{position}] : {source.type}")
    if element != "index":
        cast = builder.op(f"arith.index_cast {name} : {element} to index")
        name = cast
    count = builder.draw.between(1, 4)
    limit = builder.constant(count)
    builder.define_index(f"arith.remui {name}, {limit.name} : index", lambda n: (0, count - 1))


@production(FEATURE, 0.4)
def dim(builder: Builder) -> None:
    """A size as a value."""
    source = builder.pick(lambda t: t.rank > 0)
    number = builder.draw.below(source.rank)
    position, size = builder.constant(number), source.sizes[number]
    text = f"tensor.dim {source.name}, {position.name} : {source.type}"
    builder.define_index(text, lambda n: size.bounds[n] if isinstance(size, IndexValue) else (size, size))


@production(FEATURE, 0.15)
def rank(builder: Builder) -> None:
    """The rank of a tensor as a value."""
    source = builder.pick()
    builder.define_index(f"tensor.rank {source.name} : {source.type}", lambda n: (source.rank, source.rank))


@production(FEATURE, 0.7)
def assembled(builder: Builder) -> None:
    """A new tensor of two inserted parts, each of which could be computed in place of its slice."""
    model = builder.pick(lambda t: t.rank > 0 and isinstance(t.sizes[0], int) and t.sizes[0] > 1)
    first, *rest = model.sizes
    assert isinstance(first, int)
    middle = builder.draw.between(1, first - 1)
    parts = [
        Box((offset, *(0 for _ in rest)), (size, *rest), (1,) * model.rank)
        for offset, size in builder.draw.shuffled([(0, middle), (middle, first - middle)])
    ]
    whole = builder.empty(model.sizes, model.element)
    for box in parts:
        part = builder.destination(box.kept, model.element)
        has_content = part in builder.scope.tensors
        if not has_content or builder.draw.chance(0.7):
            part = computed_on(builder, part, has_content=has_content)
        text = f"tensor.insert_slice {part.name} into {whole.name}{box.text} : {part.type} into {whole.type}"
        whole = Tensor(builder.op(f"{text}"), whole.sizes, whole.element)
    builder.scope.tensors.append(whole)


@production(FEATURE, 0.5)
def fresh_into_slice(builder: Builder) -> None:
    """A tensor computed out-of-place and then inserted, which could be computed in its destination slice."""
    target = builder.pick(lambda t: t.rank > 0 and t.element in ELEMENTS)
    box = random_box(builder, target.sizes)
    fresh = builder.filled(box.kept, target.element)
    if builder.draw.chance(0.6):
        fresh = computed_on(builder, fresh)
    put(builder, fresh, target, box)
