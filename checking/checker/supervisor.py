"""`check_with`: a session in a child process, restarted with another reference if one crashes its compiler."""

from __future__ import annotations

import functools
from dataclasses import replace

from mlir import ir

from ...dialects.registry import described_ops
from ...runtime.compilation import lowering
from .isolation import Ended, isolated
from .options import ENGINES, CheckStage, Options
from .origin import with_origin
from .report import CheckReport, Difference, DifferenceKind
from .session import run_session

__all__ = ["ENGINES", "Options", "check_once", "check_with"]


def check_with(module: ir.Module, options: Options) -> CheckReport:
    """`check`, with its arguments as `Options`. Raises what `check` raises."""
    report = check_once(module, options)
    located = tuple(with_origin(module, options, difference) for difference in report.differences)
    return replace(report, differences=located)


def check_once(module: ir.Module, options: Options) -> CheckReport:
    """`check_with`, without the search for origins."""
    _load_passes()
    while True:
        current = options
        ended = isolated(lambda send, now=current: run_session(module, now, send), options.time_limit)
        if ended.error is not None:
            raise ended.error
        if isinstance(ended.value, CheckReport):
            return ended.value
        phase = next(
            (sent for sent in reversed(ended.messages) if isinstance(sent, CheckStage)), CheckStage("starting")
        )
        if phase.route is None:
            return CheckReport((_compiler_failure(ended, phase),))
        options = replace(options, first_route=phase.route + 1)


@functools.cache
def _load_passes() -> None:
    """Import what every compilation needs before forking, which saves a third of each child's time."""
    lower = (*lowering.outline_phases(count=True), *lowering.llvm_phases())
    for phases in (lowering.BUFFERIZE_UNOPTIMIZED, lowering.BOUNDARY, lowering.DEALLOCATE, lower):
        lowering.pipeline(phases)
    described_ops()


def _compiler_failure(ended: Ended, phase: CheckStage) -> Difference:
    kind = DifferenceKind.HANG if ended.hung else DifferenceKind.CRASH
    return Difference(kind, "", f"{phase.title} {'did not end' if ended.hung else f'crashed ({ended.cause})'}")
