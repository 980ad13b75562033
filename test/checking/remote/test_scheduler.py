"""Campaigns on two local workers of Dask, one of which is killed."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="needs Dask, the extra 'dask'"),
]
SECONDS = 120


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler, its process, and those of its two workers."""
    file = tmp_path / "scheduler.json"
    common = ["--no-dashboard", "--scheduler-file", str(file)]
    with (tmp_path / "log").open("wb") as log:

        def start(name: str, *options: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-m", f"distributed.cli.{name}", *common, *options]
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=tmp_path)

        processes = [start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")]
        try:
            wait_for(file.exists)
            processes += [start("dask_worker", "--nthreads", "1", "--no-nanny") for _ in range(2)]
            found = re.search(r"tcp://[\d.:]+", file.read_text())
            assert found is not None
            yield found[0], processes
        finally:
            for process in processes:
                process.kill()
                process.wait()


def wait_for(event: Callable[[], object]) -> None:
    """Wait until `event` returns something true."""
    deadline = time.monotonic() + SECONDS
    while not event():
        assert time.monotonic() < deadline, "it does not happen"
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    """The processes that the threads of a process have started."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for one in lists for child in one.read_text().split()]


def totals(text: str) -> list[str]:
    """What a tool prints, without times."""
    return [re.sub(r"\d+ s\b.*?(?=:|$)", "…", line) for line in text.splitlines()]


def start_tool(name: str, *arguments: str) -> subprocess.Popen[str]:
    """A tool, in a process of its own: Dask leaves threads and files in its client's."""
    command = [sys.executable, "-m", f"mlir_inplace.tools.{name}", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run_tool(name: str, *arguments: str) -> list[str]:
    """What a tool prints that finds nothing."""
    output, errors = start_tool(name, *arguments).communicate(timeout=SECONDS)
    assert not errors
    return totals(output)


def test_programs_of_a_lost_worker(cluster: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    """Those are tried by the other one: the totals are those of a run without a scheduler."""
    scheduler, (_, first, _) = cluster
    command = ["--seeds", "0..24", "--size", "2", "--configurations", "cheapest,copy-before-write"]
    remote = start_tool("inplace_fuzz", *command, "--scheduler", scheduler)
    wait_for(lambda: children(first.pid))
    running = children(first.pid)
    os.kill(first.pid, signal.SIGKILL)
    output, errors = remote.communicate(timeout=SECONDS)
    assert not errors
    # What it had started ends with it.
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in running))
    local = run_tool("inplace_fuzz", *command)
    assert local[0].startswith("24 programs in ")
    assert totals(output) == local


def test_every_small_program(cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path) -> None:
    """The totals are those of a run without a scheduler, and the state file is up to date."""
    command = ["--ops", "2", "--grammar", "insert,map"]
    state = ["--state", str(tmp_path / "state.json")]
    remote = run_tool("inplace_exhaust", *command, *state, "--scheduler", cluster[0])
    assert run_tool("inplace_exhaust", *command, *state, "--scheduler", "tcp://127.0.0.1:1") == remote
    assert run_tool("inplace_exhaust", *command) == remote


def test_workers_with_another_version(cluster: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    code = f"""
from mlir_inplace.checking.remote import scheduler
scheduler.__version__ = "0"
try:
    next(scheduler.remote_results("{cluster[0]}", abs, [1]))
except scheduler.SchedulerError as error:
    print(error)
"""
    outcome = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert re.fullmatch(r"a worker has mlir-inplace [\w.+]+; install 0 there, as here\n", outcome.stdout), outcome


def test_a_scheduler_that_is_lost(cluster: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    scheduler, (process, first, _) = cluster
    remote = start_tool("inplace_fuzz", "--seeds", "0..200", "--size", "2", "--scheduler", scheduler)
    wait_for(lambda: children(first.pid))
    process.kill()
    _, errors = remote.communicate(timeout=SECONDS)
    # Dask logs it, too.
    assert f"\ninplace-fuzz: error: --scheduler: the scheduler at {scheduler} was lost: " in f"\n{errors}"
    assert remote.returncode == 2


def test_no_scheduler() -> None:
    _, errors = start_tool("inplace_fuzz", "--seeds", "0..1", "--scheduler", "tcp://127.0.0.1:1").communicate()
    assert errors.startswith("inplace-fuzz: error: --scheduler: no scheduler answers at 'tcp://127.0.0.1:1' (")
    assert errors.endswith("); start one with 'dask scheduler', and give its address\n")
