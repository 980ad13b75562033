"""Rules that are switched off are found by enumeration, with small programs that stand by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from catalogue import BY_NAME
from disabling import disabled
from mlir import ir

from mlir_inplace.checking.exhaustive import Counterexample, Exhaustion, save_finding
from mlir_inplace.checking.exhaustive.workers import attempt
from mlir_inplace.tools.inplace_opt import main as inplace_opt

STRAIGHT = ("insert", "extract", "extract_slice", "insert_slice")


def found_without(rule: str, what: Exhaustion) -> Counterexample:
    """The first finding without a rule."""
    with disabled(BY_NAME[rule]):
        return next(found for _, programs in what.batches() for found in attempt(programs, what).findings)


@pytest.mark.parametrize(
    ("rule", "kind", "ops"),
    [
        ("a new write against reads", "wrong value", 1),
        ("a new write against read-only members", "changed argument", 1),
        ("InsertModel reads", "wrong value", 1),
        ("ExtractSliceModel ties its result", "wrong value", 2),
        ("InsertSliceModel reads", "wrong value", 2),
    ],
)
def test_a_planted_fault_is_found(rule: str, kind: str, ops: int, tmp_path: Path) -> None:
    what = Exhaustion(2, STRAIGHT, batch=50)
    finding = found_without(rule, what)
    assert finding.kind == kind
    text = save_finding(finding, tmp_path, 1).read_text()
    with ir.Context():
        ir.Module.parse(text)
    assert text.count("tensor.") - text.count(": tensor.") == ops


def test_a_finding_names_a_pipeline_that_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The pipeline of an order is the one of a random order that decides the same."""
    what = Exhaustion(2, ("insert",), batch=200)
    with disabled(BY_NAME["a new write against read-only members"]):
        for _, programs in what.batches():
            finding = next(iter(attempt(programs, what).findings), None)
            if finding is not None:
                break
        assert finding is not None
        path = save_finding(finding, tmp_path, 1)
        assert inplace_opt([str(path), f"--pass-pipeline={finding.pipeline}"]) == 0
    assert "memref.store" in capsys.readouterr().out and "memref.alloc" not in capsys.readouterr().out
