"""Productions: linalg.generic with maps of all kinds, with and without reductions, reading its init or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


def emit_generic(
    builder: Builder,
    domain: int,
    ins: Sequence[Operand],
    outs: Sequence[Operand],
    reads: Sequence[bool],
    *,
    reductions: Sequence[int] = (),
) -> list[Tensor]:
    """Add a generic; `reads` says for each of `outs` whether its old content counts. Returns the results."""
    maps = ", ".join(f"affine_map<({_dims(range(domain))}) -> ({_dims(o.dims)})>" for o in (*ins, *outs))
    kinds = ", ".join('"reduction"' if d in reductions else '"parallel"' for d in range(domain))
    results = [Tensor(builder.name(), o.tensor.sizes, o.tensor.element) for o in outs]
    name = results[0].name if len(outs) == 1 else builder.name()
    builder.emit(f"{_named(name, len(outs))} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}")
    taken = f" ins({_list(ins)})" if ins else ""
    builder.emit(f"  {taken} outs({_list(outs)}) {{")
    values = [f"%e{builder.module.name('')}" for _ in (*ins, *outs)]
    arguments = ", ".join(f"{v}: {o.tensor.element}" for v, o in zip(values, (*ins, *outs), strict=True))
    builder.emit(f"^bb0({arguments}):")
    yielded = [
        _payload(
            builder, domain, out.tensor.element, values[: len(ins)], values[len(ins) + i], ins, reads[i], reductions
        )
        for i, out in enumerate(outs)
    ]
    types = ", ".join(out.tensor.element for out in outs)
    builder.emit(f"linalg.yield {', '.join(yielded)} : {types}")
    builder.emit(f"}} -> {_result_types(outs)}")
    if len(outs) > 1:
        results = [Tensor(f"{name}#{i}", r.sizes, r.element) for i, r in enumerate(results)]
    builder.scope.tensors += results
    return results


def _dims(dims: Sequence[int | None] | range) -> str:
    return ", ".join("0" if d is None else f"d{d}" for d in dims)


def _named(name: str, count: int) -> str:
    return name if count == 1 else f"{name}:{count}"


def _list(operands: Sequence[Operand]) -> str:
    names = ", ".join(operand.tensor.name for operand in operands)
    return f"{names} : {', '.join(operand.tensor.type for operand in operands)}"


def _result_types(outs: Sequence[Operand]) -> str:
    types = [out.tensor.type for out in outs]
    return types[0] if len(types) == 1 else f"({', '.join(types)})"


def _payload(
    builder: Builder,
    domain: int,
    element: str,
    inputs: Sequence[str],
    old: str,
    ins: Sequence[Operand],
    reads: bool,
    reductions: Sequence[int],
) -> str:
    values = [value for value, operand in zip(inputs, ins, strict=True) if operand.tensor.element == element]
    if domain and element in ("i32", "i64", "index") and builder.draw.chance(0.2):
        values.append(_iteration_index(builder, domain, element))
    if reductions and reads:
        value = values[0] if len(values) == 1 else emit_expression(builder, element, values)
        return emit_binary(builder, element, value, old, is_reduction=True)
    return emit_expression(builder, element, [*values, old] if reads else values)


def _iteration_index(builder: Builder, domain: int, element: str) -> str:
    name = builder.name()
    builder.emit(f"{name} = linalg.index {builder.draw.below(domain)} : index")
    if element == "index":
        return name
    cast = builder.name()
    builder.emit(f"{cast} = arith.index_cast {name} : index to {element}")
    return cast


def computed_on(builder: Builder, tile: Tensor, *, has_content: bool = True) -> Tensor:
    """Return something of the type of `tile`, computed on it: in its place if nothing speaks against it."""
    if builder.draw.chance(0.15):
        scalar = builder.scalar(tile.element)
        builder.written(tile)
        types = f"ins({scalar.name} : {tile.element}) outs({tile.name} : {tile.type})"
        return builder.define(f"linalg.fill {types} -> {{}}", tile.sizes, tile.element)
    dims = tuple(range(tile.rank))
    ins = [Operand(builder.tensor_of(tile.sizes, tile.element), dims)] if builder.draw.chance(0.7) else []
    builder.written(tile)
    reads = has_content and builder.draw.chance(0.7)
    return emit_generic(builder, tile.rank, ins, [Operand(tile, dims)], [reads])[0]


@production(FEATURE, 3)
def elementwise_generic(builder: Builder) -> bool:
    """One or two inputs of the shape of the init, which is read or not."""
    model = builder.pick()
    if model is None:
        return False
    dims = tuple(range(model.rank))
    ins = [Operand(builder.tensor_of(model.sizes, model.element), dims) for _ in range(builder.draw.below(3))]
    outs, reads = [_out(builder, model, dims)], []
    if builder.draw.chance(0.15):
        outs.append(_out(builder, model, dims))
    reads = [out.tensor in builder.scope.tensors and builder.draw.chance(0.5) for out in outs]
    emit_generic(builder, len(dims), ins, outs, reads)
    return True


def _out(builder: Builder, model: Tensor, dims: tuple[int, ...]) -> Operand:
    return Operand(builder.destination(model.sizes, model.element), dims)


@production(FEATURE, 1.5)
def mapped_generic(builder: Builder) -> bool:
    """Inputs that are transposed or lack dimensions: elements are read in other places than they are written."""
    model = builder.pick(lambda t: t.rank in (1, 2, 3))
    if model is None:
        return False
    dims = tuple(range(model.rank))
    ins: list[Operand] = []
    for _ in range(builder.draw.between(1, 2)):
        chosen = builder.draw.shuffled(dims)[: builder.draw.between(0, model.rank)]
        sizes = tuple(model.sizes[d] for d in chosen)
        ins.append(Operand(builder.tensor_of(sizes, model.element), tuple(chosen)))
    out = _out(builder, model, dims)
    emit_generic(builder, len(dims), ins, [out], [out.tensor in builder.scope.tensors and builder.draw.chance(0.4)])
    return True


@production(FEATURE, 1.5)
def reduction_generic(builder: Builder) -> bool:
    """A reduction over some dimensions of an input, or the last of its elements. If there are none, the init stays."""
    source = builder.pick(lambda t: t.rank in (1, 2, 3))
    if source is None:
        return False
    dims = tuple(range(source.rank))
    kept = tuple(builder.draw.shuffled(dims)[: builder.draw.below(source.rank)])
    sizes: tuple[Size, ...] = tuple(source.sizes[d] for d in kept)
    out = builder.written(builder.tensor_of(sizes, source.element, same_type=True))
    reductions = [d for d in dims if d not in kept]
    reads = not builder.draw.chance(0.15)
    emit_generic(builder, len(dims), [Operand(source, dims)], [Operand(out, kept)], [reads], reductions=reductions)
    return True


@production(FEATURE, 0.5)
def generic_on_a_part(builder: Builder) -> bool:
    """A map to the first row or column only: the rest of the init stays."""
    model = builder.pick(lambda t: t.rank in (1, 2) and any(isinstance(size, int) for size in t.sizes))
    if model is None:
        return False
    fixed = builder.draw.choice([d for d, size in enumerate(model.sizes) if isinstance(size, int)])
    rest = [d for d in range(model.rank) if d != fixed]
    dims = tuple(None if d == fixed else rest.index(d) for d in range(model.rank))
    source = builder.tensor_of(tuple(model.sizes[d] for d in rest), model.element)
    builder.written(model)
    ins = [Operand(source, tuple(range(len(rest))))]
    emit_generic(builder, len(rest), ins, [Operand(model, dims)], [builder.draw.chance(0.5)])
    return True
