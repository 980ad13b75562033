"""The lit tests, found and run by lit's own code in this process, or by lit as its users start it."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import lit.worker
from lit.LitTestCase import LitTestCase, load_test_suite

ROOT = Path(__file__).parents[2]


def _find(*paths: Path) -> list[LitTestCase]:
    return list(load_test_suite([str(path) for path in paths]))


@functools.cache
def lit_tests() -> list[str]:
    """The lit tests, as paths below the repository's root."""
    return sorted("/".join(case._test.path_in_suite) for case in _find(ROOT / "test", ROOT / "examples"))


def lit_environment() -> dict[str, str]:
    """The environment variables of a command in a lit test."""
    (case,) = _find(ROOT / lit_tests()[0])
    return case._test.config.environment


def run_lit_test(path: Path) -> tuple[str, str]:
    """Run one test; return lit's code, like PASS, and what lit says."""
    (case,) = _find(path)
    test = case._test
    test.setResult(lit.worker._execute(test, case._lit_config))
    return test.result.code.name, test.result.output


def run_lit(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Start lit with these arguments.

    Neither `python -m lit` nor (since lit 23) `python -m lit.main` runs anything; the latter exits 0 all the same.
    """
    command = [sys.executable, "-c", "from lit.main import main; main()", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
