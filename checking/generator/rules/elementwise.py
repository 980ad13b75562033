"""Productions: arith and math on whole tensors, conversions between element types, selects."""

from __future__ import annotations

from ..building.builder import Builder
from ..building.payloads import binary_op
from ..building.productions import production
from ..building.values import FLOATS, Tensor, tensor_type

FEATURE = "elementwise"

_WIDTHS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "i8": 8, "i32": 32, "i64": 64}


@production(FEATURE, 1.5)
def arith_binary(builder: Builder) -> None:
    """Two tensors of one type."""
    model = builder.pick()
    one, other = builder.draw.shuffled([model, builder.like(model)])
    builder.written(one)
    op = binary_op(builder, model.element)
    builder.define_like(model, f"{op} {one.name}, {other.name} : {{}}")


@production(FEATURE, 0.6)
def math_unary(builder: Builder) -> None:
    """One tensor of floats or integers, by an op whose result is the same on every machine."""
    source = builder.pick(lambda t: t.element in ("f32", "f64", "i32", "i64"))
    floats = ("math.absf", "math.floor", "math.ceil", "arith.negf", "math.trunc")
    op = builder.draw.choice(floats if source.element in FLOATS else ("math.absi", "math.ctpop"))
    builder.written(source)
    builder.define_like(source, f"{op} {source.name} : {{}}")


@production(FEATURE, 0.6)
def compare(builder: Builder) -> None:
    """A tensor of i1."""
    source = builder.pick(lambda t: t.element != "i1")
    other = builder.like(source)
    op = "arith.cmpf olt," if source.element in FLOATS else "arith.cmpi slt,"
    builder.define(f"{op} {source.name}, {other.name} : {source.type}", source.sizes, "i1")


@production(FEATURE, 0.8)
def select_elements(builder: Builder) -> None:
    """arith.select by a tensor of i1."""
    model = builder.pick()
    mask = builder.tensor_of(model.sizes, "i1", same_type=True)
    one, other = builder.draw.shuffled([model, builder.like(model)])
    builder.written(one)
    text = f"arith.select {mask.name}, {one.name}, {other.name} : {mask.type}, {{}}"
    builder.define_like(model, text)


@production("select", 1)
def select_tensor(builder: Builder) -> None:
    """arith.select by a scalar: one of two buffers."""
    model = builder.pick()
    one, other = builder.draw.shuffled([model, builder.like(model)])
    text = f"arith.select {builder.condition().name}, {one.name}, {other.name} : {{}}"
    result = builder.define_like(model, text)
    builder.scope.overwritten += [one] if builder.draw.chance(0.3) else []
    builder.scope.overwritten.append(result)


@production(FEATURE, 0.5)
def convert(builder: Builder) -> None:
    """Another element type that holds all numbers of the old one, or one that drops bits."""
    source = builder.pick()
    op, element = builder.draw.choice(_conversions(source))
    builder.define(f"{op} {source.name} : {source.type} to {{}}", source.sizes, element)


def _conversions(source: Tensor) -> list[tuple[str, str]]:
    if source.element == "i1":
        return [("arith.extui", "i32"), ("arith.extui", "i8"), ("arith.uitofp", "f32")]
    if source.element == "index":
        return [("arith.index_cast", "i32"), ("arith.index_cast", "i64")]
    width = _WIDTHS[source.element]
    if source.element in FLOATS:
        wider = [("arith.extf", e) for e in ("f32", "f64") if _WIDTHS[e] > width]
        return wider + [("arith.truncf", e) for e in ("f32", "f16") if _WIDTHS[e] < width]
    wider = [("arith.extsi", e) for e in ("i32", "i64") if _WIDTHS[e] > width]
    narrower = [("arith.trunci", e) for e in ("i8", "i32") if _WIDTHS[e] < width]
    return [*wider, *narrower, ("arith.sitofp", "f32"), *([("arith.index_cast", "index")] if width > 8 else [])]


@production(FEATURE, 0.3)
def bitcast(builder: Builder) -> None:
    """tensor.bitcast: the same memory, read as another type of that width."""
    pairs = {"f32": "i32", "i32": "f32", "f64": "i64"}
    source = builder.pick(lambda t: t.element in ("f32", "f64"))
    bits = tensor_type(source.sizes, pairs[source.element])
    middle = builder.define(
        f"tensor.bitcast {source.name} : {source.type} to {bits}", source.sizes, pairs[source.element]
    )
    if builder.draw.chance(0.5):
        builder.define_like(source, f"tensor.bitcast {middle.name} : {bits} to {{}}")
