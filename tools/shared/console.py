"""Colour on a terminal, as clang has it; plain text everywhere else, and where `NO_COLOR` is set."""

from __future__ import annotations

import os
import re
import sys

_STYLES = {
    re.compile(r"^(?:\S+:\d+:\d+: )?(?:[\w-]+: )?error: ", re.MULTILINE): "1;31",
    re.compile(r"^(?:\S+:\d+:\d+: )?(?:[\w-]+: )?warning: ", re.MULTILINE): "1;35",
    re.compile(r"^(?:\S+:\d+:\d+: )?remark: ", re.MULTILINE): "1;34",
    re.compile(r"^(?:\S+:\d+:\d+: )?note: ", re.MULTILINE): "1",
    re.compile(r"^\s*\^~*$", re.MULTILINE): "32",
}
"""Pattern -> the code of ANSI terminals."""

_wanted: bool | None = None


def use_colour(wanted: bool | None) -> None:
    """Colour diagnostics, or do not; None for only where a person sees it."""
    global _wanted  # noqa: PLW0603 - one process has one standard error
    _wanted = wanted


def print_error(text: str) -> None:
    """Print diagnostics on standard error, with severities and carets coloured on a terminal."""
    if _coloured():
        for pattern, code in _STYLES.items():
            text = pattern.sub(rf"\033[{code}m\g<0>\033[0m", text)
    print(text, file=sys.stderr, flush=True)


def _coloured() -> bool:
    if _wanted is not None:
        return _wanted
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


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
