"""What `inplace-opt` does with every part of its input, as its command line says."""

from __future__ import annotations

import functools
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...passes.pipeline.asm_flags import AsmFlags
from ...passes.pipeline.instrumentation import Instrumentation
from ...passes.pipeline.pipeline import DEFAULT_ANCHOR, Pipeline
from ...passes.pipeline.registry import Registry
from ...passes.pipeline.timing import Timing
from ..shared.input import Source, read_source
from .command_line import CommandLine, make_pipeline

__all__ = ["Job", "make_job"]


@dataclass(frozen=True)
class Job:
    """What to do with every part of the input.

    Attributes:
        settings: the flags, by their attribute.
        pipeline: what to run on an operation of that name; None to run nothing.
        passes: where the passes of a reproducer's pipeline are looked up.
        asm_flags: how IR is printed.
        instrumentation: who watches the passes.
        timing: collects the times of parsing and printing too; None without `--mlir-timing`.
        irdl: a module of IRDL dialects to load.
    """

    settings: Namespace
    pipeline: Callable[[str], Pipeline | None]
    passes: Registry
    asm_flags: AsmFlags
    instrumentation: Sequence[Instrumentation]
    timing: Timing | None
    irdl: Source | None

    @property
    def reproducer(self) -> Path | None:
        """Where the pass manager writes the crash reproducer; a local one is written by an instrumentation."""
        settings = self.settings
        return None if settings.pass_pipeline_local_reproducer else _path(settings.pass_pipeline_crash_reproducer)

    @property
    def shows_locations(self) -> bool:
        """Whether somebody reads the names of sources in locations."""
        settings = self.settings
        debugs = settings.debug or settings.debug_only or settings.log_actions_to
        return bool(settings.print_debuginfo or settings.pass_pipeline_crash_reproducer or debugs)

    def account(self, phase: str, started: float) -> None:
        """Add the time since `started` to a line of the report of times."""
        if self.timing:
            self.timing.phase(phase, time.perf_counter() - started)


def make_job(command: CommandLine, passes: Registry) -> Job:
    """The job of a command line; raises `PipelineError`, `RegistryError` and `ToolError`."""
    settings = command.settings
    timing = Timing() if settings.timing else None
    flags = AsmFlags(
        debug_info=settings.print_debuginfo,
        pretty_debug_info=settings.pretty_debuginfo,
        generic=settings.print_op_generic,
        local_scope=settings.print_local_scope,
        skip_regions=settings.print_skip_regions,
        name_locations=settings.use_nameloc_as_prefix,
        assume_verified=settings.print_assume_verified,
        elide_elements_above=settings.elide_elementsattrs_if_larger,
        hex_elements_above=settings.print_elementsattrs_with_hex_if_larger,
        elide_resources_above=settings.elide_resource_strings_if_larger,
        value_users=settings.print_value_users,
        unique_ids=settings.print_unique_ssa_ids,
    )
    pipeline = functools.cache(functools.partial(make_pipeline, command, passes))
    watchers = _make_instrumentation(settings, flags, timing)
    irdl = read_source(settings.irdl_file) if settings.irdl_file is not None else None
    job = Job(settings, pipeline, passes, flags, watchers, timing, irdl)
    started = time.perf_counter()
    if not settings.no_implicit_module:
        pipeline(DEFAULT_ANCHOR)  # So that its errors come before any work.
        job.account("Load passes", started)
    return job


def _make_instrumentation(settings: Namespace, flags: AsmFlags, timing: Timing | None) -> list[Instrumentation]:
    """Instrumentation of the passes; timing comes last, so that it does not measure printing."""
    from ...passes.pipeline.ir_printing import IRPrinting

    watchers: list[Instrumentation] = []
    printing = IRPrinting(
        before_all=settings.print_ir_before_all,
        after_all=settings.print_ir_after_all,
        after_change=settings.print_ir_after_change,
        after_failure=settings.print_ir_after_failure,
        before=frozenset(settings.print_ir_before),
        after=frozenset(settings.print_ir_after),
        module_scope=settings.print_ir_module_scope,
        tree_dir=_path(settings.print_ir_tree_dir),
        flags=flags,
    )
    if printing.wanted:
        watchers.append(printing)
    watchers += _action_traces(settings)
    if settings.pass_pipeline_local_reproducer:
        from ...passes.pipeline.local_reproducer import LocalReproducer

        path, verify = Path(settings.pass_pipeline_crash_reproducer), settings.verify_each
        watchers.append(LocalReproducer(path, verify_each=verify))
    if settings.pass_statistics:
        from ...passes.pipeline.statistics_report import StatisticsReport

        watchers.append(StatisticsReport(display=settings.pass_statistics_display))
    if timing:
        watchers.append(timing)
    return watchers


def _action_traces(settings: Namespace) -> list[Instrumentation]:
    if settings.log_actions_to is None and settings.profile_actions_to is None:
        return []
    from ...passes.pipeline.action_trace import ActionLog, ActionProfile

    traces: list[Instrumentation] = []
    if (log := settings.log_actions_to) is not None:
        traces.append(ActionLog(None if log == "-" else Path(log), settings.log_mlir_actions_filter))
    if settings.profile_actions_to is not None:
        traces.append(ActionProfile(Path(settings.profile_actions_to)))
    return traces


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None
