"""`check_with`: a session in a child process, begun anew with another reference when one crashes its compiler."""

from __future__ import annotations

from dataclasses import replace

from mlir import ir

from .isolation import Ended, isolated
from .origin import with_origin
from .report import CheckReport, Difference, Kind
from .session import ENGINES, Options, Phase, run_session

__all__ = ["ENGINES", "Options", "check_with"]


def check_with(module: ir.Module, options: Options) -> CheckReport:
    """`check`, with its arguments put together. Raises what `check` raises."""
    while True:
        current = options
        ended = isolated(lambda send, now=current: run_session(module, now, send), options.time_limit)
        if ended.error is not None:
            raise ended.error
        if isinstance(ended.value, CheckReport):
            located = tuple(with_origin(module, options, difference) for difference in ended.value.differences)
            return replace(ended.value, differences=located)
        phase = next((sent for sent in reversed(ended.messages) if isinstance(sent, Phase)), Phase("starting"))
        if phase.route is None:
            return CheckReport((_compiler_failure(ended, phase),))
        options = replace(options, first_route=phase.route + 1)


def _compiler_failure(ended: Ended, phase: Phase) -> Difference:
    kind = Kind.HANG if ended.hung else Kind.CRASH
    return Difference(kind, "", f"{phase.title} {'did not end' if ended.hung else f'crashed ({ended.cause})'}")
