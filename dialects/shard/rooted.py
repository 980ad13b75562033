"""Ops that name one rank of each group: `shard.broadcast` from it, `shard.send` to it, `shard.recv` from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from mlir import ir
from mlir.dialects import arith, scf

from ..bufferizable import AliasingValue, OpModel
from ..rewriter import Rewriter
from ..subsets import elements
from ..support.index_math import Number, add, as_value, index_constant, multiply
from .collective import CollectiveModel, InPlaceModel
from .grids import RankGroup, mpi_op
from .messages import rank_number

__all__ = ["ROOTED_MODELS"]

_BROADCAST_TAG, _SEND_TAG = 32765, 32766
"""No message of `mpi.send` or of an exchange is taken for one of these. Every MPI has such tags."""


class BroadcastModel(InPlaceModel):
    """``shard.broadcast``: every rank's tensor is overwritten by that of the root, along a binomial tree."""

    op_names = ("shard.broadcast",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse a root that is only known at run time."""
        if any(coordinate < 0 for coordinate in elements(op.attributes["root"])):
            return f"'{op.name}' has a root that is known at run time only, but needs a static one"
        return super().refuse(op)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """In step k the 2^k ranks that have the tensor send it to as many others."""
        buffer, group = rewriter.buffer(op, 0), self.group(op)
        communicator = group.communicator()
        root, size = _linear(group, elements(op.attributes["root"])), group.size
        distance = arith.remui(_add(group.rank(communicator), size - root), index_constant(size))
        reached = 1
        while reached < size:
            _double(group, communicator, buffer, distance, root, reached)
            reached *= 2
        rewriter.replace(op, [buffer])


def _add(value: ir.Value, number: int) -> ir.Value:
    return as_value(add(value, number))


def _linear(group: RankGroup, root: Sequence[int]) -> int:
    extents = [group.grid[axis] for axis in group.axes]
    return sum(coordinate * prod(extents[number + 1 :]) for number, coordinate in enumerate(root))


def _double(
    group: RankGroup, communicator: ir.Value, buffer: ir.Value, distance: ir.Value, root: int, reached: int
) -> None:
    """Ranks at a distance below `reached` from the root send to those as far behind them."""
    size, less = group.size, arith.CmpIPredicate.ult
    partner = arith.remui(_add(distance, reached + root), index_constant(size))
    teacher = arith.remui(_add(distance, size + root - reached), index_constant(size))
    sends = arith.andi(
        arith.cmpi(less, distance, index_constant(reached)),
        arith.cmpi(less, distance, index_constant(max(size - reached, 0))),
    )
    learns = arith.andi(
        arith.cmpi(arith.CmpIPredicate.uge, distance, index_constant(reached)),
        arith.cmpi(less, distance, index_constant(2 * reached)),
    )
    for happens, name, other in ((sends, "mpi.send", partner), (learns, "mpi.recv", teacher)):
        branch = scf.IfOp(happens)
        with ir.InsertionPoint(branch.then_block):
            mpi_op(name, [buffer, rank_number(_BROADCAST_TAG), rank_number(other), communicator])
            scf.yield_([])


class SendModel(CollectiveModel):
    """``shard.send``: the rank that runs it sends its tensor to one of its group. The result is the operand."""

    op_names = ("shard.send",)

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is the operand, which was only read."""
        return (AliasingValue(0),) if operand == 0 else ()

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Send, and wait until the memory may be used again."""
        buffer = rewriter.buffer(op, 0)
        _message("mpi.send", buffer, self.group(op), _coordinates(op, "destination"))
        rewriter.replace(op, [buffer])


class RecvModel(InPlaceModel):
    """``shard.recv``: the operand, whose content is ignored, is overwritten by what a rank of the group sends."""

    op_names = ("shard.recv",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse receiving from whoever comes first."""
        if "source" not in op.attributes:
            return f"'{op.name}' receives from any rank, so that its result depends on their turns; name a source"
        return super().refuse(op)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """All of the tensor is overwritten."""
        return False

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Receive into the buffer."""
        buffer = rewriter.buffer(op, 0)
        _message("mpi.recv", buffer, self.group(op), _coordinates(op, "source"))
        rewriter.replace(op, [buffer])


def _message(name: str, buffer: ir.Value, group: RankGroup, coordinates: Sequence[Number]) -> None:
    """Build a message between this rank and the one of its group that has these coordinates.

    It goes through the communicator of all: others may not be here, and to make one of the group all must be.
    """
    whole = RankGroup(group.module, group.grid, tuple(range(len(group.grid))))
    communicator = whole.communicator()
    rank = _number_of_all(whole, whole.rank(communicator), dict(zip(group.axes, coordinates, strict=True)))
    mpi_op(name, [buffer, rank_number(_SEND_TAG), rank_number(rank), communicator])


def _coordinates(op: ir.Operation, name: str) -> list[Number]:
    """The coordinates that an attribute names; those that it does not know are operands."""
    dynamic = iter(list(op.operands)[1:])
    return [next(dynamic) if coordinate < 0 else coordinate for coordinate in elements(op.attributes[name])]


def _number_of_all(whole: RankGroup, own: ir.Value, named: Mapping[int, Number]) -> Number:
    """Build the number of the rank that has the coordinates `named`, by axis, and the others of rank `own`.

    Coordinates that no rank has give a number that no rank has, which is an error of MPI.
    """
    number: Number = 0
    inside: ir.Value | None = None
    for axis, extent in enumerate(whole.grid):
        at = named.get(axis)
        if at is None:
            high = arith.divui(own, index_constant(prod(whole.grid[axis + 1 :])))
            at = arith.remui(high, index_constant(extent))
        elif not isinstance(at, int):
            fits = arith.cmpi(arith.CmpIPredicate.ult, at, index_constant(extent))
            inside = fits if inside is None else arith.andi(inside, fits)
        number = add(multiply(number, extent), at)
    return number if inside is None else arith.select(inside, as_value(number), index_constant(whole.size))


class RootedModel(CollectiveModel):
    """Collectives that give most ranks nothing."""

    op_names = ("shard.gather", "shard.scatter", "shard.reduce")

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse them."""
        return f"'{op.name}' is not bufferized; use a collective that gives every rank its result"


ROOTED_MODELS: tuple[OpModel, ...] = (BroadcastModel(), SendModel(), RecvModel(), RootedModel())
