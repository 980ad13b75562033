"""`inplace-check [file|-]`: compare a compiled program with a reference.

    inplace-check program.mlir
    inplace-check program.mlir --pass-pipeline='builtin.module(my-pass,my-bufferize)' --reduce -o small.mlir

The reference is the same program, compiled with a copy before every write. Both run on generated inputs.
Exit codes: 0 equal, 1 a difference or errors were reported, 2 the command line is wrong, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from mlir import ir

from ..checking.checker.options import default_tolerance
from ..checking.checker.rank_check import check_on_ranks
from ..checking.checker.reduction import reduce_program
from ..checking.checker.report import CheckReport, plural
from ..checking.checker.supervisor import ENGINES, Options, check_with
from ..passes.framework.diagnostics import DiagnosticCollector
from ..passes.framework.errors import PassError
from ..passes.pipeline.pipeline import Pipeline
from ..runtime.compilation.program import MOST_THREADS
from ..runtime.interface.signature import Signature
from ..runtime.progress import progress
from ..runtime.source import private_copy
from .run.call_arguments import VALUES, make_arguments
from .shared.command_line import FAILURE, SUCCESS, Parser, ToolError, UsageError, run_program
from .shared.input import Source, read_source
from .shared.output import OutputFile, require_standard_output
from .shared.source_ir import parsed_program

PROGRAM = "inplace-check"
_EXAMPLES = """examples:
    inplace-check program.mlir
    inplace-check program.mlir -e main --arg 4xf32:iota --arg 2.5
    inplace-check program.mlir --pass-pipeline='builtin.module(my-pass,my-bufferize)' --reduce -o small.mlir
"""
_LONGEST = 1_000_000
_MOST_ROUNDS = 1_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; `arguments` defaults to the process's."""
    return run_program(PROGRAM, lambda: _run(_parse(sys.argv[1:] if arguments is None else arguments)))


def _make_parser() -> Parser:
    parser = Parser(
        prog=PROGRAM,
        description="Compare a compiled program with a reference that copies before every write, on generated inputs.",
        epilog=f"{_EXAMPLES}\nvalues of --arg:\n{VALUES}\n"
        "exit codes: 0 equal, 1 a difference or errors were reported, 2 the command line is wrong, 130 interrupted",
    )
    add = parser.add_argument
    add("input", nargs="?", default="-", help="an MLIR file, or - for standard input (the default)")
    add("-e", "--entry-point", metavar="NAME", help="the function to check; by default all public ones")
    add(
        "--pass-pipeline",
        metavar="PIPELINE",
        help="passes to check instead of our bufferization; functions must be on memrefs then",
    )
    add(
        "--arg",
        action="append",
        default=[],
        metavar="VALUE",
        help="the next argument of the call, instead of generated ones",
    )
    number = parser.add_number
    number("--seed", 0, least=0, help="the seed of generated values and sizes; 0 by default")
    number("--rounds", 8, least=1, most=_MOST_ROUNDS, help="the number of input sets if sizes vary; 8 by default")
    tolerance = "the largest relative error of floats; 0 by default, 1e-5 with --optimize"
    number("--tolerance", None, least=0, metavar="X", help=tolerance)
    time_limit = "the time limit of one call; 10 by default"
    number("--time-limit", 10.0, least=1e-3, most=_LONGEST, metavar="SECONDS", help=time_limit)
    add("--engine", choices=ENGINES, default="jit", help="what computes the expected values; jit by default")
    add("--optimize", action="store_true", help="fuse, tile and vectorize before bufferization")
    number("--threads", 1, least=1, most=MOST_THREADS, help="with --optimize: compile for N threads; 1 by default")
    number("--ranks", 0, least=0, most=64, help="split the program over N ranks, and compare that with the whole")
    add("--reduce", action="store_true", help="reduce the program to a small one that fails in the same way")
    add("-o", dest="output", metavar="FILE", help="the file for the reduced program; standard output by default")
    add("--json", metavar="FILE", help="also write the report as JSON; - is standard output, without text")
    parser.add_libraries()
    return parser


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    settings = _make_parser().parse_like_llvm(arguments)
    if settings.output is not None and not settings.reduce:
        raise UsageError("-o is for the program of --reduce; give that too")
    if settings.json == "-" and settings.reduce and settings.output in (None, "-"):
        raise UsageError("--json=- and --reduce both write to standard output; give one of them a file")
    if settings.ranks and (settings.reduce or settings.json or settings.pass_pipeline or settings.arg):
        raise UsageError("--ranks goes with -e, --seed, --rounds and --tolerance only")
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
        tolerance=default_tolerance(settings.tolerance, optimize=settings.optimize),
        time_limit=settings.time_limit,
        shared_libs=tuple(settings.shared_libs),
        engine=settings.engine,
        optimize=settings.optimize,
        threads=settings.threads,
    )


