"""The pages about packages of one's own: their files are built and installed, and everything they show is run.

Entry points are read once in a process, so each page has a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import page_runner
import pytest

PAGES = ("docs/WRITING_PASSES.md", "docs/OP_MODELS.md")


@pytest.mark.parametrize("page", PAGES)
def test_the_package_of_a_page(page: str, tmp_path: Path) -> None:
    command = [sys.executable, page_runner.__file__, page, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
