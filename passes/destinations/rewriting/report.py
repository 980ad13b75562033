"""The report of a conversion to destination style: frozen data, readable without the module."""

from __future__ import annotations

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ...analysis.destinations.empty_tensors import Elimination, KeptInsertion
from ...analysis.destinations.init_reuse import Reuse
from ...analysis.destinations.initless_sources import Initless
from ...analysis.destinations.insertion_trace import StartKind
from ...analysis.ir.snapshot import Snapshot

__all__ = [
    "DestinationEntry",
    "DestinationReport",
    "describe_elimination",
    "describe_fill",
    "describe_init",
    "describe_kept",
    "describe_reuse",
]

Note = tuple[str, ir.Location]


@frozen
class DestinationEntry:
    """A change at ``location``, or the reason why an insertion still copies; ``op`` is the name of the op."""

    op: str
    location: ir.Location
    message: str
    notes: tuple[Note, ...] = ()


@frozen
class DestinationReport:
    """The changes of one conversion, in order, and the insertions that it kept."""

    changes: tuple[DestinationEntry, ...] = ()
    kept: tuple[DestinationEntry, ...] = ()


_STARTS = {
    StartKind.EMPTY: "the slice takes the place of an empty tensor here",
    StartKind.UNREAD: "the slice takes the place of a tensor whose content '{op}' does not need",
    StartKind.COPIED: "what '{op}' may not overwrite is copied into the slice here",
}


def describe_elimination(s: Snapshot, elimination: Elimination) -> DestinationEntry:
    """Return the entry of an elimination."""
    insertion = s.operand_op[elimination.write]
    name = s.op_name[insertion]
    notes: list[Note] = []
    for start in elimination.starts:
        op = s.operand_op[start.operand]
        notes.append((_STARTS[start.kind].format(op=s.op_name[op]), s.ops[op].location))
    message = f"what '{name}' inserts is computed in its destination, and the insertion copies nothing"
    return DestinationEntry(name, s.ops[insertion].location, message, tuple(notes))


def describe_kept(s: Snapshot, kept: KeptInsertion) -> DestinationEntry:
    """Return the entry of an insertion that still copies."""
    insertion = s.operand_op[kept.write]
    note = (f"this is '{s.op_name[kept.op]}'", s.ops[kept.op].location)
    notes = () if kept.op == insertion else (note,)
    return DestinationEntry(s.op_name[insertion], s.ops[insertion].location, kept.reason, notes)


def describe_reuse(s: Snapshot, reuse: Reuse) -> DestinationEntry:
    """Return the entry of an input that is reused instead of an empty init."""
    op = s.operand_op[reuse.init]
    source, init = s.operand_index(reuse.source), s.operand_index(reuse.init)
    message = f"'{s.op_name[op]}' overwrites operand #{source}, which is not used afterwards, instead of a new buffer"
    return DestinationEntry(s.op_name[op], s.ops[op].location, f"{message} for operand #{init}")


def describe_fill(s: Snapshot, operand: int) -> DestinationEntry:
    """Return the entry of a constant, or of a fill that is needed twice, that becomes a fill."""
    op, maker = s.operand_op[operand], s.value_op[s.operand_value[operand]]
    source = "another fill" if s.op_name[maker] == "linalg.fill" else "a splat constant"
    message = f"operand #{s.operand_index(operand)} of '{s.op_name[op]}' is filled, not copied from {source}"
    return DestinationEntry(s.op_name[op], s.ops[op].location, message)


def describe_init(s: Snapshot, one: Initless) -> DestinationEntry:
    """Return the entry of an op that was given an init."""
    op = one.op if one.operand is None else s.operand_op[one.operand]
    what = f"'{s.op_name[op]}' is given an init" if one.operand is None else "the constant becomes a fill"
    return DestinationEntry(s.op_name[op], s.ops[op].location, f"{what}, and is computed in the destination")
