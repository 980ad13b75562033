"""Mutated inputs: a lean part of what is run by hand by the thousand, and that the harness finds what there is."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest
from fast_run import scaled

from mlir_inplace.checking.mutation import trial as mutate_trial
from mlir_inplace.checking.mutation.mutations import DESTRUCTIVE, GENTLE, SPLICERS, mutate, mutate_pipeline
from mlir_inplace.tools import mutate_inputs
from mlir_inplace.tools.mutate_inputs import main, read_corpus, run_trials

ROOT = Path(__file__).parents[3]
FOLDERS = [str(ROOT / "examples"), str(ROOT / "test" / "dialects"), str(ROOT / "test" / "passes" / "dispatch")]
COUNT = scaled(200)
CORPUS = [b"func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n"]


def test_mutated_inputs_are_processed_or_refused(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*FOLDERS, "--count", str(COUNT), "--seed", "1"]) == 0
    out = capfd.readouterr().out
    assert out.startswith(f"{COUNT} inputs, ")
    assert "     crash       0 inputs      0 runs" in out


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "crash"),
        ("while True: pass", "hang"),
        ("raise ZeroDivisionError('x')", "traceback"),
        ("os.write(2, b'LLVM ERROR: out of memory'); os.abort()", "memory"),
        ("return 1", "silent"),
        ("os.write(2, b'Traceback (most recent call last):'); return 1", "traceback"),
        ("os.write(2, b\"error: pass 'inplace-x' stopped; reproducer generated at 'x'\"); return 1", "internal"),
        ("os.write(2, b\"error: the IR is not valid after pass 'inplace-x'\"); return 1", "invalid"),
        ("os.write(2, b'error: x'); return 1", "diagnostic"),
        ("return 0", "ok"),
    ],
)
def test_each_class_is_told(what: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, object] = {"os": os, "signal": signal}
    exec(f"def fake(arguments):\n    {what}", names)
    monkeypatch.setattr(mutate_inputs.inplace_opt, "main", names["fake"])
    monkeypatch.setattr(mutate_trial, "_compile", lambda data, optimize: ("ok", ""))
    results = list(run_trials(0, range(2), CORPUS, 1, 8192))
    assert [trial.number for trial, _ in results] == [0, 1]
    assert all(findings[-1].kind == kind or findings[-1].way.startswith("mi.compile") for _, findings in results)
    assert {finding.kind for _, findings in results for finding in findings} <= {kind, "ok"}


def test_what_is_found_is_kept_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mutate_inputs.inplace_opt, "main", lambda arguments: 1)
    monkeypatch.setattr(mutate_inputs, "read_corpus", lambda paths: CORPUS)
    assert main(["--first", "5", "--count", "1", "--keep", str(tmp_path / "kept")]) == 1
    assert capfd.readouterr().out.startswith("5: silent: inplace-opt ")
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["silent-5.mlir", "silent-5.txt"]


def test_nothing_to_mutate(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert capfd.readouterr().err == f"no .mlir files found in: {tmp_path}\n"


def test_the_corpus_is_valid_parts(tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_bytes(CORPUS[0] + b"// -----\nbroken {\n// -----\nmodule {}\n")
    assert read_corpus([str(tmp_path)]) == [CORPUS[0], b"\nmodule {}\n"]


@pytest.mark.parametrize("mutator", [*GENTLE, *DESTRUCTIVE, *SPLICERS])
def test_each_mutator_changes_something_and_takes_anything(mutator: object) -> None:
    text = (ROOT / "examples" / "tiled_matmul.mlir").read_text()
    changed = 0
    for seed in range(30):
        rng = random.Random(seed)
        arguments = (text, text) if mutator in SPLICERS else (text,)
        changed += mutator(*arguments, rng) != text  # type: ignore[operator]
        for odd in ("", "\n", "%", "x"):
            mutator(*(odd for _ in arguments), rng)  # type: ignore[operator]
    assert changed


def test_a_seed_tells_a_mutation() -> None:
    first, again = (mutate(CORPUS[0], CORPUS[0], random.Random(3)) for _ in range(2))
    assert first == again
    pipelines = {mutate_pipeline("cse,canonicalize", random.Random(1)) for _ in range(2)}
    assert len(pipelines) == 1
