"""Processing of one part of the input of `inplace-opt`: parse, run the pipeline, print."""

from __future__ import annotations

import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from mlir import ir

from ...passes.framework.diagnostics import DiagnosticCollector
from ...passes.framework.errors import PassError, PipelineError
from ...passes.pipeline.instrumentation import AsmFlags, Instrumentation, Timing
from ...passes.pipeline.pipeline import Pipeline
from ...passes.pipeline.registry import Registry
from ...passes.pipeline.reproducer import read_reproducer
from ...runtime.source.locations import name_locations
from ..shared.diagnostic_printer import DiagnosticPrinter
from ..shared.input import Source
from ..shared.source_ir import parse_module
from .verify_diagnostics import DiagnosticVerifier


@dataclass(frozen=True)
class Job:
    """What to do with every part of the input.

    Attributes:
        pipeline: what to run; None to run nothing.
        passes: where the passes of a reproducer's pipeline are looked up.
        verify_diagnostics: compare the diagnostics with the expectations in the input, and which others to permit.
        timing: collects the times of parsing and printing too; None without `--mlir-timing`.
    """

    pipeline: Pipeline | None
    passes: Registry
    allow_unregistered_dialect: bool = False
    run_reproducer: bool = False
    verify_each: bool = True
    verify_diagnostics: Literal["all", "only-expected"] | None = None
    asm_flags: AsmFlags = field(default_factory=AsmFlags)
    instrumentation: Sequence[Instrumentation] = ()
    timing: Timing | None = None
    reproducer: Path | None = None
    dump_pipeline: bool = False


def process(source: Source, job: Job) -> tuple[bool, str]:
    """Process one part of the input in a fresh context; return whether it succeeded, and its IR, empty after an error.

    Raises `ToolError` and OSError. Everything else that goes wrong is reported on standard error, an internal
    error with its traceback and a reproducer.
    """
    reporter = _make_reporter(source, job)
    context = ir.Context()
    # Verifiers and handlers written in Python deadlock when MLIR calls them from threads of its own.
    context.enable_multithreading(False)
    context.allow_unregistered_dialects = job.allow_unregistered_dialect
    text = None
    with context, DiagnosticCollector(context, on_diagnostic=reporter.take, consume_all=True):
        try:
            text = _transform(source, job, context)
        except (ir.MLIRError, PassError):
            pass  # All errors have been reported as diagnostics.
        except PipelineError as error:
            print(error, file=sys.stderr)
    return reporter.finish(text is not None), text or ""


def _make_reporter(source: Source, job: Job) -> DiagnosticPrinter | DiagnosticVerifier:
    if job.verify_diagnostics is None:
        return DiagnosticPrinter(source)
    return DiagnosticVerifier(source, only_expected=job.verify_diagnostics == "only-expected")


def _transform(source: Source, job: Job, context: ir.Context) -> str | None:
    """The text of the IR after the pipeline; None when a pass has a bug. Raises what parser and pipeline raise."""
    pipeline, verify_each = job.pipeline, job.verify_each
    if job.run_reproducer and (request := read_reproducer(source.text)):
        pipeline = Pipeline.parse(request.pipeline, job.passes)
        verify_each = verify_each and request.verify_each
        source = Source(source.name, request.ir_text)
    started = time.perf_counter()
    module = parse_module(source, context)
    if job.asm_flags.debug_info or job.reproducer:
        name_locations(module, source.name)
    _account(job, "Parser", started)
    if pipeline is not None:
        if job.dump_pipeline:
            print(f"Pass Manager with {len(pipeline.elements)} passes:\n{pipeline.indented()}\n", file=sys.stderr)
        if not _run(pipeline, module, job, verify_each):
            return None
    started = time.perf_counter()
    text = job.asm_flags.text(module)
    _account(job, "Output", started)
    return text


def _run(pipeline: Pipeline, module: ir.Operation, job: Job, verify_each: bool) -> bool:
    """Run the pipeline; print the traceback of an internal error, and return False then.

    The pipeline has reported the reproducer by then. Raises `PassError` and OSError.
    """
    try:
        pipeline.run(module, job.instrumentation, verify_each=verify_each, reproducer=job.reproducer)
    except (PassError, OSError):
        raise
    except Exception:  # noqa: BLE001 - a bug in a pass must not hide the parts of the input that follow
        traceback.print_exc()
        return False
    return True


def _account(job: Job, phase: str, started: float) -> None:
    if job.timing:
        job.timing.phase(phase, time.perf_counter() - started)


def keep_input(source: Source, arguments: Sequence[str]) -> Path:
    """Write the input and the command line to a temporary file: the reproducer of an error outside the passes."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="inplace-reproducer-", suffix=".mlir", delete=False, encoding="utf-8"
    ) as file:
        file.write(f"// arguments: {' '.join(map(repr, arguments))}\n{source.text}")
    return Path(file.name)
