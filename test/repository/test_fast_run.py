"""What `pytest` runs by default, and with `--full`: runs of pytest with this project's conftest.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import fast_run
import pytest

TEST = Path(__file__).parents[1]
CASES = """
import pytest
from fast_run import chosen, sample, seeds

def told(item):
    print("\\nitem", item)

@pytest.mark.parametrize("a", [5, 6])
@pytest.mark.parametrize("b", [7, 8])
def test_all(a, b):
    told(f"all{a}{b}")

@pytest.mark.parametrize("seed", seeds(21))
def test_seeds(seed):
    told(f"seed{seed}")

@pytest.mark.each_value
@pytest.mark.parametrize("a", [1, 2])
@pytest.mark.parametrize(("b", "c"), [(3, 4), (5, 6), (7, 8)])
def test_combined(a, b, c):
    told(f"combined{a}{b}{c}")

@pytest.mark.parametrize(("a", "b"), chosen([(1, 2), (1, 3), (2, 3)], (1, 2), (2, 3)))
def test_chosen(a, b):
    told(f"chosen{a}{b}")

@pytest.mark.full
def test_long():
    told("long")

def test_asks(full):
    told(f"asks{full}")
"""
COMBINED = {f"combined{a}{bc}" for a in (1, 2) for bc in (34, 56, 78)}
UNMARKED = {"all57", "all67", "all58", "all68"}
CHOSEN = {"chosen12", "chosen23"}
ALL = {*UNMARKED, *CHOSEN, "chosen13", *(f"seed{n}" for n in range(21)), *COMBINED, "long", "asksTrue"}


def items(folder: Path, *arguments: str) -> set[str]:
    """The items of `CASES` that a run of pytest has."""
    for path in (TEST / "conftest.py", TEST / "support" / "fast_run.py", TEST / "support" / "file_order.py"):
        (folder / path.name).write_text(path.read_text())
    (folder / "test_cases.py").write_text(CASES)
    environment = {name: value for name, value in os.environ.items() if name != fast_run.VARIABLE}
    command = (sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", "--strict-markers", *arguments)
    process = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    return {line.removeprefix("item ") for line in process.stdout.splitlines() if line.startswith("item ")}


def test_a_fast_run_takes_some_seeds_and_each_value(tmp_path: Path) -> None:
    found = items(tmp_path)
    combined = sorted(item.removeprefix("combined") for item in found & COMBINED)
    assert [set(values) for values in zip(*combined, strict=True)] == [set("12"), set("357"), set("468")]
    assert len(combined) == 3
    assert found - COMBINED == {*UNMARKED, *CHOSEN, "seed0", "seed1", "asksFalse"}


def test_a_full_run_takes_everything(tmp_path: Path) -> None:
    assert items(tmp_path, "--full") == ALL


@pytest.mark.parametrize(
    ("count", "least", "expected"), [(200, 1, 10), (21, 1, 2), (5, 1, 1), (5, 3, 3), (2, 3, 2), (0, 1, 0)]
)
def test_a_twentieth_is_taken(count: int, least: int, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(fast_run.VARIABLE, raising=False)
    assert fast_run.scaled(count, least) == expected
    assert len(fast_run.seeds(count, least)) == len(fast_run.sample(range(count), least)) == expected
    monkeypatch.setenv(fast_run.VARIABLE, "1")
    assert fast_run.scaled(count, least) == count
    assert fast_run.sample(range(count), least) == list(fast_run.seeds(count, least)) == list(range(count))


def test_a_sample_is_spread_over_all_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(fast_run.VARIABLE, raising=False)
    assert fast_run.sample("abcdefghijklmnopqrstuvwxyz") == ["a", "n"]
    assert fast_run.sample("abcde", least=2) == ["a", "c"]


def test_few_cases_cover_all_values() -> None:
    combinations = [{("x", x), ("y", y)} for x in range(4) for y in range(3)]
    chosen = [combinations[number] for number in fast_run.covering(combinations)]
    assert len(chosen) == 4
    assert set().union(*chosen) == set().union(*combinations)
    assert fast_run.covering([]) == set()
