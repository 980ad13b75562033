"""`inplace-run [file|-]`: compile a program, call one of its functions, and print, save or check the results.

    inplace-run examples/tiled_matmul.mlir --arg random --arg random --check 'a0 @ a1' --memory-stats

Exit codes: 0 success, 1 errors were reported, 2 the command line is wrong, 130 interrupted, 128 and the number of a
signal if native code ended with it (136 for a division by zero, 139 for an access to memory that is not there).
"""

from __future__ import annotations

import argparse
import copy
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..passes.analysis.schedule.machine import detect_machine
from ..passes.framework.errors import PassError
from ..passes.pipeline.pipeline import Pipeline
from ..runtime.call.entry_point import EntryPoint
from ..runtime.compilation.program import MOST_THREADS, code_addresses
from ..runtime.compilation.stages import STAGES
from ..runtime.progress import Progress, progress
from .run.call_arguments import VALUES, make_arguments
from .run.check_expression import compile_check
from .run.compilation import CompiledSource, compile_source, dumped_ir, require_stages
from .run.fault_report import explanation
from .run.faults import Fault, faults_explained, read_fault
from .run.interrupt import interruptible
from .run.results import ResultFiles, as_tuple, check_results, print_results
from .shared.command_line import INTERRUPTED, SUCCESS, Parser, ToolError, UsageError, run_program
from .shared.console import print_error
from .shared.input import ONNX_SUFFIX, Source, read_source
from .shared.output import require_standard_output

PROGRAM = "inplace-run"
_EXAMPLES = """examples:
    inplace-run program.mlir --arg 4xf32:iota --arg 2.5 --print-result
    inplace-run program.mlir -e matmul --arg random --arg random --check 'a0 @ a1' --optimize --repeat 10
    inplace-run program.mlir --arg input.npy --save-result output.npy
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; `arguments` defaults to the process's."""
    given = sys.argv[1:] if arguments is None else arguments
    return run_program(PROGRAM, lambda: _run(_parse(given), given))


def _make_parser() -> Parser:
    parser = Parser(
        prog=PROGRAM,
        description="Compile a program, call one of its functions, and print, save or check the results.\n"
        "Nothing is printed unless one of the flags below asks for it.",
        epilog=f"{_EXAMPLES}\nvalues of --arg:\n{VALUES}\n"
        "exit codes: 0 success, 1 errors were reported, 2 the command line is wrong, 130 interrupted,\n"
        "128 + N if the program was ended by signal N",
    )
    add = parser.add_argument
    add(
        "input",
        nargs="?",
        default="-",
        help="an MLIR file, or - for standard input (the default); an ONNX model if its name ends in .onnx",
    )
    add(
        "-e",
        "--entry-point",
        metavar="NAME",
        help="the function to call; by default main, or the only one; what it does not reach is not compiled",
    )
    add("--arg", action="append", default=[], metavar="VALUE", help="the next argument of the call; see below")
    parser.add_number("--seed", 0, least=0, help="the seed of random values; 0 by default")
    add("-O", dest="opt_level", type=int, choices=range(4), default=2, help="LLVM's level: -O0 to -O3; 2 by default")
    parser.add_libraries()
    add(
        "--pass-pipeline",
        metavar="PIPELINE",
        help="passes to run instead of bufferization; functions must be on memrefs then",
    )
    add("--print-result", action="store_true", help="print the results, or what a kernel writes")
    add("--save-result", metavar="FILE", help="save the results: .npy (numbered if there are several), or one .npz")
    add("--runtime-checks", action="store_true", help="check indices, slices and sizes; what fails names the op")
    add("--memory-stats", action="store_true", help="print allocations, freed and copied bytes; runs on one thread")
    add(
        "--check",
        metavar="EXPRESSION",
        help="compare with NumPy: an expression of arguments a0, a1, …, as in 'a0 @ a1'",
    )
    tolerance = "the largest error that --check accepts, relative to the largest magnitude; by default 1e-4 for f32, "
    tolerance += "1e-10 for f64, 0 for integers"
    parser.add_number("--tolerance", None, least=0, metavar="X", help=tolerance)
    parser.add_number("--repeat", 1, least=1, help="call N times and print median and minimum time")
    parser.add_number("--threads", 1, least=1, most=MOST_THREADS, help="run on N threads; 1 by default")
    add("--optimize", action="store_true", help="fuse, tile and vectorize on tensors before bufferization")
    add(
        "--cache",
        action=argparse.BooleanOptionalAction,
        help="keep machine code in ~/.cache/mlir-inplace, and take it from there; by default what takes 0.3 s to make",
    )
    add("--cache-dir", metavar="FOLDER", help="the same with another folder")
    stage_names = f"print the IR after a stage on standard error; one of {', '.join(STAGES)}; repeatable"
    add("--dump-ir", action="append", default=[], metavar="STAGE", help=stage_names)
    add(
        "--grid",
        metavar="AxB",
        help="run on a grid of ranks, such as 4 or 2x2: start it as mpiexec -n 4 inplace-run --grid 2x2 …; the first "
        "rank makes whole arguments, and prints and saves whole results",
    )
    add("--explain-fault", type=int, metavar="FILE", help=argparse.SUPPRESS)
    add(
        "--machine",
        default="",
        metavar="WORDS",
        help="machine properties for --optimize, such as 'vector-bits=256'",
    )
    return parser


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    settings = _make_parser().parse_like_llvm(arguments)
    try:
        detect_machine().override(settings.machine)
    except ValueError as error:
        raise UsageError(f"--machine: {error}") from None
    require_stages(settings.dump_ir)
    if settings.cache_dir is not None and (not settings.cache_dir or "\0" in settings.cache_dir):
        raise UsageError(f"--cache-dir needs a folder, got {settings.cache_dir!r}")
    return settings


