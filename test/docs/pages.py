"""The pages of the project, read as tests: what stands in their fences, their inline commands, links and paths.

The language of a fence says what a test does with it:

    ```sh                 runs the commands, in a folder that has the repository's examples
    ```sh fails           the same, but each must exit with 1
    ```python             runs the code; all blocks of a page share one namespace, which is empty at first
    ```mlir               parses and verifies the program
    ```text output        is what the commands or the code above it print; a line `...` stands for any lines
    ```mlir output        the same, and it parses
    ```toml file=NAME     is written to that file, for what comes after it on the page; so is any other language
    ```mlir from=FILE     stands like that in that file of the repository; so does any other language
    ```text               is only read by people

Further words after the language are ignored by what shows Markdown.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```[ \t]*$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_COMMAND = re.compile(
    r"((inplace-(opt|run|compile|check|exhaust|explain|fuzz)|pip|pre-commit|ruff|lit) \S|python (-m \w|\S+\.py\b))"
)


@dataclass(frozen=True)
class Block:
    """One fence of a page."""

    page: str
    line: int
    language: str
    words: tuple[str, ...]
    text: str

    @property
    def is_output(self) -> bool:
        """Whether the block shows what the one before it prints."""
        return "output" in self.words

    @property
    def file(self) -> str | None:
        """The name of the file that the block shows."""
        return self._word("file")

    @property
    def source(self) -> str | None:
        """The file of the repository that the block is a part of."""
        return self._word("from")

    def _word(self, name: str) -> str | None:
        return next((word.removeprefix(f"{name}=") for word in self.words if word.startswith(f"{name}=")), None)

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def page_names() -> list[str]:
    """The pages that are tested, as paths below the repository's root."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page.relative_to(ROOT).as_posix() for page in pages]


def read(page: str) -> str:
    """The text of a page."""
    return (ROOT / page).read_text()


def blocks(page: str) -> list[Block]:
    """The fences of a page, in order."""
    text = read(page)
    found = []
    for match in _FENCE.finditer(text):
        language, *words = match[2].split() or [""]
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(page, line, language, tuple(words), textwrap.dedent(match[3])))
    return found


def prose(page: str) -> str:
    """A page without its fences."""
    return _FENCE.sub("", read(page))


def spans(page: str) -> list[str]:
    """What stands between single backticks in the prose of a page, each on one line."""
    return [" ".join(match.split()) for match in _SPAN.findall(prose(page))]


def inline_commands(page: str) -> list[str]:
    """The spans that are commands."""
    return [span for span in spans(page) if _COMMAND.match(span)]


def links(page: str) -> list[str]:
    """What the links of a page lead to, but for other sites."""
    return [target for target in _LINK.findall(_SPAN.sub("", prose(page))) if not re.match(r"[a-z]+:", target)]


def anchors(page: str) -> set[str]:
    """The anchors that headings of a page have on GitHub."""
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)}


def slug(heading: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def named_paths(page: str) -> Iterator[str]:
    """The paths of files and folders that the prose of a page names."""
    for span in spans(page):
        if re.fullmatch(r"[\w.-]*[\w*{},./-]*(/|\.(py|md|mlir|toml|json|yaml|txt))", span) and span.strip("./"):
            yield span
