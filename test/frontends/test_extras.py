"""Optional packages that are missing, or broken."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import mlir_inplace as mi
from mlir_inplace.frontends.extras import required_module


def test_an_installed_module_is_returned() -> None:
    assert required_module("json.decoder", "json", "mi.from_json") is sys.modules["json.decoder"]


def test_a_missing_module_names_the_line_to_type() -> None:
    message = r"^mi\.jit needs nowhere; install it: pip install 'mlir-inplace\[some\]'$"
    with pytest.raises(ImportError, match=message):
        required_module("nowhere.inside", "some", "mi.jit")


def test_a_broken_module_keeps_its_own_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_extra.py").write_text("import not_there_either")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="not_there_either"):
        required_module("broken_extra", "some", "mi.jit")


def test_jit_without_jax_names_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(ImportError, match=r"^a JAX function needs jax; install it: pip install 'mlir-inplace\[jax\]'$"):
        mi.jit(lambda a: a)
    with pytest.raises(ImportError, match="needs jax"):
        mi.from_jax(lambda a: a, 1.0)
