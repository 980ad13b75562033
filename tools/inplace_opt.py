"""`inplace-opt [file|-]`: run passes, ours and upstream's, on MLIR, and print the result.

It follows mlir-opt; `--help` lists every flag, and every pass of ours with its options. Exit codes: 0 success, 1 errors
were reported, 2 the command line is wrong, 130 interrupted.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from mlir import ir

from ..passes.framework.errors import RegistryError
from ..passes.pipeline.instrumentation import AsmFlags, Instrumentation, IRPrinting, StatisticsReport, Timing
from ..passes.pipeline.registry import Registry, registry
from ..passes.pipeline.reproducer import read_reproducer
from .opt.flags import PROGRAM, CommandLine, help_text, list_text, make_pipeline, parse_command_line
from .opt.process import Job, keep_input, process
from .shared.command_line import FAILURE, SUCCESS, ToolError, run_program, version_text
from .shared.input import Source, read_source, split_source
from .shared.output import OutputFile


def main(arguments: Sequence[str] | None = None, passes: Registry = registry) -> int:
    """Run the program and return its exit code; `arguments` defaults to the process's."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    return run_program(PROGRAM, lambda: _run(given, passes))


def _run(arguments: list[str], passes: Registry) -> int:
    command = parse_command_line(arguments, passes)
    information = _information(command, passes)
    if information is not None:
        sys.stdout.write(information)
        sys.stdout.flush()
        return SUCCESS
    timing = Timing() if command.settings.timing else None
    job = _make_job(command, passes, timing)
    output = OutputFile(command.settings.o)
    try:
        source = read_source(command.input)
        if job.run_reproducer and read_reproducer(source.text) is None:
            raise ToolError(f"'{source.name}' is no reproducer: it has no mlir_reproducer section with a pipeline")
        try:
            succeeded = _process_parts(source, command.settings.split_input_file, job, output)
        except (ToolError, OSError, RegistryError):
            raise
        except Exception:  # noqa: BLE001 - the last place that still knows the input
            traceback.print_exc()
            kept = keep_input(source, arguments)
            print(f"{PROGRAM}: error: internal error; reproducer generated at '{kept}'", file=sys.stderr)
            succeeded = False
        if succeeded:
            output.commit()
    finally:
        output.close()
    if timing:
        print(timing.report(), file=sys.stderr)
    return SUCCESS if succeeded else FAILURE


def _process_parts(source: Source, marker: str | None, job: Job, output: OutputFile) -> bool:
    """Process each part of the input, also after one that fails."""
    succeeded = True
    for number, part in enumerate([source] if marker is None else split_source(source, marker)):
        part_succeeded, text = process(part, job)
        succeeded = succeeded and part_succeeded
        output.write(f"{marker}\n{text}" if number else text)
    return succeeded


def _information(command: CommandLine, passes: Registry) -> str | None:
    """The output of `--help` and other flags that only inform."""
    if command.settings.help:
        return help_text(passes)
    if command.settings.version:
        return version_text(PROGRAM)
    if command.settings.list_passes:
        return list_text(passes)
    if command.settings.show_dialects:
        return f"Available Dialects: {', '.join(available_dialects())}\n"
    return None


def _make_job(command: CommandLine, passes: Registry, timing: Timing | None) -> Job:
    settings = command.settings
    flags = AsmFlags(settings.print_debuginfo, settings.print_op_generic, settings.elide_elementsattrs_if_larger)
    return Job(
        pipeline=make_pipeline(command, passes),
        passes=passes,
        allow_unregistered_dialect=settings.allow_unregistered_dialect,
        run_reproducer=settings.run_reproducer,
        verify_each=settings.verify_each,
        verify_diagnostics=settings.verify_diagnostics,
        asm_flags=flags,
        instrumentation=_make_instrumentation(command, flags, timing),
        timing=timing,
        reproducer=_path(settings.pass_pipeline_crash_reproducer),
        dump_pipeline=settings.dump_pass_pipeline,
    )


def _make_instrumentation(command: CommandLine, flags: AsmFlags, timing: Timing | None) -> list[Instrumentation]:
    """Instrumentation of the passes; timing comes last, so that it does not measure printing."""
    settings = command.settings
    watchers: list[Instrumentation] = []
    printing = IRPrinting(
        before_all=settings.print_ir_before_all,
        after_all=settings.print_ir_after_all,
        after_change=settings.print_ir_after_change,
        after_failure=settings.print_ir_after_failure,
        tree_dir=_path(settings.print_ir_tree_dir),
        flags=flags,
    )
    if printing.wanted:
        watchers.append(printing)
    if settings.pass_statistics:
        watchers.append(StatisticsReport())
    if timing:
        watchers.append(timing)
    return watchers


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None


def available_dialects() -> list[str]:
    """The names of the dialects that can be parsed, ours among them, which is loaded for texts that mention it.

    The bindings have no list; their parser prints one when it meets an operation of no dialect it knows.
    """
    try:
        with ir.Context() as context:
            ir.Module.parse("inplace_no_such_dialect.op", context)
    except ir.MLIRError as error:
        notes = "\n".join(note.message for found in error.error_diagnostics for note in found.notes)
        if listed := re.search(r"Available dialects: ([^;]*)", notes):
            return sorted({*(name.strip() for name in listed[1].split(",")), "dispatch"})
    raise ToolError("these bindings do not list their dialects")


if __name__ == "__main__":
    sys.exit(main())
