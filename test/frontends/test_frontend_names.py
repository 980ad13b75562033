"""What a framework calls an operation, in explanations of copies: JAX's primitives, torch's modules, ONNX's nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlir_inplace as mi
from mlir_inplace.tools.inplace_opt import main


def places(report: mi.BufferizationReport, kind: str) -> set[tuple[str, str]]:
    """Location and name of the allocations, or copies, of a report."""
    return {(record.location.rpartition("/")[2], record.name) for record in report.records if record.kind.value == kind}


def test_jax_primitives_and_scopes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    jax = pytest.importorskip("jax", minversion="0.9")

    def first_row(x: Any, y: Any) -> Any:
        with jax.named_scope("head"):
            return x.at[0].set(y[0]), jax.numpy.tanh(y)

    x = np.zeros((3, 4), np.float32)
    report = mi.from_jax(first_row, x, x, optimize=False).explain()
    lines = Path(__file__).read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "return x.at[0]" in text)
    name = "test_frontend_names.py"
    assert (f"{name}:{line}:19", "jit(first_row)/head/scatter") in places(report, "copy")
    assert {found for _, found in places(report, "allocation")} == {
        "jit(first_row)/head/scatter",
        "jit(first_row)/head/tanh",
    }
    (note,) = (note for record in report.copies for note in record.notes if "writable = false" in note.text)
    assert note.location == 'loc("x")'
    path = tmp_path / "first_row.mlir"
    path.write_text(jax.jit(first_row).lower(x, x).as_text(debug_info=True))
    assert not main([str(path), "--from=stablehlo", "--inplace-explain", "-o", str(tmp_path / "out.mlir")])
    said = capfd.readouterr().err
    assert f"{name}:{line}:38: remark: allocation of memref<3x4xf32>, 48 bytes, for jit(first_row)/head/tanh: " in said


def test_torch_modules() -> None:
    torch = pytest.importorskip("torch", minversion="2.12")

    class Head(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.nn.Hardswish()

        def forward(self, x: Any) -> Any:
            return torch.cos(self.scale(x)).sum(0)

    model = torch.nn.Sequential(torch.nn.Identity(), Head())
    report = mi.from_torch(model, torch.ones(3, 4), optimize=False).explain()
    assert {name for _, name in places(report, "allocation")} == {"1", "1.scale"}
    assert "for 1.scale: the program asks for a new tensor" in str(report)


def test_onnx_nodes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    onnx = pytest.importorskip("onnx", minversion="1.20")
    make = onnx.helper
    x, updates, y = (make.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [3, 4]) for name in "xuy")
    indices = make.make_tensor_value_info("i", onnx.TensorProto.INT64, [3, 4])
    nodes = [
        make.make_node("ScatterElements", ["x", "i", "u"], ["s"], "/head/scatter"),
        make.make_node("Add", ["s", "x"], ["y"], "/head/add"),
    ]
    graph = make.make_graph(nodes, "g", [x, indices, updates], [y])
    path = tmp_path / "model.onnx"
    onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", 18)], ir_version=9), path)
    report = mi.from_onnx(path, optimize=False).explain()
    assert [(record.location, record.name) for record in report.copies] == [('loc("/head/scatter")', "/head/scatter")]
    assert not main([str(path), "--inplace-explain", "-o", str(tmp_path / "out.mlir")])
    said = capfd.readouterr().err
    assert 'remark: loc("/head/scatter"): allocation and copy of memref<3x4xf32>, 48 bytes: ' in said
    assert "'linalg.generic' of /head/add" in said
