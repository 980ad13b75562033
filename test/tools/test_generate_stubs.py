"""The type stubs of the bindings: complete enough to parse, and all under the name `mlir`."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from mlir_inplace.tools.generate_stubs import NATIVE_MODULES, main


def generate(directory: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mlir_inplace.tools.generate_stubs", str(directory)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The generated folder `mlir`; it replaces what an earlier run left there."""
    directory = tmp_path_factory.mktemp("stubs")
    (directory / "mlir").mkdir()
    (directory / "mlir" / "stale.py").touch()
    process = generate(directory)
    assert (process.returncode, process.stderr) == (0, "")
    assert not (directory / "mlir" / "stale.py").exists()
    return directory / "mlir"


def test_each_native_module_has_a_stub(stubs: Path) -> None:
    for module in NATIVE_MODULES:
        path = stubs.joinpath(*module.split("."))
        stub = path / "__init__.pyi" if path.is_dir() else path.with_suffix(".pyi")
        names = {node.module for node in ast.walk(ast.parse(stub.read_text())) if isinstance(node, ast.ImportFrom)}
        assert not any((name or "").startswith(("torch_mlir", "_mlir")) for name in names)


def test_the_stub_of_ir(stubs: Path) -> None:
    tree = ast.parse((stubs / "_mlir_libs" / "_mlir" / "ir.pyi").read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    assert {"Block", "Operation", "OpView", "Region", "Type", "Value", "_OperationBase"} <= set(classes)
    methods = {node.name for node in classes["Context"].body if isinstance(node, ast.FunctionDef)}
    assert {"__enter__", "attach_diagnostic_handler"} <= methods


def test_only_text_is_copied(stubs: Path) -> None:
    assert (stubs / "dialects" / "linalg" / "__init__.py").exists()
    assert {path.suffix for path in stubs.rglob("*") if path.is_file()} <= {".py", ".pyi", ".typed"}


def test_nanobind_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "nanobind", None)
    monkeypatch.delitem(sys.modules, "nanobind.stubgen", raising=False)
    assert main([str(tmp_path)]) == 1
    error = "generate_stubs: error: nanobind is not installed; run: python -m pip install nanobind\n"
    assert capsys.readouterr().err == error
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    process = generate(tmp_path / "file")
    assert process.returncode == 1
    assert process.stderr.startswith("generate_stubs: error: ")
    assert len(process.stderr.splitlines()) == 1
