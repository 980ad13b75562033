"""Exchanges of parts with all ranks: what is received lies side by side along one dimension, in order of the ranks.

Op models call a function for all of an exchange, so that a pass may say where it receives
(`inplace-receive-in-place`). `exchange_in_turn` makes messages of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import arith, memref, scf

from ..structured import extent
from ..support.index_math import Number, index_constant
from ..support.memref_types import is_row_major
from ..support.mpi_names import PartsExchange, exchange_parts_name, parts_exchange_of
from .grids import RankGroup, balanced_extent, call_declared, module_of
from .messages import allocate_line, any_layout, block, cast_source, rank_number, send_receive
from .received_parts import part_at

__all__ = ["call_exchange", "exchange_in_turn"]


def call_exchange(
    module: ir.Operation,
    kind: PartsExchange,
    communicator: ir.Value,
    sent: ir.Value,
    filled: ir.Value,
    offsets: ir.Value | None = None,
) -> None:
    """Build the call that fills a memref with what all ranks send; `offsets` of parts whose sizes may differ."""
    memory = [any_layout(sent), any_layout(filled)]
    operands = [*memory, *([] if offsets is None else [offsets]), communicator]
    name = exchange_parts_name(kind, memory[0].type, offsets=offsets is not None)
    call_declared(module, name, operands)


def exchange_in_turn(op: ir.Operation) -> None:
    """Build what the call `op` of such a function does, in front of it, and erase it.

    A rank copies its own part to its place; in each turn it sends to one of the others and receives from another.
    """
    kind = parts_exchange_of(op)
    assert kind is not None, "the caller has asked"
    sent, filled, *offsets, communicator = op.operands
    sent, filled = cast_source(sent), cast_source(filled)
    group = RankGroup(module_of(op), (kind.ranks,), (0,))

    def sent_to(rank: ir.Value) -> ir.Value:
        if kind.split is None:
            return sent
        return block(sent, kind.split, *balanced_extent(extent(sent, kind.split), kind.ranks, rank))

    def place_of(rank: ir.Value) -> ir.Value:
        return block(filled, kind.dimension, *part_at(rank, offsets[0] if offsets else None, length))

    with ir.InsertionPoint(op), op.location:
        length = None if offsets else _shared(extent(filled, kind.dimension), kind.ranks)
        rank = group.rank(communicator)
        memref.copy(sent_to(rank), place_of(rank))
        for to, origin in _partners(kind.ranks, rank):
            part, place = sent_to(to), place_of(origin)
            sending = part if _are_lines(sent, kind.split) else allocate_line(part)
            receiving = place if _are_lines(filled, kind.dimension) else allocate_line(place)
            if sending != part:
                memref.copy(part, sending)
            messages = (sending, rank_number(to)), (receiving, rank_number(origin))
            send_receive(group, communicator, *messages, overwrites=True)
            if receiving != place:
                memref.copy(receiving, place)
    op.erase()


def _are_lines(memory: ir.Value, dimension: int | None) -> bool:
    """Whether the elements of each part of a dimension, or of all of the memory, certainly lie one after the other.

    MPI walks others, too, but may take several times as long as for a copy (`benchmarks/sharded_gathers.py`).
    """
    type_ = ir.MemRefType(memory.type)
    return is_row_major(type_) and all(size == 1 for size in type_.shape[: dimension or 0])


def _shared(size: Number, ranks: int) -> Number:
    """Build the size of each of equal parts."""
    return size // ranks if isinstance(size, int) else arith.divui(size, index_constant(ranks))


def _partners(ranks: int, rank: ir.Value) -> Iterator[tuple[ir.Value, ir.Value]]:
    """Build a loop over all other ranks: in each turn one to send to, and one to receive from."""
    size = index_constant(ranks)
    loop = scf.ForOp(index_constant(1), size, index_constant(1))
    with ir.InsertionPoint(loop.body):
        step = loop.induction_variable
        origin = arith.remui(arith.subi(arith.addi(rank, size), step), size)
        yield arith.remui(arith.addi(rank, step), size), origin
        scf.yield_([])
