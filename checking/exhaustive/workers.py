"""Worker processes that try batches. One that ends or hangs is replaced, and its batch is halved."""

from __future__ import annotations

import signal
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any

from ...runtime.remote import remote_results
from ..fuzzing.outcomes import FindingKind
from ..fuzzing.patience import STALLED, limit_processor_time, took_too_long
from ..fuzzing.processes import worker_processes
from .batch import Failure, try_programs
from .campaign import COUNTS, BatchTally, Exhaustion
from .findings import finding_of
from .programs import SmallProgram
from .reduction import reduced

__all__ = ["attempt", "results", "results_on"]

_PATIENCE = 60.0
"""How many seconds of processor time a batch may take."""
_STARTING = 60.0
"""How many seconds a process may take to start."""
_AHEAD = 4
"""How many batches for each worker are begun before the oldest is done."""
_REMOTE = 1000
"""How many programs are a task of a scheduler."""
_REDUCED = 2
"""So many failures of a batch are reduced, of different kinds; the others are counted."""

Task = tuple[int, Sequence[SmallProgram]]
Attempt = Callable[[Sequence[SmallProgram], Exhaustion], BatchTally]


def attempt(programs: Sequence[SmallProgram], what: Exhaustion) -> BatchTally:
    """Try programs in this process."""
    began = time.process_time()
    result = try_programs(programs, what.configurations, most_orders=what.most_orders)
    part = BatchTally(refused=result.refused)
    part.counts.update({name: getattr(result, name) for name in COUNTS})
    part.found.update(failure.kind.value for failure in result.failures)
    kinds = {failure.kind: failure for failure in reversed(result.failures)}
    for failure in list(kinds.values())[:_REDUCED]:
        part.findings.append(finding_of(reduced(failure, what.configurations), what.configurations))
    part.cpu = time.process_time() - began
    return part


def results(
    what: Exhaustion, jobs: int, position: int = 0, *, attempt: Attempt = attempt, patience: float = _PATIENCE
) -> Iterator[tuple[int, BatchTally]]:
    """Try all programs behind a position; yield what became of each batch, in order, and the position behind it.

    `patience`: how many seconds of processor time a batch may take.

    Raises:
        OSError: no worker process can be started.
    """
    return _in_pool(_Pool(what, jobs, attempt, patience), what.batches(position))


def _in_pool(pool: _Pool, batches: Iterator[tuple[int, list[SmallProgram]]]) -> Iterator[tuple[int, BatchTally]]:
    """Yield what became of each batch, in order, and the position behind it; end the processes."""
    try:
        yield from pool.run(batches)
    finally:
        pool.stop()


def results_on(scheduler: str, what: Exhaustion, position: int = 0) -> Iterator[tuple[int, BatchTally]]:
    """Do the same on the workers of a Dask scheduler.

    Raises:
        SchedulerError: that cannot be used.
    """
    batches = replace(what, batch=_REMOTE).batches(position)
    tasks = ((end, programs, what) for end, programs in batches)
    early: dict[int, tuple[int, BatchTally]] = {}
    number = 0
    for ended, (end, programs, _), part in remote_results(scheduler, _try_batch, tasks):
        early[ended] = end, _lost(programs) if part is None else part
        while number in early:
            yield early.pop(number)
            number += 1


def _try_batch(task: tuple[int, Sequence[SmallProgram], Exhaustion]) -> BatchTally:
    """Try the programs of a task in a process, which is replaced if it ends."""
    end, programs, what = task
    batches = ((end, list(programs[first : first + what.batch])) for first in range(0, len(programs), what.batch))
    whole = BatchTally()
    for _, part in _in_pool(_Pool(what, 1, attempt, _PATIENCE), batches):
        whole.add(part)
    return whole


def _lost(programs: Sequence[SmallProgram]) -> BatchTally:
    """Return the finding that workers were lost while they tried these programs."""
    failure = Failure(programs[0], "", FindingKind.CRASH, f"the workers that tried {len(programs)} programs were lost")
    part = BatchTally(findings=[finding_of(failure)])
    part.counts.update(programs=len(programs))
    part.found.update([FindingKind.CRASH.value])
    return part


