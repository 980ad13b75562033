"""Productions: vector transfers between tensors, masked and out of bounds, and vector gathers and scatters."""

from __future__ import annotations

from ..building.boxes import element_position
from ..building.builder import Builder, NothingFits
from ..building.productions import production
from ..building.values import Tensor

FEATURE = "vectors"

_ELEMENTS = ("f32", "i32", "f64")


def _fits(tensor: Tensor) -> bool:
    return tensor.rank > 0 and tensor.element in _ELEMENTS


def _vector(builder: Builder, element: str, shape: tuple[int, ...]) -> tuple[str, str]:
    """Add a read of some tensor, which may begin near the end; returns the name and type of the vector."""
    type_ = f"vector<{'x'.join(map(str, shape))}x{element}>"
    source = builder.pick(lambda t: t.element == element and _has_place(builder, t, len(shape)))
    position = _start(builder, source)
    padding = builder.scalar(element)
    read = f"vector.transfer_read {source.name}[{position}], {padding.name} : {source.type}, {type_}"
    if len(shape) == 1 and builder.draw.chance(0.25):
        mask = _mask(builder, shape)
        read = f"vector.mask {mask} {{ {read} }} : vector<{shape[0]}xi1> -> {type_}"
    return builder.op(read), type_


def _has_place(builder: Builder, tensor: Tensor, transferred: int) -> bool:
    """Whether the dimensions outside of the transfer's map have an element; those in the map may be empty."""
    return tensor.rank >= transferred and all(builder.minimum(s) > 0 for s in tensor.sizes[: tensor.rank - transferred])


def _start(builder: Builder, tensor: Tensor) -> str:
    """Return the start of a transfer; out-of-bounds elements are padding, so 0 is always right."""
    try:
        return element_position(builder, tensor)
    except NothingFits:
        return ", ".join([builder.constant(0).name] * tensor.rank)


def _mask(builder: Builder, shape: tuple[int, ...]) -> str:
    """Add a mask whose number of elements is a value, also one that is too large."""
    count = builder.pick_index(lambda i: all(i.bounds[n][0] >= 0 for n in builder.live))
    value = count or builder.constant(builder.draw.below(shape[0] + 1))
    return builder.op(f"vector.create_mask {value.name} : vector<{shape[0]}xi1>")


@production(FEATURE, 1.5)
def transfer(builder: Builder) -> None:
    """A vector read from one tensor and written to another one."""
    target = builder.pick(_fits)
    shape: tuple[int, ...] = (builder.draw.between(1, 4),)
    if target.rank > 1 and builder.draw.chance(0.3):
        shape = (builder.draw.between(1, 3), *shape)
    if not _has_place(builder, target, len(shape)):
        raise NothingFits
    name, type_ = _vector(builder, target.element, shape)
    position = _start(builder, target)
    builder.written(target)
    mask = _mask(builder, shape) if len(shape) == 1 and builder.draw.chance(0.35) else None
    is_operand = mask is not None and builder.draw.chance(0.5)
    place = f"{name}, {target.name}[{position}]{f', {mask}' if is_operand else ''}"
    write = f"vector.transfer_write {place} : {type_}, {target.type}"
    if mask is not None and not is_operand:
        write = f"vector.mask {mask} {{ {write} }} : vector<{shape[0]}xi1> -> {target.type}"
    builder.define_like(target, write)


@production(FEATURE, 0.5)
def whole_transfer(builder: Builder) -> None:
    """A vector that covers a tensor of rank 1."""
    target = builder.pick(lambda t: t.rank == 1 and t.is_static and t.element in _ELEMENTS)
    length = target.sizes[0]
    assert isinstance(length, int)
    read = _vector(builder, target.element, (length,))
    zero = builder.constant(0).name
    builder.written(target)
    text = f"vector.transfer_write {read[0]}, {target.name}[{zero}] {{in_bounds = [true]}} : {read[1]}, {target.type}"
    builder.define_like(target, text)


@production(FEATURE, 0.5)
def scattered_vector(builder: Builder) -> None:
    """vector.gather from one tensor and vector.scatter into another, at different positions."""
    target = builder.pick(lambda t: t.rank == 1 and t.element in _ELEMENTS and builder.minimum(t.sizes[0]) > 1)
    source = builder.pick(lambda t: t.rank == 1 and t.element == target.element and builder.minimum(t.sizes[0]) > 1)
    length = 2
    zero = builder.constant(0).name
    rows = [_positions(builder, tensor, length) for tensor in (source, target)]
    mask = builder.op(f"vector.constant_mask [{builder.draw.between(1, length)}] : vector<{length}xi1>")
    scalar = builder.scalar(target.element)
    vector, indices = f"vector<{length}x{target.element}>", f"vector<{length}xi32>"
    rest = builder.op(f"vector.broadcast {scalar.name} : {target.element} to {vector}")
    taken = builder.op(
        f"vector.gather {source.name}[{zero}] [{rows[0]}], {mask}, {rest} : "
        f"{source.type}, {indices}, vector<{length}xi1>, {vector} into {vector}"
    )
    builder.written(target)
    builder.define_like(
        target,
        f"vector.scatter {target.name}[{zero}] [{rows[1]}], {mask}, {taken} : "
        f"{target.type}, {indices}, vector<{length}xi1>, {vector} -> {{}}",
    )


def _positions(builder: Builder, tensor: Tensor, length: int) -> str:
    chosen = builder.draw.shuffled(range(builder.minimum(tensor.sizes[0])))[:length]
    return builder.op(f"arith.constant dense<{chosen}> : vector<{length}xi32>")
