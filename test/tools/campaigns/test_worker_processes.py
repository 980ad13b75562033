"""Workers of campaigns are forks of a process with one thread, which has imported what they need."""

from __future__ import annotations

import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from mlir_inplace.checking.fuzzing import processes

Seen = tuple[int, bool, int]


def look(connection: Connection) -> None:
    """Send the process that this one was forked of, whether the modules were there, and how many threads it has."""
    imported = all(name in sys.modules for name in processes.IMPORTED)
    connection.send((os.getppid(), imported, len(list(Path(f"/proc/{os.getppid()}/task").iterdir()))))


def seen_by_a_worker() -> Seen:
    context = processes.worker_processes()
    ours, theirs = context.Pipe()
    process = context.Process(target=look, args=(theirs,))
    process.start()
    seen = ours.recv()
    process.join()
    assert process.exitcode == 0
    return seen


def test_workers_are_forks_of_one_process() -> None:
    first, second = seen_by_a_worker(), seen_by_a_worker()
    assert first == second
    parent, imported, threads = first
    assert parent != os.getpid()
    assert imported
    assert threads == 1
