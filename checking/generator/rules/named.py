"""Productions: named linalg ops."""

from __future__ import annotations

from ..building.builder import Builder
from ..building.productions import production
from ..building.values import FLOATS, Size, Tensor

FEATURE = "named"

_BINARY = ("linalg.add", "linalg.sub", "linalg.max", "linalg.min")


def emit_named(builder: Builder, name: str, ins: list[Tensor], out: Tensor, ending: str = " -> {}") -> Tensor:
    """Add a named op with one init; what follows the operands is the type of the result, or attributes."""
    names, types = ", ".join(t.name for t in ins), ", ".join(t.type for t in ins)
    return builder.define_like(out, f"{name} ins({names} : {types}) outs({out.name} : {out.type}){ending}")


@production(FEATURE, 1)
def elementwise_named(builder: Builder) -> None:
    """add, sub, max, min of two tensors."""
    model = builder.pick(lambda t: t.element not in ("i1", "index"))
    ins = [model, builder.tensor_of(model.sizes, model.element)]
    emit_named(builder, builder.draw.choice(_BINARY), ins, builder.destination(model.sizes, model.element))


@production(FEATURE, 0.6)
def copy(builder: Builder) -> None:
    """linalg.copy from one tensor to another."""
    model = builder.pick()
    emit_named(builder, "linalg.copy", [model], builder.destination(model.sizes, model.element))


@production(FEATURE, 0.7)
def transpose(builder: Builder) -> None:
    """linalg.transpose, into the tensor itself too if that is square."""
    source = builder.pick(lambda t: t.rank in (2, 3))
    order = builder.draw.shuffled(range(source.rank))
    sizes = tuple(source.sizes[d] for d in order)
    out = builder.destination(sizes, source.element)
    emit_named(builder, "linalg.transpose", [source], out, f" permutation = {order}")


@production(FEATURE, 0.7)
def broadcast(builder: Builder) -> None:
    """linalg.broadcast along one dimension."""
    model = builder.pick(lambda t: t.rank in (1, 2, 3))
    added = builder.draw.below(model.rank)
    sizes: tuple[Size, ...] = tuple(size for d, size in enumerate(model.sizes) if d != added)
    source = builder.tensor_of(sizes, model.element, same_type=True)
    out = builder.destination(model.sizes, model.element)
    emit_named(builder, "linalg.broadcast", [source], out, f" dimensions = [{added}]")


@production(FEATURE, 0.7)
def reduce(builder: Builder) -> None:
    """linalg.reduce with one combining op."""
    source = builder.pick(lambda t: t.rank in (1, 2) and t.element in ("f32", "f64", "i32", "i64"))
    gone = builder.draw.below(source.rank)
    sizes = tuple(size for d, size in enumerate(source.sizes) if d != gone)
    out = builder.written(builder.tensor_of(sizes, source.element, same_type=True))
    combine = "arith.maximumf" if source.element in FLOATS else "arith.addi"
    emit_named(builder, f"linalg.reduce {{ {combine} }}", [source], out, f" dimensions = [{gone}]")


@production(FEATURE, 0.6)
def matmul(builder: Builder) -> None:
    """linalg.matmul or a product with a vector, accumulating into its init."""
    left = builder.pick(lambda t: t.rank == 2 and t.element in ("f32", "f64", "i32", "i8"))
    rows, inner = left.sizes
    if builder.draw.chance(0.4):
        out = builder.tensor_of((rows,), left.element, same_type=True)
        emit_named(builder, "linalg.matvec", [left, builder.tensor_of((inner,), left.element)], builder.written(out))
        return
    right = builder.find(lambda t: t.rank == 2 and t.element == left.element and builder.same(t.sizes[0], inner))
    if right is None:
        right = builder.filled((inner, builder.draw.between(1, 4)), left.element)
    out = builder.tensor_of((rows, right.sizes[1]), left.element, same_type=True)
    emit_named(builder, "linalg.matmul", [left, right], builder.written(out))


@production(FEATURE, 0.4)
def dot(builder: Builder) -> None:
    """linalg.dot into a tensor of rank 0."""
    left = builder.pick(lambda t: t.rank == 1 and t.element in ("f32", "f64", "i32"))
    right = builder.tensor_of(left.sizes, left.element)
    out = builder.tensor_of((), left.element)
    emit_named(builder, "linalg.dot", [left, right], builder.written(out))


@production(FEATURE, 0.3)
def pooling(builder: Builder) -> None:
    """linalg.pooling_nhwc_max on a small image: a window whose content is never needed."""
    image = builder.find(
        lambda t: t.rank == 4 and t.element == "f32" and all(isinstance(s, int) and s >= 2 for s in t.sizes[1:3])
    )
    if image is None:
        sizes = (1, builder.draw.between(2, 3), builder.draw.between(2, 4), builder.draw.between(1, 2))
        image = builder.constant_tensor(sizes, "f32")
    window = builder.empty((2, 2), "f32")
    height, width = (size - 1 for size in image.sizes[1:3] if isinstance(size, int))
    out = builder.tensor_of((image.sizes[0], height, width, image.sizes[3]), "f32", same_type=True)
    emit_named(builder, "linalg.pooling_nhwc_max", [image, window], builder.written(out))


@production(FEATURE, 0.3)
def index_map(builder: Builder) -> None:
    """linalg.map, which never reads its init."""
    model = builder.pick(lambda t: t.element in ("f32", "i32"))
    other, out = builder.like(model), builder.destination(model.sizes, model.element)
    op = "arith.subf" if model.element in FLOATS else "arith.subi"
    emit_named(builder, f"linalg.map {{ {op} }}", [model, other], out, "")
