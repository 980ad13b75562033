"""Each rule of the analysis is there for something: without it, the program that was found for it goes wrong."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from catalogue import BY_NAME, RULES
from disabling import disabled
from fast_run import is_full
from keep import as_written
from mlir import ir
from reach import Reach
from search import read_findings
from sources import case
from table import PAGE, page
from theory import find_section
from trial import Trial
from verdicts import COSTS

FINDINGS = read_findings()


@functools.cache
def results() -> dict[str, str]:
    """What goes wrong without each rule; in another process, as some of it ends processes."""
    script = Path(__file__).parent / "recheck.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", FINDINGS)
def test_without_the_rule_its_program_goes_wrong(name: str) -> None:
    assert results()[name] == FINDINGS[name]["finding"]


def test_every_rule_can_be_switched_off_and_is_in_the_theory() -> None:
    for rule in RULES:
        with disabled(rule):
            pass
        assert find_section(rule.anchor), rule.name
    assert len(BY_NAME) == len(RULES)


def test_programs_come_out_the_same_without_rules_that_they_do_not_reach() -> None:
    context, reach = ir.Context(), Reach(RULES)
    for source in ("calls", "destinations"):
        with reach.watching():
            trial = Trial(case(source, 0), context)
        left = [rule for rule in RULES if not reach.reached(rule)]
        assert 100 < len(left) < 0.9 * len(RULES)
        for rule in left[:: 9 if is_full() else 27]:
            assert trial.finding(rule) is None
            assert not trial.is_changed, rule.name


@pytest.mark.parametrize("source", ["calls", "nests"])
def test_kept_programs_are_those_of_their_seeds(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = case(source, 3)
    (tmp_path / f"kept-{source}.mlir").write_text(as_written(made))
    monkeypatch.setattr("sources.WRITTEN", tmp_path)
    kept = case("written", f"kept-{source}")
    assert kept.text.endswith(made.text.rstrip() + "\n")
    assert (kept.passes, kept.after, kept.protects) == (made.passes, made.after, made.protects)
    for run, given in zip(kept.runs, made.runs, strict=True):
        for one, other in zip(run, given, strict=True):
            np.testing.assert_array_equal(one, other, strict=True)


def test_every_rule_is_found_or_judged() -> None:
    assert FINDINGS.keys() <= BY_NAME.keys()
    assert COSTS.keys() == BY_NAME.keys() - FINDINGS.keys()


def test_the_page_is_what_was_found() -> None:
    assert PAGE.read_text() == page()
