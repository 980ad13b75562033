"""Runs the lit tests under pytest, so that one command runs everything: one item for each `.mlir` test.

lit itself runs once, in parallel, on the tests that pytest selected, and reports as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
# Neither `python -m lit` nor (since lit 23) `python -m lit.main` runs anything; the latter exits 0 all the same.
LIT = (sys.executable, "-c", "from lit.main import main; main()")
PASSED = {"PASS", "XFAIL"}
OTHERS = {"Inputs", "mutations", "regressions", "upstream"}
"""Folders with programs that pytest runs, or that belong to a test."""


def lit_tests() -> list[str]:
    """The lit tests, as paths below the repository's root, by the rules of lit.cfg.py."""
    found = [path for folder in ("test", "examples") for path in (ROOT / folder).rglob("*.mlir")]
    return sorted(str(path.relative_to(ROOT)) for path in found if not OTHERS & {*path.parts})


def run_lit(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*LIT, *arguments], cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def lit_results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Each selected lit test's record of lit's report."""
    items = [item for item in request.session.items if "lit_results" in getattr(item, "fixturenames", ())]
    selected = [item.callspec.params["lit_test"] for item in items]
    report = tmp_path_factory.mktemp("lit") / "report.json"
    process = run_lit("-q", "--output", str(report), *selected)
    assert report.exists(), process.stdout + process.stderr
    records = json.loads(report.read_text())["tests"]
    return {record["name"].partition(" :: ")[2]: record for record in records}


@pytest.mark.parametrize("lit_test", lit_tests())
def test_lit(lit_test: str, lit_results: dict[str, dict[str, Any]]) -> None:
    record = lit_results[lit_test]
    if record["code"] == "UNSUPPORTED":
        pytest.skip(record["output"])
    if record["code"] not in PASSED:
        pytest.fail(f"{record['code']}\n{record['output']}", pytrace=False)


def test_lit_finds_the_same_tests() -> None:
    process = run_lit("--show-tests", "test", "examples")
    shown = [line.partition(" :: ")[2] for line in process.stdout.splitlines() if " :: " in line]
    assert sorted(shown) == lit_tests()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("// RUN: %python -c 'pass'\n", "PASS"),
        ("// RUN: %python -c 'raise SystemExit(3)'\n", "FAIL"),
        ("// RUN: echo wrong | filecheck %s\n// CHECK: right\n", "FAIL"),
        ("// a test without a command\n", "UNRESOLVED"),
        ("// REQUIRES: no-such-feature\n// RUN: %python -c 'pass'\n", "UNSUPPORTED"),
    ],
)
def test_a_failing_lit_test_is_reported(tmp_path: Path, text: str, code: str) -> None:
    """lit.cfg.py applied to another folder: what fails there fails here."""
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "case.mlir").write_text(text)
    (tmp_path / "lit.cfg.py").write_text((ROOT / "lit.cfg.py").read_text())
    report = tmp_path / "report.json"
    run_lit("-q", "--output", str(report), "test", cwd=tmp_path)
    (record,) = json.loads(report.read_text())["tests"]
    assert record["code"] == code
