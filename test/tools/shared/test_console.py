"""Colour: only for a person at a terminal, unless a flag says otherwise; everyone else gets the text as it is."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator

import pytest

from mlir_inplace.tools.shared.console import print_error, use_colour

TEXT = "f.mlir:1:2: error: wrong\nan error: in the source\n ^~~\nf.mlir:1:1: note: why\nwarning: nowhere"
COLOURED = (
    "\033[1;31mf.mlir:1:2: error: \033[0mwrong\nan error: in the source\n\033[32m ^~~\033[0m\n"
    "\033[1mf.mlir:1:1: note: \033[0mwhy\n\033[1;35mwarning: \033[0mnowhere\n"
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    yield
    use_colour(None)


def printed(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    print_error(TEXT)
    return stream.getvalue()


def test_severities_and_carets_are_coloured_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert printed(Terminal(), monkeypatch) == COLOURED
    assert re.sub(r"\033\[[\d;]*m", "", COLOURED) == f"{TEXT}\n"


def test_the_error_of_a_program_is_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    print_error("inplace-opt: error: no")
    assert sys.stderr.getvalue() == "\033[1;31minplace-opt: error: \033[0mno\n"  # type: ignore[attr-defined]


def test_a_file_gets_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    assert printed(io.StringIO(), monkeypatch) == f"{TEXT}\n"


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_that_wants_none_gets_plain_text(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    assert printed(Terminal(), monkeypatch) == f"{TEXT}\n"


def test_a_flag_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    use_colour(True)
    assert printed(io.StringIO(), monkeypatch) == COLOURED
    use_colour(False)
    assert printed(Terminal(), monkeypatch) == f"{TEXT}\n"
