"""Panels of a large buffer that register tiles read one after the other, and of which the next one is to be prefetched.

The first register tile that reads a panel waits for the last cache, or for memory, and the others compute with what is
in the second cache then. So while they compute, the panel that is next can come: a line of it in each iteration.

A panel is whole rows of a row-major buffer of static shape: a view that a loop builds in each iteration, or what an
index selects that is the variable of a loop. What is next in memory is taken for the next one. It is read row by row in
innermost loops, those of two register tiles at least: what is read once is a stream, which hardware prefetches.
Together such buffers of a function take more than a share of the second cache (`_SHARE`): otherwise they stay there
from call to call.

The answer affects speed only. Linear in the ops; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from mlir import ir

from ....dialects.subsets import mixed_subset
from ....dialects.support.constants import constant_integer
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import Number
from ..ir.traversal import find_ops
from ..linalg.structured_op import type_bytes
from .machine import Machine
from .row_streams import LEAST_WORK, is_plain, is_row, vector_reads, vector_work

__all__ = ["LINE", "PanelStream", "find_panel_streams"]

_LOOP = "scf.for"
_SHARE = 2
"""Of this part of the second cache, panels of a function that are smaller are there when they are read again."""
LINE = 64
"""The bytes of a cache line."""


@frozen
class PanelStream:
    """An innermost loop of a register tile that reads a row of a panel in each iteration.

    Attributes:
        loop: the `scf.for`.
        reads: its reads of a row.
        panels: the loop around it that goes through the panels.
        buffer: the whole buffer.
        offsets: where in it the panel begins, known in the body of `panels`.
        rows: how many rows a panel has.
        tiles: the loops around `loop` that read the same panel again, outermost first.
        before: how many register tiles have read it before those; None if no line is left for these.
    """

    loop: ir.Operation
    reads: tuple[ir.Operation, ...]
    panels: ir.Operation
    buffer: ir.Value
    offsets: tuple[Number, ...]
    rows: int
    tiles: tuple[ir.Operation, ...]
    before: int | None = 0


def find_panel_streams(function: ir.Operation, machine: Machine) -> list[PanelStream]:
    """Return the streams in `function`, in program order."""
    groups: dict[tuple[ir.Value, ir.Operation], list[PanelStream]] = {}
    for loop in find_ops(function, _LOOP, reachable=True):
        for reads in vector_reads(loop).values():
            stream = _stream(loop, reads)
            if stream is not None:
                groups.setdefault((reads[0].operands[0], stream.panels), []).append(stream)
    found = [stream for group in groups.values() for stream in _numbered(group)]
    buffers = {stream.buffer for stream in found}
    return found if sum(type_bytes(one.type) for one in buffers) > machine.l2 // _SHARE else []


def _stream(loop: ir.Operation, reads: list[ir.Operation]) -> PanelStream | None:
    """Return the stream that the reads of a buffer in a loop are, None if they are none."""
    if not is_row(reads, loop) or vector_work(loop) < LEAST_WORK * len(reads):
        return None
    place = _viewed(reads) or _indexed(reads)
    if place is None:
        return None
    panels, buffer, offsets = place
    whole, part = ir.MemRefType(buffer.type), ir.MemRefType(reads[0].operands[0].type)
    is_part = is_plain(whole) and part.has_static_shape and part.shape[-1] == whole.shape[-1]
    if panels.name != _LOOP or not is_part or 2 * part.shape[-2] > prod(whole.shape[:-1]):
        return None
    around = tuple(_around(loop, panels))
    return PanelStream(loop, tuple(reads), panels, buffer, offsets, part.shape[-2], around)


_Place = tuple[ir.Operation, ir.Value, tuple[Number, ...]]
"""What goes through the panels, the buffer, and the offsets of a panel in it."""


def _viewed(reads: list[ir.Operation]) -> _Place | None:
    """Return the place of a panel that is a view."""
    view = defining_op(reads[0].operands[0], "memref.subview")
    if view is None or view.parent is None or any(constant_integer(one) != 0 for one in _leading(reads)):
        return None
    rows = ir.MemRefType(view.results[0].type).shape[:-2]
    return (view.parent.operation, view.operands[0], mixed_subset(view, 1).offsets) if prod(rows) == 1 else None


def _indexed(reads: list[ir.Operation]) -> _Place | None:
    """Return the place of a panel that is one index of a buffer, the variable of a loop."""
    offsets = [0 if constant_integer(one) == 0 else one for one in _leading(reads[:1])]
    moved = {one for one in _leading(reads) if constant_integer(one) != 0}
    if len(moved) != 1 or not isinstance(index := moved.pop(), ir.BlockArgument):
        return None
    return index.owner.owner.operation, reads[0].operands[0], (*offsets, 0, 0)


def _leading(reads: list[ir.Operation]) -> list[ir.Value]:
    """Return the indices of reads before those of row and column."""
    rank = ir.MemRefType(reads[0].operands[0].type).rank
    return [index for read in reads for index in list(read.operands)[1 : rank - 1]]


def _numbered(group: list[PanelStream]) -> list[PanelStream]:
    """Return the streams of a panel with the number of tiles before them; none if only one register tile reads it."""
    if len(group) == 1 and not group[0].tiles:
        return []
    type_ = ir.MemRefType(group[0].buffer.type)
    row = type_.shape[-1] * type_bytes(type_.element_type)
    found: list[PanelStream] = []
    before: int | None = 0
    for stream in group:
        before = before if before is not None and before * LINE < row else None
        found.append(replace(stream, before=before))
        before = None if before is None else _after(before, stream.tiles)
    return found


def _around(loop: ir.Operation, end: ir.Operation) -> list[ir.Operation]:
    """Return the loops around `loop` inside of `end`, outermost first."""
    outer = loop.parent
    if outer is None or outer.operation == end:
        return []
    return [*_around(outer.operation, end), outer.operation]


def _after(before: int, tiles: Sequence[ir.Operation]) -> int | None:
    """Return how many tiles have read a panel after those of `tiles`, None if that is not known."""
    if not tiles:
        return before + 1
    lower, upper, step = (constant_integer(one) for one in list(tiles[-1].operands)[:3])
    return None if lower is None or upper is None or step is None else before - (lower - upper) // step
