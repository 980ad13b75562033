"""The installed commands: they end with one line when they are interrupted before they are imported."""

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

PROGRAMS = ("inplace-check", "inplace-fuzz", "inplace-opt", "inplace-run")


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_interrupt_while_it_is_imported(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib, "import_module", interrupted)
    assert getattr(launch, program.replace("-", "_"))() == 130
    assert capsys.readouterr().err == f"{program}: interrupted\n"


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
