"""`inplace-check [file|-]`: whether a program, as compiled, is still the same program.

    inplace-check program.mlir
    inplace-check program.mlir --pass-pipeline='builtin.module(my-pass,my-bufferize)' --reduce -o small.mlir

It compiles the program, and once more with a copy before every write, runs both on generated inputs, and compares.
Exit codes: 0 equal, 1 a difference or errors were reported, 2 the command line is wrong, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from mlir import ir

from ..checking.checker.options import REORDERED
from ..checking.checker.reduction import reduce_program
from ..checking.checker.report import CheckReport, plural
from ..checking.checker.supervisor import ENGINES, Options, check_with
from ..passes.framework.diagnostics import Diagnostic, DiagnosticCollector
from ..passes.framework.errors import PassError, PipelineError, RegistryError
from ..passes.pipeline.pipeline import Pipeline
from ..runtime.compilation.program import MOST_THREADS
from ..runtime.interface.signature import Signature
from ..runtime.source import private_copy
from .exit_codes import FAILURE, SUCCESS, run_program
from .opt.console import explain_bug
from .opt.diagnostics import DiagnosticPrinter
from .opt.input import InputError, Source, read_source
from .opt.output import OutputError, OutputFile
from .opt.source_ir import name_locations, parse_module, with_source_name
from .run import values as run_values
from .run.arguments import Parser, UsageError, make_arguments
from .run.values import ArgumentError

PROGRAM = "inplace-check"
_LONGEST = 1_000_000
_MOST_ROUNDS = 1_000_000


class CheckFailure(Exception):
    """The program cannot be checked; the message is one line. Empty if diagnostics have said it already."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program and returns its exit code; `arguments` defaults to the process's."""
    return run_program(
        PROGRAM,
        lambda: _run(_parse(sys.argv[1:] if arguments is None else arguments)),
        usage=(UsageError, PipelineError, RegistryError),
        failures=(InputError, OutputError, CheckFailure, ArgumentError),
    )


def _make_parser() -> Parser:
    parser = Parser(
        prog=PROGRAM,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Compiles a program, and once more with a copy before every write, runs both and compares.",
        epilog=f"values of --arg:\n{(run_values.__doc__ or '').split(chr(10), 2)[2]}\n"
        "exit codes: 0 equal, 1 a difference or errors were reported, 2 the command line is wrong, 130 interrupted",
    )
    add = parser.add_argument
    add("input", nargs="?", default="-", help="an MLIR file; standard input by default, or for -")
    add("-e", "--entry-point", metavar="NAME", help="the function to check; all public ones by default")
    add("--pass-pipeline", metavar="PIPELINE", help="the passes to check in place of our bufferization")
    add("--arg", action="append", default=[], metavar="VALUE", help="the next argument, in place of generated ones")
    add("--seed", type=int, default=0, metavar="N", help="where generated values and sizes start; 0 by default")
    add("--rounds", type=int, default=8, metavar="N", help="how many input sets to use where sizes vary; 8 by default")
    add("--tolerance", type=float, default=0.0, metavar="X", help="how far floats may be off, relative to the largest")
    add("--time-limit", type=float, default=10.0, metavar="SECONDS", help="the time one call may take; 10 by default")
    add("--engine", choices=ENGINES, default="jit", help="where the right values come from; jit by default")
    add("--optimize", action="store_true", help="check what optimize=True makes, with a tolerance of 1e-5 by default")
    add("--threads", type=int, default=1, metavar="N", help="with --optimize: made for N threads; 1 by default")
    add("--reduce", action="store_true", help="shrink the program to a small one that fails in the same way")
    add("-o", dest="output", metavar="FILE", help="where the small program goes; standard output by default")
    add("--json", metavar="FILE", help="also write differences and counts as JSON; - is standard output, without text")
    add("--shared-libs", action="append", default=[], metavar="FILES", help="libraries to load, separated by commas")
    return parser


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    settings = _make_parser().parse_like_llvm(arguments)
    if settings.rounds < 1:
        raise UsageError(f"--rounds must be at least 1, got {settings.rounds}")
    if settings.rounds > _MOST_ROUNDS:
        raise UsageError(f"--rounds must be at most {_MOST_ROUNDS}, got {settings.rounds}")
    if not 1 <= settings.threads <= MOST_THREADS:
        raise UsageError(f"--threads must be from 1 to {MOST_THREADS}, got {settings.threads}")
    if settings.seed < 0:
        raise UsageError(f"--seed must not be negative, got {settings.seed}")
    if not settings.time_limit > 0:
        raise UsageError(f"--time-limit must be positive, got {settings.time_limit:g}")
    if settings.time_limit > _LONGEST:
        raise UsageError(f"--time-limit must be at most {_LONGEST} seconds, got {settings.time_limit:g}")
    if any(not path or "\0" in path for paths in settings.shared_libs for path in paths.split(",")):
        raise UsageError(f"--shared-libs needs paths between commas, got '{','.join(settings.shared_libs)}'")
    if not settings.tolerance >= 0:
        raise UsageError(f"--tolerance must not be negative, got {settings.tolerance:g}")
    if settings.output is not None and not settings.reduce:
        raise UsageError("-o is for the program of --reduce; give that too")
    if settings.json == "-" and settings.reduce and settings.output in (None, "-"):
        raise UsageError("--json=- and --reduce both write to standard output; give one of them a file")
    if settings.arg and settings.entry_point is None:
        raise UsageError("--arg needs the function that it is for; name it with -e")
    return settings


