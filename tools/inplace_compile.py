"""`inplace-compile [file|-]`: compile a program to a library that C and Python call without MLIR.

    inplace-compile examples/jacobi.mlir -o libjacobi.so --header jacobi.h --optimize --target-cpu x86-64-v3,x86-64-v4

Exit codes: 0 success, 1 errors were reported, 2 the command line is wrong, 130 interrupted.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from ..passes.analysis.schedule.machine import detect_machine
from ..passes.framework.shard_attributes import read_grid
from ..passes.pipeline.pipeline import Pipeline
from ..runtime.ahead_of_time.archive import archive_of
from ..runtime.ahead_of_time.c_types import c_identifier
from ..runtime.ahead_of_time.header import header_text
from ..runtime.ahead_of_time.library import Library, Wanted, compile_library
from ..runtime.ahead_of_time.python_package import package_files
from ..runtime.ahead_of_time.shared_library import LinkError, link_flags, linked
from ..runtime.ahead_of_time.targets import NATIVE, Target, parse_targets
from ..runtime.compilation.preparation import prepare
from ..runtime.compilation.program import MOST_THREADS, NO_OPENMP, no_such_entry
from ..runtime.compilation.settings import Settings
from ..runtime.interface.boundary import entry_functions
from ..runtime.native.openmp import find_openmp
from ..runtime.progress import progress
from ..runtime.source import private_copy
from ..runtime.source.argument_names import ArgumentNames
from .compile.outputs import opened_outputs
from .run.compilation import keep_only
from .shared.command_line import SUCCESS, Parser, ToolError, UsageError, run_program
from .shared.grids import partition, read_grid_flag, sends_messages
from .shared.input import Source, read_source
from .shared.source_ir import parsed_program

PROGRAM = "inplace-compile"
_ENDINGS = (".so", ".a", ".o")
_EXAMPLES = """examples:
    inplace-compile program.mlir -o libprogram.so --header program.h
    inplace-compile program.mlir --static -o libprogram.a --header program.h --target-cpu x86-64-v3
    inplace-compile model.onnx --python model --optimize --target-cpu x86-64-v2,x86-64-v3,x86-64-v4
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; `arguments` defaults to the process's."""
    return run_program(PROGRAM, lambda: _run(_parse(sys.argv[1:] if arguments is None else arguments)))


def _make_parser() -> Parser:
    parser = Parser(
        prog=PROGRAM,
        description="Compile a program to a library that C and Python call without MLIR.\n"
        "Each public function becomes one function of C, which returns the number of an error, or 0.",
        epilog=f"{_EXAMPLES}\nexit codes: 0 success, 1 errors were reported, 2 the command line is wrong, "
        "130 interrupted",
    )
    add = parser.add_argument
    add(
        "input",
        nargs="?",
        default="-",
        help="an MLIR file, or - for standard input (the default); an ONNX model if its name ends in .onnx",
    )
    add("-o", "--output", metavar="FILE", help="a shared library (.so), an archive (.a) or an object file (.o)")
    add("--static", action="store_true", help="-o names a static archive (.a)")
    add("--header", metavar="FILE", help="the header for C and C++")
    add("--python", metavar="FOLDER", help="a Python package around a shared library, which needs NumPy alone")
    add("--prefix", metavar="NAME", help="what all names in C begin with; by default the name of the output")
    add(
        "--target-cpu",
        default=NATIVE,
        metavar="LIST",
        help="processors, of which the best is chosen when the library is used: x86-64, x86-64-v2, x86-64-v3 and "
        "x86-64-v4 between commas; native, the default, is that of this machine alone",
    )
    add("-e", "--entry-point", action="append", default=[], metavar="NAME", help="only this function; repeatable")
    add("--any-strides", action="store_true", help="also make code for arrays that are not contiguous")
    add("-O", dest="opt_level", type=int, choices=range(4), default=2, help="LLVM's level: -O0 to -O3; 2 by default")
    add("--optimize", action="store_true", help="fuse, tile and vectorize on tensors before bufferization")
    add(
        "--machine",
        default="",
        metavar="WORDS",
        help="machine properties for --optimize, such as 'l2=524288'; by default this machine's caches",
    )
    parser.add_number(
        "--threads", 1, least=1, most=MOST_THREADS, help="run on N threads; 1 by default; needs an OpenMP runtime"
    )
    add(
        "--grid",
        metavar="AxB",
        help="the grid of ranks that the program must be for, such as 4 or 2x2; the library is given its communicator, "
        "and needs no MPI here",
    )
    parser.add_libraries()
    add(
        "--pass-pipeline",
        metavar="PIPELINE",
        help="passes to run instead of bufferization; functions must be on memrefs then",
    )
    return parser


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    settings = _make_parser().parse_like_llvm(arguments)
    output = settings.output
    if output is None and settings.python is None:
        raise UsageError("nothing is to be written; name a library with -o, or a package with --python")
    _check_output(output, static=settings.static)
    try:
        detect_machine().override(settings.machine)
    except ValueError as error:
        raise UsageError(f"--machine: {error}") from None
    try:
        settings.targets = parse_targets(settings.target_cpu)
    except ValueError as error:
        raise UsageError(f"--target-cpu: {error}") from None
    settings.grid = None if settings.grid is None else read_grid_flag(settings.grid)
    if settings.prefix is None:
        name = Path(output or settings.python).name.partition(".")[0]
        settings.prefix = c_identifier(name.removeprefix("lib") or name)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", settings.prefix):
        raise UsageError(f"'{settings.prefix}' cannot begin names of C; give a name with --prefix")
    return settings


