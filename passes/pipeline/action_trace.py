"""Passes as MLIR's actions: a log, and a profile for `chrome://tracing`, in the formats of mlir-opt.

The bindings do not tell of smaller actions, such as the application of a pattern.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

from mlir import ir

from ...dialects.support.frozen_classes import record
from ..framework.diagnostics import place_text
from .instrumentation import Instrumentation
from .steps import PassStep, Step, UpstreamStep

__all__ = ["ActionLog", "ActionProfile"]

_TAG = "pass-execution"


@record
class ActionLog(Instrumentation):
    """A line when a pass begins, and one when it is done.

    Attributes:
        path: the file that the lines go to; standard error when None.
        places: `file:line` or `file:line:column` of the operations whose passes are logged; all if there are none.
    """

    single_steps: ClassVar[bool] = True

    path: Path | None
    places: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Empties the file; raises OSError."""
        if self.path:
            self.path.write_text("")

    def before_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        text = str(op.get_asm(skip_regions=True, use_local_scope=True)).strip()
        self._write(op, f"begins (no breakpoint) Action {_described(step, op)} ({text})")

    def after_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        self._write(op, f"completed `{_TAG}`")

    pass_failed = after_pass

    def _write(self, op: ir.Operation, what: str) -> None:
        place = place_text(op.location)
        if not self.places or any(f"{place}:".startswith(f"{wanted}:") for wanted in self.places):
            line = f"[thread {threading.current_thread().name}] {what}\n"
            if self.path is None:
                sys.stderr.write(line)
                return
            with self.path.open("a", encoding="utf-8") as file:  # Closed each time: a pass may end the process.
                file.write(line)


@record
class ActionProfile(Instrumentation):
    """When each pass began and ended, written to a file as JSON after each pipeline; raises OSError then.

    Attributes:
        path: the file.
    """

    single_steps: ClassVar[bool] = True

    path: Path
    _events: list[dict[str, Any]] = field(default_factory=list)
    _started: float = field(default_factory=time.perf_counter)

    def before_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        self._note("B", args={"desc": _described(step, op)})

    def after_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        self._note("E")

    pass_failed = after_pass

    def pipeline_finished(self, anchor: str, steps: Sequence[Step]) -> None:
        lines = ",\n".join(map(json.dumps, self._events))
        self.path.write_text(f"[{lines}]", encoding="utf-8")

    def _note(self, phase: str, **more: Any) -> None:
        now = int((time.perf_counter() - self._started) * 1e6)
        event = {"name": _TAG, "cat": "PERF", "ph": phase, "pid": os.getpid(), "tid": threading.get_native_id()}
        self._events.append({**event, "ts": now, **more})


def _described(step: PassStep | UpstreamStep, op: ir.Operation) -> str:
    return f"`{_TAG}` running `{step.name}` on Operation `{op.name}`"