def _run(settings: argparse.Namespace, given: Sequence[str]) -> int:
    pipeline = Pipeline.parse(settings.pass_pipeline) if settings.pass_pipeline is not None else None
    if settings.explain_fault is not None:
        return _explain(read_fault(settings.explain_fault), settings, pipeline)
    prints = settings.print_result or settings.memory_stats or settings.check is not None or settings.repeat > 1
    if prints:
        require_standard_output()
    if settings.grid is not None:
        return _run_on_ranks(settings, given, pipeline)
    source = read_source(settings.input, models=True)
    with dumped_ir(settings.dump_ir), progress(f"compiling {source.name}"):
        compiled = compile_source(source, settings, pipeline, PROGRAM)
    program, signature = compiled.program, compiled.entry_point.signature
    arguments = make_arguments(settings.arg, signature, settings.seed)
    check = _make_check(settings, arguments) if settings.check is not None else None
    files = ResultFiles(settings.save_result, len(signature.outcomes)) if settings.save_result else None
    try:
        results, times = _watched_call(compiled, source, arguments, settings.repeat, given, files)
        if settings.repeat > 1:
            print(
                f"time: median {_seconds(statistics.median(times))}, least {_seconds(min(times))}, {len(times)} calls"
            )
        if settings.print_result:
            print_results(results, signature)
        if settings.memory_stats:
            print(program.memory_stats)
        if check:
            print(check(results))
        if prints:
            sys.stdout.flush()  # Before any file is created: output that cannot be written is a failure.
        if files:
            files.write(results)
    finally:
        if files:
            files.close()
    return SUCCESS


