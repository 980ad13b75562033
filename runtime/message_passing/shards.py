"""Whole arrays and shards: what each rank has of the arguments and results of a partitioned program.

The messages are described by MPI's own types of parts of arrays, so nothing is packed: a part of the whole goes to its
place in the shard of another rank, and back.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod
from typing import Any

import numpy as np

from ...dialects.support.frozen_classes import frozen
from ...dialects.support.shard_layout import ShardLayout
from ..interface.signature import Parameter, Signature, ValueType
from .communicators import Communicators
from .library import mpi

__all__ = ["Shard", "ShardedSignature", "gather", "local_sizes", "require_ranks", "scatter", "whole_shape"]

Array = np.ndarray[Any, Any]


@frozen
class Shard:
    """How one argument or result lies on the ranks: the type of the whole, and the layout; None for a scalar."""

    whole: ValueType
    layout: ShardLayout | None

    @property
    def has_border(self) -> bool:
        """Whether the shard holds elements of its neighbours."""
        return self.layout is not None and any(map(any, self.layout.halo))


@frozen
class ShardedSignature:
    """The arguments and results of one function of a partitioned program."""

    grid: tuple[int, ...]
    parameters: tuple[Shard, ...]
    results: tuple[Shard, ...]

    def without(self, held: Collection[int]) -> ShardedSignature:
        """The same without the arguments of these numbers."""
        rest = tuple(shard for number, shard in enumerate(self.parameters) if number not in held)
        return ShardedSignature(self.grid, rest, self.results)

    def of_whole(self, local: Signature) -> Signature:
        """The signature for whole arrays of the function that has the signature `local` for shards."""
        types = zip(local.parameters, self.parameters, strict=True)
        parameters = tuple(Parameter(p.index, p.name, shard.whole, p.writable) for p, shard in types)
        results = tuple(shard.whole for shard in self.results)
        return Signature(local.name, parameters, results, result_names=local.result_names)


def require_ranks(grid: Sequence[int] | None, size: int) -> None:
    """Raise `ValueError` if a program for a grid of ranks is to run on another number of them."""
    if grid is not None and prod(grid) != size:
        raise ValueError(
            f"the program is partitioned for a grid of {'x'.join(map(str, grid))}, which is {prod(grid)} ranks, but "
            f"comm has {size}; start as many, or partition it for another grid"
        )


def local_sizes(shards: ShardedSignature, signature: Signature, arguments: Sequence[Any], rank: int) -> list[list[int]]:
    """The sizes that must be the same on all ranks: of dimensions that are not split.

    Raises `ValueError` for a shard that has not the size that is this rank's of a whole whose size is known.
    """
    found: list[list[int]] = []
    for parameter, shard, argument in zip(signature.parameters, shards.parameters, arguments, strict=False):
        if shard.layout is None or np.ndim(argument) != len(shard.whole.shape):
            continue  # The latter is an error that the call itself reports.
        sizes: list[int] = []
        for dimension, (size, got) in enumerate(zip(shard.whole.shape, np.shape(argument), strict=True)):
            if not shard.layout.axes[dimension]:
                sizes.append(got)
            elif size is not None:
                _, count = shard.layout.extent(rank, dimension, size)
                wanted = count + sum(shard.layout.halo[dimension])
                if got != wanted:
                    raise ValueError(
                        f"{parameter.label}: dimension {dimension} of the shard of rank {rank} of "
                        f"{shard.whole.spelling} has size {wanted}, got {got}; to give the whole, give it on rank 0 "
                        "alone, and None on the others"
                    )
        found.append(sizes)
    return found


def whole_shape(shard: Shard, local: Array, communicator: Communicators) -> tuple[int, ...]:
    """The shape of the whole; sizes that the program does not know are added up. All ranks must call it."""
    layout, known = shard.layout, shard.whole.shape
    if layout is None or None not in known:
        return tuple(size or 0 for size in known)
    shapes: list[tuple[int, ...]] = communicator.control.allgather(local.shape)
    sizes: list[int] = []
    for dimension in range(len(known)):
        parts = {layout.part(rank, dimension): shape[dimension] for rank, shape in enumerate(shapes)}
        sizes.append(sum(parts.values()) - len(parts) * sum(layout.halo[dimension]))
    return tuple(sizes)


def scatter(
    communicator: Communicators, layout: ShardLayout, whole: Array | None, shape: Sequence[int], dtype: Any
) -> Array:
    """The shard of this rank; rank 0 gives the whole array, of the given shape and type, and all ranks call it.

    A border holds the neighbours' elements, and 0 beyond the ends of the whole.
    """
    comm = communicator.native
    shard = np.zeros(layout.local_shape(communicator.rank, shape), dtype)
    if communicator.rank:
        part = _reached(layout, communicator.rank, shape)
        _receive(comm, shard, part[1])
        return shard
    assert whole is not None
    whole = np.ascontiguousarray(whole)
    requests = [
        request
        for rank in range(1, communicator.size)
        for request in _send(comm, whole, _reached(layout, rank, shape)[0], rank)
    ]
    source, target = _reached(layout, 0, shape)
    shard[target] = whole[source]
    for request in requests:
        request.Wait()
    return shard


def gather(
    communicator: Communicators, layout: ShardLayout, shard: Array, shape: Sequence[int], whole: Array | None
) -> Array | None:
    """The whole array on rank 0, in `whole` if that is given, and None on the others; all ranks call it.

    Of a part that several ranks have, the one of the least rank is taken.
    """
    comm, rank = communicator.native, communicator.rank
    inside, first = layout.inside(rank, shape), first_of_part(layout, rank)
    if rank:
        if first == rank:
            for request in _send(comm, np.ascontiguousarray(shard), inside, 0):
                request.Wait()
        return None
    target = np.empty(tuple(shape), shard.dtype) if whole is None else whole
    received = target if target.flags.c_contiguous else np.empty(target.shape, target.dtype)
    for other in range(1, communicator.size):
        if first_of_part(layout, other) == other:
            _receive(comm, received, layout.owned(other, shape), other)
    received[layout.owned(0, shape)] = shard[inside]
    if received is not target:
        target[...] = received
    return target


def first_of_part(layout: ShardLayout, rank: int) -> int:
    """The least rank that has the same part."""
    dimensions = range(len(layout.axes))
    part = [layout.part(rank, dimension) for dimension in dimensions]
    return next(r for r in range(rank + 1) if [layout.part(r, dimension) for dimension in dimensions] == part)


Slices = tuple[slice, ...]


def _reached(layout: ShardLayout, rank: int, shape: Sequence[int]) -> tuple[Slices, Slices]:
    """What the shard of a rank, its border included, has of the whole; and where that is in the shard."""
    of_whole: list[slice] = []
    of_shard: list[slice] = []
    for dimension, size in enumerate(shape):
        offset, count = layout.extent(rank, dimension, size)
        before, after = layout.halo[dimension]
        start, stop = max(offset - before, 0), min(offset + count + after, size)
        of_whole.append(slice(start, max(stop, start)))
        of_shard.append(slice(start - (offset - before), max(stop, start) - (offset - before)))
    return tuple(of_whole), tuple(of_shard)


def _send(comm: Any, array: Array, part: Slices, rank: int) -> list[Any]:
    type_ = _part_type(array, part)
    if type_ is None:
        return []
    request = comm.Isend([array.view(np.uint8) if array.ndim else array, 1, type_], rank)
    type_.Free()
    return [request]


def _receive(comm: Any, array: Array, part: Slices, rank: int = 0) -> None:
    type_ = _part_type(array, part)
    if type_ is not None:
        comm.Recv([array.view(np.uint8) if array.ndim else array, 1, type_], rank)
        type_.Free()


def _part_type(array: Array, part: Slices) -> Any:
    """MPI's type of a part of a row-major array, in bytes; None if the part is empty."""
    starts = [one.start for one in part]
    counts = [one.stop - one.start for one in part]
    if 0 in counts:
        return None
    sizes, counts, starts = (
        [*given, last] for given, last in ((array.shape, array.itemsize), (counts, array.itemsize), (starts, 0))
    )
    return mpi().BYTE.Create_subarray(sizes, counts, starts).Commit()