def _check_output(output: str | None, *, static: bool) -> None:
    """Raise `UsageError` if the name does not say what is made, or says something else than `--static`."""
    if static and output is None:
        raise UsageError("--static, but packages hold a shared library; name an archive with -o")
    if output is not None and not output.endswith(_ENDINGS):
        raise UsageError(f"-o needs a name that ends in {', '.join(_ENDINGS)}, got '{output}'")
    if static and output is not None and not output.endswith(".a"):
        raise UsageError(
            f"--static makes an archive, but -o names '{output}'; end the name in .a, or leave out --static"
        )


def _run(settings: argparse.Namespace) -> int:
    pipeline = Pipeline.parse(settings.pass_pipeline) if settings.pass_pipeline is not None else None
    libraries = _libraries(settings)
    source = read_source(settings.input, models=True)
    paths = [path for path in (settings.output, settings.header) if path is not None]
    with opened_outputs(paths, settings.python) as outputs:
        with progress(f"compiling {source.name}"):
            library = _compile(source, settings, pipeline, libraries, settings.targets)
            files: dict[str, bytes] = {}
            if settings.output is not None:
                files[settings.output] = _binary(library, settings.output, libraries)
            if settings.header is not None:
                files[settings.header] = header_text(library, source.name, link_flags(libraries)).encode()
            package: dict[str, bytes] = {}
            if settings.python is not None:
                shared = _linked(library, f"lib{settings.prefix}.so", libraries)
                package = package_files(library, shared, source.name)
        outputs.write(files, package)
    return SUCCESS


def _libraries(settings: argparse.Namespace) -> tuple[str, ...]:
    if settings.threads == 1:
        return tuple(settings.shared_libs)
    runtime = find_openmp()
    if runtime is None:
        raise ToolError(NO_OPENMP)
    return (*settings.shared_libs, runtime)


def _compile(
    source: Source,
    settings: argparse.Namespace,
    pipeline: Pipeline | None,
    libraries: tuple[str, ...],
    targets: Sequence[Target],
) -> Library:
    """Compile the entry points that are wanted; errors are reported with their location."""
    with parsed_program(source) as (module, _, weights):
        partition(module, settings.grid)
        if settings.grid is not None and read_grid(module) is None:
            raise ToolError("--grid, but the program is not split: annotate it by shard.shard, or leave out --grid")
        ranks = sends_messages(module)
        how = _settings(settings, pipeline, libraries, ranks=ranks)
        known = entry_functions(module)
        for name in settings.entry_point:
            if name not in known:
                raise ToolError(no_such_entry(name, known))
        names = settings.entry_point or list(known)
        keep_only(module, names)
        argument_names = ArgumentNames(source.text.encode(), source.name)
        prepared = prepare(private_copy(module), how, name_of=argument_names.name_of)
        held = {names[0]: weights} if weights else {}
        return compile_library(prepared, Wanted(settings.prefix, targets, settings.any_strides, held))


def _settings(
    settings: argparse.Namespace, pipeline: Pipeline | None, libraries: tuple[str, ...], *, ranks: bool
) -> Settings:
    return Settings(
        pipeline,
        settings.opt_level,
        memory_stats=False,
        shared_libs=libraries,
        optimize=settings.optimize,
        threads=settings.threads,
        machine=settings.machine,
        ranks=ranks,
    )


def _binary(library: Library, path: str, libraries: Sequence[str]) -> bytes:
    """What goes to `path`, by its ending."""
    if path.endswith(".o"):
        return library.code
    if path.endswith(".a"):
        return archive_of(library.code, "code.o")
    return _linked(library, Path(path).name, libraries)


def _linked(library: Library, name: str, libraries: Sequence[str]) -> bytes:
    try:
        return linked(library.code, name, libraries)
    except LinkError as error:
        raise ToolError(str(error)) from None


if __name__ == "__main__":
    sys.exit(main())
