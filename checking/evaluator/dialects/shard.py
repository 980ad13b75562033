"""shard on tensors: collectives among the ranks that differ in some grid axes only."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import known, on_values, plain
from ..values.attributes import DYNAMIC, integer, integers
from ..values.combining import COMBINERS, combined
from ..values.errors import EvaluationError
from ..values.ranks import Communicator
from ..values.signature import Function
from ..values.slices import balanced_part, replaced
from ..values.undefined import empty
from .mpi import place_of, rank_of

__all__ = ["OPS"]

_SEND_TAG = -2
"""No message of `shard.send` is taken for another one."""


def _grid(decoder: Decoder, op: ir.Operation) -> tuple[int, ...]:
    grid = decoder.machine.symbols.get(ir.FlatSymbolRefAttr(op.attributes["grid"]).value)
    if grid is None or grid.name != "shard.grid":
        raise EvaluationError("the grid is not in the module")
    shape = tuple(integers(grid, "shape"))
    size = rank_of(decoder).world.size
    if DYNAMIC in shape or np.prod(shape, dtype=object) != size:
        raise EvaluationError(f"the grid is {list(shape)}, but there are {size} ranks")
    return shape


def _group(decoder: Decoder, op: ir.Operation, axes: Sequence[int]) -> Communicator:
    """The ranks with this one's coordinates in all other axes, ordered by theirs in `axes`."""
    shape, rank = _grid(decoder, op), rank_of(decoder)
    own = [int(coordinate) for coordinate in np.unravel_index(rank.number, shape)]
    members: list[int] = []
    for chosen in itertools.product(*(range(shape[axis]) for axis in axes)):
        position = list(own)
        for axis, coordinate in zip(axes, chosen, strict=True):
            position[axis] = coordinate
        members.append(int(np.ravel_multi_index(position, shape)))
    return rank.world.group(members)


Compute = Callable[[list[Any], int, Any], Any]
"""From the values of all ranks of the group, this rank's number in it, and its own value, to its result."""


def _collective(make: Callable[[ir.Operation], Compute]) -> Handler:
    """The handler of an op on one tensor, by what it computes of the tensors of the group."""

    @on_values
    def handler(decoder: Decoder, op: ir.Operation) -> Function:
        rank, place, compute = rank_of(decoder), place_of(op), make(op)
        group = _group(decoder, op, integers(op, "grid_axes"))
        number = rank.within(group)
        return lambda value, *_: compute(rank.meet(group, place, op.name, value), number, value)

    return handler


def _kind(op: ir.Operation) -> str:
    kind = str(op.attributes["reduction"]).removeprefix("#shard<partial ").removesuffix(">")
    if kind not in COMBINERS:
        raise EvaluationError(f"reduction {kind} is not supported")
    return kind


def _all_reduce(op: ir.Operation) -> Compute:
    kind = _kind(op)
    return lambda values, _number, _own: combined(kind, values)


def _reduce_scatter(op: ir.Operation) -> Compute:
    kind, dimension = _kind(op), integer(op, "scatter_dim")
    return lambda values, number, _: balanced_part(combined(kind, values), dimension, len(values), number)


def _all_gather(op: ir.Operation) -> Compute:
    dimension = integer(op, "gather_axis")
    return lambda values, _number, _own: np.concatenate(values, dimension)


def _all_slice(op: ir.Operation) -> Compute:
    dimension = integer(op, "slice_axis")
    return lambda values, number, own: balanced_part(own, dimension, len(values), number)


def _all_to_all(op: ir.Operation) -> Compute:
    split, concat = integer(op, "split_axis"), integer(op, "concat_axis")
    return lambda values, number, _: np.concatenate(
        [balanced_part(v, split, len(values), number) for v in values], concat
    )


@on_values
def _shift(decoder: Decoder, op: ir.Operation) -> Function:
    """From the rank `offset` before along one axis; ranks of a group of several axes meet all the same."""
    rank, place, axes, offset = rank_of(decoder), place_of(op), integers(op, "grid_axes"), integer(op, "offset")
    group, shape = _group(decoder, op, axes), _grid(decoder, op)
    extents, along = [shape[axis] for axis in axes], axes.index(integer(op, "shift_axis"))
    position = [int(coordinate) for coordinate in np.unravel_index(rank.within(group), extents)]
    source = position[along] - offset
    if "rotate" in op.attributes:
        source %= extents[along]
    is_there = 0 <= source < extents[along]
    position[along] = source if is_there else 0
    number = int(np.ravel_multi_index(position, extents))

    def shift(value: Any) -> Any:
        values = rank.meet(group, place, op.name, value)
        return values[number] if is_there else empty(value.shape, value.dtype)

    return shift


