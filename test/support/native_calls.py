"""Entry points whose calls go by trampolines, and that they do."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from mlir_inplace.runtime.call.entry_point import EntryPoint
from mlir_inplace.runtime.call.trampolines import Trampolines
from mlir_inplace.runtime.compilation import shared_trampolines


@cache
def compiled_trampolines() -> Trampolines:
    """Those of this process, whatever was called before."""
    return shared_trampolines._compiled()


def use_trampolines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all calls of a test but the first of each kind go by trampolines, if they can."""
    monkeypatch.setattr(shared_trampolines._shared, "found", compiled_trampolines())


def use_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no call of a test go by a trampoline."""
    monkeypatch.setattr(shared_trampolines._shared, "found", None)
    monkeypatch.setattr(shared_trampolines._shared, "calls", 1 << 40)


def by_trampoline(entry: EntryPoint, *arguments: Any, out: Any = None) -> Any:
    """What the trampoline returns: `NotImplemented` where Python has to make the call."""
    return NotImplemented if entry._trampoline is None else entry._trampoline(out, *arguments)
