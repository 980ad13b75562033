"""The program of `inplace-run`: parsed, reduced to what one entry point reaches, and compiled; IR of its stages."""

from __future__ import annotations

import argparse
import contextlib
import sys
import warnings
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlir import ir

from ...passes.analysis.ir.traversal import first_op
from ...passes.pipeline.pipeline import Pipeline, run_pipeline
from ...runtime.call.entry_point import EntryPoint
from ...runtime.compilation.program import Program, no_such_entry
from ...runtime.compilation.program import compile as compile_program
from ...runtime.compilation.stages import STAGES, one_object, watched_stages
from ...runtime.interface.boundary import entry_functions
from ...runtime.interface.dtypes import UnsupportedTypeError
from ..shared.command_line import ToolError, UsageError
from ..shared.console import print_error
from ..shared.input import Source
from ..shared.source_ir import parsed_program

if TYPE_CHECKING:
    from .ranks import RunRanks

__all__ = ["CompiledSource", "compile_source", "dumped_ir", "keep_only", "require_stages"]

_FUNCTIONS = frozenset({"func.func", "llvm.func"})
_DROP_UNUSED = "builtin.module(symbol-dce)"


@dataclass(frozen=True)
class CompiledSource:
    """A compiled program, the function to call, and whether that may call functions that others define."""

    program: Program
    entry_point: EntryPoint
    calls_out: bool


def compile_source(
    source: Source,
    settings: argparse.Namespace,
    pipeline: Pipeline | None,
    program_name: str,
    ranks: RunRanks | None = None,
) -> CompiledSource:
    """Compile the entry point, and what it reaches; errors are reported with their location."""
    watched = warnings.catch_warnings(record=True)
    with parsed_program(source) as (module, _, weights), watched as caught, one_object():
        warnings.simplefilter("always", RuntimeWarning)
        name = keep_reached(module, settings.entry_point)
        declared = first_op(module, lambda op: op.name in _FUNCTIONS and not len(op.regions[0].blocks))
        if ranks is not None:
            ranks.partition(module)
        program = compile_program(
            module,
            pipeline=pipeline,
            opt_level=settings.opt_level,
            optimize=settings.optimize,
            memory_stats=settings.memory_stats,
            runtime_checks=settings.runtime_checks,
            shared_libs=settings.shared_libs,
            threads=settings.threads,
            machine=settings.machine,
            cache=settings.cache_dir or settings.cache,
            comm=None if ranks is None else ranks.comm,
        )
        if weights:
            program = program.hold({**weights}, function=name)
    for warning in caught:
        print_error(f"{program_name}: warning: {warning.message}")
    try:
        return CompiledSource(program, program[name], declared is not None or bool(settings.shared_libs))
    except UnsupportedTypeError as error:
        raise ToolError(str(error)) from None


def keep_reached(module: ir.Operation, wanted: str | None) -> str:
    """Remove the functions that the entry point `wanted` does not reach, and return its name; raises `ToolError`.

    Without a wanted one it is the only one, or `main`.
    """
    known = entry_functions(module)
    name = wanted
    if name is None:
        name = next(iter(known)) if len(known) == 1 else "main"
        if len(known) > 1 and name not in known:
            raise ToolError(
                f"the program has several entry points and none is 'main'; choose with -e: {', '.join(known)}"
            )
    if name not in known:
        raise ToolError(no_such_entry(name, known))
    keep_only(module, [name])
    return name


def keep_only(module: ir.Operation, names: Sequence[str]) -> None:
    """Remove the functions that none of the entry points `names` reaches."""
    known = entry_functions(module)
    if len(known) > len(names):
        with module.context:
            for other, function in known.items():
                if other not in names:
                    function.attributes["sym_visibility"] = ir.StringAttr.get("private")
        run_pipeline(module, _DROP_UNUSED)


def require_stages(names: list[str]) -> None:
    """Raise `UsageError` for a stage of `--dump-ir` that does not exist."""
    for name in names:
        if name not in STAGES:
            raise UsageError(f"--dump-ir: there is no stage {name!r}; the stages are, in order: {', '.join(STAGES)}")


@contextlib.contextmanager
def dumped_ir(wanted: list[str]) -> Generator[None]:
    """Print the IR after the stages `wanted` on standard error, when the body ends, or fails."""
    if not wanted:
        yield
        return
    reached: dict[str, str] = {}

    def note(stage: str, module: ir.Module) -> None:
        if stage in wanted:
            reached[stage] = str(module)

    try:
        with watched_stages(note):
            yield
    finally:
        for stage, text in reached.items():
            print(f"// -----// IR Dump After {stage} //----- //\n{text}", file=sys.stderr, flush=True)