def _run_on_ranks(settings: argparse.Namespace, given: Sequence[str], pipeline: Pipeline | None) -> int:
    """The same on several ranks: the first one reads, prints and saves."""
    from .run.ranks import RunRanks, whole_signature
    from .shared.grids import read_grid_flag

    ranks = RunRanks(read_grid_flag(settings.grid), PROGRAM, given)
    source = ranks.on_first(lambda: read_source(settings.input, models=True))
    compiled = ranks.together(lambda: compile_source(source, settings, pipeline, PROGRAM, ranks))
    function = compiled.entry_point
    arguments = ranks.arguments(function, lambda signature: make_arguments(settings.arg, signature, settings.seed))
    check = _make_check(settings, arguments) if settings.check is not None and ranks.is_first else None
    results, times = ranks.together(lambda: _call(function, arguments, settings.repeat))
    memory = ranks.memory_text(compiled.program.memory_stats) if settings.memory_stats else None
    if not ranks.is_first:
        return SUCCESS
    if settings.repeat > 1:
        print(f"time: median {_seconds(statistics.median(times))}, least {_seconds(min(times))}, {len(times)} calls")
    if settings.print_result:
        print_results(results, whole_signature(function))
    if memory is not None:
        print(memory)
    if check:
        print(check(results))
    if settings.save_result:
        files = ResultFiles(settings.save_result, len(results))
        try:
            files.write(results)
        finally:
            files.close()
    return SUCCESS


def _watched_call(
    compiled: CompiledSource,
    source: Source,
    arguments: Sequence[Any],
    repeat: int,
    given: Sequence[str],
    files: ResultFiles | None,
) -> tuple[tuple[Any, ...], list[float]]:
    """`_call`, with progress, faults explained, and an end for interrupts; both remove unfinished files."""
    function = compiled.entry_point
    name = function.signature.name

    def explain(file: int) -> list[str]:
        line.stop()
        if files:
            files.close()
        return [sys.executable, "-m", "mlir_inplace.tools.inplace_run", *given, f"--explain-fault={file}"]

    with (
        # What the program prints would share the line.
        progress(f"running '{name}'", shown=not compiled.calls_out) as line,
        interruptible(lambda: _stop(files, line)),
        faults_explained(source, name, lambda: code_addresses(compiled.program, name), explain),
    ):
        return _call(function, arguments, repeat)


def _explain(fault: Fault, settings: argparse.Namespace, pipeline: Pipeline | None) -> int:
    """Print what the fault of an earlier process was, and return the exit code of a shell for it."""
    model = fault.name if fault.name.endswith(ONNX_SUFFIX) else None
    source = Source(fault.name, fault.text, model=model)
    text = explanation(fault, lambda: compile_source(source, settings, pipeline, PROGRAM).program)
    print_error(f"{PROGRAM}: error: {text}")
    return 128 + fault.number


def _stop(files: ResultFiles | None, line: Progress) -> NoReturn:
    """End the process while native code is running, and remove unfinished files."""
    line.stop()
    if files:
        files.close()
    print_error(f"{PROGRAM}: interrupted")
    os._exit(INTERRUPTED)


def _make_check(settings: argparse.Namespace, arguments: Sequence[Any]) -> Callable[[Sequence[Any]], str]:
    """The check of results by the expression of `--check`, on the arguments as they are before the call."""
    given = {f"a{number}": copy.deepcopy(argument) for number, argument in enumerate(arguments)}
    code = compile_check(settings.check, list(given))
    return lambda results: check_results(code, settings.check, given, results, settings.tolerance)


def _call(function: EntryPoint, arguments: Sequence[Any], repeat: int) -> tuple[tuple[Any, ...], list[float]]:
    """Call the function `repeat` times on equal arguments, and return the last results and the seconds of each call."""
    written = any(parameter.writable for parameter in function.signature.parameters)
    times: list[float] = []
    result, fresh = None, arguments
    try:
        for _ in range(repeat):
            fresh = copy.deepcopy(arguments) if written and repeat > 1 else arguments
            started = time.perf_counter()
            result = function(*fresh)
            times.append(time.perf_counter() - started)
    except (ArithmeticError, AssertionError, MemoryError, RecursionError, TypeError, ValueError, PassError) as error:
        raise ToolError(str(error) or "there is not enough memory for the results") from None
    return as_tuple(result, function.signature, fresh), times


def _seconds(seconds: float) -> str:
    """A duration in s, ms or µs."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


if __name__ == "__main__":
    sys.exit(main())
