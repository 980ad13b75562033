"""`--verify-diagnostics`: the diagnostics of a run against the expectations in the input's comments.

    // expected-error @+1 {{does not fit}}
    %0 = arith.addi %a, %b : i32

    expectation := expected-(error|warning|remark|note) ['-re'] [place] '{{' text '}}'    at the end of a line
    place       := '@' ('+' | '-') lines | '@above' | '@below' | '@unknown'

Without a place the diagnostic must be on the line itself; `@above` and `@below` mean the nearest line without an
expectation of its own; `@unknown` a diagnostic that has no place in a file. The text must occur in the message; with
`-re`, the parts between inner `{{` and `}}` are regular expressions. A diagnostic that no expectation of its line and
severity matches is an error, and so is an expectation that nothing matched. As in mlir-opt one expectation may match
several diagnostics, and the note that only repeats the current operation is ignored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ...passes.framework.diagnostics import Diagnostic, Severity
from ..shared.command_line import ToolError
from ..shared.console import print_error
from ..shared.diagnostic_printer import render, with_source_name
from ..shared.input import Source

_EXPECTATION = re.compile(
    r"expected-(?P<severity>error|warning|remark|note)(?P<regex>-re)?\s*"
    r"(?P<place>@(?:[+-]\d+|above|below|unknown))?\s*\{\{(?P<text>.*)\}\}$"
)
_ATTEMPT = re.compile(r"expected-(error|warning|remark|note)\b")
CURRENT_OPERATION = "see current operation"
"""How the note starts that MLIR adds to errors of operations."""


@dataclass
class Expectation:
    """One expected diagnostic: its line (None for no place), where it was written, and whether it has come."""

    severity: Severity
    line: int | None
    text: str
    pattern: re.Pattern[str]
    written_line: int
    written_column: int
    matched: bool = field(default=False)


class DiagnosticVerifier:
    """Compares the diagnostics of one part of the input with its expectations.

    Args:
        source: the part.
        only_expected: allow diagnostics on lines without expectations.

    Raises `ToolError` when an expectation in the source cannot be read.
    """

    def __init__(self, source: Source, *, only_expected: bool = False) -> None:
        self._source = source
        self._only_expected = only_expected
        self._expectations = read_expectations(source)
        self._failed = False

    def take(self, diagnostic: Diagnostic) -> None:
        """Compare a diagnostic and each of its notes; report those that were not expected."""
        named = with_source_name(diagnostic, self._source.name)
        for one in (named, *named.notes):
            if not (one.severity == "note" and one.message.startswith(CURRENT_OPERATION)):
                self._compare(one)

    def finish(self, succeeded: bool) -> bool:
        """Report unmet expectations; return whether all diagnostics matched, whether or not the run failed."""
        del succeeded
        for missing in self._expectations:
            if not missing.matched:
                message = f'expected {missing.severity} "{missing.text}" was not produced'
                place = self._source.name, missing.written_line, missing.written_column
                self._print(Diagnostic("error", *place, message))
        return not self._failed

    def _compare(self, found: Diagnostic) -> None:
        line = found.line if found.file == self._source.name else None
        candidates = [e for e in self._expectations if e.line == line and e.pattern.search(found.message)]
        exact = [e for e in candidates if e.severity == found.severity]
        if exact:
            # The first that is still unmatched, so that two equal expectations need two diagnostics.
            next((e for e in exact if not e.matched), exact[0]).matched = True
        elif candidates:
            message = f"{found.severity} emitted where {candidates[0].severity} was expected: {found.message}"
            self._report_found(found, message)
        elif not self._only_expected:
            self._report_found(found, f"unexpected {found.severity}: {found.message}")

    def _report_found(self, found: Diagnostic, message: str) -> None:
        self._print(Diagnostic("error", found.file, found.line, found.column, message))

    def _print(self, diagnostic: Diagnostic) -> None:
        self._failed = True
        print_error(render(diagnostic, self._source))


def read_expectations(source: Source) -> list[Expectation]:
    """The expectations in the source, in order; raises `ToolError` for one that cannot be read."""
    lines = source.lines
    found: list[Expectation] = []
    for number, line in enumerate(lines, start=1):
        match = _EXPECTATION.search(line.rstrip())
        if match:
            found.append(_make_expectation(source, number, match, lines))
        elif attempt := _ATTEMPT.search(line):
            # A misspelt expectation that is silently ignored would let a test pass that checks nothing.
            message = "expected 'expected-<severity> [@place] {{text}}' at the end of the line"
            raise _unreadable(source, number, attempt.start() + 1, message)
    return found


def _make_expectation(source: Source, number: int, match: re.Match[str], lines: list[str]) -> Expectation:
    severity: Severity = match["severity"]  # type: ignore[assignment]
    column = match.start() + 1
    try:
        pattern = re.compile(_pattern_text(match["text"]) if match["regex"] else re.escape(match["text"]))
        line = _target_line(match["place"], number, lines)
    except (re.error, ValueError) as error:
        raise _unreadable(source, number, column, str(error)) from None
    return Expectation(severity, line, match["text"], pattern, number, column)


def _unreadable(source: Source, line: int, column: int, message: str) -> ToolError:
    """Report an expectation that cannot be parsed; return the exception to raise."""
    print_error(str(Diagnostic("error", source.name, line, column, message)))
    return ToolError()


def _target_line(place: str | None, number: int, lines: list[str]) -> int | None:
    """The line an expectation on line `number` is about; raises ValueError when there is no such line."""
    if place == "@unknown":
        return None
    if place in ("@above", "@below"):
        step = -1 if place == "@above" else 1
        target = number + step
        while 0 < target <= len(lines) and _ATTEMPT.search(lines[target - 1]):
            target += step
    else:
        target = number + int(place[1:] if place else 0)
    if not 0 < target <= len(lines):
        raise ValueError(f"{place} leads out of the file")
    return target


def _pattern_text(text: str) -> str:
    """A regular expression: what stands between `{{` and `}}` as it is, everything else literally."""
    parts = re.split(r"\{\{(.*?)\}\}", text)
    return "".join(f"(?:{part})" if index % 2 else re.escape(part) for index, part in enumerate(parts))
