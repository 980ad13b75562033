"""Portable artifacts of StableHLO as files of the tools: made here, read, and refused with one error if broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlir import ir

from mlir_inplace.dialects import stablehlo
from mlir_inplace.frontends.stablehlo import parse_stablehlo
from mlir_inplace.tools.inplace_run import main

TEXT = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""


def artifact() -> bytes:
    bindings = stablehlo.bindings()
    return bindings.serialize_portable_artifact_str(TEXT, bindings.get_current_version())


def test_the_tools_run_them(tmp_path: Path) -> None:
    path = tmp_path / "add.mlirbc"
    path.write_bytes(artifact())
    assert not main([str(path), "--arg", "iota", "--check", "a0 + a0"])


def test_a_broken_one_is_one_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    broken = artifact()[:-40]
    with pytest.raises(ir.MLIRError, match="a portable artifact of StableHLO that is broken, or of a later version"):
        parse_stablehlo(broken)
    path = tmp_path / "broken.mlirbc"
    path.write_bytes(broken)
    assert main([str(path), "--arg", "iota"])
    said = capfd.readouterr().err
    assert "broken.mlirbc' is a portable artifact of StableHLO that is broken" in said
    assert "Traceback" not in said
