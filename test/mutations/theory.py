"""Where the pages of docs/theory/ argue for a rule."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent.parent.parent / "docs"


class Section(NamedTuple):
    """A section of a page: its heading, the link to it from a page in docs/, and heading and text on one line."""

    title: str
    link: str
    text: str


@cache
def sections() -> tuple[Section, ...]:
    """The sections of all pages, in the order of docs/THEORY.md."""
    found: list[Section] = []
    index = (DOCS / "THEORY.md").read_text()
    for page in dict.fromkeys(re.findall(r"\]\((theory/[\w-]+\.md)\)", index)):
        for part in re.split(r"^(?=#+ )", (DOCS / page).read_text(), flags=re.MULTILINE)[1:]:
            title = part.partition("\n")[0].lstrip("# ")
            found.append(Section(title, f"{page}#{slug(title)}", " ".join(part.split())))
    return tuple(found)


def slug(title: str) -> str:
    """The anchor that a heading has on GitHub."""
    return re.sub(r"[^ \w-]", "", title.lower()).replace(" ", "-")


def find_section(anchor: str) -> Section | None:
    """The section that is called `anchor`, whatever its marks, or in which `anchor` stands first; None if neither."""
    called = slug(re.sub(r"^#+ (\d+\. )?|[*.]", "", anchor))
    named = (section for section in sections() if slug(section.title) == called)
    there = (section for section in sections() if " ".join(anchor.split()) in section.text)
    return next(named, None) or next(there, None)
