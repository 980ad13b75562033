"""Time skewing: several sweeps of a loop run over the rows of a tensor at a time, and read it from memory once.

Such a loop carries alternating old and new versions (`double_buffering.py`): row `i` of the new one is computed from
rows `i + low` to `i + high` of the old one. Let sweep `s` work on rows that are `s * shift` behind those of sweep 0,
where `shift` is the larger one of `high` and `-low`. Then the previous sweep has written everything it reads, and has
read everything it overwrites: rows of all sweeps stay in a cache until the last one has used them.

A loop that cannot be skewed says why (`NotSkewable`). Linear in the ops of the body; nothing is changed. See
docs/theory/sweeps.md. Source: Wolfe, "Loop skewing: the wavefront method revisited" (1986).
"""

from __future__ import annotations

from math import prod

from mlir import ir

from ....dialects.bufferizable import Subset
from ....dialects.subsets import mixed_subset
from ....dialects.support.constants import constant_integer
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from ..linalg.structured_op import NotStructured, Structured, read_structured, type_bytes
from .double_buffering import is_known_box
from .machine import Machine

__all__ = ["NotSkewable", "TimeSkew", "plan_skew"]

_CONSTANT, _EMPTY, _EXTRACT, _INSERT = "arith.constant", "tensor.empty", "tensor.extract_slice", "tensor.insert_slice"
_LEAST_SWEEPS = 4
"""Fewer sweeps at a time do not amortize writing both versions."""
_MOST_SWEEPS = 32
_LEAST_RANK = 2
"""With no more dimensions, parts of rows are parts of vectors."""
_LEAST_ROWS = 2
"""In a stripe a sweep computes this many times its shift of rows at a time; it reads as many more."""
_MOST_READ = 1 / 2
"""The largest share of the tensor that a sweep may read from memory for stripes to pay."""
_MOST_THREADS = 2
"""This many threads sharing each sweep are not faster than one that runs several sweeps at a time."""


class NotSkewable(Exception):
    """The reason why a loop is not skewed: a phrase that follows "because"."""


@frozen
class Stripes:
    """Tiles of the second dimension; all rows of one stripe are computed before those of the next.

    Attributes:
        loop: the loop of the op that runs over the second dimension.
        shift: by how many elements of it each sweep lags behind the previous one.
        size: how many elements of it each sweep computes at a time.
    """

    loop: int
    shift: int
    size: int


@frozen
class TimeSkew:
    """How the sweeps of a loop run several at a time.

    Attributes:
        loop: the `scf.for`.
        old: which of its two carried values is the old version; the new version starts from the other one.
        structured: the op that computes the inserted slice.
        written: the slice that it is inserted into.
        row: the loop of the op that runs over the rows, the first dimension.
        shift: by how many rows each sweep lags behind the previous one.
        rows: how many rows each sweep computes at a time.
        sweeps: how many sweeps run at a time; an even number, so that both versions end in their original buffers.
        bands: how many parts the rows are cut into, which run in parallel.
        stripes: how rows are tiled, if too few of them fit into the cache.
    """

    loop: ir.Operation
    old: int
    structured: Structured
    written: Subset
    row: int
    shift: int
    rows: int
    sweeps: int
    bands: int = 1
    stripes: Stripes | None = None


