"""Productions: scf.forall whose iterations insert disjoint slices, and scf.parallel that reduces numbers."""

from __future__ import annotations

from dataclasses import dataclass

from ..building.boxes import Box, element_position
from ..building.builder import Builder, NothingFits
from ..building.carried import arguments_for, bind, inits, named, steps, types
from ..building.productions import production
from ..building.structured import computed_on
from ..building.values import FLOATS, IndexValue, Scalar, Size, Tensor, largest
from .slices import take

FEATURE = "parallel"


@dataclass(frozen=True)
class _Chunks:
    """The partition of a dimension: each of `count` iterations has `size` elements of it."""

    dimension: int
    count: Size
    size: int


def _chunks(builder: Builder, tensor: Tensor) -> _Chunks:
    dimension = builder.draw.below(tensor.rank)
    extent = tensor.sizes[dimension]
    if isinstance(extent, int):
        size = builder.draw.choice([f for f in range(1, extent + 1) if extent % f == 0] or [1])
        return _Chunks(dimension, extent // size, size)
    return _Chunks(dimension, extent, 1)


@production(FEATURE, 1.5, is_nest=True)
def forall(builder: Builder) -> None:
    """scf.forall over parts of one tensor, or of two with the same partition."""
    shared = builder.pick(lambda t: t.rank > 0)
    chunks = _chunks(builder, shared)
    shared_outs = [shared] + ([builder.like(shared)] if builder.draw.chance(0.3) else [])
    count = chunks.count
    bounds = tuple((0, max(0, largest(count, n) - 1)) for n in range(builder.module.sets))
    index, result, place = IndexValue(builder.name(), bounds), builder.name(), len(builder.lines)
    live = [n for n in builder.live if largest(count, n) > 0]
    with builder.region(live, is_parallel=True) as scope:
        scope.indices.append(index)
        outs = arguments_for(builder, shared_outs)
        box = _box(builder, shared, chunks, index)
        if builder.draw.chance(0.6):
            steps(builder, 2)
        values = [_value(builder, out, box) for out in outs]
        builder.emit("scf.forall.in_parallel {")
        for value, out in zip(values, outs, strict=True):
            text = f"{value.name} into {out.name}{box.text} : {value.type} into {out.type}"
            builder.emit(f"  tensor.parallel_insert_slice {text}")
        builder.emit("}")
    upper = str(count) if isinstance(count, int) else count.name
    grid = f"({index.name}) in ({upper}) shared_outs({inits(outs, shared_outs)})"
    head = f"{named(result, len(shared_outs))} = scf.forall {grid} -> ({types(shared_outs)}) {{"
    builder.lines.insert(place, "  " * builder.indent + head)
    builder.emit("}")
    for tensor in shared_outs:
        builder.written(tensor)
    bind(builder, result, shared_outs)


def _box(builder: Builder, tensor: Tensor, chunks: _Chunks, index: IndexValue) -> Box:
    """Add what computes the part of one run."""
    offset: Size = index
    if chunks.size > 1:
        factor = builder.constant(chunks.size)
        offset = builder.define_index(
            f"arith.muli {index.name}, {factor.name} : index", lambda n: (0, index.bounds[n][1] * chunks.size)
        )
    offsets = tuple(offset if d == chunks.dimension else 0 for d in range(tensor.rank))
    sizes = tuple(chunks.size if d == chunks.dimension else size for d, size in enumerate(tensor.sizes))
    dropped = (chunks.dimension,) if chunks.size == 1 and builder.draw.chance(0.5) else ()
    return Box(offsets, sizes, (1,) * tensor.rank, dropped)


def _value(builder: Builder, out: Tensor, box: Box) -> Tensor:
    """The tensor that an iteration inserts: its updated part, a new tensor, or any tensor of that shape."""
    choice = builder.draw.below(4)
    if choice < 2:
        part = take(builder, out, box)
        return part if builder.draw.chance(0.1) else computed_on(builder, part)
    if choice == 2:
        return computed_on(builder, builder.filled(box.kept, out.element))
    return builder.tensor_of(box.kept, out.element, same_type=True)


@production(FEATURE, 0.6, is_nest=True)
def parallel_sum(builder: Builder) -> None:
    """scf.parallel that adds up elements of tensors, some of them changed in each run."""
    source = builder.pick(
        lambda t: t.rank > 0 and t.element in ("f32", "i32", "f64") and builder.minimum(t.sizes[0]) > 0
    )
    if any(builder.minimum(size) == 0 for size in source.sizes):
        raise NothingFits
    zero, one, upper = builder.constant(0), builder.constant(1), builder.value(source.sizes[0])
    initial, name = builder.scalar(source.element), builder.name()
    bounds = tuple((0, max(0, high - 1)) for _, high in upper.bounds)
    index, element = IndexValue(builder.name(), bounds), source.element
    builder.emit(
        f"{name} = scf.parallel ({index.name}) = ({zero.name}) to ({upper.name}) step ({one.name}) "
        f"init ({initial.name}) -> {element} {{"
    )
    with builder.region(is_parallel=True) as scope:
        scope.indices.append(index)
        changed = source
        if builder.draw.chance(0.7):
            changed = computed_on(builder, source)
        position = element_position(builder, changed)
        read = builder.op(f"tensor.extract {changed.name}[{position}] : {changed.type}")
        p, q = builder.name(), builder.name()
        add = "arith.maximumf" if element in FLOATS else "arith.addi"
        builder.emit(f"scf.reduce({read} : {element}) {{")
        builder.emit(f"^bb0({p}: {element}, {q}: {element}):")
        total = builder.op(f"{add} {p}, {q} : {element}")
        builder.emit(f"scf.reduce.return {total} : {element}")
        builder.emit("}")
    builder.emit("}")
    builder.scope.scalars.append(Scalar(name, element))
