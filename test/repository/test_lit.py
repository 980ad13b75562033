"""Runs the lit tests under pytest, so that one command runs everything: one item for each `.mlir` test.

lit runs each in a process beside this one, which forks the programs. `lit -v test examples` starts them afresh.
"""

from __future__ import annotations

import pytest
from fork_server import ForkServer
from lit_suite import ROOT, lit_tests, run_lit, run_lit_test

PASSED = {"PASS", "XFAIL"}


@pytest.mark.parametrize("lit_test", lit_tests())
def test_lit(lit_test: str, fork_server: ForkServer) -> None:
    code, output = fork_server.call(run_lit_test, ROOT / lit_test)
    if code == "UNSUPPORTED":
        pytest.skip(output)
    if code not in PASSED:
        pytest.fail(f"{code}\n{output}", pytrace=False)


def test_lit_finds_the_same_tests() -> None:
    process = run_lit("--show-tests", "test", "examples")
    shown = [line.partition(" :: ")[2] for line in process.stdout.splitlines() if " :: " in line]
    assert sorted(shown) == lit_tests()
