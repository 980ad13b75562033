"""The base class of what watches a pipeline: IR printing, timing and statistics are in modules of their own.

An instrumentation is told before and after each step, and at the end. Upstream passes come one at a time to those that
ask for `single_steps`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mlir import ir

from .steps import PassStep, Step, UpstreamStep

__all__ = ["Instrumentation", "title_box"]

_RULE = "===" + "-" * 73 + "==="


class Instrumentation:
    """Base class; every hook does nothing until it is overridden. No hook may change the IR.

    Attributes:
        single_steps: wants to see each upstream pass by itself.
        upstream_statistics: wants the statistics of upstream's passes gathered.
    """

    single_steps: ClassVar[bool] = False
    upstream_statistics: ClassVar[bool] = False

    def before_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        """`step` is about to run on `op`."""

    def after_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        """`step` has run on `op`, and the result has been verified if that was asked for."""

    def pass_failed(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        """`step` has refused `op`, or left it invalid; nothing more will run."""

    def pipeline_finished(self, anchor: str, steps: Sequence[Step]) -> None:
        """The pipeline is over, well or not."""


def title_box(title: str) -> str:
    """The three lines above a report."""
    text = f"... {title} ..."
    return f"{_RULE}\n{' ' * ((80 - len(text)) // 2)}{text}\n{_RULE}\n"
