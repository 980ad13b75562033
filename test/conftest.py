"""Makes `mlir` importable before any test module is, and has every bufferization checked by the independent checker.

Compiled programs are verified after each pass, too.

`MLIR_INPLACE_VERIFY_BUFFERIZATION=0` turns the check off. How many reads it judged is told when all tests are done.
"""

from __future__ import annotations

import functools
import os
from collections import Counter
from typing import Any

import linalg_programs
import pytest

import mlir_inplace  # noqa: F401
from mlir_inplace.passes.verification.checker.recording import VARIABLE, Recording
from mlir_inplace.passes.verification.checker.report import VerificationReport
from mlir_inplace.runtime.compilation.build import VERIFY_EACH

os.environ.setdefault(VARIABLE, "1")
os.environ.setdefault(VERIFY_EACH, "1")

_READS: Counter[str] = Counter()
"""How many reads were found right, and why others were not judged, in this process."""


_BEGINNING = linalg_programs.RNG.bit_generator.state


@pytest.fixture(autouse=True)
def same_numbers_in_any_order() -> None:
    """Let each test draw the same numbers whatever ran before it."""
    linalg_programs.RNG.bit_generator.state = _BEGINNING


@pytest.fixture(scope="session", autouse=True)
def count_checked_reads() -> None:
    """Count what the checker judges."""
    finish = Recording.finish

    @functools.wraps(finish)
    def counted(self: Recording, *arguments: Any) -> VerificationReport:
        report = finish(self, *arguments)
        _READS["right"] += report.checked
        _READS["not judged"] += report.unchecked.total()
        return report

    Recording.finish = counted


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell how many reads were judged."""
    right, others = _READS["right"], _READS["not judged"]
    if right + others:
        terminalreporter.write_line(f"bufferization checked: {right} reads are right, {others} were not judged")
