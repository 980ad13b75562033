"""Productions: linalg.pack, linalg.unpack and linalg.softmax."""

from __future__ import annotations

from ..building.builder import Builder, NothingFits
from ..building.productions import production
from .named import emit_named

FEATURE = "packing"


@production(FEATURE, 0.6)
def pack(builder: Builder) -> None:
    """A layout of tiles, with padding where they are not full."""
    source = builder.pick(lambda t: t.rank in (1, 2) and t.is_static)
    plain = [size for size in source.sizes if isinstance(size, int)]
    tiles = [builder.draw.between(1, 3) for _ in plain]
    outer = [-(-size // tile) for size, tile in zip(plain, tiles, strict=True)]
    positions = builder.draw.shuffled(range(len(plain)))
    order = builder.draw.shuffled(range(len(plain)))
    is_full = all(size % tile == 0 for size, tile in zip(plain, tiles, strict=True))
    sizes = (*(outer[d] for d in order), *(tiles[d] for d in positions))
    target = builder.destination(sizes, source.element)
    padding = ""
    if not is_full or builder.draw.chance(0.2):
        padding = f" padding_value({builder.scalar(source.element).name} : {source.element})"
    layout = f"outer_dims_perm = {order} inner_dims_pos = {positions} inner_tiles = {[tiles[d] for d in positions]}"
    packed = builder.define(
        f"linalg.pack {source.name}{padding} {layout} into {target.name} : {source.type} -> {{}}", sizes, source.element
    )
    if builder.draw.chance(0.5):
        back = builder.destination(source.sizes, source.element)
        text = f"linalg.unpack {packed.name} {layout} into {back.name} : {packed.type} -> {{}}"
        builder.define_like(source, text)


@production(FEATURE, 0.7)
def unpack(builder: Builder) -> None:
    """Tiles of any tensor of the right rank, whose last ones may stick out."""
    source = builder.pick(lambda t: t.rank in (2, 4) and t.is_static)
    packed = [size for size in source.sizes if isinstance(size, int)]
    half = source.rank // 2
    sizes = tuple(packed[d] * packed[half + d] for d in range(half))
    if any(size > 12 for size in sizes):
        raise NothingFits
    # One element less where that still needs as many tiles.
    sizes = tuple(
        size - 1 if packed[half + d] > 1 and builder.draw.chance(0.4) else size for d, size in enumerate(sizes)
    )
    target = builder.destination(sizes, source.element)
    layout = f"inner_dims_pos = {list(range(half))} inner_tiles = {packed[half:]}"
    builder.define(
        f"linalg.unpack {source.name} {layout} into {target.name} : {source.type} -> {{}}", sizes, source.element
    )


@production(FEATURE, 0.25)
def softmax(builder: Builder) -> None:
    """linalg.softmax, of what fits into its input too."""
    source = builder.pick(lambda t: t.rank in (1, 2) and t.element in ("f32", "f64"))
    out = builder.destination(source.sizes, source.element)
    source = builder.cast(source, out.sizes)
    emit_named(builder, f"linalg.softmax dimension({builder.draw.below(source.rank)})", [source], out)
