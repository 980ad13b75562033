"""How long calls of a program take that is compiled for several descriptions of the machine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..source import Source
from .program import compile as compile_program

__all__ = ["call_times", "in_turns"]


def call_times(
    machines: Iterable[str],
    source: Source,
    arguments: Sequence[Any],
    *,
    function: str | None,
    threads: int,
    rounds: int,
) -> dict[str, float]:
    """The median time of a call for each machine, in nanoseconds; they take turns."""
    calls = {
        text: compile_program(source, optimize=True, threads=threads, machine=text).bind(*arguments, function=function)
        for text in machines
    }
    return in_turns(calls, rounds)


def in_turns(calls: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The median time of each call, after one that is not timed, in nanoseconds."""
    for call in calls.values():
        call()
    times: dict[str, list[int]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            begin = time.perf_counter_ns()
            call()
            times[name].append(time.perf_counter_ns() - begin)
    return {name: statistics.median(taken) for name, taken in times.items()}