def _options(settings: argparse.Namespace) -> Options:
    def given(signature: Signature) -> list[list[Any]]:
        return [make_arguments(settings.arg, signature, settings.seed)]

    return Options(
        pipeline=Pipeline.parse(settings.pass_pipeline) if settings.pass_pipeline is not None else None,
        functions=(settings.entry_point,) if settings.entry_point is not None else None,
        inputs=given if settings.arg else None,
        seed=settings.seed,
        rounds=settings.rounds,
        tolerance=settings.tolerance or (REORDERED if settings.optimize else 0.0),
        time_limit=settings.time_limit,
        shared_libs=tuple(path for paths in settings.shared_libs for path in paths.split(",")),
        engine=settings.engine,
        optimize=settings.optimize,
        threads=settings.threads,
    )


def _run(settings: argparse.Namespace) -> int:
    if sys.stdout is None:  # Python's way to say that the descriptor is closed.
        raise OutputError("standard output is closed")
    options = _options(settings)
    output, data = OutputFile(settings.output), None
    try:
        data = OutputFile(settings.json) if settings.json is not None else None
        return _check(read_source(settings.input), options, output if settings.reduce else None, data)
    finally:
        output.close()
        if data is not None:
            data.close()


def _check(source: Source, options: Options, output: OutputFile | None, data: OutputFile | None) -> int:
    """Checks the program; what is wrong with its text or with a pass is reported with its place in the source."""
    printer = DiagnosticPrinter(source)
    context = ir.Context()

    def take(diagnostic: Diagnostic) -> None:
        printer.take(with_source_name(diagnostic, source.name))

    with context, DiagnosticCollector(context, on_diagnostic=take, consume_all=True):
        try:
            parsed = parse_module(source, context)
            name_locations(parsed, source.name)
            module = private_copy(parsed)
            report = check_with(module, options)
        except ir.MLIRError:
            raise CheckFailure from None
        except PassError as error:
            for diagnostic in error.diagnostics:
                take(diagnostic)
            raise CheckFailure("" if error.diagnostics else str(error)) from None
        except (OSError, ValueError) as error:
            raise CheckFailure(str(error)) from None
        except MemoryError:
            raise CheckFailure("there is not enough memory for what the program takes; use smaller sizes") from None
        except Exception as error:
            if said := explain_bug(error):
                raise CheckFailure(said) from None
            raise
    if data is None or not data.is_standard_output:
        print(report, flush=True)
    if data is not None:
        data.write(json.dumps(report.as_dict(), indent=2) + "\n")
        data.commit()
    if output is not None:
        _reduce(module, options, report, output)
    return SUCCESS if report.ok else FAILURE


def _reduce(module: ir.Module, options: Options, report: CheckReport, output: OutputFile) -> None:
    """Writes the small program, with the difference as a comment above it."""
    difference = next((difference for difference in report.differences if difference.function), None)
    if difference is None:
        if not report.ok:
            raise CheckFailure("there is nothing to reduce: no function of the program differs")
        return
    with DiagnosticCollector(module.context, consume_all=True):  # of attempts that are no programs
        reduction = reduce_program(module, options, difference)
    comment = "\n".join(f"// {line}" for line in str(reduction.difference).splitlines())
    output.write(f"{comment}\n{reduction.text.rstrip()}\n")
    output.commit()
    print(
        f"reduced from {plural(reduction.original_operations, 'operation')} to {reduction.operations} "
        f"in {plural(reduction.attempts, 'attempt')}",
        file=sys.stderr,
    )


if __name__ == "__main__":
    sys.exit(main())
