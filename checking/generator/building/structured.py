"""Productions: linalg.generic with maps of all kinds, with and without reductions, reading its init or not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from .builder import Builder
from .payloads import emit_binary, emit_expression
from .productions import production
from .values import Size, Tensor

FEATURE = "generic"


@dataclass(frozen=True)
class Operand:
    """A tensor with the dimensions of the iteration space that its dimensions are."""

    tensor: Tensor
    dims: tuple[int | None, ...]
    """None is the constant 0."""


Body = Callable[[list[str]], Sequence[str]]
"""Writes a payload on the elements of the operands, and returns the names of the yielded values."""


def write_generic(
    builder: Builder,
    domain: int,
    ins: Sequence[Operand],
    outs: Sequence[Operand],
    reductions: Collection[int],
    body: Body,
) -> list[Tensor]:
    """Add a linalg.generic over `domain` dimensions, and return its results."""
    operands = [*ins, *outs]
    maps = ", ".join(f"affine_map<({_dims(range(domain))}) -> ({_dims(o.dims)})>" for o in operands)
    kinds = ", ".join('"reduction"' if d in reductions else '"parallel"' for d in range(domain))
    name = builder.name()
    results = [replace(o.tensor, name=name if len(outs) == 1 else f"{name}#{n}") for n, o in enumerate(outs)]
    named = name if len(outs) == 1 else f"{name}:{len(outs)}"
    builder.emit(f"{named} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}")
    builder.emit(f"  {f'ins({_list(ins)}) ' if ins else ''}outs({_list(outs)}) {{")
    values = [f"%e{builder.module.name('')}" for _ in operands]
    arguments = ", ".join(f"{v}: {o.tensor.element}" for v, o in zip(values, operands, strict=True))
    builder.emit(f"^bb0({arguments}):")
    yielded = body(values)
    builder.emit(f"linalg.yield {', '.join(yielded)} : {', '.join(out.tensor.element for out in outs)}")
    types = ", ".join(out.tensor.type for out in outs)
    builder.emit(f"}} -> {types if len(outs) == 1 else f'({types})'}")
    builder.scope.tensors += results
    return results


def emit_generic(
    builder: Builder,
    domain: int,
    ins: Sequence[Operand],
    outs: Sequence[Operand],
    reads: Sequence[bool],
    *,
    reductions: Sequence[int] = (),
) -> list[Tensor]:
    """Add a generic of random ops; `reads` says for each of `outs` whether its old content counts."""

    def computed(values: list[str], number: int) -> str:
        element = outs[number].tensor.element
        taken = [value for value, o in zip(values, ins, strict=False) if o.tensor.element == element]
        old = [values[len(ins) + number]] if reads[number] else []
        if domain and element in ("i32", "i64", "index") and builder.draw.chance(0.2):
            taken.append(_iteration_index(builder, domain, element))
        if reductions and old:
            value = taken[0] if len(taken) == 1 else emit_expression(builder, element, taken)
            return emit_binary(builder, element, value, old[0], is_reduction=True)
        return emit_expression(builder, element, taken + old)

    def body(values: list[str]) -> list[str]:
        return [computed(values, number) for number in range(len(outs))]

    return write_generic(builder, domain, ins, outs, reductions, body)


def _dims(dims: Sequence[int | None] | range) -> str:
    return ", ".join("0" if d is None else f"d{d}" for d in dims)


def _list(operands: Sequence[Operand]) -> str:
    names = ", ".join(operand.tensor.name for operand in operands)
    return f"{names} : {', '.join(operand.tensor.type for operand in operands)}"


def _iteration_index(builder: Builder, domain: int, element: str) -> str:
    name = builder.op(f"linalg.index {builder.draw.below(domain)} : index")
    if element == "index":
        return name
    return builder.op(f"arith.index_cast {name} : index to {element}")


def computed_on(builder: Builder, tile: Tensor, *, has_content: bool = True) -> Tensor:
    """Return something of the type of `tile`, computed on it: in its place if nothing speaks against it."""
    if builder.draw.chance(0.15):
        scalar = builder.scalar(tile.element)
        builder.written(tile)
        return builder.fill(scalar.name, tile)
    dims = tuple(range(tile.rank))
    ins = [Operand(builder.tensor_of(tile.sizes, tile.element), dims)] if builder.draw.chance(0.7) else []
    builder.written(tile)
    reads = has_content and builder.draw.chance(0.7)
    return emit_generic(builder, tile.rank, ins, [Operand(tile, dims)], [reads])[0]


@production(FEATURE, 3)
def elementwise_generic(builder: Builder) -> None:
    """One or two inputs of the shape of the init, which is read or not."""
    model = builder.pick()
    dims = tuple(range(model.rank))
    ins = [Operand(builder.tensor_of(model.sizes, model.element), dims) for _ in range(builder.draw.below(3))]
    outs, reads = [_out(builder, model, dims)], []
    if builder.draw.chance(0.15):
        outs.append(_out(builder, model, dims))
    reads = [out.tensor in builder.scope.tensors and builder.draw.chance(0.5) for out in outs]
    emit_generic(builder, len(dims), ins, outs, reads)


def _out(builder: Builder, model: Tensor, dims: tuple[int, ...]) -> Operand:
    return Operand(builder.destination(model.sizes, model.element), dims)


@production(FEATURE, 1.5)
def mapped_generic(builder: Builder) -> None:
    """Inputs that are transposed or lack dimensions: elements are read in other places than they are written."""
    model = builder.pick(lambda t: t.rank in (1, 2, 3))
    dims = tuple(range(model.rank))
    ins: list[Operand] = []
    for _ in range(builder.draw.between(1, 2)):
        chosen = builder.draw.shuffled(dims)[: builder.draw.between(0, model.rank)]
        sizes = tuple(model.sizes[d] for d in chosen)
        ins.append(Operand(builder.tensor_of(sizes, model.element), tuple(chosen)))
    out = _out(builder, model, dims)
    emit_generic(builder, len(dims), ins, [out], [out.tensor in builder.scope.tensors and builder.draw.chance(0.4)])


@production(FEATURE, 1.5)
def reduction_generic(builder: Builder) -> None:
    """A reduction over some dimensions of an input, or its last elements. Over no elements, the init stays."""
    source = builder.pick(lambda t: t.rank in (1, 2, 3))
    dims = tuple(range(source.rank))
    kept = tuple(builder.draw.shuffled(dims)[: builder.draw.below(source.rank)])
    sizes: tuple[Size, ...] = tuple(source.sizes[d] for d in kept)
    out = builder.written(builder.tensor_of(sizes, source.element, same_type=True))
    reductions = [d for d in dims if d not in kept]
    reads = not builder.draw.chance(0.15)
    emit_generic(builder, len(dims), [Operand(source, dims)], [Operand(out, kept)], [reads], reductions=reductions)


@production(FEATURE, 0.5)
def generic_on_a_part(builder: Builder) -> None:
    """An output map to the first row or column only: the rest of the init is kept."""
    model = builder.pick(lambda t: t.rank in (1, 2) and any(isinstance(size, int) for size in t.sizes))
    fixed = builder.draw.choice([d for d, size in enumerate(model.sizes) if isinstance(size, int)])
    rest = [d for d in range(model.rank) if d != fixed]
    dims = tuple(None if d == fixed else rest.index(d) for d in range(model.rank))
    source = builder.tensor_of(tuple(model.sizes[d] for d in rest), model.element)
    builder.written(model)
    ins = [Operand(source, tuple(range(len(rest))))]
    emit_generic(builder, len(rest), ins, [Operand(model, dims)], [builder.draw.chance(0.5)])
