"""Colour: only for a person at a terminal who has rich; everyone else gets the text as it is."""

from __future__ import annotations

import importlib.util
import io
import re
import sys
from types import ModuleType

import pytest

from mlir_inplace.tools.shared.console import print_error

TEXT = "f.mlir:1:2: error: wrong\nan error: in the source\n ^~~\nf.mlir:1:1: note: why\nwarning: nowhere"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class FakeText:
    """Stands for rich's Text: puts the style behind what it highlights."""

    def __init__(self, text: str) -> None:
        self.text = text

    def highlight_regex(self, pattern: str, style: str) -> None:
        self.text = re.sub(pattern, lambda match: f"{match.group()}<{style}>", self.text)


class FakeConsole:
    def __init__(self, *, stderr: bool, soft_wrap: bool) -> None:
        assert stderr
        assert soft_wrap

    def print(self, text: FakeText) -> None:
        sys.stderr.write(text.text)


@pytest.fixture
def rich(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for rich, so that the test needs no installation of it."""
    for name, members in {
        "rich": {},
        "rich.console": {"Console": FakeConsole},
        "rich.text": {"Text": FakeText},
    }.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: object())


@pytest.mark.usefixtures("rich")
def test_severities_and_carets_are_coloured_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    print_error(TEXT)
    assert sys.stderr.getvalue() == (
        "f.mlir:1:2: error: <bold red>wrong\nan error: in the source\n ^~~<green>\n"
        "f.mlir:1:1: note: <bold>why\nwarning: <bold magenta>nowhere"
    )


@pytest.mark.usefixtures("rich")
def test_a_file_gets_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(TEXT)
    assert capsys.readouterr().err == f"{TEXT}\n"


def test_without_rich_the_text_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    monkeypatch.setattr(sys, "stderr", Terminal())
    print_error(TEXT)
    assert sys.stderr.getvalue() == f"{TEXT}\n"