def plan_skew(loop: ir.Operation, machine: Machine, threads: int = 1) -> TimeSkew:
    """Return how the sweeps of `scf.for` `loop` run several at a time on `threads` of `machine`.

    Raises:
        NotSkewable: the loop cannot or should not be skewed.
    """
    body = loop.regions[0].blocks[0]
    *operations, terminator = (op.operation for op in body.operations)
    old = _old(loop, terminator)
    inserts = [op for op in operations if op.name == _INSERT]
    if len(inserts) != 1 or terminator.operands[old] != inserts[0].results[0]:
        raise NotSkewable("the sweep is not one insertion of a computed tensor")
    insert = inserts[0]
    structured = _computation(insert, body)
    written = mixed_subset(insert, 2)
    _check_body(operations, structured.op, body)
    row, shift = _shift(structured, 0, body.arguments[old + 1], written)
    _check_uses(body, old, insert, structured.op)
    shift = max(shift, 1)
    rows, sweeps = _sizes(loop, shift, machine)
    stripes: Stripes | None = None
    if sweeps < _LEAST_SWEEPS and len(written.sizes) > _LEAST_RANK:
        column, aside = _shift(structured, 1, body.arguments[old + 1], written)
        rows = _LEAST_ROWS * shift
        size, sweeps = _stripe(loop, rows, (shift, aside), machine)
        stripes = Stripes(column, aside, size)
    if sweeps < _LEAST_SWEEPS:
        raise NotSkewable(f"there is room, or need, for fewer than {_LEAST_SWEEPS} sweeps at a time")
    height = written.sizes[0]
    assert isinstance(height, int), "the slice has known bounds"
    bands = max(1, min(threads, height // (2 * (sweeps + 1) * shift)))
    if threads > _MOST_THREADS * bands:
        raise NotSkewable("each sweep is given to threads")
    return TimeSkew(loop, old, structured, written, row, shift, rows, sweeps, bands, stripes)


def _old(loop: ir.Operation, terminator: ir.Operation) -> int:
    """Return which of the two loop-carried values is yielded in the other's place."""
    arguments = list(loop.regions[0].blocks[0].arguments)[1:]
    if len(arguments) == 2:
        for old in (0, 1):
            if terminator.operands[1 - old] == arguments[old] and arguments[0].type == arguments[1].type:
                return old
    raise NotSkewable("it does not carry two tensors that take turns, and nothing else")


def _computation(insert: ir.Operation, body: ir.Block) -> Structured:
    """Return the elementwise op whose result is inserted; refuse any other insertion."""
    source, destination = insert.operands[0], ir.RankedTensorType(insert.operands[1].type)
    op = defining_op(source)
    if not is_known_box(mixed_subset(insert, 2), destination.shape) or not destination.rank:
        raise NotSkewable("the slice that is inserted has no static bounds")
    if ir.RankedTensorType(source.type).rank != destination.rank:
        raise NotSkewable("the slice that is inserted has fewer dimensions than the tensor")
    if op is None or op.block != body or len(list(source.uses)) != 1:
        raise NotSkewable("the inserted tensor has other users")
    try:
        structured = read_structured(op)
    except NotStructured as reason:
        raise NotSkewable(f"'{op.name}' cannot be tiled: {reason}") from None
    if structured.falling:
        raise NotSkewable(f"an index of '{structured.op.name}' decreases along a loop")
    (*_, output) = structured.outputs
    if len(structured.outputs) != 1 or not all(structured.parallel) or structured.reads[output]:
        raise NotSkewable(f"'{structured.op.name}' does not compute one new element in each iteration")
    return structured


def _check_body(operations: list[ir.Operation], computation: ir.Operation, body: ir.Block) -> None:
    """Refuse a loop with other ops."""
    for op in operations:
        if op.name == _EXTRACT and op.operands[0].owner == body:
            continue
        if op != computation and op.name not in (_CONSTANT, _EMPTY, _INSERT):
            raise NotSkewable(f"'{op.name}' is in the loop")


def _check_uses(body: ir.Block, old: int, insert: ir.Operation, computation: ir.Operation) -> None:
    """Refuse a loop whose versions have other users than the sweep, or that uses its induction variable."""
    number, *versions = body.arguments
    if list(number.uses):
        raise NotSkewable("the sweep depends on the number of the iteration")
    for use in versions[1 - old].uses:
        if use.owner.operation != insert or use.operand_number != 1:
            raise NotSkewable(f"'{use.owner.name}' uses the tensor that the new version starts from")
    for use in versions[old].uses:
        if use.owner.operation.block != body or use.owner.name not in (_EXTRACT, "scf.yield"):
            raise NotSkewable(f"'{use.owner.name}' reads all of the old version")
        if use.owner.name == _EXTRACT:
            for reader in use.owner.operation.results[0].uses:
                if reader.owner.operation != computation:
                    raise NotSkewable(f"'{reader.owner.name}' reads a slice of the old version")


def _shift(op: Structured, dimension: int, old: ir.Value, written: Subset) -> tuple[int, int]:
    """Return the loop over a dimension, and the largest distance in it between an element and its inputs."""
    loop = op.indices[op.inputs][dimension].loop
    assert loop is not None, "an output is indexed by one loop for each dimension"
    begin = written.offsets[dimension]
    assert isinstance(begin, int), "the slice has known bounds"
    most = 0
    for operand in range(op.inputs):
        extract = defining_op(op.op.operands[operand], _EXTRACT)
        if extract is None or extract.operands[0] != old:
            if defining_op(op.op.operands[operand], _EMPTY) is not None:
                raise NotSkewable("an input has no content")  # Its definition may be in the loop.
            if any(index.coefficient(loop) and index.loop is None for index in op.indices[operand]):
                raise NotSkewable("an input is not read row by row")  # A slice for no rows may have a negative size.
            continue
        slice_ = mixed_subset(extract, 1)
        if not is_known_box(slice_, ir.RankedTensorType(old.type).shape):
            raise NotSkewable("a slice that is read has no static bounds")
        if ir.RankedTensorType(op.op.operands[operand].type).rank != len(slice_.sizes):
            raise NotSkewable("a slice that is read has fewer dimensions than the tensor")
        indices = op.indices[operand]
        others = (index for number, index in enumerate(indices) if number != dimension)
        if indices[dimension].loop != loop or any(other.coefficient(loop) for other in others):
            raise NotSkewable("a slice is not read row by row")
        first = slice_.offsets[dimension]
        assert isinstance(first, int), "the slice has known bounds"
        most = max(most, abs(first - begin))
    return loop, most


def _sizes(loop: ir.Operation, shift: int, machine: Machine) -> tuple[int, int]:
    """Return how many rows and sweeps fit into half of the second cache, with both versions of each row."""
    type_ = ir.RankedTensorType(loop.results[0].type)
    row = type_bytes(type_) // max(type_.shape[0], 1)
    if 2 * type_bytes(type_) <= machine.l2:
        raise NotSkewable("both versions fit into the second cache")
    room = machine.l2 // 2 // (2 * row)
    sweeps = _even(min(_MOST_SWEEPS, room * 2 // 3 // shift), _trips(loop))
    return max(1, room - sweeps * shift), sweeps


def _stripe(loop: ir.Operation, rows: int, shifts: tuple[int, int], machine: Machine) -> tuple[int, int]:
    """Return the width of stripes and the number of sweeps that fit into the second cache, with `rows` at a time.

    Each group of sweeps reads a stripe, widened by the lag of its sweeps, from memory once: the choice with the fewest
    reads for each sweep is the best one. 0 sweeps if nothing fits.
    """
    type_ = ir.RankedTensorType(loop.results[0].type)
    room = machine.l2 // (2 * prod(type_.shape[2:]) * type_bytes(type_.element_type))
    found: list[tuple[float, int, int]] = []
    for most in range(_LEAST_SWEEPS, _MOST_SWEEPS + 1):
        sweeps = _even(most, _trips(loop))
        size = room // (rows + (sweeps + 2) * shifts[0]) - 2 * shifts[1]
        if size > 0 and sweeps >= _LEAST_SWEEPS:
            read = (size + sweeps * shifts[1]) / (size * sweeps)
            found += [(read, size, sweeps)] if read <= _MOST_READ else []
    _, size, sweeps = min(found, default=(0.0, 0, 0))
    return size, sweeps


def _even(sweeps: int, trips: int | None) -> int:
    """Return an even number, at most `sweeps`, that divides a known trip count into about equal groups."""
    if trips is not None and trips:
        sweeps = min(sweeps, -(-trips // -(-trips // max(1, sweeps))))
    return sweeps // 2 * 2 if trips is None or sweeps % 2 == 0 else min(sweeps + 1, _MOST_SWEEPS)


def _trips(loop: ir.Operation) -> int | None:
    """Return the trip count of `loop` if it is static."""
    lower, upper, step = (constant_integer(value) for value in list(loop.operands)[:3])
    if lower is None or upper is None or step is None or step <= 0:
        return None
    return max(0, -(-(upper - lower) // step))
