"""Candidates of `autotune` on the workers of a Dask scheduler.

A worker may be slower than another one at times, so no two of them are compared: each times one candidate in turns with
the detected machine, in one process, and what counts is the ratio.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ...passes.analysis.schedule.machine import detect_machine
from ..remote import SchedulerError, remote_results
from .timed_calls import call_times

__all__ = ["fastest_on"]

_DETECTED = ""


@frozen
class TimedCandidate:
    """One candidate, and the program and arguments to time it with; the program is bytecode."""

    machine: str
    program: bytes
    arguments: tuple[Any, ...]
    function: str | None
    threads: int
    rounds: int


def fastest_on(
    scheduler: str,
    candidates: Sequence[str],
    module: ir.Module,
    arguments: Sequence[Any],
    *,
    function: str | None,
    threads: int,
    rounds: int,
) -> str:
    """The candidate with the least time, as a ratio to that of the detected machine. One that no worker timed is none.

    Raises:
        SchedulerError: there is no such scheduler, a task failed, or a worker is another machine.
    """
    bytecode = io.BytesIO()
    module.operation.write_bytecode(bytecode)

    def tasks() -> Iterator[TimedCandidate]:
        for machine in candidates:
            if machine != _DETECTED:
                yield TimedCandidate(machine, bytecode.getvalue(), tuple(arguments), function, threads, rounds)

    here = str(detect_machine())
    ratios = {_DETECTED: 1.0}
    for _, candidate, result in remote_results(scheduler, time_candidate, tasks()):
        if result is None:
            continue
        there, ratios[candidate.machine] = result
        if there != here:
            raise SchedulerError(f"a worker is another machine ({there}, here {here}); tune on a machine like it")
    return min(ratios, key=lambda machine: (ratios[machine], candidates.index(machine)))


def time_candidate(candidate: TimedCandidate) -> tuple[str, float]:
    """On a worker: its machine, and the candidate's time as a ratio to that of the detected machine."""
    times = call_times(
        (_DETECTED, candidate.machine),
        candidate.program,
        candidate.arguments,
        function=candidate.function,
        threads=candidate.threads,
        rounds=candidate.rounds,
    )
    return str(detect_machine()), times[candidate.machine] / times[_DETECTED]
