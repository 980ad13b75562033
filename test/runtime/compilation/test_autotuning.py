"""`mi.autotune`, and what `mi.compile` is told of the machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlir_inplace as mi
from mlir_inplace.passes.analysis.schedule.machine import Machine
from mlir_inplace.runtime.compilation import autotuning, timed_calls

MATMUL = """
  func.func @main(%a: tensor<40x30xf32>, %b: tensor<30x50xf32>) -> tensor<40x50xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<40x50xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x50xf32>) -> tensor<40x50xf32>
    %r = linalg.matmul ins(%a, %b : tensor<40x30xf32>, tensor<30x50xf32>) outs(%f : tensor<40x50xf32>)
        -> tensor<40x50xf32>
    return %r : tensor<40x50xf32>
  }"""


def arrays() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.standard_normal((40, 30), np.float32), rng.standard_normal((30, 50), np.float32)


def test_what_counts_is_the_median(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0]
    costs = {"often slow": iter([5, 1, 9, 9, 9]), "mostly fast": iter([5, 90, 2, 2, 3]), "even": iter([5, 4, 4, 4, 4])}

    def call(name: str) -> None:
        now[0] += next(costs[name])

    monkeypatch.setattr(timed_calls.time, "perf_counter_ns", lambda: now[0])
    calls = {name: lambda name=name: call(name) for name in costs}
    assert timed_calls.in_turns(calls, rounds=4) == {"often slow": 9, "mostly fast": 2.5, "even": 4}


def test_the_candidate_with_the_least_time_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autotuning, "_candidates", lambda _: ["", "registers=16", "l2=4096"])
    times = {"": 3.0, "registers=16": 2.0, "l2=4096": 2.5}
    monkeypatch.setattr(autotuning, "call_times", lambda *_, **__: times)
    assert mi.autotune(MATMUL, *arrays()) == "registers=16"


def test_what_it_returns_can_be_compiled_for_and_computes_the_same() -> None:
    a, b = arrays()
    machine = mi.autotune(MATMUL, a, b, rounds=1)
    np.testing.assert_allclose(
        mi.compile(MATMUL, optimize=True, machine=machine).main(a, b), a @ b, rtol=1e-4, atol=1e-5
    )


def test_all_candidates_are_machines_and_compute_the_same() -> None:
    a, b = arrays()
    candidates = list(autotuning._candidates(Machine(512, 32, 1 << 15, 1 << 20)))
    assert candidates[0] == ""
    assert len(set(candidates)) == len(candidates)
    for text in candidates:
        np.testing.assert_allclose(
            mi.compile(MATMUL, optimize=True, machine=text).main(a, b), a @ b, rtol=1e-4, atol=1e-5
        )


def test_answers_are_kept_for_the_program_and_the_shapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = arrays()
    cache = tmp_path / "tuned.json"
    measured: list[list[str]] = []

    def times(machines: list[str], *_: Any, rounds: int, **__: Any) -> dict[str, float]:
        assert rounds == 7
        measured.append(list(machines))
        return {name: float(-place) for place, name in enumerate(machines)}

    monkeypatch.setattr(autotuning, "_candidates", lambda machine: ["", f"cores={machine.cores}"])
    monkeypatch.setattr(autotuning, "call_times", times)
    best = mi.autotune(MATMUL, a, b, cache=cache)
    assert measured == [["", best]]
    assert list(json.loads(cache.read_text()).values()) == [best]
    assert mi.autotune(MATMUL, a, b, cache=cache) == best
    assert len(measured) == 1
    mi.autotune(MATMUL.replace("0.0", "1.0"), a, b, cache=cache)
    mi.autotune(MATMUL, a, b)
    assert len(measured) == 3
    assert list(tmp_path.iterdir()) == [cache]
    assert len(json.loads(cache.read_text())) == 2


@pytest.mark.parametrize("content", ["", "[1]", '{"key": 3}', '{"key": "l9=3"}', "\xff"])
def test_what_is_no_cache_is_left_alone(tmp_path: Path, content: str) -> None:
    cache = tmp_path / "notes.json"
    cache.write_bytes(content.encode("latin-1"))
    with pytest.raises(ValueError, match=r"notes.json is no cache of autotune; remove it, or name another file"):
        mi.autotune(MATMUL, *arrays(), cache=cache)
    assert cache.read_bytes() == content.encode("latin-1")


def test_nonsense_about_the_machine_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown property 'l9' of a machine"):
        mi.compile(MATMUL, optimize=True, machine="l9=1")
    with pytest.raises(ValueError, match="rounds must be at least 1, got 0"):
        mi.autotune(MATMUL, *arrays(), rounds=0)
    with pytest.raises(TypeError, match="rounds must be an integer, got float"):
        mi.autotune(MATMUL, *arrays(), rounds=2.5)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match=r"a machine must be text such as 'vector-bits=256 l2=524288', got NoneType"):
        mi.compile(MATMUL, optimize=True, machine=None)  # pyright: ignore[reportArgumentType]


def test_a_folder_for_answers_that_is_missing_is_told_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autotuning, "call_times", None)
    with pytest.raises(FileNotFoundError, match="the cache's folder does not exist; make it, or name another file"):
        mi.autotune(MATMUL, *arrays(), cache=tmp_path / "missing" / "tuned.json")
