"""What a type checker of another project sees of this package, and of `mlir`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from test_packaging import ROOT, build

SCRIPT = """
import numpy as np

import mlir_inplace as mi
from mlir import ir

module = ir.Module.parse("module {}")
reveal_type(module)
reveal_type(mi.bufferize(module))
program = mi.compile("program.mlir", optimize=True)
reveal_type(program.main)
reveal_type(program.main.bind(np.zeros(3), rhs=np.zeros(3)))
mi.compile(module, optimise=True)
mi.bufferize(3)


@mi.register_pass
class MyPass(mi.Pass[mi.PassOptions]):
    argument = "my-pass"
    summary = "nothing"

    def run(self, op: ir.Operation) -> None:
        reveal_type(self.options)


reveal_type(MyPass())
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone that is not called as the package."""
    folder = tmp_path_factory.mktemp("typed") / "clone"
    leftovers = shutil.ignore_patterns(".*", "build", "dist", "venv", "*.egg-info", "__pycache__", "test", "docs")
    shutil.copytree(ROOT, folder, ignore=leftovers)
    return folder


def editable(source: Path, target: Path, *, mode: str) -> str:
    """The .pth file of an editable install: a path, which type checkers follow, or code, which they do not."""
    code = (
        "import setuptools.build_meta as backend, sys\n"
        f"backend.build_editable({str(target)!r}, {{'editable_mode': {mode!r}}})"
    )
    target.mkdir()
    subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, check=True)
    (wheel,) = target.iterdir()
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".pth"))
    return archive.read(name).decode().strip()


def test_the_setting_that_contributing_names_makes_an_editable_install_a_plain_path(
    source: Path, tmp_path: Path
) -> None:
    assert "pip install -e . --config-settings editable_mode=strict" in (ROOT / "CONTRIBUTING.md").read_text()
    package = Path(editable(source, tmp_path / "strict", mode="strict"), "mlir_inplace")
    assert {"__init__.py", "py.typed", "runtime", "passes"} <= set(os.listdir(package))
    assert editable(source, tmp_path / "default", mode="lenient").startswith("import ")


@pytest.mark.full
def test_types_are_resolved(source: Path, tmp_path: Path) -> None:
    """With a plain install, and stubs where RUNNING.md puts them."""
    pytest.importorskip("basedpyright")
    wheel = build(source, "wheel", tmp_path / "wheel")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    project = tmp_path / "project"
    project.mkdir()
    command = [sys.executable, "-m", "mlir_inplace.tools.generate_stubs", str(project / "typings")]
    subprocess.run(command, capture_output=True, check=True)
    (project / "script.py").write_text(SCRIPT)
    (project / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(tmp_path / "site")]}))
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, "script.py"]
    checked = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    found = json.loads(checked.stdout)["generalDiagnostics"]
    types = [item["message"].partition(" is ")[2].strip('"') for item in found if item["severity"] == "information"]
    assert types == ["Module", "BufferizationReport", "EntryPoint", "BoundCall", "PassOptions", "MyPass"]
    errors = [(item["range"]["start"]["line"], item["rule"]) for item in found if item["severity"] == "error"]
    assert errors == [(12, "reportCallIssue"), (13, "reportArgumentType")]
