"""Bindings that are too old for code that is compiled ahead of time."""

from __future__ import annotations

import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.native import engine


def test_bindings_without_code_for_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def old(module: ir.Module, opt_level: int, shared_libs: list[str]) -> None:
        """The engine before it had `enable_pic`."""

    monkeypatch.setattr(engine, "ExecutionEngine", old)
    with ir.Context(), pytest.raises(mi.PassError, match="the MLIR bindings in use make no code for libraries"):
        engine.Engine(ir.Module.parse("llvm.func @f() { llvm.return }"), 2, (), pic=True)
