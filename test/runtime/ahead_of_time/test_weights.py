"""Arrays that a library holds itself: they are no parameters, and calls read them where they are."""

from __future__ import annotations

import ctypes
import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c_libraries import CLibrary, needs_compiler
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.ahead_of_time.header import header_text
from mlir_inplace.runtime.ahead_of_time.library import Library, Wanted, compile_library
from mlir_inplace.runtime.ahead_of_time.python_package import package_files
from mlir_inplace.runtime.ahead_of_time.shared_library import linked
from mlir_inplace.runtime.ahead_of_time.targets import parse_targets
from mlir_inplace.runtime.compilation.preparation import prepare
from mlir_inplace.runtime.compilation.settings import Settings

TEXT = """
func.func @main(%w: tensor<3x5xf64>, %x: tensor<3x5xf64>, %n: tensor<0xf32>, %s: f64) -> tensor<3x5xf64> {
  %0 = arith.mulf %w, %x : tensor<3x5xf64>
  return %0 : tensor<3x5xf64>
}
"""
W = np.arange(15.0).reshape(5, 3).T  # not contiguous: it is laid out anew
X = np.random.default_rng(3).random((3, 5))


def library() -> Library:
    with ir.Context():
        module = ir.Module.parse(TEXT)
        prepared = prepare(module, Settings(None, 2, memory_stats=False))
        weights: dict[int, Any] = {0: W, 2: np.zeros(0, np.float32)}
        return compile_library(prepared, Wanted("model", parse_targets("native"), weights={"main": weights}))


@needs_compiler
def test_c_functions_take_the_rest(tmp_path: Path) -> None:
    found = library()
    (tmp_path / "libmodel.so").write_bytes(linked(found.code, "libmodel.so", []))
    (tmp_path / "model.h").write_text(header_text(found, "program", []))
    c = CLibrary(tmp_path, "model")
    assert "int model_main(const model_f64_2d *arg1, double arg3, const model_f64_2d *result);" in c.header
    out = np.zeros((3, 5))
    assert c.call("main", X, ctypes.c_double(1), out) == "OK"
    np.testing.assert_array_equal(out, W * X)


@needs_compiler
def test_packages_take_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = library()
    shared = linked(found.code, "libmodel.so", [])
    for name, content in package_files(found, shared, 'odd "name"').items():
        path = tmp_path / "model" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    package = importlib.import_module("model")
    np.testing.assert_array_equal(package.main(X, 1.0), W * X)
    with pytest.raises(TypeError, match="main takes 2 arguments, got 3"):
        package.main(W, X, 1.0)
    assert not package.main.held.arrays[0].flags.writeable


def test_what_is_too_large_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlir_inplace.runtime.ahead_of_time.library.MOST_ELEMENTS", 119)
    with pytest.raises(mi.PassError, match=r"argument 0 of 'main' holds 120 bytes, and a library can hold 119"):
        library()
