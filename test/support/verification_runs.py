"""What `inplace-verify-bufferization` tells while passes run, for its tests, which switch it on only where they ask."""

from __future__ import annotations

import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.framework.diagnostics import DiagnosticCollector
from mlir_inplace.passes.verification.checker.recording import VARIABLE


@pytest.fixture(autouse=True)
def only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def run(module: ir.Module, *passes: str) -> str:
    """What is told while ``passes`` run."""
    with DiagnosticCollector(module.context, consume_all=True) as told:
        mi.run_pipeline(module, f"builtin.module({','.join(passes)})")
    return "\n".join(diagnostic.message for diagnostic in told.diagnostics)
