"""ONNX models as packages of their own, with their weights."""

from __future__ import annotations

import importlib
import runpy
from pathlib import Path

import numpy as np
import pytest
from c_libraries import needs_compiler

import mlir_inplace as mi
from mlir_inplace.tools.inplace_compile import main

pytest.importorskip("onnx", minversion="1.20")
pytestmark = needs_compiler
EXAMPLE = Path(__file__).parents[3] / "examples" / "onnx_classifier.py"


def test_a_model_is_a_package_with_its_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = runpy.run_path(str(EXAMPLE))["make_model"]()
    (tmp_path / "classifier.onnx").write_bytes(model.SerializeToString())
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["classifier.onnx", "--python", "classifier", "--header", "classifier.h"]) == 0
    package = importlib.import_module("classifier")
    pictures = np.random.default_rng(2).random((3, 1, 28, 28), np.float32)
    np.testing.assert_array_equal(package.main(pictures), mi.from_onnx(model, optimize=False).main(pictures))
    declared = (tmp_path / "classifier.h").read_text()
    assert "int classifier_main(const classifier_f32_4d *" in declared
    assert declared.count("const classifier_f32_4d *") == 1
