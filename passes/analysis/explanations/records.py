"""One allocation or copy, explained: plain data, which outlives the module and the ops that were replaced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ....dialects.support.frozen_classes import frozen
from .costs import ASSUMED_TRIPS, Loop, runs
from .events import EventKind
from .reasons import GUIDE, Change, Reason

__all__ = ["BufferRecord", "Note", "ReportedDecision", "counted", "describe", "headline", "together"]


@frozen
class Note:
    """A place that a decision is about: what is there, and `file:line:column`."""

    text: str
    location: str

    def __str__(self) -> str:
        return f"{self.text}, {self.location}"


@frozen
class ReportedDecision:
    """The decision for one operand.

    Attributes:
        function: the symbol of the function.
        location: `file:line:column`, or `unknown`.
        in_place: whether neither a buffer nor a copy is needed.
        text: one sentence: the operand, the decision, the rule that made it out-of-place.
        notes: the write, the read and the definition of a conflict, each with its place.
    """

    function: str
    location: str
    in_place: bool
    text: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"{self.location}: {self.text}", *(f"    {note}" for note in self.notes)])


@frozen
class BufferRecord:
    """One allocation or copy in the result, explained.

    Attributes:
        kind: `EventKind.ALLOCATION` or `EventKind.COPY`.
        function: the symbol of the function.
        op: the name of the op that it is made for.
        location: `file:line:column` of that op, else `loc("name")`, or `unknown`.
        type: the type of the buffer that is allocated, or copied from.
        bytes: its size, None if it is dynamic.
        size: the size in bytes as text: a product of constants and sizes of the program.
        loops: the loops around it, outermost first, with their trip counts.
        reason: why it is there, one of a closed set.
        rule: the name of the rule of the analysis that decided it; `op` or `layout` if none did.
        notes: the write, the read and the definition of a conflict, each with its place.
        change: the kind of change to the program that removes it.
        advice: that change, in words.
        snippet: the line of the source, if it could be read.
        name: what a frontend calls that op, by its location: JAX's primitive, torch's module, ONNX's node. Else "".
    """

    kind: EventKind
    function: str
    op: str
    location: str
    type: str
    bytes: int | None
    size: str
    loops: tuple[Loop, ...]
    reason: Reason
    rule: str
    notes: tuple[Note, ...]
    change: Change
    advice: str
    snippet: str = ""
    name: str = ""

    @property
    def further_name(self) -> str:
        """The name, unless the location is that name."""
        return "" if self.location == f'loc("{self.name}")' else self.name

    @property
    def phrase(self) -> str:
        """The reason, in words."""
        return GUIDE[self.reason].phrase

    @property
    def runs(self) -> int:
        """How often it runs in one call of the function, by estimate: loops of unknown bounds count ten times."""
        return runs(self.loops)

    @property
    def times(self) -> str:
        """The number of runs in words; empty for one."""
        if not self.loops:
            return ""
        if any(loop.trips is None for loop in self.loops):
            return f"about {self.runs} times, if loops of unknown bounds run {ASSUMED_TRIPS} times"
        return counted(self.runs, "time")

    @property
    def cost(self) -> str:
        """Size and number of runs, in words."""
        size = f"{self.size} bytes"
        return f"{size}, {self.times}" if self.times else size

    def __str__(self) -> str:
        return describe([self])

    def to_json(self) -> dict[str, Any]:
        """The record as JSON objects, by `docs/explanation.schema.json`."""
        return {
            "kind": self.kind.value,
            "function": self.function,
            "op": self.op,
            "location": self.location,
            "name": self.name,
            "snippet": self.snippet,
            "type": self.type,
            "bytes": self.bytes,
            "size": self.size,
            "runs": self.runs,
            "loops": [{"location": loop.location, "trips": loop.trips} for loop in self.loops],
            "reason": self.reason.value,
            "explanation": self.phrase,
            "rule": self.rule,
            "notes": [{"text": note.text, "location": note.location} for note in self.notes],
            "change": self.change.value,
            "advice": self.advice,
        }


def together(records: Iterable[BufferRecord]) -> list[list[BufferRecord]]:
    """Return the records in order, those of one place with one reason together: an allocation, and the copy into it."""
    groups: list[list[BufferRecord]] = []
    for record in records:
        last = groups[-1][0] if groups else None
        if last is not None and _key(last) == _key(record) and record.kind not in {r.kind for r in groups[-1]}:
            groups[-1].append(record)
        else:
            groups.append([record])
    return groups


def _key(record: BufferRecord) -> tuple[object, ...]:
    return record.function, record.location, record.op, record.reason, record.size, record.notes


def headline(group: Sequence[BufferRecord]) -> str:
    """Return what is made, what it costs, for which op of a frontend, and why, for the records of one place."""
    first = group[0]
    kinds = " and ".join(record.kind.value for record in group)
    owner = f", for {first.further_name}" if first.further_name else ""
    return f"{kinds} of {first.type}, {first.cost}{owner}: {first.phrase}"


def describe(group: Sequence[BufferRecord]) -> str:
    """Return the records of one place as text: place, headline, source line, notes, and the change."""
    first = group[0]
    lines = [first.snippet] if first.snippet else []
    lines += [*map(str, first.notes), f"change: {first.advice}"]
    return "\n".join([f"{first.location}: {headline(group)}", *(f"    {line}" for line in lines)])


def counted(number: int, noun: str) -> str:
    """Return "1 copy", "2 copies" and the like."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"
