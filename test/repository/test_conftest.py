"""What conftest.py does: bytecode is kept, items from the garbage collector, and failures come with a command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TEST = Path(__file__).parents[1]
CASE = """
import gc, os, sys

made_while_collecting = gc.isenabled()

def test_case():
    assert not made_while_collecting
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    assert not sys.dont_write_bytecode
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
"""


def run(folder: Path, case: str) -> subprocess.CompletedProcess[str]:
    """Runs a test module with this project's conftest.py."""
    for path in (TEST / "conftest.py", TEST / "support" / "fast_run.py", TEST / "support" / "file_order.py"):
        (folder / path.name).write_text(path.read_text())
    (folder / "test_case.py").write_text(case)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_bytecode_is_kept_and_items_are_frozen(tmp_path: Path) -> None:
    process = run(tmp_path, CASE)
    assert process.returncode == 0, process.stdout + process.stderr
    assert list((tmp_path / "__pycache__").glob("test_case.*.pyc"))


FAILS = """
import pytest

@pytest.mark.parametrize("name", ["right", "it is wrong"])
def test_case(name):
    assert name == "right"
"""


def test_a_failure_is_told_with_the_command_that_repeats_it(tmp_path: Path) -> None:
    process = run(tmp_path, FAILS)
    assert process.returncode == 1
    assert "python -m pytest -n0 'test_case.py::test_case[it is wrong]'\n" in process.stdout, process.stdout
