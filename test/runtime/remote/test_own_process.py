"""Calls in a process of their own."""

from __future__ import annotations

import os
import sys

import pytest

from mlir_inplace.runtime.remote.own_process import call_in_own_process
from mlir_inplace.runtime.remote.scheduler import SchedulerError, remote_results


def test_the_result_comes_back() -> None:
    assert call_in_own_process(divmod_of, (17, 5)) == ((3, 2), False)


def test_a_process_that_ends() -> None:
    with pytest.raises(RuntimeError, match=r"^the process of a task ended with exit code 7: it gives up$"):
        call_in_own_process(end, 7)


def test_a_call_that_raises() -> None:
    with pytest.raises(RuntimeError, match=r"exit code 1: ZeroDivisionError: "):
        call_in_own_process(divmod_of, (1, 0))


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        SchedulerError, match=r"^Dask is not installed; install it: pip install 'mlir-inplace\[dask\]'$"
    ):
        next(remote_results("tcp://127.0.0.1:1", abs, [1]))


def divmod_of(numbers: tuple[int, int]) -> tuple[tuple[int, int], bool]:
    """Their quotient and remainder, and whether this is the process of the test."""
    print("what a task prints is not its result")
    return divmod(*numbers), os.environ.get("PYTEST_CURRENT_TEST") is None


def end(code: int) -> int:
    """End the process."""
    print("it gives up", file=sys.stderr, flush=True)
    os._exit(code)
