"""Productions: bufferization ops on tensors, and globals."""

from __future__ import annotations

from ..building.boxes import element_position
from ..building.builder import Builder, NothingFits
from ..building.productions import production
from ..building.values import Scalar, Tensor, literal, shape_text
from .creation import random_element

FEATURE = "bufferization"


@production(FEATURE, 0.8)
def materialize(builder: Builder) -> None:
    """bufferization.materialize_in_destination of tensors."""
    source = builder.pick()
    target = builder.destination(source.sizes, source.element)
    text = f"bufferization.materialize_in_destination {source.name} in {target.name}"
    builder.define(f"{text} : ({source.type}, {target.type}) -> {{}}", target.sizes, source.element)


@production(FEATURE, 0.6)
def alloc_copy(builder: Builder) -> None:
    """bufferization.alloc_tensor with a copy."""
    source = builder.pick()
    builder.define_like(source, f"bufferization.alloc_tensor() copy({source.name}) : {{}}")


@production(FEATURE, 0.3)
def dealloc(builder: Builder) -> None:
    """bufferization.dealloc_tensor of a fresh tensor that is not used any more."""
    source = builder.pick()
    copied = Tensor(builder.name(), source.sizes, source.element)
    builder.emit(f"{copied.name} = bufferization.alloc_tensor() copy({source.name}) : {copied.type}")
    builder.emit(f"bufferization.dealloc_tensor {copied.name} : {copied.type}")


@production(FEATURE, 0.4)
def to_buffer(builder: Builder) -> None:
    """A tensor passed to code on memrefs that reads an element of it."""
    source = builder.pick(lambda t: t.rank > 0)
    position = element_position(builder, source)
    memref = f"memref<{shape_text(source.sizes)}{source.element}, strided<[{', '.join('?' * source.rank)}], offset: ?>>"
    view, scalar = builder.name(), Scalar(builder.name(), source.element)
    builder.emit(f"{view} = bufferization.to_buffer {source.name} read_only : {source.type} to {memref}")
    builder.emit(f"{scalar.name} = memref.load {view}[{position}] : {memref}")
    builder.scope.scalars.append(scalar)


def _globals(builder: Builder) -> list[tuple[str, Tensor, bool]]:
    """Return the two globals of the module: symbol, a model of the tensor, whether it is mutable."""
    known = builder.module.globals
    while len(known) < 2:
        sizes = tuple(builder.draw.between(1, 4) for _ in range(builder.draw.between(1, 2)))
        element, is_mutable, name = random_element(builder), not known, f"@g{len(known)}"
        model = Tensor(name, sizes, element)
        value = literal(element, builder.draw.between(1, 60))
        word = "mutable " if is_mutable else ""
        declaration = f"ml_program.global private {word}{name}(dense<{value}> : {model.type}) : {model.type}"
        builder.module.functions.insert(0, declaration)
        known.append((name, model, is_mutable))
    return known


@production("globals", 0.6)
def global_load(builder: Builder) -> None:
    """The current tensor of a global."""
    name, model, is_mutable = builder.draw.choice(_globals(builder))
    if is_mutable and not builder.is_sequential:
        raise NothingFits
    op = "ml_program.global_load" if is_mutable or builder.draw.chance(0.5) else "ml_program.global_load_const"
    tensor = builder.define_like(model, f"{op} {name} : {{}}")
    builder.scope.overwritten.append(tensor)


@production("globals", 0.6)
def global_store(builder: Builder) -> None:
    """A store of another tensor to a global."""
    if not builder.is_sequential:
        raise NothingFits
    name, model, _ = _globals(builder)[0]
    value = builder.tensor_of(model.sizes, model.element, same_type=True)
    builder.emit(f"ml_program.global_store {name} = {value.name} : {value.type}")
