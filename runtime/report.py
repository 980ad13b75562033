"""`bufferize`: bufferize a module in place, and report why every copy and buffer is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlir import ir

from ..passes.analysis.explanations.events import EventKind
from ..passes.analysis.explanations.explainer import Explainer
from ..passes.analysis.explanations.reasons import Change, Reason
from ..passes.analysis.explanations.records import BufferRecord, ReportedDecision
from ..passes.analysis.explanations.report import BufferizationReport
from ..passes.analysis.explanations.reported_sets import ReportedAliasSet, ReportedValue
from ..passes.bufferization.one_shot_bufferize import OneShotBufferizeOptions, OneShotBufferizePass
from ..passes.destinations.move_reads import MoveReadsOptions, MoveReadsPass
from ..passes.dispatch.rewriting.preparation import take_over
from ..passes.framework.errors import nearest
from ..passes.pipeline.elements import InplacePass
from ..passes.pipeline.instrumentation import Instrumentation
from ..passes.pipeline.pipeline import Pipeline
from ..passes.pipeline.steps import PassStep, UpstreamStep
from .source.lines import FileLines

__all__ = [
    "BufferRecord",
    "BufferizationReport",
    "Change",
    "EventKind",
    "Explaining",
    "Reason",
    "ReportedAliasSet",
    "ReportedDecision",
    "ReportedValue",
    "bufferize",
]


def bufferize(
    module: ir.Module | ir.Operation | ir.OpView, *, move_reads: bool = False, **options: Any
) -> BufferizationReport:
    """Run `inplace-one-shot-bufferize` on `module`, in place, and report.

    Args:
        module: a module of tensor functions; it is changed.
        move_reads: first let reads of an old content move in front of the write, as `mi.compile` does
            (`inplace-move-reads`). This reorders ops, and replaces those of the module.
        options: those of `inplace-one-shot-bufferize` (`docs/PASSES.md`), with underscores: `allow_unknown_ops=True`.
            Function boundaries are bufferized unless told otherwise.

    Raises:
        PassError: the module cannot be bufferized; it is as it was, and the diagnostics are in the message.
        TypeError: an option has an unknown name or is given twice, or `module` is none.
        OptionError: an option's value does not fit (a ValueError).
    """
    arguments: dict[str, Any] = {"bufferize_function_boundaries": True, **_by_attribute(options)}
    chosen = OneShotBufferizeOptions(**arguments)
    explainer = Explainer(FileLines().line)
    one_shot = InplacePass(OneShotBufferizePass, chosen)
    operation = getattr(module, "operation", None)  # what is no operation is refused below
    if move_reads and operation is not None:
        # A copy is changed, as the module must stay as it was if its bufferization is refused afterwards.
        copy = operation.clone().operation
        Pipeline("builtin.module", (InplacePass(MoveReadsPass, MoveReadsOptions()), one_shot)).run(
            copy, Explaining(explainer)
        )
        take_over(operation, copy)
    else:
        Pipeline("builtin.module", (one_shot,)).run(module, Explaining(explainer))
    return BufferizationReport.of(explainer)


def _by_attribute(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options by the names of their fields; an option may have further names."""
    specs = OneShotBufferizeOptions.specs()
    known = {name.replace("-", "_"): spec.attribute for spec in specs for name in (spec.name, *spec.aliases)}
    found: dict[str, Any] = {}
    for name, value in options.items():
        if name not in known:
            raise TypeError(f"bufferize() has no option '{name}'{nearest(name, known)}")
        if known[name] in found:
            raise TypeError(f"bufferize() is given option '{known[name]}' twice, once as '{name}'")
        found[known[name]] = value
    return found


class Explaining(Instrumentation):
    """Has an explainer observe one-shot bufferization in a pipeline."""

    def __init__(self, explainer: Explainer) -> None:
        self._explainer = explainer

    def before_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        """Make the explainer the observer of the pass."""
        if isinstance(step, PassStep) and isinstance(step.instance, OneShotBufferizePass):
            step.instance.observer = self._explainer
