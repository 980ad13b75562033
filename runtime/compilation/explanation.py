"""Why a compiled program allocates and copies: its source bufferized once more, by the same passes, and explained."""

from __future__ import annotations

from mlir import ir

from ...passes.analysis.explanations.explainer import Explainer
from ...passes.analysis.explanations.report import BufferizationReport
from ...passes.pipeline.pipeline import run_pipeline
from ..interface.boundary import protect_arguments, separate_entries
from ..report import Explaining
from ..source import private_copy
from ..source.lines import FileLines
from . import lowering
from .settings import Settings
from .steps import decide

__all__ = ["explain_program"]


def explain_program(source: ir.Module, settings: Settings) -> BufferizationReport:
    """Report on the bufferization in the compilation of `source`, for contiguous arguments."""
    module = private_copy(source)
    separate_entries(module.operation)
    own = settings.pipeline is None
    protect_arguments(module.operation, contiguous=own)
    explainer = Explainer(FileLines().line)
    if settings.optimize:
        run_pipeline(
            module, lowering.pipeline(lowering.optimize_phases(kernels=False), **decide(settings).tensor_options)
        )
    route = settings.pipeline or lowering.pipeline(lowering.BUFFERIZE)
    route.run(module, Explaining(explainer))
    return BufferizationReport.of(explainer)
