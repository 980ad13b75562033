"""Compiling searches for no garbage, and leaves the collector as it was."""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.compilation import shared_trampolines
from mlir_inplace.runtime.compilation.garbage import collection_paused
from mlir_inplace.runtime.native.engine import Engine

PROGRAM = """
  func.func @main(%x: f32) -> f32 {
    %r = arith.addf %x, %x : f32
    return %r : f32
  }"""


@pytest.fixture(autouse=True)
def collector_is_on() -> Iterator[None]:
    assert gc.isenabled()
    yield
    gc.enable()


def test_the_collector_pauses_and_goes_on() -> None:
    with collection_paused():
        assert not gc.isenabled()
        with collection_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(KeyError), collection_paused():
        raise KeyError
    assert gc.isenabled()


def test_it_stays_off_where_it_was_off() -> None:
    gc.disable()
    with collection_paused():
        assert not gc.isenabled()
    assert not gc.isenabled()


@pytest.mark.parametrize(("imported", "frozen", "enabled"), [(1, 0, True), (0, 0, True), (1, 7, True), (1, 0, False)])
def test_what_is_imported_is_old(monkeypatch: pytest.MonkeyPatch, *, imported: int, frozen: int, enabled: bool) -> None:
    """Unless the caller has frozen objects, which would be thawed, or looks after the collector himself."""
    made: list[str] = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: frozen)
    monkeypatch.setattr(gc, "freeze", lambda: made.append("freeze"))
    monkeypatch.setattr(gc, "unfreeze", lambda: made.append("unfreeze"))
    if not enabled:
        gc.disable()
    with collection_paused():
        assert not gc.isenabled() and not made
        for number in range(imported):
            monkeypatch.setitem(sys.modules, f"imported{number}", ModuleType("imported"))
    assert gc.isenabled() == enabled
    assert made == (["freeze", "unfreeze"] if imported and enabled and not frozen else [])


def test_compiling_searches_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # A process compiles its trampolines at some call, which may be that of this test.
    monkeypatch.setattr(shared_trampolines, "_COMPILED_AFTER", None)
    enabled: list[bool] = []
    build_engine = Engine.__init__

    def watched(self: Engine, *arguments: Any, **options: Any) -> None:
        enabled.append(gc.isenabled())
        build_engine(self, *arguments, **options)

    monkeypatch.setattr(Engine, "__init__", watched)
    assert mi.compile(PROGRAM).main(2.0) == 4
    assert enabled == [False]
    assert gc.isenabled()


def test_what_compiles_is_imported_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    enabled: list[bool] = []
    load = importlib.import_module

    def watched(name: str) -> ModuleType:
        enabled.append(gc.isenabled())
        return load(name)

    monkeypatch.setattr(importlib, "import_module", watched)
    assert mi.__getattr__("compile") is mi.compile
    assert enabled == [False]
    assert gc.isenabled()


def test_the_collector_goes_on_when_a_program_is_refused() -> None:
    with pytest.raises(ir.MLIRError):
        mi.compile('func.func @main() { "test.unknown"() : () -> () return }')
    assert gc.isenabled()
