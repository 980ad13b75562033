"""`autotune`: find the machine description that suits a program best by running it.

Schedules are computed from the program and from a description of the machine (`inplace-schedule`). The detected one is
an estimate: caches are shared with other programs, wide vectors may run at a lower clock, and no model fits every
program. So the program is compiled for a few machines around the detected one. All versions run with the caller's
arguments, in turns, and the one with the least median time is chosen. Only the schedule depends on it; sums may be
added up in another order, as with `optimize=True`.

    machine = mi.autotune(text, a, b, cache="tuned.json")
    program = mi.compile(text, optimize=True, machine=machine)

It compiles the program once for each candidate (about ten) and calls each `rounds` times. The workers of a Dask
scheduler may do that (`remote_timing.py`). The counterpart for GPU
kernels is Triton's `autotune`, which is told what to try.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mlir import ir

from ...passes.analysis.schedule.machine import Machine, detect_machine
from ..atomic_file import replace_file
from ..source import Source, private_copy
from .lowering import OPTIMIZE, pipeline
from .timed_calls import call_times

__all__ = ["autotune"]


def autotune(
    source: Source,
    *arguments: Any,
    function: str | None = None,
    threads: int = 1,
    rounds: int = 7,
    cache: str | os.PathLike[str] | None = None,
    scheduler: str = "",
) -> str:
    """Return the best `machine` for `compile`; `""` if the detected one is best.

    Args:
        source: as for `compile`.
        arguments: of each call. Those that the function may write are written in each of the calls.
        function: which entry point; the only one if None.
        threads: as for `compile`.
        rounds: how often each candidate is timed.
        cache: a JSON file that keeps answers by program, machine, number of threads, and shapes of arguments. It is
            created if it is missing, and replaced atomically.
        scheduler: the address of a Dask scheduler (extra `dask`), whose workers time one candidate each, beside the
            detected machine; they must be machines like this one, and do nothing else meanwhile. Arguments are pickled,
            and stay as they are.

    Raises:
        SchedulerError: there is no such scheduler, or its workers cannot time the program, a ValueError.
        OSError: the cache cannot be read or written; if its folder is missing, nothing has run.
        TypeError, ValueError: the cache is no file of this kind, `rounds` is no positive integer, or an argument is
            wrong.
        Also what `compile` and a call raise.
    """
    if type(rounds) is not int:
        raise TypeError(f"rounds must be an integer, got {type(rounds).__name__}")
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, got {rounds}")
    if cache is not None:
        _require_folder(Path(cache))
    module = private_copy(source)
    key = _key(module, arguments, function, threads)
    known = _read(cache)
    if key in known:
        return known[key]
    candidates = list(_candidates(detect_machine()))
    if scheduler:
        from .remote_timing import fastest_on

        best = fastest_on(scheduler, candidates, module, arguments, function=function, threads=threads, rounds=rounds)
    else:
        times = call_times(candidates, module, arguments, function=function, threads=threads, rounds=rounds)
        best = min(times, key=times.__getitem__)
    if cache is not None:
        known = {**_read(cache), key: best}
        replace_file(Path(cache), json.dumps(known, indent=1, sort_keys=True).encode())
    return best


def _candidates(machine: Machine) -> Iterator[str]:
    """Return the descriptions to try: the detected machine, then others that differ in one or two properties."""
    yield ""
    for l2 in (machine.l2 // 4, machine.l2 // 2, machine.l2 * 2):
        yield f"l2={l2}"
    vectors = [f"registers={machine.registers // 2}"]
    if machine.vector_bits > 128:
        vectors.append(f"vector-bits={machine.vector_bits // 2}")
    for other in vectors:
        yield other
        yield f"{other} l2={machine.l2 // 2}"


def _key(module: ir.Module, arguments: Sequence[Any], function: str | None, threads: int) -> str:
    """Return a digest of all inputs that determine the answer."""
    shapes = [f"{getattr(one, 'dtype', type(one).__name__)}{getattr(one, 'shape', '')}" for one in arguments]
    parts = [str(pipeline(OPTIMIZE, threads=threads)), str(detect_machine()), str(function), *shapes, str(module)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _read(cache: str | os.PathLike[str] | None) -> dict[str, str]:
    if cache is None:
        return {}
    try:
        content = Path(cache).read_bytes()
    except FileNotFoundError:
        return {}
    try:
        found = json.loads(content)
        for description in found.values():
            Machine().override(description)
    except (ValueError, TypeError, AttributeError):
        raise ValueError(f"{os.fspath(cache)} is no cache of autotune; remove it, or name another file") from None
    return found


def _require_folder(cache: Path) -> None:
    """Raise `FileNotFoundError` if the folder of the file `cache` does not exist, before any work is done."""
    if not cache.absolute().parent.is_dir():
        message = "the cache's folder does not exist; make it, or name another file"
        raise FileNotFoundError(errno.ENOENT, message, os.fspath(cache))
