"""Colour on a terminal, if `rich` is installed; plain text everywhere else."""

from __future__ import annotations

import importlib.util
import os
import sys

_STYLES = {
    r"(?m)^(\S+:\d+:\d+: )?error: ": "bold red",
    r"(?m)^(\S+:\d+:\d+: )?warning: ": "bold magenta",
    r"(?m)^(\S+:\d+:\d+: )?remark: ": "bold blue",
    r"(?m)^(\S+:\d+:\d+: )?note: ": "bold",
    r"(?m)^\s*\^~*$": "green",
}


def print_error(text: str) -> None:
    """Print diagnostics on standard error, with severities and carets coloured on a terminal."""
    if not (sys.stderr.isatty() and importlib.util.find_spec("rich")):
        print(text, file=sys.stderr, flush=True)
        return
    from rich.console import Console  # pyright: ignore[reportMissingImports]
    from rich.text import Text  # pyright: ignore[reportMissingImports]

    coloured = Text(text)
    for pattern, style in _STYLES.items():
        coloured.highlight_regex(pattern, style)
    Console(stderr=True, soft_wrap=True).print(coloured)


def open_standard_error() -> None:
    """Open the null device as standard error if the process was started without one.

    `sys.stderr` is None then, and `print` would write to standard output instead.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - it lives as long as the process


def abandon_standard_output() -> None:
    """Redirect standard output to the null device: Python would flush its buffer once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def explain_os_error(error: OSError) -> str:
    """One line about output that could not be written; abandons standard output if that failed."""
    if error.filename is None:
        abandon_standard_output()
    place = "standard output" if error.filename is None else f"'{error.filename}'"
    return f"cannot write {place}: {error.strerror}"
