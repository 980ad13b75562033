"""The explainer: observes a bufferizing pass, and makes a record of every decision, allocation and copy.

What needs ops is read when everything is decided and nothing is changed yet; afterwards only numbers of the snapshot
are looked up. Linear in the decisions, events, loops and values.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from mlir import ir

from ...framework.diagnostics import file_location, name_at, place_text
from ..conflicts.decisions import Decision
from ..costs.optimality import Optimality
from ..whole_module.explain import conflict_notes, describe_decision
from ..whole_module.module import ModuleAnalysis
from .causes import Causes
from .costs import Costs
from .events import BufferEvent
from .names import LineOf, ValueNames
from .reasons import GUIDE, Reason
from .records import BufferRecord, Note, ReportedDecision
from .reported_sets import ReportedAliasSet, reported_sets

__all__ = ["Explainer"]

_LAST = chr(0x10FFFF)
"""Sorts behind every name."""

Site = tuple[ir.Location, list[tuple[str, ir.Location]]]


class Explainer:
    """Explains one conversion: the pass calls :meth:`analysed`, then :meth:`converted` (see ``Observer``).

    ``line_of`` gives lines of the source.
    """

    def __init__(self, line_of: LineOf | None = None) -> None:
        self.decisions: list[ReportedDecision] = []
        self.records: list[BufferRecord] = []
        self.sites: list[Site] = []
        """The place of each record, with those of its notes."""
        self.alias_sets: list[ReportedAliasSet] = []
        self.functions: list[tuple[str, ir.Location]] = []
        """The names and places of the functions that were analysed."""
        self.optimality: dict[str, Optimality] = {}
        """By function, how near to the cheapest decisions its own are, if that was asked for."""
        self._line_of = line_of
        self._places: dict[int, str] = {}
        """By operand of a conflict, its description with the place."""
        self._notes: dict[int, list[tuple[str, ir.Location]]] = {}
        self._loop_places: dict[int, str] = {}
        self._names: list[tuple[int, str]] = []
        """The functions by number, in program order, with their names."""

    def analysed(self, analysis: ModuleAnalysis) -> None:
        """Read what needs the ops: the sentences of decisions, places, sizes, trip counts."""
        s = analysis.snapshot
        self._analysis = analysis
        names = ValueNames(s, self._line_of)
        self._costs = Costs(analysis, names)
        for function in analysis.functions:
            number = function.function
            name = ir.StringAttr(s.ops[number].attributes["sym_name"]).value
            self._names.append((number, name))
            if function.optimality is not None:
                self.optimality[name] = function.optimality
            for _, decision in sorted(function.decisions.items()):
                self._enter(name, decision)
            self.alias_sets += reported_sets(analysis, function, name, names)
        self._names.sort()
        self.functions = [(name, s.ops[number].location) for number, name in self._names]

    def _enter(self, function: str, decision: Decision) -> None:
        s, conflict = self._analysis.snapshot, decision.conflict
        found = [] if conflict is None else conflict_notes(self._analysis, conflict)
        location = place_text(s.ops[s.operand_op[decision.operand]].location)
        text = describe_decision(s, decision)
        self.decisions.append(
            ReportedDecision(function, location, decision.in_place, text, tuple(map(str, _notes(found))))
        )
        if conflict is not None:
            self._notes[decision.operand] = found
            for operand in (conflict.write, conflict.read):
                if operand >= 0:
                    op = s.operand_op[operand]
                    self._places[operand] = _op_text(s.op_name[op], s.ops[op].location)
            if conflict.loop >= 0:
                loop = s.ops[s.block_op[conflict.loop]]
                self._loop_places[conflict.loop] = _op_text(loop.name, loop.location)

    # --- after the conversion ----------------------------------------------------------------------------------

    def converted(self, events: Iterable[BufferEvent]) -> None:
        """Make the records."""
        causes = Causes(self._analysis)
        for event in events:
            self.sites.append((event.location, self._notes.get(event.operand, [])))
            self.records.append(self._record(event, causes))

    def _record(self, event: BufferEvent, causes: Causes) -> BufferRecord:
        s = self._analysis.snapshot
        op = event.op if event.operand < 0 else s.operand_op[event.operand]
        number, function = self._names[bisect_right(self._names, (op, _LAST)) - 1]
        reason = causes.of_event(event, number)
        size = self._costs.size(event.type, self._values(event, op))
        decision = causes.decisions.get(event.operand)
        conflict = None if decision is None else decision.conflict
        return BufferRecord(
            kind=event.kind,
            function=function,
            op=s.op_name[op],
            location=place_text(event.location),
            type=str(event.type),
            bytes=size.bytes,
            size=size.text,
            loops=self._costs.loops(op),
            reason=reason,
            rule=(event.need.name if conflict is None else conflict.rule.name).lower().replace("_", "-"),
            notes=_notes(self._notes.get(event.operand, ())),
            change=GUIDE[reason].change,
            advice=self._advice(event, reason, op, decision),
            snippet=self._snippet(event.location),
            name=name_at(event.location),
        )

    def _values(self, event: BufferEvent, op: int) -> Iterator[int]:
        """Yield the tensors that a buffer may be that of: the operand's first."""
        s = self._analysis.snapshot
        if event.operand >= 0:
            yield s.operand_value[event.operand]
        yield from s.results(op)
        yield from (s.operand_value[operand] for operand in s.operands(op))

    def _advice(self, event: BufferEvent, reason: Reason, op: int, decision: Decision | None) -> str:
        conflict = None if decision is None else decision.conflict
        own = _op_text(self._analysis.snapshot.op_name[op], event.location)
        write, read, loop = (-1, -1, -1) if conflict is None else (conflict.write, conflict.read, conflict.loop)
        return GUIDE[reason].text.format(
            op=own,
            write=self._places.get(write, own),
            read=self._places.get(read, own),
            loop=self._loop_places.get(loop, "the loop"),
            type=event.type,
            wanted=event.wanted,
            identity=_contiguous_layout(event.type),
        )

    def _snippet(self, location: ir.Location) -> str:
        place = file_location(location)
        if place is None or self._line_of is None:
            return ""
        return self._line_of(place.filename, place.start_line).strip()


def _notes(found: Iterable[tuple[str, ir.Location]]) -> tuple[Note, ...]:
    return tuple(Note(text, place_text(where)) for text, where in found)


def _op_text(name: str, location: ir.Location) -> str:
    """Return the name of an op, with its line in the source, or what a frontend calls it."""
    place = file_location(location)
    if place:
        return f"'{name}' in line {place.start_line}"
    named = name_at(location)
    return f"'{name}' of {named}" if named else f"'{name}'"


def _contiguous_layout(type_: ir.MemRefType) -> str:
    """Return the layout of a contiguous buffer of the shape of ``type_``; the outer sizes may be dynamic."""
    strides: list[str] = []
    stride: int | None = 1
    for size in reversed(type_.shape):
        strides.insert(0, "?" if stride is None else str(stride))
        stride = None if stride is None or size < 0 else stride * size
    return f"strided<[{', '.join(strides)}]>"
