"""The installed commands: they end with one line when they are interrupted or miss a package before they run."""

from __future__ import annotations

import contextlib
import importlib
import runpy
import sys
from typing import Any

import pytest

from mlir_inplace import __version__
from mlir_inplace.passes.framework.errors import PipelineError, RegistryError
from mlir_inplace.runtime import bindings
from mlir_inplace.tools import launch
from mlir_inplace.tools.shared.command_line import ToolError, UsageError, run_program

PROGRAMS = bindings.PROGRAMS


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_interrupt_while_it_is_imported(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib, "import_module", interrupted)
    assert getattr(launch, program.replace("-", "_"))() == 130
    assert capsys.readouterr().err == f"{program}: interrupted\n"


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (
            ModuleNotFoundError("No module named 'numpy'", name="numpy"),
            "the package `numpy` is not installed; run: python -m pip install numpy",
        ),
        (
            ModuleNotFoundError("No module named 'mlir.dialects.x'", name="mlir.dialects.x"),
            "cannot import `mlir.dialects.x`: No module named 'mlir.dialects.x'; "
            "run: python -m pip install --upgrade --force-reinstall torch-mlir",
        ),
        (
            ImportError("libc.so.6: version `GLIBC_2.99' not found\nmore", name="torch_mlir._mlir_libs._mlir"),
            "cannot import `torch_mlir._mlir_libs._mlir`: libc.so.6: version `GLIBC_2.99' not found; "
            "run: python -m pip install --upgrade --force-reinstall torch-mlir",
        ),
    ],
)
def test_a_package_that_cannot_be_imported(
    raised: ImportError, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(*_: Any) -> None:
        raise raised

    monkeypatch.setattr(importlib, "import_module", missing)
    assert launch.inplace_check() == 1
    assert capsys.readouterr().err == f"inplace-check: error: {message}\n"


@pytest.mark.parametrize("name", [None, "mlir_inplace.tools.opt"])
def test_a_module_of_ours_that_cannot_be_imported(name: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any) -> None:
        raise ImportError("cannot import name 'x'", name=name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ImportError, match="cannot import name 'x'"):
        launch.inplace_opt()


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_starts_the_program(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [program, "--no-such-flag"])
    assert getattr(launch, program.replace("-", "_"))() == 2
    assert capsys.readouterr().err.startswith(f"{program}: error: ")


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_program_has_a_version(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [program, "--version"])
    with contextlib.suppress(SystemExit):
        getattr(launch, program.replace("-", "_"))()
    assert capsys.readouterr().out == f"{program} {__version__}\nMLIR bindings: {bindings.install()}\n"


def test_the_package_runs_as_inplace_opt(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr(sys, "argv", ["mlir_inplace", "--version"])
        runpy.run_module("mlir_inplace", run_name="__main__")
    assert not ended.value.code
    assert capsys.readouterr().out.startswith(f"inplace-opt {__version__}\n")


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        (UsageError("no"), 2, "p: error: no\n"),
        (RegistryError("no pass"), 2, "p: error: no pass\n"),
        (PipelineError("no", "cse,", 4), 2, "p: pipeline:1:5: error: no\ncse,\n    ^\n"),
        (ToolError("none"), 1, "p: error: none\n"),
        (ToolError(), 1, ""),
        (PermissionError(13, "Permission denied", "f"), 1, "p: error: cannot write 'f': Permission denied\n"),
        (KeyboardInterrupt(), 130, "p: interrupted\n"),
    ],
)
def test_exit_codes(raised: BaseException, code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    def run() -> int:
        raise raised

    assert run_program("p", run) == code
    assert capsys.readouterr().err == message
