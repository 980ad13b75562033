"""Benchmarks run: each on its smallest problem, once. What they measure is no matter of a test."""

from __future__ import annotations

import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fast_run import sample

ROOT = Path(__file__).parents[2]
SMALLEST = {
    "ahead_of_time": "--calls 1",
    "compile_latency": "--ops 4 --rounds 1 --programs 'same shapes'",
    "call_overhead": "--calls 5 --rounds 1",
    "convolutions": "--only '1x1 64' --rounds 2",
    "destructive_updates": "--slices 2 --nests 1 --depths 1 --rounds 1",
    "dispatch": "--shapes tiles --ops 10 --rounds 1",
    "editor": "--lines 40",
    "evaluator": "--programs 2 --rounds 1",
    "index_sets": "--depths 1 --slices 2 --rounds 1",
    "memory_planning": "--only 'layers 20' --rounds 1",
    "models": "--only perceptron --rounds 2",
    "networks": "--only small --rounds 2",
    "perceptrons": "--only 64-128 --batches 4 --rounds 2",
    "rank_costs": "--divide 64 --rounds 1 --only matmul --ranks 64",
    "remove_outs": "--chains dead --ops 10 --rounds 1",
    "scaling": "--shapes inserts --ops 20 --rounds 1",
    "sharded_gathers": "--shapes 8x3 --rounds 1",
    "sharded_stencil": "--rows 64 --steps 4 --rounds 1",
    "sharded": "--divide 64 --rounds 1 --ranks 1 2 --only matmul --scaling strong",
    "sweep": "--only 'transpose 021' --rounds 2 --peers numpy",
    "threads": "--only depthwise --rounds 2",
    "vector_math": "--functions exp --elements 1024 --rounds 1",
}
"""The arguments of each. The workloads of `speed` are run by `test_workloads.py`."""
COMPARE = ROOT / "benchmarks" / "compare.py"


@pytest.mark.parametrize("name", sample(list(SMALLEST), least=3))
def test_a_benchmark_prints_its_table(name: str) -> None:
    if name == "perceptrons":
        pytest.importorskip("onnxruntime")
    if name == "models":
        pytest.importorskip("jax", minversion="0.9")
    if name in ("rank_costs", "sharded", "sharded_gathers", "sharded_stencil") and shutil.which("mpiexec") is None:
        pytest.skip("there is no mpiexec: install the extra mpi")
    command = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), *shlex.split(SMALLEST[name])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.full
def test_commits_are_compared() -> None:
    arguments = ["HEAD", "HEAD", "--rounds", "1", "--ops", "6", "--only", "call"]
    done = subprocess.run([sys.executable, str(COMPARE), *arguments], capture_output=True, text=True, check=False)
    if (ROOT / ".git").exists():
        assert done.returncode == 0, done.stderr
        assert [line.split("|")[1].strip() for line in done.stdout.splitlines()[2:]] == [
            "call: bound, 1000 times",
            "call: fresh result, 1000 times",
            "call: result into out=, 1000 times",
        ]
    else:  # in an unpacked sdist
        assert done.returncode == 1
        assert done.stderr.startswith("cannot check out 'HEAD': ")


def test_a_commit_that_does_not_exist_is_named() -> None:
    command = [sys.executable, str(COMPARE), "no-such-commit", "--rounds", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("cannot check out 'no-such-commit': ")


def test_the_interval_holds_the_ratio_and_only_it() -> None:
    compare = runpy.run_path(str(COMPARE))
    noise = [1.00, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97]
    low, high = compare["interval"](noise, [1.2 * value for value in noise])
    assert low == pytest.approx(1.2)
    assert high == pytest.approx(1.2)
    low, high = compare["interval"](noise, noise[::-1])
    assert 0.9 < low < 1 < high < 1.1
