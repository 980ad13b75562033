"""Colour on a terminal, if `rich` is installed; plain text everywhere else."""

from __future__ import annotations

import importlib.util
import sys

_STYLES = {
    r"(?m)^(\S+:\d+:\d+: )?error: ": "bold red",
    r"(?m)^(\S+:\d+:\d+: )?warning: ": "bold magenta",
    r"(?m)^(\S+:\d+:\d+: )?remark: ": "bold blue",
    r"(?m)^(\S+:\d+:\d+: )?note: ": "bold",
    r"(?m)^\s*\^~*$": "green",
}


def print_error(text: str) -> None:
    """Prints diagnostics on standard error, severities and carets coloured where a person will see them."""
    if not (sys.stderr.isatty() and importlib.util.find_spec("rich")):
        print(text, file=sys.stderr, flush=True)
        return
    from rich.console import Console  # pyright: ignore[reportMissingImports]
    from rich.text import Text  # pyright: ignore[reportMissingImports]

    coloured = Text(text)
    for pattern, style in _STYLES.items():
        coloured.highlight_regex(pattern, style)
    Console(stderr=True, soft_wrap=True).print(coloured)
