"""What conftest.py does so that tests take less time: it keeps bytecode, and items from the garbage collector."""

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


def test_bytecode_is_kept_and_items_are_frozen(tmp_path: Path) -> None:
    for path in (TEST / "conftest.py", TEST / "support" / "fast_run.py"):
        (tmp_path / path.name).write_text(path.read_text())
    (tmp_path / "test_case.py").write_text(CASE)
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    assert list((tmp_path / "__pycache__").glob("test_case.*.pyc"))