@on_values
def _broadcast(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place, axes, root = rank_of(decoder), place_of(op), integers(op, "grid_axes"), integers(op, "root")
    group, shape = _group(decoder, op, axes), _grid(decoder, op)
    number = int(np.ravel_multi_index(root, [shape[axis] for axis in axes])) if axes else 0
    return lambda value, *_: rank.meet(group, place, op.name, value)[number]


def _named_rank(decoder: Decoder, op: ir.Operation, name: str) -> Callable[..., int]:
    """The number in the group of the rank that an attribute names by coordinates, some of which are operands."""
    shape, axes = _grid(decoder, op), integers(op, "grid_axes")
    extents, written = [shape[axis] for axis in axes], integers(op, name)

    def number(*dynamic: Any) -> int:
        given = iter(dynamic)
        position = [int(next(given)) if coordinate == DYNAMIC else coordinate for coordinate in written]
        if not all(0 <= coordinate < extent for coordinate, extent in zip(position, extents, strict=True)):
            raise EvaluationError(f"{name} {position} is no rank of a group of {extents}")
        return int(np.ravel_multi_index(position, extents)) if axes else 0

    return number


@on_values
def _send(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place, number = rank_of(decoder), place_of(op), _named_rank(decoder, op, "destination")
    group = _group(decoder, op, integers(op, "grid_axes"))

    def send(value: Any, *dynamic: Any) -> Any:
        rank.delivered(rank.send(group, value, number(*dynamic), _SEND_TAG), place)
        return value

    return send


@on_values
def _recv(decoder: Decoder, op: ir.Operation) -> Function:
    if "source" not in op.attributes:
        raise EvaluationError("a message of any rank is not evaluated: the result depends on their turns")
    rank, place, number = rank_of(decoder), place_of(op), _named_rank(decoder, op, "source")
    group = _group(decoder, op, integers(op, "grid_axes"))

    def receive(room: Any, *dynamic: Any) -> Any:
        value = rank.receive(group, number(*dynamic), place, _SEND_TAG)
        if value.shape != room.shape:
            raise EvaluationError(f"a tensor of {list(value.shape)} is received, but one of {list(room.shape)} wanted")
        return value

    return receive


@on_values
def _update_halo(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place, widths = rank_of(decoder), place_of(op), integers(op, "static_halo_sizes")
    text = str(op.attributes["split_axes"]).removeprefix("#shard<axisarray[").removesuffix("]>").replace(" ", "")
    split = [[int(axis) for axis in part.split(",") if axis] for part in text[1:-1].split("],[")] if text else []
    steps: list[tuple[int, Communicator, int, int]] = []
    for dimension, axes in enumerate(split):
        if axes:
            before, after, *widths = widths
            steps.append((dimension, _group(decoder, op, axes), before, after))

    def update(value: Any) -> Any:
        for dimension, group, before, after in steps:
            values, number = rank.meet(group, place, op.name, value), rank.within(group)
            lead, size = (slice(None),) * dimension, value.shape[dimension]
            if number > 0 and before:
                other = values[number - 1]
                end = other.shape[dimension] - after
                value = replaced(value, (*lead, slice(0, before)), other[(*lead, slice(end - before, end))])
            if number < len(values) - 1 and after:
                other = values[number + 1]
                value = replaced(
                    value, (*lead, slice(size - after, size)), other[(*lead, slice(before, before + after))]
                )
        return value

    return update


@on_values
def _position(decoder: Decoder, op: ir.Operation) -> Function:
    position = [int(c) for c in np.unravel_index(rank_of(decoder).number, _grid(decoder, op))]
    chosen = [position[axis] for axis in integers(op, "axes")] or position
    return lambda: chosen if len(chosen) > 1 else chosen[0]


@on_values
def _linear(decoder: Decoder, op: ir.Operation) -> Function:
    rank = rank_of(decoder)
    _grid(decoder, op)
    return lambda: rank.number


@on_values
def _shape(decoder: Decoder, op: ir.Operation) -> Function:
    shape = _grid(decoder, op)
    chosen = [shape[axis] for axis in integers(op, "axes")] or list(shape)
    return lambda: chosen if len(chosen) > 1 else chosen[0]


OPS: dict[str, Handler] = {
    "shard.sharding": known(lambda _decoder, _op: None),
    "shard.shard": plain(lambda value, _sharding: value),
    "shard.all_reduce": _collective(_all_reduce),
    "shard.reduce_scatter": _collective(_reduce_scatter),
    "shard.all_gather": _collective(_all_gather),
    "shard.all_slice": _collective(_all_slice),
    "shard.all_to_all": _collective(_all_to_all),
    "shard.shift": _shift,
    "shard.broadcast": _broadcast,
    "shard.send": _send,
    "shard.recv": _recv,
    "shard.update_halo": _update_halo,
    "shard.process_multi_index": _position,
    "shard.process_linear_index": _linear,
    "shard.grid_shape": _shape,
}
