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
    pytest.mark.long,
    pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="needs Dask, the extra 'dask'"),
]
SECONDS = 600
"""Tasks of a conformance run import torch in a process each, on a machine that may have other work."""


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


def tasks_of(pid: int) -> list[int]:
    """The processes of tasks that a worker runs. It starts others as well, before it has a task."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for one in lists for child in one.read_text().split()]
    return [child for child in children if "answer_call" in command_of(child)]


def command_of(pid: int) -> str:
    """The command line of a process; nothing if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


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
    command = ["--seeds", "0..12", "--size", "2", "--configurations", "cheapest,copy-before-write"]
    remote = start_tool("inplace_fuzz", *command, "--scheduler", scheduler)
    wait_for(lambda: tasks_of(first.pid))
    running = tasks_of(first.pid)
    os.kill(first.pid, signal.SIGKILL)
    output, errors = remote.communicate(timeout=SECONDS)
    assert not errors
    # What it had started ends with it.
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in running))
    local = run_tool("inplace_fuzz", *command)
    assert local[0].startswith("12 programs in ")
    assert totals(output) == local


@pytest.mark.full
def test_every_small_program(cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path) -> None:
    """The totals are those of a run without a scheduler, and the state file is up to date."""
    command = ["--ops", "2", "--grammar", "insert,map"]
    state = ["--state", str(tmp_path / "state.json")]
    remote = run_tool("inplace_exhaust", *command, *state, "--scheduler", cluster[0])
    assert run_tool("inplace_exhaust", *command, *state, "--scheduler", "tcp://127.0.0.1:1") == remote
    assert run_tool("inplace_exhaust", *command) == remote


@pytest.mark.full
def test_workers_with_another_version(cluster: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    code = f"""
from mlir_inplace.runtime.remote import scheduler
scheduler._version = lambda: "0"
try:
    next(scheduler.remote_results("{cluster[0]}", abs, [1]))
except scheduler.SchedulerError as error:
    print(error)
"""
    outcome = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert re.fullmatch(r"a worker has mlir-inplace [\w.+]+; install 0 there, as here\n", outcome.stdout), outcome


@pytest.mark.full
def test_a_scheduler_that_is_lost(cluster: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    scheduler, (process, first, _) = cluster
    remote = start_tool("inplace_fuzz", "--seeds", "0..200", "--size", "2", "--scheduler", scheduler)
    wait_for(lambda: tasks_of(first.pid))
    process.kill()
    _, errors = remote.communicate(timeout=SECONDS)
    # Dask logs it, too.
    assert f"\ninplace-fuzz: error: --scheduler: the scheduler at {scheduler} was lost: " in f"\n{errors}"
    assert remote.returncode == 2


@pytest.mark.full
def test_no_scheduler() -> None:
    _, errors = start_tool("inplace_fuzz", "--seeds", "0..1", "--scheduler", "tcp://127.0.0.1:1").communicate()
    assert errors.startswith("inplace-fuzz: error: --scheduler: no scheduler answers at 'tcp://127.0.0.1:1' (")
    assert errors.endswith("); start one with 'dask scheduler', and give its address\n")


MATMUL = """
import numpy as np
import mlir_inplace as mi
from mlir_inplace.runtime.compilation.autotuning import _candidates
from mlir_inplace.passes.analysis.schedule.machine import detect_machine
type_ = "tensor<32x32xf32>"
text = f"func.func @f(%a: {type_}, %b: {type_}, %c: {type_}) -> {type_} {{ %0 = linalg.matmul "
text += f"ins(%a, %b : {type_}, {type_}) outs(%c : {type_}) -> {type_} return %0 : {type_} }}"
arrays = [np.ones((SIZE, 32), np.float32) for _ in range(3)]
try:
    best = mi.autotune(text, *arrays, scheduler="ADDRESS", rounds=3)
    assert best in list(_candidates(detect_machine())), best
    print("tuned")
except ValueError as error:
    print(error)
"""


def start_tuning(scheduler: str, *, size: int = 32) -> subprocess.Popen[str]:
    code = MATMUL.replace("ADDRESS", scheduler).replace("SIZE", str(size))
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.full
def test_machines_are_tuned_for_on_workers_one_of_which_is_lost(
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
) -> None:
    scheduler, (_, first, _) = cluster
    tuning = start_tuning(scheduler)
    wait_for(lambda: tasks_of(first.pid))
    os.kill(first.pid, signal.SIGKILL)
    assert tuning.communicate(timeout=SECONDS)[0] == "tuned\n"


@pytest.mark.full
def test_arguments_that_a_worker_cannot_call_with(cluster: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    output, _ = start_tuning(cluster[0], size=31).communicate(timeout=SECONDS)
    assert output.startswith("a task failed on a worker: the process of a task ended with exit code 1: ValueError: ")


@pytest.mark.parametrize(
    ("script", "package", "given", "row"),
    [
        pytest.param(
            *("jax_functions", ("jax", "0.4"), ["control.cond", "control.switch"], "| control | 6 | 6 | 0 | 0 | 0 |"),
            marks=pytest.mark.full,
        ),
        pytest.param(
            *("onnx_backend", ("onnx", "1.16"), ["test_sigmoid", "test_softsign"], "| all | 6 | 6 | 0 | 0 | 0 | 0 |"),
            marks=pytest.mark.full,
        ),
        pytest.param(
            *("torch_ops", ("torch", "2.0"), ["--only", "sigmoid", "--samples", "1"]),
            "| ops, float32 | 3 | 3 | 0 | 0 | 0 |",
            marks=pytest.mark.full,
        ),
    ],
)
def test_conformance_on_workers_one_of_which_is_lost(
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
    script: str,
    package: tuple[str, str],
    given: list[str],
    row: str,
) -> None:
    """The table is that of a run without a scheduler."""
    pytest.importorskip(package[0], minversion=package[1])  # Folders of tests have these names, and no version.
    scheduler, (_, first, _) = cluster
    folder = Path(__file__).parents[3] / "benchmarks" / "conformance"
    command = [sys.executable, str(folder / "on_workers.py"), script, "--scheduler", scheduler, "--parts", "3"]
    remote = subprocess.Popen([*command, "--with", *given], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: tasks_of(first.pid))
    os.kill(first.pid, signal.SIGKILL)
    output, errors = remote.communicate(timeout=SECONDS)
    assert remote.returncode == 0, errors
    local = subprocess.run(
        [sys.executable, str(folder / f"{script}.py"), *given], check=True, capture_output=True, text=True
    )
    assert row in local.stdout
    assert output.strip() == local.stdout.strip()
