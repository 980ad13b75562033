"""Random slices that stay inside of a tensor in every run, and positions of elements that exist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .builder import Builder, NothingFits
from .values import IndexValue, Size, Tensor, largest, least


@dataclass(frozen=True)
class Box:
    """Offsets, sizes and strides, one of each for every dimension; `dropped` are left out of the tensor's type."""

    offsets: tuple[Size, ...]
    sizes: tuple[Size, ...]
    strides: tuple[int, ...]
    dropped: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """`[…] […] […]` as slices are written."""
        lists = (", ".join(map(_entry, part)) for part in (self.offsets, self.sizes, self.strides))
        return " ".join(f"[{part}]" for part in lists)

    @property
    def kept(self) -> tuple[Size, ...]:
        """The sizes that the type of the slice has."""
        return tuple(size for dimension, size in enumerate(self.sizes) if dimension not in self.dropped)


def _entry(entry: Size) -> str:
    return str(entry) if isinstance(entry, int) else entry.name


def random_box(builder: Builder, shape: Sequence[Size], *, may_drop: bool = True) -> Box:
    """Return a slice of a tensor with these sizes."""
    offsets: list[Size] = []
    sizes: list[Size] = []
    strides: list[int] = []
    for extent in shape:
        stride = 2 if builder.draw.chance(0.12) else 1
        offset = random_offset(builder, extent)
        offsets.append(offset)
        sizes.append(random_size(builder, extent, offset, stride))
        strides.append(stride)
    dropped: tuple[int, ...] = ()
    if may_drop and builder.draw.chance(0.5):
        dropped = tuple(d for d, size in enumerate(sizes) if size == 1)
    return Box(tuple(offsets), tuple(sizes), tuple(strides), dropped)


def random_offset(builder: Builder, extent: Size) -> Size:
    """Return an offset below `extent`; 0 where there may be no elements."""
    if builder.draw.chance(0.4):
        return 0
    position = element_index(builder, extent)
    return 0 if position is None else position


def element_index(builder: Builder, extent: Size) -> Size | None:
    """Return the index of an element that exists, a number or a value; None if there may be no element."""
    if builder.minimum(extent) == 0:
        return None
    fitting = builder.pick_index(
        lambda i: all(i.bounds[n][0] >= 0 and i.bounds[n][1] < least(extent, n) for n in builder.live)
    )
    if fitting is not None and builder.draw.chance(0.6):
        return fitting
    return builder.draw.below(builder.minimum(extent))


def random_size(builder: Builder, extent: Size, offset: Size, stride: int) -> Size:
    """Return how many elements a slice of `extent` takes from `offset` on."""
    room = {n: _count(least(extent, n) - largest(offset, n), stride) for n in builder.live}
    if offset == 0 and stride == 1 and builder.draw.chance(0.3):
        return extent
    if builder.draw.chance(0.4) or min(room.values()) == 0:
        found = builder.pick_index(lambda i: all(0 <= i.bounds[n][0] <= i.bounds[n][1] <= room[n] for n in room))
        if found is not None and builder.draw.chance(0.6):
            return found
        return _computed_size(builder, extent, offset, stride)
    return builder.static_size(min(room.values()))


def _count(room: int, stride: int) -> int:
    return max(0, (room + stride - 1) // stride)


def _computed_size(builder: Builder, extent: Size, offset: Size, stride: int) -> IndexValue:
    """The remainder behind the offset, limited to a few elements."""
    value = builder.value(extent)
    if offset != 0:
        start = builder.value(offset)
        value = builder.define_index(
            f"arith.subi {value.name}, {start.name} : index",
            lambda n, v=value: (max(0, v.bounds[n][0] - largest(offset, n)), v.bounds[n][1] - least(offset, n)),
        )
    limit = builder.constant(1 if stride == 2 else builder.draw.between(1, 4))
    return builder.define_index(
        f"arith.minsi {value.name}, {limit.name} : index",
        lambda n: (min(value.bounds[n][0], limit.bounds[n][0]), min(value.bounds[n][1], limit.bounds[n][1])),
    )


def element_position(builder: Builder, tensor: Tensor) -> str:
    """Return `%i, %j` for an element of `tensor` that exists; raises `NothingFits`."""
    names: list[str] = []
    for extent in tensor.sizes:
        position = element_index(builder, extent)
        if position is None:
            raise NothingFits
        names.append(builder.value(position).name)
    return ", ".join(names)
