"""What `inplace-explain` says about a program: plain data, gathered while its module exists."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

from mlir import ir

from ...passes.analysis.explanations.explainer import Explainer
from ...passes.analysis.explanations.report import BufferizationReport
from ...passes.framework.diagnostics import DiagnosticCollector
from ...passes.framework.errors import PassError
from ...passes.pipeline.pipeline import Pipeline, run_pipeline
from ...runtime.report import Explaining
from ...runtime.source.lines import FileLines
from .arenas import ReportedArena, read_arenas

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Explanation:
    """A program, explained.

    Attributes:
        name: the name of the source.
        lines: its lines, none if it is no text, and those of other files that locations name.
        report: the decisions, allocations and copies, and the alias sets.
        arenas: where `inplace-plan-memory` would put the buffers of each function.
        unplanned: why there are no arenas; empty if they are known.
        printed: whether its lines are what the program prints as, and not what was written.
    """

    name: str
    lines: FileLines
    report: BufferizationReport
    arenas: tuple[ReportedArena, ...] = ()
    unplanned: str = ""
    printed: bool = False

    @property
    def short_name(self) -> str:
        """The name without folders."""
        return PurePath(self.name).name

    def to_json(self) -> dict[str, Any]:
        """The report as JSON objects, and the arenas, or why there are none; by `docs/explanation.schema.json`."""
        planned = {"unplanned": self.unplanned} if self.unplanned else {"arenas": [asdict(one) for one in self.arenas]}
        return self.report.to_json() | planned


def explain(module: ir.Operation, pipeline: Pipeline, name: str, text: str, *, plan: bool) -> Explanation:
    """Run ``pipeline`` on ``module``, which it changes, and explain the one-shot bufferization in it.

    With ``plan`` its buffers are freed afterwards, and arenas planned for them. Raises `PassError`.
    """
    lines = FileLines({name: text})
    explainer = Explainer(lines.line)
    run_pipeline(module, pipeline, Explaining(explainer))
    report = BufferizationReport.of(explainer)
    if not plan:
        return Explanation(name, lines, report)
    with DiagnosticCollector(module.context, consume_all=True):  # Deallocation is not what was asked for.
        try:
            arenas, reason = read_arenas(module), ""
        except PassError as error:
            errors = (diagnostic for diagnostic in error.diagnostics if diagnostic.severity == "error")
            arenas, reason = (), str(next(errors, error)).partition("\n")[0]
    return Explanation(name, lines, report, arenas, reason)
