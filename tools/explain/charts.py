"""The charts of the page, as inline SVG that fits any width: lifetimes of alias sets, and maps of arenas.

Positions along the program are percentages, so that nothing but bars is stretched; all text is HTML, which wraps.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...passes.analysis.explanations.reported_sets import ReportedAliasSet, ReportedValue
from .arenas import OutsideBuffer, PlacedBuffer, ReportedArena, ReportedSection
from .html import Html, element, joined
from .shown_lines import ShownLines

__all__ = ["arena_map", "lifetimes"]

_HIGHEST, _LOWEST = 260, 24
"""The height of the map of an arena, in pixels, for many buffers and for few."""

_NAMED = 14
"""How high a bar must be to have a number in it."""

_HUES = 6


def lifetimes(alias_sets: Sequence[ReportedAliasSet], source: ShownLines) -> Html:
    """Return a bar for each alias set, from its first definition to its last use, with its tensors."""
    known = [alias_set for alias_set in alias_sets if alias_set.first]
    if not alias_sets:
        return element("p", "No tensor has memory.")
    file = known[0].file if known else ""
    drawn = [alias_set for alias_set in known if alias_set.file == file]
    low = min((alias_set.first for alias_set in drawn), default=0)
    high = max((alias_set.last for alias_set in drawn), default=0)
    rows = [_lifetime(alias_set, low, high, file, source) for alias_set in alias_sets]
    ruler = element("p", element("span", f"line {low}"), element("span", f"line {high}"), class_="ruler")
    return element("div", ruler if drawn else "", *rows, class_="lifetimes")


def _lifetime(alias_set: ReportedAliasSet, low: int, high: int, file: str, source: ShownLines) -> Html:
    first = alias_set.values[0]
    others = len(alias_set.values) - 1
    summary = element(
        "summary",
        element("code", first.name),
        f" and {others} more, " if others else ", ",
        ", ".join(alias_set.origins),
        ", ",
        element("code", first.type),
    )
    table = element("table", element("tbody", *(_tensor(value, alias_set.file, source) for value in alias_set.values)))
    chart = Html()
    if alias_set.first and alias_set.file == file:
        span = high - low + 1
        said = f"{first.name}: line {alias_set.first} to line {alias_set.last}"
        bar = _bar((alias_set.first - low) / span, (alias_set.last - alias_set.first + 1) / span, 2, 12, said)
        track = element("rect", x="0", y=7, width="100%", height=2, class_="track")
        kind = alias_set.origins[0] if len(alias_set.origins) == 1 else "several"
        chart = element("svg", track, bar, width="100%", height=16, role="img", aria_label=said, class_=kind)
    return element("div", element("details", summary, table), chart, class_="lifetime", data_find=True)


def _tensor(value: ReportedValue, file: str, source: ShownLines) -> Html:
    place = source.short(f"{file}:{value.line}:1") if value.line else "unknown"
    return element(
        "tr", element("th", element("code", value.name), scope="row"), element("td", place),
        element("td", element("code", value.type)),
    )  # fmt: skip


def _bar(start: float, length: float, top: float, height: float, said: str, class_: str = "bar") -> Html:
    return element(
        "g",
        element("title", said),
        element(
            "rect",
            x=f"{start * 100:.3g}%",
            y=f"{top:.4g}",
            width=f"{length * 100:.3g}%",
            height=f"{height:.4g}",
            class_=class_,
        ),
    )


# --- arenas ----------------------------------------------------------------------------------------------------------


def arena_map(arena: ReportedArena, source: ShownLines) -> Html:
    """Return a map of each section of an arena, time to the right and offsets down, and a table of its buffers."""
    parts = [_section(section, source) for section in arena.sections]
    return joined((*parts, _outside(arena.outside, source) if arena.outside else ""))


def _section(section: ReportedSection, source: ShownLines) -> Html:
    begin = min(buffer.begin for buffer in section.buffers)
    end = max(buffer.end for buffer in section.buffers)
    height = min(_LOWEST * max(len(section.buffers), 2), _HIGHEST)
    bars: list[Html] = []
    rows: list[Html] = []
    for number, buffer in enumerate(section.buffers, start=1):
        bars.append(_placed(number, buffer, section, (begin, end), height))
        rows.append(_row(number, buffer, section, source))
    said = (
        f"{len(section.buffers)} {'buffer' if len(section.buffers) == 1 else 'buffers'} in "
        f"{section.size(section.peak)}, of which at most {section.size(section.max_live)} are live at once"
    )
    names = ("", "buffer", "offset", "size", "from", "to")
    head = element("thead", element("tr", *(element("th", name, scope="col") for name in names)))
    return joined(
        (
            element("p", said),
            element("svg", *bars, width="100%", height=height, role="img", aria_label=said, class_="arena"),
            element("p", element("span", "first allocation"), element("span", "last use"), class_="ruler"),
            element("div", element("table", head, element("tbody", *rows)), class_="wide"),
        )
    )


def _placed(number: int, buffer: PlacedBuffer, section: ReportedSection, span: tuple[int, int], height: float) -> Html:
    begin, end = span
    peak = max(section.peak, 1)
    start, length = (buffer.begin - begin) / (end - begin), (buffer.end - buffer.begin) / (end - begin)
    top, high = buffer.offset / peak * height, max(buffer.size / peak * height, 1)
    said = f"{number}: {buffer.type}, {section.size(buffer.size)} at offset {section.size(buffer.offset)}"
    bar = _bar(start, length, top, high, said, f"hue{number % _HUES}")
    if high < _NAMED:
        return bar
    label = element("text", number, x=f"{(start + length / 2) * 100:.3g}%", y=f"{top + high / 2 + 4:.4g}")
    return joined((bar, label))


def _row(number: int, buffer: PlacedBuffer, section: ReportedSection, source: ShownLines) -> Html:
    cells = (
        element("code", buffer.type),
        section.size(buffer.offset),
        section.size(buffer.size),
        source.short(buffer.allocated),
        source.short(buffer.freed),
    )
    number_cell = element("th", number, scope="row")
    return element("tr", number_cell, *(element("td", cell) for cell in cells), data_find=True)


def _outside(buffers: Sequence[OutsideBuffer], source: ShownLines) -> Html:
    items = [
        element("li", element("code", buffer.type), ", ", source.short(buffer.location), f": {buffer.reason}",
                data_find=True)
        for buffer in buffers
    ]  # fmt: skip
    return joined((element("p", f"Outside of the arena: {len(buffers)}"), element("ul", *items)))
