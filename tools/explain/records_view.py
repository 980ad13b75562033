"""The allocations and copies on the page: a card for each place, and the marks beside the source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from ...passes.analysis.explanations.events import EventKind
from ...passes.analysis.explanations.reasons import Reason
from ...passes.analysis.explanations.records import BufferRecord, ReportedDecision, together
from .explanation import Explanation
from .html import Html, element, joined
from .shown_lines import ShownLines, parse_place

__all__ = ["Group", "cards", "decision_tables", "groups_of", "listing", "most_expensive", "short_bytes"]

_LONGEST = 400
"""How many characters of a line are shown."""

_READ = "reads the old content"
"""What the note at a read says."""

_UNITS = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3))


class Group:
    """The records of one place, with their anchor."""

    def __init__(self, number: int, records: Sequence[BufferRecord]) -> None:
        self.anchor = f"r{number}"
        self.records = records
        self.first = records[0]

    @property
    def kinds(self) -> str:
        """What is made: an allocation, a copy, or both."""
        return " and ".join(record.kind.value for record in self.records)

    @property
    def copies(self) -> bool:
        """Whether one of them is a copy."""
        return any(record.kind is EventKind.COPY for record in self.records)

    @property
    def style(self) -> str:
        """The class of its mark: a copy, an allocation, or the allocation of a result, which nobody can spare."""
        if self.copies:
            return "copy"
        return "result" if self.first.reason is Reason.RESULT else "allocation"

    @property
    def mark(self) -> str:
        """What stands beside the source."""
        size = f"{self.first.size} bytes" if self.first.bytes is None else short_bytes(self.first.bytes)
        return f"{self.verb} {size}{f', {self.first.runs} times' if self.first.loops else ''}"

    @property
    def verb(self) -> str:
        """What the op does."""
        if not self.copies:
            return "allocates"
        return "copies" if len(self.records) == 1 else "allocates and copies"

    @property
    def read(self) -> str:
        """The place that reads the old content, and is another one; empty if there is none."""
        reads = (note.location for note in self.first.notes if _READ in note.text)
        return next((location for location in reads if location != self.first.location), "")


def groups_of(records: Iterable[BufferRecord]) -> list[Group]:
    """Return the records, those of one place with one reason together."""
    return [Group(number, records) for number, records in enumerate(together(records), start=1)]


def short_bytes(count: int) -> str:
    """Return a number of bytes in three digits."""
    for unit, size in _UNITS:
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"


# --- cards -----------------------------------------------------------------------------------------------------------


def cards(groups: Iterable[Group], source: ShownLines) -> Html:
    """Return an article for each group."""
    return joined(_card(group, source) for group in groups)


def _card(group: Group, source: ShownLines) -> Html:
    first = group.first
    notes = [element("li", note.text, ", ", source.short(note.location)) for note in first.notes]
    loops = [element("li", "in a loop of ", f"{loop}".partition(" at ")[0], ", ", source.short(loop.location))
             for loop in first.loops]  # fmt: skip
    rows = [
        ("cost", first.cost),
        ("reason", joined((element("strong", first.phrase), _list(notes)))),
        ("loops", _list(loops) if loops else None),
        ("rule", joined((element("code", first.rule), " (", element("code", first.reason.value), ")"))),
        ("change", first.advice),
    ]
    shown = [(name, content) for name, content in rows if content is not None]
    return element(
        "article",
        element("h4", group.kinds, " of ", element("code", first.type)),
        element("p", source.link(first.location), " ", element("code", first.op), class_="place"),
        element("pre", clipped(first.snippet)) if first.snippet else "",
        element("dl", *(joined((element("dt", name), element("dd", content))) for name, content in shown)),
        id=group.anchor,
        class_=f"record {group.style}",
        data_find=True,
    )


def _list(items: Sequence[Html]) -> Html:
    return element("ul", *items) if items else Html()


def most_expensive(groups: Sequence[Group], count: int = 5) -> Html:
    """Return links to the groups that move or make the most bytes, where there are more than ``count``."""
    sized = sorted(groups, key=lambda group: (group.copies, (group.first.bytes or 0) * group.first.runs), reverse=True)
    if len(groups) <= count:
        return Html()
    items = [
        element("li", element("a", group.mark, href=f"#{group.anchor}"), f": {group.first.phrase}")
        for group in sized[:count]
    ]
    return joined((element("h3", "What costs most"), element("ol", *items)))


# --- the source ------------------------------------------------------------------------------------------------------


def listing(explanation: Explanation, groups: Sequence[Group], source: ShownLines) -> Html:
    """Return the source with the marks of the groups beside its lines; so of other files that locations name."""
    marks: dict[tuple[str, int], list[Html]] = {}
    styles: dict[tuple[str, int], str] = {}
    for group in groups:
        file, line, _ = parse_place(group.first.location)
        styles.setdefault((file, line), group.style)
        marks.setdefault((file, line), []).append(_mark(group, group.mark, group.style, group.first.phrase))
        if group.read:
            said = f"read: line {line} {group.verb}"
            marks.setdefault(parse_place(group.read)[:2], []).append(_mark(group, said, "read", _READ))
    parts: list[Html] = []
    for file, numbers in source.files():
        parts += [element("h3", file)] if file != explanation.name else []
        previous = numbers[0] - 1
        rows: list[Html] = []
        for number in numbers:
            if number != previous + 1:
                rows.append(element("p", "⋮", class_="gap"))
            style = styles.get((file, number), "")
            rows.append(_line(file, number, source, marks.get((file, number), ()), style))
            previous = number
        parts.append(element("div", *rows, class_="listing"))
    return joined(parts)


def _mark(group: Group, said: str, style: str, title: str) -> Html:
    return element("a", said, href=f"#{group.anchor}", class_=f"mark {style}", title=title)


def _line(file: str, number: int, source: ShownLines, marks: Sequence[Html], style: str) -> Html:
    anchor = source.anchor(file, number)
    return element(
        "div",
        element("a", number, href=f"#{anchor}", class_="number"),
        element("code", clipped(source.lines.line(file, number))),
        element("span", joined(marks, " "), class_="marks") if marks else "",
        id=anchor,
        class_=f"line {style}" if style else "line",
    )


def clipped(line: str) -> str:
    """Return a line, of a long one the beginning."""
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}… ({len(line)} characters)"


# --- decisions -------------------------------------------------------------------------------------------------------


def decision_tables(decisions: Sequence[ReportedDecision], source: ShownLines) -> Html:
    """Return the decisions that cost a buffer or a copy as a table, and those in place as one that can be opened."""
    parts: list[Html] = []
    ordered = sorted(decisions, key=lambda decision: decision.in_place)
    for in_place, members in groupby(ordered, key=lambda decision: decision.in_place):
        found = list(members)
        table = element("table", element("tbody", *(_decision(decision, source) for decision in found)))
        if in_place:
            table = element("details", element("summary", f"{len(found)} in place"), table)
        else:
            table = joined((element("p", f"{len(found)} out-of-place"), table))
        parts.append(table)
    return joined(parts) if parts else element("p", "There was nothing to decide.")


def _decision(decision: ReportedDecision, source: ShownLines) -> Html:
    notes = [element("li", note) for note in decision.notes]
    return element(
        "tr",
        element("th", source.short(decision.location), scope="row"),
        element("td", decision.text, _list(notes)),
        data_find=True,
    )
