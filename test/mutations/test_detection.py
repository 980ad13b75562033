"""The static checker refuses wrong programs, or says that it did not judge them; it calls none right that it knows."""

from __future__ import annotations

import pytest
from detection import REFUSED, UNSURE, judge_in_child
from search import read_findings

FINDINGS = read_findings()


@pytest.mark.parametrize(
    "name",
    [
        "a new write against reads",
        "decided writes against read-only members",
        "a new write against read-only members",
        "arguments marked as not writable",
        # A function calls itself with its arguments in turn: it needs the one that it reads, and so all of them.
        "assumed reads",
    ],
)
def test_programs_that_are_refused(name: str) -> None:
    assert judge_in_child(name, FINDINGS[name])[0] == REFUSED


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        # Another thread may write what this one wrote, before it reads it.
        ("threads that leave with a write", "memory that each thread writes"),
        # Two results of a call are one piece of memory, or may be.
        ("results of a call that share memory", "a call that may return its argument"),
        ("unknown callees return one buffer twice", "a call that may return its argument"),
        # The callee stores to the state whose memory it is handed.
        ("a store of the loaded value itself", "memory that a callee may write through an alias"),
        ("loaded memory is read-only", "state of the module"),
    ],
)
def test_programs_that_are_not_called_right(name: str, reason: str) -> None:
    verdict, detail = judge_in_child(name, FINDINGS[name])
    assert verdict == UNSURE
    assert reason in detail


def test_constants_that_are_written_are_refused() -> None:
    name = "ConstantModel makes what must not be written"
    verdict, detail = judge_in_child(name, FINDINGS[name])
    assert verdict == REFUSED
    assert detail == "the memory of a constant must not be changed, but the memory holds result 0 of 'linalg.generic'"
