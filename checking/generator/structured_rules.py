"""Rules for programs of structured ops: contractions, convolutions, softmax, named or as linalg.generic."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .building.builder import Builder
from .building.productions import Production, Rule
from .building.structured import Operand, write_generic
from .building.values import FLOATS, Size, Tensor, literal
from .rules.named import emit_named

__all__ = ["RULES", "element_op", "emit_structured", "settled"]

Body = Callable[[list[str]], str]
"""Writes a payload on elements, and returns the name of the result."""

_WIDE = {"f16": "f32", "bf16": "f32", "i8": "i32"}
"""Accumulator types: in the element type, sums would be rounded or wrap around at once."""


def emit_structured(builder: Builder, domain: int, ins: Sequence[Operand], out: Operand, body: Body) -> Tensor:
    """Add a `linalg.generic` whose dimensions that `out` does not have are summed up."""
    reductions = [d for d in range(domain) if d not in out.dims]
    return write_generic(builder, domain, ins, [out], reductions, lambda values: [body(values)])[0]


def element_op(builder: Builder, name: str, element: str, *values: str) -> str:
    """Add `arith.add`, say, of floats or integers, and return the name of its result."""
    full = name if "." in name else f"arith.{name}{'f' if element in FLOATS else 'i'}"
    return builder.op(f"{full} {', '.join(values)} : {element}")


def _widened(builder: Builder, value: str, element: str, wide: str) -> str:
    op = "arith.extf" if element in FLOATS else "arith.extsi"
    return value if element == wide else builder.op(f"{op} {value} : {element} to {wide}")


def settled(builder: Builder, value: Tensor) -> Tensor:
    """Scale a sum back to the size of its terms, so that values stay small."""
    dims = tuple(range(value.rank))

    def body(values: list[str]) -> str:
        if value.element in FLOATS:
            scale = builder.op(f"arith.constant 0.0625 : {value.element}")
            return element_op(builder, "mul", value.element, values[0], scale)
        return element_op(builder, "arith.shrsi", value.element, values[0], builder.literal(value.element, 4))

    into = value if builder.draw.chance(0.3) else builder.empty(value.sizes, value.element)
    return emit_structured(builder, value.rank, [Operand(value, dims)], Operand(into, dims), body)


def _zeros(builder: Builder, sizes: tuple[Size, ...], element: str, number: str = "") -> Tensor:
    scalar, target = builder.name(), builder.empty(sizes, element)
    builder.emit(f"{scalar} = arith.constant {number or literal(element, 0)} : {element}")
    return builder.fill(scalar, target)


def _start(builder: Builder, sizes: tuple[Size, ...], element: str) -> Tensor:
    """Return the init of a sum: zeros, or a tensor in scope."""
    if builder.draw.chance(0.7):
        return _zeros(builder, sizes, element)
    return builder.written(builder.tensor_of(sizes, element, same_type=True))


def _product(builder: Builder, ins: Sequence[Tensor], wide: str) -> Body:
    def body(values: list[str]) -> str:
        wider = [_widened(builder, v, t.element, wide) for v, t in zip(values, ins, strict=False)]
        product = element_op(builder, "mul", wide, *wider)
        terms = (product, values[-1]) if builder.draw.chance(0.5) else (values[-1], product)
        return element_op(builder, "add", wide, *terms)

    return body


def contraction(builder: Builder) -> None:
    """A sum of products with dimensions in any order: some in both, some in one, with or without a batch."""
    draw = builder.draw
    left = builder.pick(lambda t: t.rank in (1, 2, 3) and t.element not in ("i1", "index"))
    order = draw.shuffled(range(left.rank))
    summed = order[: 2 if left.rank == 3 and draw.chance(0.2) else 1]
    batch = [d for d in order[len(summed) :] if draw.chance(0.25)]
    sizes: list[Size] = list(left.sizes)
    shared = [*summed, *batch]
    if draw.chance(0.8):
        other = builder.pick(lambda t: t.rank > 0)
        sizes.append(draw.choice(other.sizes))
        shared.append(len(sizes) - 1)
    dims = draw.shuffled(shared)
    right = builder.tensor_of(tuple(sizes[d] for d in dims), left.element)
    kept = [d for d in range(len(sizes)) if d not in summed]
    kept = draw.shuffled(kept) if draw.chance(0.3) else kept
    wide = _WIDE.get(left.element, left.element)
    out = _start(builder, tuple(sizes[d] for d in kept), wide)
    # The loops come in any order, too.
    names = draw.shuffled(range(len(sizes)))
    ins = [
        Operand(left, tuple(names[d] for d in range(left.rank))),
        Operand(right, tuple(names[d] for d in dims)),
    ]
    ins = ins[::-1] if draw.chance(0.3) else ins
    into = Operand(out, tuple(names[d] for d in kept))
    result = emit_structured(builder, len(sizes), ins, into, _product(builder, [o.tensor for o in ins], wide))
    if draw.chance(0.85):
        settled(builder, result)


def square(builder: Builder) -> None:
    """A product of a tensor with itself, transposed or not."""
    value = builder.pick(lambda t: t.rank == 2 and t.element in ("f32", "f64", "i32"))
    rows, inner = value.sizes
    out = _start(builder, (rows, rows), value.element)
    ins = [Operand(value, (0, 2)), Operand(value, (1, 2))]
    if builder.draw.chance(0.4) and builder.same(rows, inner):
        ins[1] = Operand(value, (2, 1))
    body = _product(builder, [value, value], value.element)
    settled(builder, emit_structured(builder, 3, ins, Operand(out, (0, 1)), body))


def named_product(builder: Builder) -> None:
    """linalg.matmul, batch_matmul, matvec and vecmat, with any init."""
    left = builder.pick(lambda t: t.rank in (1, 2, 3) and t.element in ("f32", "f64", "i32", "i64"))
    other = builder.draw.choice(builder.pick(lambda t: t.rank > 0).sizes)
    *rows, inner = left.sizes
    if left.rank == 2 and builder.draw.chance(0.25):
        name, right, out = "linalg.matvec", (inner,), (rows[0],)
    elif left.rank == 1:
        name, right, out = "linalg.vecmat", (inner, other), (other,)
    elif left.rank == 2:
        name, right, out = "linalg.matmul", (inner, other), (rows[0], other)
    else:
        name, right, out = "linalg.batch_matmul", (rows[0], inner, other), (*rows, other)
    ins = [left, builder.tensor_of(right, left.element)]
    result = emit_named(builder, name, ins, _start(builder, out, left.element))
    settled(builder, result)


def convolution(builder: Builder) -> None:
    """A convolution over one or two dimensions, channels first or last, on an image that is computed or given."""
    draw = builder.draw
    is_flat = draw.chance(0.5)
    channels, filters, window = draw.between(1, 5), draw.between(1, 24), draw.between(1, 3)
    places = (draw.between(window, 12),) if is_flat else (draw.between(window, 7), draw.between(window, 7))
    batch, windows, step = draw.between(1, 2), tuple(window for _ in places), draw.choice((1, 1, 2, 3))
    results = tuple((place - window) // step + 1 for place in places)
    if draw.chance(0.5):
        shapes = (batch, channels, *places), (filters, channels, *windows), (batch, filters, *results)
        name = "linalg.conv_1d_ncw_fcw" if is_flat else "linalg.conv_2d_nchw_fchw"
    else:
        shapes = (batch, *places, channels), (*windows, channels, filters), (batch, *results, filters)
        name = "linalg.conv_1d_nwc_wcf" if is_flat else "linalg.conv_2d_nhwc_hwcf"
    image = builder.tensor_of(shapes[0], "f32", same_type=True)
    weights = builder.constant_tensor(shapes[1], "f32")
    name += f" {{strides = dense<{step}> : tensor<{len(places)}xi64>}}"
    sizes = (image.sizes[0], *shapes[2][1:])
    settled(builder, settled(builder, emit_named(builder, name, [image, weights], _start(builder, sizes, "f32"))))


def _reduced(builder: Builder, value: Tensor, kept: tuple[int, ...], op: str, start: str) -> Tensor:
    dims = tuple(range(value.rank))
    out = _zeros(builder, tuple(value.sizes[d] for d in kept), value.element, start)

    def body(values: list[str]) -> str:
        return element_op(builder, op, value.element, *values)

    return emit_structured(builder, value.rank, [Operand(value, dims)], Operand(out, kept), body)


def softmax(builder: Builder) -> None:
    """Softmax over one dimension: the largest, powers, their sum, and quotients."""
    value = builder.pick(lambda t: t.rank in (1, 2, 3) and t.element in ("f32", "f64"))
    dims, element = tuple(range(value.rank)), value.element
    gone = dims[-1] if builder.draw.chance(0.7) else builder.draw.choice(dims)
    kept = tuple(d for d in dims if d != gone)
    top = _reduced(builder, value, kept, "arith.maximumf", "-1.0e30")

    def power(values: list[str]) -> str:
        return element_op(builder, "math.exp", element, element_op(builder, "sub", element, *values[:2]))

    def quotient(values: list[str]) -> str:
        return element_op(builder, "div", element, *values[:2])

    ins = [Operand(value, dims), Operand(top, kept)]
    into = builder.empty(value.sizes, element)
    powers = emit_structured(builder, len(dims), ins, Operand(into, dims), power)
    total = _reduced(builder, powers, kept, "arith.addf", "0.0")
    into = powers if builder.draw.chance(0.3) else builder.empty(value.sizes, element)
    ins = [Operand(powers, dims), Operand(total, kept)]
    emit_structured(builder, len(dims), ins, Operand(into, dims), quotient)


def _rule(rule: Rule, weight: float) -> Production:
    return Production("products", rule.__name__, weight, False, rule)


RULES = [
    _rule(contraction, 5),
    _rule(square, 0.7),
    _rule(named_product, 3),
    _rule(convolution, 0.7),
    _rule(softmax, 0.8),
]
"""The rules of structured programs, besides sweeps and rules shared with `generate`."""
