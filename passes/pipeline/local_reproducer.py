"""The smallest reproducer of a failure: the pass that failed by itself, with the IR before it."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from mlir import ir

from ...dialects.support.frozen_classes import record
from ..framework.diagnostics import emit
from .ancestors import ancestors
from .instrumentation import Instrumentation
from .reproducer import Reproducer
from .steps import PassStep, UpstreamStep

__all__ = ["LocalReproducer"]


@record
class LocalReproducer(Instrumentation):
    """Writes a reproducer before each pass, and keeps that of a pass that fails.

    Attributes:
        path: the file; until a pass has failed it has `.pending` appended.
        verify_each: what the reproducer says about verification.
    """

    single_steps: ClassVar[bool] = True

    path: Path
    verify_each: bool = True
    _current: Reproducer | None = None

    def before_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        root, pipeline = op, f"{op.name}({step.text})"
        for root in ancestors(op):
            pipeline = f"{root.name}({pipeline})"
        self._current = Reproducer(root, pipeline, verify_each=self.verify_each, path=self.path)

    def after_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        if self._current:
            self._current.discard()

    def pass_failed(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        if self._current:
            emit(
                "remark",
                op.location,
                f"pass '{step.argument}' failed; reproducer generated at '{self._current.keep()}'",
            )
