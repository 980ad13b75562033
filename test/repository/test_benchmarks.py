"""Benchmarks run: each on its smallest problem, once. What they measure is no matter of a test."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from fast_run import sample

ROOT = Path(__file__).parents[2]
SMALLEST = {
    "compile_latency": "--ops 4 --rounds 1 --programs 'same shapes'",
    "call_overhead": "--calls 5 --rounds 1",
    "convolutions": "--only '1x1 64' --rounds 2",
    "destructive_updates": "--slices 2 --nests 1 --depths 1 --rounds 1",
    "dispatch": "--shapes tiles --ops 10 --rounds 1",
    "evaluator": "--programs 2 --rounds 1",
    "index_sets": "--depths 1 --slices 2 --rounds 1",
    "networks": "--only small --rounds 2",
    "remove_outs": "--chains dead --ops 10 --rounds 1",
    "scaling": "--shapes inserts --ops 20 --rounds 1",
    "vector_math": "--functions exp --elements 1024 --rounds 1",
}
"""The arguments of each. The workloads of `speed` are run by `test_workloads.py`."""


@pytest.mark.parametrize("name", sample(list(SMALLEST), least=3))
def test_a_benchmark_prints_its_table(name: str) -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), *shlex.split(SMALLEST[name])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
