"""The report of a bufferization as HTML, for notebooks: one table, without scripts, in the notebook's own colours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from .records import BufferRecord, together

__all__ = ["html_table"]

_HEAD = "<tr><th>place</th><th>what</th><th>cost</th><th>reason</th><th>change that removes it</th></tr>"


def html_table(summary: str, records: Iterable[BufferRecord]) -> str:
    """Return the summary and, if there are records, a table of them."""
    rows = "".join(_row(group) for group in together(records))
    table = f"<table>{_HEAD}{rows}</table>" if rows else ""
    return f"<div><p><b>{escape(summary)}</b></p>{table}</div>"


def _row(group: Sequence[BufferRecord]) -> str:
    first = group[0]
    kinds = " and ".join(record.kind.value for record in group)
    notes = "".join(f"<br><small>{escape(str(note))}</small>" for note in first.notes)
    snippet = f"<br><code>{escape(first.snippet)}</code>" if first.snippet else ""
    name = f"<br>{escape(first.further_name)}" if first.further_name else ""
    cells = (
        f"{escape(first.location)}{name}{snippet}",
        f"{kinds} of <code>{escape(first.type)}</code>",
        escape(first.cost),
        f"{escape(first.phrase)}{notes}",
        escape(first.advice),
    )
    return "<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells) + "</tr>"