@dataclass
class _Worker:
    process: Any
    connection: Connection
    task: Task | None = None
    since: float = 0.0
    is_ready: bool = False


class _Pool:
    """Processes, the batches that wait for one, and what became of those that are done, by number."""

    def __init__(self, what: Exhaustion, jobs: int, attempt: Attempt, patience: float) -> None:
        self._what, self._attempt, self._patience = what, attempt, patience
        self._processes = worker_processes()
        self._tasks: deque[Task] = deque()
        self._open: dict[int, int] = {}
        """How many parts of a batch are not done."""
        self._done: dict[int, BatchTally] = {}
        self._workers = [self._start() for _ in range(jobs)]

    def stop(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.process.kill()
            worker.connection.close()

    def run(self, batches: Iterator[tuple[int, list[SmallProgram]]]) -> Iterator[tuple[int, BatchTally]]:
        """Try batches; yield in order."""
        ends: deque[tuple[int, int]] = deque()
        number, more = 0, True
        while more or ends:
            while more and len(ends) < _AHEAD * len(self._workers):
                batch = next(batches, None)
                if batch is None:
                    more = False
                    break
                ends.append((number, batch[0]))
                self._tasks.append((number, batch[1]))
                self._open[number], self._done[number] = 1, BatchTally()
                number += 1
            self._hand_out()
            if ends and self._open[ends[0][0]]:
                self._listen()
            while ends and not self._open[ends[0][0]]:
                first, position = ends.popleft()
                del self._open[first]
                yield position, self._done.pop(first)

    def _start(self) -> _Worker:
        ours, theirs = self._processes.Pipe()
        process = self._processes.Process(
            target=_work, args=(self._what, self._attempt, theirs, self._patience), daemon=True
        )
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _hand_out(self) -> None:
        for worker in self._workers:
            if worker.task is None and self._tasks:
                worker.task, worker.since = self._tasks.popleft(), time.monotonic()
                worker.connection.send(worker.task[1])

    def _listen(self) -> None:
        ready = wait([worker.connection for worker in self._workers if worker.task], timeout=1.0)
        for number, worker in enumerate(self._workers):
            if worker.task is None:
                continue
            if worker.connection in ready:
                try:
                    part = worker.connection.recv()
                except (EOFError, ConnectionResetError):
                    worker.process.join()
                    is_time = took_too_long(worker.process.exitcode)
                    self._workers[number] = self._replace(worker, FindingKind.TIME if is_time else FindingKind.CRASH)
                    continue
                if worker.is_ready:
                    self._finish(worker.task[0], part)
                    worker.task = None
                worker.is_ready, worker.since = True, time.monotonic()
            elif time.monotonic() - worker.since > STALLED * (self._patience if worker.is_ready else _STARTING):
                worker.process.kill()
                worker.process.join()
                self._workers[number] = self._replace(worker, FindingKind.TIME)

    def _finish(self, number: int, part: BatchTally) -> None:
        self._done[number].add(part)
        self._open[number] -= 1

    def _replace(self, ended: _Worker, kind: FindingKind) -> _Worker:
        """Have the halves of a batch tried that a worker did not end well with; one program is a finding."""
        assert ended.task is not None
        number, programs = ended.task
        ended.connection.close()
        if len(programs) > 1:
            middle = len(programs) // 2
            self._tasks.extendleft([(number, programs[middle:]), (number, programs[:middle])])
            self._open[number] += 1
        else:
            how = (
                f"exit code {ended.process.exitcode}"
                if kind is FindingKind.CRASH
                else f"more than {self._patience:.0f} s"
            )
            part = BatchTally(findings=[finding_of(Failure(programs[0], "", kind, how))])
            part.counts.update(programs=1)
            part.found.update([kind.value])
            self._finish(number, part)
        return self._start()


def _work(what: Exhaustion, attempt: Attempt, connection: Connection, patience: float) -> None:
    """Try batches until the connection is closed; passes with bugs leave their reproducers in a folder of this run."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent handles interrupts.
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        connection.send(None)  # It is ready.
        while True:
            try:
                programs = connection.recv()
            except EOFError:
                return
            limit_processor_time(patience)
            part = attempt(programs, what)
            limit_processor_time(0)
            connection.send(part)
