"""Processing of one part of the input of `inplace-opt`: parse, run the pipeline, print."""

from __future__ import annotations

import io
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from mlir import ir

from ...dialects.support.attribute_casts import read_every_attribute
from ...passes.framework.diagnostics import DiagnosticCollector
from ...passes.framework.entered_context import new_context
from ...passes.framework.errors import PassError, PipelineError
from ...passes.pipeline.elements import inplace_passes
from ...passes.pipeline.ir_text import ir_text
from ...passes.pipeline.pipeline import Pipeline
from ...runtime.source.locations import name_locations
from ..shared.command_line import ToolError
from ..shared.diagnostic_printer import DiagnosticPrinter
from ..shared.input import Source
from ..shared.source_ir import lower_source, parse_module, parse_operation
from .diagnostic_filter import FilteredPrinter
from .job import Job
from .verify_diagnostics import DiagnosticVerifier

__all__ = ["keep_input", "process"]


def process(source: Source, job: Job) -> tuple[bool, str | bytes]:
    """Process one part of the input in a fresh context; return whether it succeeded, and its IR, empty after an error.

    Raises `ToolError` and OSError. Everything else that goes wrong is reported on standard error, an internal
    error with its traceback and a reproducer.
    """
    reporter = _make_reporter(source, job)
    started = time.perf_counter()
    context = new_context()
    # Verifiers and handlers written in Python deadlock when MLIR calls them from threads of its own.
    context.enable_multithreading(False)
    context.allow_unregistered_dialects = job.settings.allow_unregistered_dialect
    job.account("Context", started)
    output = None
    with context, DiagnosticCollector(context, on_diagnostic=reporter.take, consume_all=True):
        try:
            output = _transform(source, job, context)
        except (ir.MLIRError, PassError):
            pass  # All errors have been reported as diagnostics.
        except PipelineError as error:
            print(error, file=sys.stderr)
    return reporter.finish(output is not None), output or ""


def _make_reporter(source: Source, job: Job) -> DiagnosticPrinter | DiagnosticVerifier:
    mode = job.settings.verify_diagnostics
    if mode is None:
        return FilteredPrinter(source, job.settings)
    return DiagnosticVerifier(source, only_expected=mode == "only-expected")


def _transform(source: Source, job: Job, context: ir.Context) -> str | bytes | None:
    """The IR after the pipeline; None after an error that has been printed. Raises what parser and pipeline raise."""
    if job.irdl:
        from .irdl import load_irdl

        load_irdl(job.irdl, context)
    pipeline, verify_each = None, job.settings.verify_each
    if job.settings.run_reproducer:
        from ...passes.pipeline.reproducer import read_reproducer

        if request := read_reproducer(source.text):
            pipeline = Pipeline.parse(request.pipeline, job.passes)
            verify_each = verify_each and request.verify_each
            source = Source(source.name, request.ir_text)
    started = time.perf_counter()
    module = _parsed(source, job, context)
    if job.shows_locations:
        name_locations(module, source.name)
    job.account("Parser", started)
    if job.settings.verify_roundtrip:
        from .roundtrip import verify_round_trip

        if not verify_round_trip(module):
            return None
    pipeline = pipeline or job.pipeline(module.name)
    if pipeline is not None and not _run(pipeline, module, job, verify_each):
        return None
    started = time.perf_counter()
    output = _output(module, job)
    job.account("Output", started)
    return output


def _parsed(source: Source, job: Job, context: ir.Context) -> ir.Operation:
    """The input, lowered from a frontend's form if it is in one."""
    wanted = getattr(job.settings, "from") or ("onnx" if source.model is not None else None)
    if wanted is None:
        return (parse_operation if job.settings.no_implicit_module else parse_module)(source, context)
    try:
        return lower_source(wanted, source, context)[0]
    except ImportError as error:
        raise ToolError(str(error)) from None


def _run(pipeline: Pipeline, module: ir.Operation, job: Job, verify_each: bool) -> bool:
    """Run the pipeline; print the traceback of an internal error, and return False then.

    The pipeline has reported the reproducer by then. Raises `PassError` and OSError.
    """
    if job.settings.dump_pass_pipeline:
        print(f"Pass Manager with {len(pipeline.elements)} passes:\n{pipeline.indented()}\n", file=sys.stderr)
    if path := job.settings.generate_reproducer:
        from ...passes.pipeline.reproducer import Reproducer

        Reproducer(module, str(pipeline), verify_each=verify_each, path=Path(path)).keep()
    started = time.perf_counter()
    if any(map(inplace_passes, pipeline.elements)):
        read_every_attribute(module.context)  # which running the pipeline would do
    job.account("Context", started)
    try:
        pipeline.run(module, job.instrumentation, verify_each=verify_each, reproducer=job.reproducer)
    except (PassError, OSError):
        raise
    except Exception:  # noqa: BLE001 - a bug in a pass must not hide the parts of the input that follow
        traceback.print_exc()
        return False
    return True


def _output(module: ir.Operation, job: Job) -> str | bytes | None:
    """The IR as text or as bytecode; None if MLIR has refused to write it, which a diagnostic tells."""
    if not job.settings.emit_bytecode:
        return ir_text(module, job.asm_flags)
    written = io.BytesIO()
    try:
        module.write_bytecode(written, job.settings.emit_bytecode_version)
    except ValueError:
        return None
    return written.getvalue()


def keep_input(source: Source, arguments: Sequence[str]) -> Path:
    """Write the input and the command line to a temporary file: the reproducer of an error outside the passes."""
    import tempfile  # It takes 5 ms.

    suffix = ".mlir" if source.bytecode is None else ".mlirbc"
    with tempfile.NamedTemporaryFile("wb", prefix="inplace-reproducer-", suffix=suffix, delete=False) as file:
        text = f"// arguments: {' '.join(map(repr, arguments))}\n{source.text}"
        file.write(text.encode() if source.bytecode is None else source.bytecode)
    return Path(file.name)
