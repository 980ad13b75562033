"""Rules for programs of structured ops: stencils in time loops, and loops around other ops."""

from __future__ import annotations

from collections.abc import Callable

from .building.boxes import Box
from .building.builder import Builder
from .building.payloads import emit_binary
from .building.productions import Production
from .building.structured import Operand
from .building.values import FLOATS, IndexValue, Tensor, largest
from .rules.loops import Counter, carry
from .rules.slices import take
from .structured_rules import element_op, emit_structured

__all__ = ["SWEEPS"]


def _trips(builder: Builder) -> IndexValue:
    known = [index for index in builder.scope.indices if index.name == "%i"]
    return known[0] if known and builder.draw.chance(0.5) else builder.constant(builder.draw.below(9))


def _slice(builder: Builder, source: Tensor, offsets: list[int], sizes: tuple[int, ...]) -> Tensor:
    return take(builder, source, Box(tuple(offsets), sizes, (1,) * len(sizes)))


def sweep(builder: Builder) -> None:
    """scf.for around a stencil: each element from some of its neighbours, those at the border stay."""
    draw = builder.draw
    value = builder.find(
        lambda t: t.rank in (1, 2, 3) and t.is_static and t.element in ("f32", "f64", "i32") and _inside(t) is not None
    )
    if value is None or draw.chance(0.4):
        # Many short rows: several fit into the caches of a small machine.
        value = builder.constant_tensor((draw.between(17, 40), draw.between(3, 8)), draw.choice(("f32", "i32")))
    inner = _inside(value) or ()
    count, trips = draw.between(1, 4), _trips(builder)

    def body(argument: Tensor) -> Tensor:
        for _ in range(1 if draw.chance(0.8) else 2):
            argument = _swept(builder, argument, inner, count)
        return argument

    _loop(builder, value, trips, body)


def _loop(builder: Builder, value: Tensor, trips: IndexValue, body: Callable[[Tensor], Tensor]) -> None:
    """An scf.for of so many `trips` that carries `value`; `body` makes the next one from its argument."""
    index = IndexValue(builder.name(), tuple((0, largest(trips, n)) for n in range(3)))
    zero, one = builder.constant(0), builder.constant(1)
    counter = Counter(f"{zero.name} to {trips.name} step {one.name}", index)
    carry(builder, [value], counter, lambda arguments: [body(arguments[0])])


def _inside(tensor: Tensor) -> tuple[int, ...] | None:
    """Return the sizes without the border; dimensions of one or two elements have none."""
    sizes = tuple(size for size in tensor.sizes if isinstance(size, int))
    inner = tuple(size - 2 if size > 2 else size for size in sizes)
    return inner if inner != sizes else None


def _swept(builder: Builder, old: Tensor, inner: tuple[int, ...], count: int) -> Tensor:
    draw, element = builder.draw, old.element
    ends = [size - part for size, part in zip(old.sizes, inner, strict=True) if isinstance(size, int)]
    slices = [_slice(builder, old, [draw.between(0, end) for end in ends], inner) for _ in range(count)]
    if draw.chance(0.3):
        slices.append(builder.tensor_of(inner, element))
    dims = tuple(range(len(inner)))

    def body(values: list[str]) -> str:
        total = values[0]
        for value in values[1:-1]:
            total = element_op(builder, "add", element, total, value)
        if element not in FLOATS:
            return emit_binary(builder, element, total, total)
        scale = builder.op(f"arith.constant 0.25 : {element}")
        return element_op(builder, "mul", element, total, scale)

    centre = [end // 2 for end in ends]
    into = _slice(builder, old, centre, inner) if draw.chance(0.5) else builder.empty(inner, element)
    computed = emit_structured(builder, len(dims), [Operand(s, dims) for s in slices], Operand(into, dims), body)
    steps = [1] * len(inner)
    text = f"tensor.insert_slice {computed.name} into {old.name}{centre} {list(inner)} {steps}"
    return builder.define(f"{text} : {computed.type} into {{}}", old.sizes, element)


def repeated(builder: Builder) -> None:
    """scf.for around a few structured ops, with one loop-carried tensor."""
    value = builder.pick(lambda t: t.rank > 0)

    def body(argument: Tensor) -> Tensor:
        builder.scope.tensors.append(argument)
        builder.scope.overwritten.append(argument)
        for _ in range(builder.draw.between(1, 3)):
            builder.produce()
        return builder.like(argument)

    _loop(builder, value, _trips(builder), body)


SWEEPS = [Production("sweeps", "sweep", 1.5, True, sweep), Production("sweeps", "repeated", 1.5, True, repeated)]
"""Loops of structured programs."""