def _run(settings: argparse.Namespace) -> int:
    require_standard_output()
    if settings.ranks:
        return _check_ranks(read_source(settings.input), settings)
    options = _options(settings)
    output, data = OutputFile(settings.output), None
    try:
        data = OutputFile(settings.json) if settings.json is not None else None
        return _check(read_source(settings.input), options, output if settings.reduce else None, data)
    finally:
        output.close()
        if data is not None:
            data.close()


def _check_ranks(source: Source, settings: argparse.Namespace) -> int:
    """Compare the program split over ranks with the whole one, all of it in the evaluator."""
    names = (settings.entry_point,) if settings.entry_point is not None else None
    with parsed_program(source) as (parsed, _, _), progress(f"checking {source.name}"):
        try:
            found, made = check_on_ranks(
                private_copy(parsed),
                settings.ranks,
                names,
                seed=settings.seed,
                rounds=settings.rounds,
                tolerance=settings.tolerance or 0.0,
            )
        except ValueError as error:
            raise ToolError(str(error)) from None
    if not made:
        raise ToolError(
            "nothing was compared: no public function of one block is defined for the inputs that were drawn"
        )
    for difference in found:
        print(difference)
    print(f"{plural(made, 'sharding')} on {plural(settings.ranks, 'rank')}: {len(found) or 'none'} differ", flush=True)
    return FAILURE if found else SUCCESS


def _check(source: Source, options: Options, output: OutputFile | None, data: OutputFile | None) -> int:
    """Check the program; errors of parser and passes are reported with their location."""
    with parsed_program(source) as (parsed, printer, _):
        module = private_copy(parsed)
        try:
            with progress(f"checking {source.name}"):
                report = check_with(module, options)
        except PassError as error:
            for diagnostic in error.diagnostics:  # of another process
                printer.take(diagnostic)
            raise
        except ValueError as error:
            raise ToolError(str(error)) from None
        except MemoryError:
            raise ToolError("there is not enough memory for what the program takes; use smaller sizes") from None
    if data is None or not data.is_standard_output:
        print(report, flush=True)
    if data is not None:
        data.write(json.dumps(report.as_dict(), indent=2) + "\n")
        data.commit()
    if output is not None:
        _reduce(module, options, report, output)
    return SUCCESS if report.ok else FAILURE


def _reduce(module: ir.Module, options: Options, report: CheckReport, output: OutputFile) -> None:
    """Write the reduced program, with the difference as a comment above it."""
    difference = next((difference for difference in report.differences if difference.function), None)
    if difference is None:
        if not report.ok:
            raise ToolError("there is nothing to reduce: no function of the program differs")
        return
    with (
        DiagnosticCollector(module.context, consume_all=True),  # of attempts that are no programs
        progress("reducing") as line,
    ):

        def attempted(attempts: int, left: int) -> None:
            line.text = f"reducing: {plural(left, 'operation')} left, attempt {attempts}"

        reduction = reduce_program(module, options, difference, attempted)
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
