"""`mi.compile` recognises programs in dialects of frontends, and lowers them first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.dialects import stablehlo
from mlir_inplace.frontends.stablehlo import parse_stablehlo

HLO = """
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
TOSA = """
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
TORCH = """
func.func @main(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  %one = torch.constant.int 1
  %0 = torch.aten.add.Tensor %a, %a, %one
      : !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.int -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}
"""
X = np.arange(4, dtype=np.float32)


def artifact(_: Path) -> bytes:
    bindings = stablehlo.bindings()
    return bindings.serialize_portable_artifact_str(HLO, bindings.get_current_version())


def file(folder: Path) -> Path:
    path = folder / "double.mlir"
    path.write_text(HLO)
    return path


SOURCES = {
    "StableHLO": lambda _: HLO,
    "its bytes": lambda _: HLO.encode(),
    "its file": file,
    "the name of its file": lambda folder: str(file(folder)),
    "its portable artifact": artifact,
    "TOSA": lambda _: TOSA,
    "torch": lambda _: TORCH,
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_of_every_kind(name: str, tmp_path: Path) -> None:
    source: Any = SOURCES[name](tmp_path)
    np.testing.assert_array_equal(mi.compile(source).main(X), 2 * X)


def test_a_module_stays_as_it_is() -> None:
    module = parse_stablehlo(HLO)
    np.testing.assert_array_equal(mi.compile(module, optimize=True).main(X), 2 * X)
    assert "stablehlo.add" in str(module)


def test_mistakes_are_told_with_their_places(tmp_path: Path) -> None:
    with pytest.raises(ir.MLIRError, match=r"custom op 'stablehlo.nothing' is unknown"):
        mi.compile(HLO.replace("stablehlo.add", "stablehlo.nothing"))
    call = """
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @foo(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
    path = tmp_path / "call.mlir"
    path.write_text(call)
    with pytest.raises(mi.PassError, match=r"call\.mlir:3:8: error: cannot lower stablehlo.custom_call @foo"):
        mi.compile(path)
    with pytest.raises(FileNotFoundError):
        mi.compile(tmp_path / "missing.mlir")
