"""`inplace-opt [file|-]`: run passes, ours and upstream's, on MLIR, and print the result.

It follows mlir-opt; `--help` lists every flag, and every pass of ours with its options. Exit codes: 0 success, 1 errors
were reported, 2 the command line is wrong, 130 interrupted.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Sequence

from mlir import ir

from ..passes.framework.errors import RegistryError
from ..passes.pipeline.registry import Registry, registry
from .opt.command_line import PROGRAM, CommandLine, parse_command_line
from .opt.job import Job, make_job
from .opt.process import keep_input, process
from .shared import console
from .shared.command_line import FAILURE, SUCCESS, ToolError, run_program
from .shared.input import Source, read_source, split_source
from .shared.output import OutputFile
from .shared.version import version_text


def main(arguments: Sequence[str] | None = None, passes: Registry = registry) -> int:
    """Run the program and return its exit code; `arguments` defaults to the process's."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    return run_program(PROGRAM, lambda: _run(given, passes))


def _run(arguments: list[str], passes: Registry) -> int:
    command = parse_command_line(arguments, passes)
    settings = command.settings
    console.use_colour(settings.color)
    information = _information(command, passes)
    if information is not None:
        sys.stdout.write(information)
        sys.stdout.flush()
        return SUCCESS
    if settings.print_options or settings.print_all_options:
        sys.stdout.write(command.options_text(every=settings.print_all_options))
    if settings.debug or settings.debug_only:
        from .opt.debug import logged_passes

        with logged_passes(settings.debug_only):
            return _run_job(command, arguments, passes)
    return _run_job(command, arguments, passes)


def _run_job(command: CommandLine, arguments: Sequence[str], passes: Registry) -> int:
    settings = command.settings
    job = make_job(command, passes)
    output = OutputFile(settings.o)
    try:
        source = read_source(command.input, models=True)
        if settings.run_reproducer:
            _check_reproducer(source)
        succeeded = _process_all(source, arguments, job, output)
        if succeeded:
            output.commit()
    finally:
        output.close()
    if job.timing:
        print(job.timing.report(settings.timing_display, settings.output_format), file=sys.stderr)
    return SUCCESS if succeeded else FAILURE


def _check_reproducer(source: Source) -> None:
    from ..passes.pipeline.reproducer import read_reproducer

    if read_reproducer(source.text) is None:
        raise ToolError(f"'{source.name}' is no reproducer: it has no mlir_reproducer section with a pipeline")


def _process_all(source: Source, arguments: Sequence[str], job: Job, output: OutputFile) -> bool:
    """Process the input; after an internal error keep it, and say where."""
    try:
        return _process_parts(source, job, output)
    except (ToolError, OSError, RegistryError):
        raise
    except Exception:  # noqa: BLE001 - the last place that still knows the input
        traceback.print_exc()
        kept = keep_input(source, arguments)
        print(f"{PROGRAM}: error: internal error; reproducer generated at '{kept}'", file=sys.stderr)
        return False


def _process_parts(source: Source, job: Job, output: OutputFile) -> bool:
    """Process each part of the input, also after one that fails."""
    succeeded = True
    marker = job.settings.split_input_file
    between = marker if job.settings.output_split_marker is None else job.settings.output_split_marker
    for number, part in enumerate([source] if marker is None else split_source(source, marker)):
        part_succeeded, content = process(part, job)
        succeeded = succeeded and part_succeeded
        if number:
            output.write(f"{between}\n")
        output.write(content)
    return succeeded


def _information(command: CommandLine, passes: Registry) -> str | None:
    """The output of `--help` and other flags that only inform."""
    settings = command.settings
    if settings.help is not None or settings.help_list or settings.help_hidden or settings.help_list_hidden:
        from .opt.help_text import help_about, help_text

        if settings.help:
            return help_about(settings.help, passes)
        return help_text(passes, hidden=settings.help_hidden or settings.help_list_hidden)
    if settings.version:
        return version_text(PROGRAM)
    if settings.list_passes:
        from .opt.help_text import list_text

        return list_text(passes)
    if settings.show_dialects:
        return f"Available Dialects: {', '.join(available_dialects())}\n"
    return None


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
