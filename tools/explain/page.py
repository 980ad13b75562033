"""The page of `inplace-explain`: one file that needs no other, and no script to be read.

All text is escaped by `html.py`; beside that a policy in the page lets a browser run its one script only, by the
script's hash. Linear in the program, but for the maps of arenas, which are planned.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator

from ... import __version__
from ...passes.analysis.explanations.reasons import Reason
from ...passes.analysis.explanations.records import counted
from ...passes.analysis.explanations.report import BufferizationReport
from .charts import arena_map, lifetimes
from .explanation import Explanation
from .html import Html, element, joined
from .records_view import Group, cards, decision_tables, groups_of, listing, most_expensive, short_bytes
from .shown_lines import ShownLines
from .style import SCRIPT, STYLE

__all__ = ["page"]


def page(explanation: Explanation) -> str:
    """Return the page."""
    report = explanation.report
    groups = groups_of(report.records)
    source = ShownLines(explanation.name, explanation.lines, _locations(explanation))
    title = f"Allocations and copies of {explanation.short_name}"
    body = (
        element("header", element("h1", title), *_head(explanation, groups)),
        _search(),
        element(
            "main",
            _section("source", "Source", *_source(explanation, groups, source)),
            *_sections(explanation, groups, source),
        ),
        element("footer", element("p", f"Written by inplace-explain, mlir-inplace {__version__}.")),
        element("script", Html(SCRIPT)),
    )
    head = (
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy()),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Html(STYLE)),
    )
    return f"<!DOCTYPE html>\n{element('html', element('head', *head), element('body', *body), lang='en')}\n"


def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _locations(explanation: Explanation) -> Iterator[str]:
    """Yield the places that are named on the page."""
    for record in explanation.report.records:
        yield record.location
        yield from (note.location for note in record.notes)
        yield from (loop.location for loop in record.loops)
    for decision in explanation.report.decisions:
        yield decision.location


def _section(name: str, title: str, *content: object) -> Html:
    return element("section", element("h2", title), *content, id=name)


def _source(explanation: Explanation, groups: list[Group], source: ShownLines) -> Iterator[Html]:
    if explanation.printed:
        yield element("p", "The program is not text. This is what it prints as, once it is linalg on tensors.")
    yield listing(explanation, groups, source)


# --- the head --------------------------------------------------------------------------------------------------------


def _head(explanation: Explanation, groups: list[Group]) -> Iterator[Html]:
    """Yield what is seen first: the summary, the totals, and what costs most."""
    report = explanation.report
    yield element("p", report.summary, class_="summary")
    if not report.copies and all(record.reason is Reason.RESULT for record in report.records):
        yield element("p", "Nothing is left that a change of the program would remove.", class_="nothing")
    totals = [
        (len(report.allocations), counted(len(report.allocations), "allocation").partition(" ")[2]),
        (short_bytes(report.allocated_bytes), "allocated"),
        (len(report.copies), counted(len(report.copies), "copy").partition(" ")[2]),
        (short_bytes(report.copied_bytes), "copied"),
        (len(report.out_of_place), f"of {counted(len(report.decisions), 'operand')} out-of-place"),
    ]
    yield element("ul", *(element("li", element("b", number), " ", name) for number, name in totals), class_="totals")
    yield most_expensive(groups)
    links = ("source", "records", "lifetimes", "arena", "decisions")
    yield element("nav", joined((element("a", name, href=f"#{name}") for name in links), " "))


def _search() -> Html:
    """The field that the script shows, as it works with the script only."""
    label = element("label", "Search ", element("input", type="search", id="words"))
    return element("p", label, " ", element("output", id="found"), id="search", hidden=True)


# --- by function -----------------------------------------------------------------------------------------------------


def _sections(explanation: Explanation, groups: list[Group], source: ShownLines) -> Iterator[Html]:
    """Yield what there is of each function, kind by kind."""
    parts = explanation.report.by_function()
    made: dict[str, list[Group]] = {}
    for group in groups:
        made.setdefault(group.first.function, []).append(group)
    yield _section(
        "records",
        "Allocations and copies",
        *(_of_function(name, part.summary, cards(made.get(name, ()), source)) for name, part in parts.items()),
        *_empty(parts),
    )
    yield _section(
        "lifetimes",
        "Alias sets and their lifetimes",
        element("p", "Tensors of one set may share memory. Open a set to see its tensors."),
        *(_of_function(name, "", lifetimes(part.alias_sets, source)) for name, part in parts.items()),
        *_empty(parts),
    )
    yield _section("arena", "Arena", *_arenas(explanation, source))
    yield _section(
        "decisions",
        "Decisions",
        *(_of_function(name, "", decision_tables(part.decisions, source)) for name, part in parts.items()),
        *_empty(parts),
    )


def _of_function(name: str, summary: str, content: Html) -> Html:
    return element("div", element("h3", f"@{name}"), element("p", summary) if summary else "", content)


def _empty(parts: dict[str, BufferizationReport]) -> list[Html]:
    return [] if parts else [element("p", "No function has tensors.")]


def _arenas(explanation: Explanation, source: ShownLines) -> Iterator[Html]:
    yield element(
        "p",
        "Where inplace-plan-memory puts the buffers once they are freed: time to the right, offsets down. Buffers that"
        " are live at the same time do not overlap.",
    )
    if explanation.unplanned:
        yield element("p", f"There is no plan: {explanation.unplanned}")
    elif not explanation.arenas:
        yield element("p", "No function has a buffer to plan.")
    for arena in explanation.arenas:
        yield _of_function(arena.function, "", arena_map(arena, source))
