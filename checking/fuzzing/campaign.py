"""Many programs in worker processes. A crash or a hang ends one worker and is a finding; another worker takes over."""

from __future__ import annotations

import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from typing import Any

from ...runtime.remote import remote_results
from ..generator import (
    GeneratedProgram,
    generate,
    generate_kernel,
    generate_structured,
    with_repeated_body,
    with_reversed_slices,
)
from .configurations import CONFIGURATIONS, Configuration
from .outcomes import Finding, FindingKind, Trial
from .patience import STALLED, limit_processor_time, took_too_long
from .processes import worker_processes
from .trial import try_program

_PATIENCE = 60.0
"""How many seconds of processor time a program may take in one configuration."""

_REMOTE = 10
"""How many programs are a task of a scheduler."""

_STARTING = 60.0
"""How many seconds more a process may take to begin with its first program."""

_REVERSED = 8
"""One of so many programs takes slices backwards."""

_REPEATED = 8
"""One of so many programs of structured ops has its body several times."""

_LOST = "the workers that tried it were lost"

ENGINES = ("evaluator", "jit")
"""The engines that run programs on memrefs."""


@dataclass(frozen=True)
class Campaign:
    """The programs and configurations of a fuzzing run.

    `seeds` are tried in this order; `jit_every`: one of so many programs is also compiled and run, none for 0.
    """

    seeds: Sequence[int]
    configurations: Sequence[Configuration] = CONFIGURATIONS
    size: int = 6
    features: Collection[str] | None = None
    engine: str = ENGINES[0]
    jit_every: int = 0
    jobs: int = 1
    patience: float = _PATIENCE
    kernels: bool = False
    """Whether the programs are dispatch functions; `features` do not apply to those."""
    optimize: bool = False
    """Whether every other program consists mostly of structured ops, which are what optimization rewrites."""
    part: int = 0
    """Each program goes through so many of the configurations, drawn by its seed; through all for 0."""

    def run(
        self,
        note: Callable[[int, Trial], None] = lambda seed, trial: None,
        *,
        seconds: float | None = None,
        tally: Tally | None = None,
    ) -> Tally:
        """Try all programs, or as many as can be begun in `seconds`; `note` is told about each.

        They are added to `tally`, which is returned; by default it is a new one.

        Raises:
            OSError: no worker process can be started.
        """
        return _Supervisor(self, note, Tally() if tally is None else tally).run(seconds)

    def run_on(
        self,
        scheduler: str,
        note: Callable[[int, Trial], None] = lambda seed, trial: None,
        *,
        seconds: float | None = None,
        tally: Tally | None = None,
    ) -> Tally:
        """Do the same on the workers of a Dask scheduler; `jobs` does not count.

        Raises:
            SchedulerError: that cannot be used.
        """
        begin = time.monotonic()
        tally = Tally() if tally is None else tally
        before = tally.seconds

        def parts() -> Iterator[Campaign]:
            for first in range(0, len(self.seeds), _REMOTE):
                if seconds is not None and time.monotonic() - begin > seconds:
                    return
                yield replace(self, seeds=self.seeds[first : first + _REMOTE], jobs=1)

        for _, part, trials in remote_results(scheduler, _trials, parts()):
            lost = ((seed, Trial([Finding(seed, "", FindingKind.CRASH, _LOST)])) for seed in part.seeds)
            for seed, trial in lost if trials is None else trials:
                tally.add(seed, trial)
                tally.seconds = before + time.monotonic() - begin
                note(seed, trial)
        return tally

    def without(self, seeds: Collection[int]) -> Campaign:
        """Return the campaign without programs that were tried before."""
        return replace(self, seeds=[seed for seed in self.seeds if seed not in seeds]) if seeds else self

    def program(self, seed: int) -> GeneratedProgram:
        """Return the program of a seed; some take slices backwards, and some have their bodies several times."""
        if self.optimize and seed % 2:
            program = generate_structured(seed, size=self.size)
            return with_repeated_body(program) if seed % _REPEATED == _REPEATED - 1 else program
        if self.kernels:
            program = generate_kernel(seed, size=self.size)
        else:
            program = generate(seed, size=self.size, features=self.features)
        return with_reversed_slices(program) if seed % _REVERSED == _REVERSED - 1 else program

    def attempt(self, seed: int, begin: Callable[[int], None] = lambda number: None) -> Trial:
        """Try one program, in this process; `begin` is told the number of each configuration before it is tried."""
        program = self.program(seed)
        drawn = self.drawn(seed)
        compiled = drawn if self.engine == "jit" else _sampled(self, seed)
        evaluated = drawn if self.engine == ENGINES[0] else ()
        return try_program(program, self.configurations, evaluated=evaluated, compiled=compiled, begin=begin)

    def drawn(self, seed: int) -> Sequence[int]:
        """Return the numbers of the configurations for the program of a seed.

        Of as many seeds in a row as there are configurations, beginning with a multiple of that number, each
        configuration gets `part`.
        """
        count = len(self.configurations)
        if not 0 < self.part < count:
            return range(count)
        turn, place = divmod(seed, count)
        draw = random.Random(turn)
        order, steps = draw.sample(range(count), count), draw.sample(range(count), self.part)
        return sorted(order[(place + step) % count] for step in steps)


@dataclass
class Tally:
    """The totals of a campaign so far."""

    programs: int = 0
    bufferized: Counter[str] = field(default_factory=Counter)
    """How many programs were bufferized, by configuration."""
    evaluated: int = 0
    executed: int = 0
    rounded: int = 0
    allocations: int = 0
    copies: int = 0
    failures: list[Finding] = field(default_factory=list)
    others: Counter[tuple[FindingKind, str]] = field(default_factory=Counter)
    """Refusals and programs that could not be evaluated, by message without names and numbers."""
    seconds: float = 0.0
    done: set[int] = field(default_factory=set)
    """The seeds of these programs."""

    @property
    def runs(self) -> int:
        """How many bufferizations there were."""
        return self.bufferized.total()

    def add(self, seed: int, trial: Trial) -> None:
        """Count one program."""
        self.programs += 1
        self.done.add(seed)
        self.bufferized += trial.bufferized
        for name in ("evaluated", "executed", "rounded", "allocations", "copies"):
            setattr(self, name, getattr(self, name) + getattr(trial, name))
        for finding in trial.findings:
            if finding.kind.is_failure:
                self.failures.append(finding)
            else:
                self.others[finding.kind, _without_names(finding.text)] += 1


def _without_names(text: str) -> str:
    head, _, rest = text.partition("error:")
    words = (rest or head).replace("'", " ' ").split()
    kept = ("…" if word.startswith("%") or any(c.isdigit() for c in word) else word for word in words)
    return " ".join(kept).replace(" ' ", "'")[:160]


@dataclass
class _Worker:
    process: Any
    connection: Connection
    place: Any
    """Shared memory: how many programs were begun, and the number of the configuration that is being tried."""
    since: float
    seed: int = -1
    seen: tuple[int, int] = (0, -1)


class _Supervisor:
    def __init__(self, campaign: Campaign, note: Callable[[int, Trial], None], tally: Tally) -> None:
        self._campaign, self._note = campaign, note
        self._seeds = iter(campaign.seeds)
        self._tally = tally
        self._before = tally.seconds
        self._began = time.monotonic()
        self._processes = worker_processes()

    def run(self, seconds: float | None) -> Tally:
        """Send seeds to workers until no seeds or no time are left."""
        workers = [self._start() for _ in range(self._campaign.jobs)]
        try:
            workers = [worker for worker in workers if self._next(worker)]
            while workers:
                ready = wait([worker.connection for worker in workers], timeout=1.0)
                for worker in list(workers):
                    is_over = seconds is not None and time.monotonic() - self._began > seconds
                    going_on = self._look(worker, worker.connection in ready, is_over)
                    if going_on is not worker:
                        workers.remove(worker)
                        workers += [going_on] if going_on else []
        finally:
            for worker in workers:
                worker.process.kill()
        return self._tally

    def _start(self) -> _Worker:
        ours, theirs = self._processes.Pipe()
        place = self._processes.Array("q", 2, lock=False)
        process = self._processes.Process(target=_work, args=(self._campaign, theirs, place), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours, place, time.monotonic())

    def _next(self, worker: _Worker) -> bool:
        seed = next(self._seeds, None)
        if seed is None:
            worker.connection.close()
            return False
        worker.seed, worker.since = seed, time.monotonic()
        worker.connection.send(seed)
        return True

    def _look(self, worker: _Worker, is_ready: bool, is_over: bool) -> _Worker | None:
        """Receive a result, or replace a worker that ended or hangs; return the worker for the next seed, if any."""
        place = (worker.place[0], worker.place[1])
        if is_ready:
            try:
                seed, trial = worker.connection.recv()
            except EOFError:
                worker.process.join()
                if took_too_long(worker.process.exitcode):
                    return self._replace(worker, FindingKind.TIME, self._too_long, is_over)
                return self._replace(worker, FindingKind.CRASH, f"exit code {worker.process.exitcode}", is_over)
            self._done(seed, trial)
            return worker if not is_over and self._next(worker) else None
        if place != worker.seen:
            worker.seen, worker.since = place, time.monotonic()
        elif time.monotonic() - worker.since > STALLED * self._campaign.patience + (0 if place[0] else _STARTING):
            worker.process.kill()
            return self._replace(worker, FindingKind.TIME, self._too_long, is_over)
        return worker

    @property
    def _too_long(self) -> str:
        return f"more than {self._campaign.patience:.0f} s"

    def _done(self, seed: int, trial: Trial) -> None:
        self._tally.add(seed, trial)
        self._tally.seconds = self._before + time.monotonic() - self._began
        self._note(seed, trial)

    def _replace(self, ended: _Worker, kind: FindingKind, text: str, is_over: bool) -> _Worker | None:
        """Record why a worker ended, and start another one. The rest of that program is not tried."""
        number = ended.place[1]
        configurations = self._campaign.configurations
        name = configurations[number].name if 0 <= number < len(configurations) else ""
        self._done(ended.seed, Trial([Finding(ended.seed, name, kind, text)]))
        if is_over:
            return None
        worker = self._start()
        return worker if self._next(worker) else None


def _work(campaign: Campaign, connection: Connection, place: Any) -> None:
    """Try programs until the connection is closed; passes with bugs leave their reproducers in a folder of this run."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent handles interrupts.
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        while True:
            try:
                seed = connection.recv()
            except EOFError:
                return
            place[0], place[1] = place[0] + 1, -1

            def begin(number: int) -> None:
                place[1] = number
                limit_processor_time(campaign.patience)

            limit_processor_time(campaign.patience)
            trial = campaign.attempt(seed, begin)
            limit_processor_time(0)
            connection.send((seed, trial))


def _trials(campaign: Campaign) -> list[tuple[int, Trial]]:
    """Run a campaign; return what became of each program."""
    trials: list[tuple[int, Trial]] = []
    campaign.run(lambda seed, trial: trials.append((seed, trial)))
    return trials


def _sampled(campaign: Campaign, seed: int) -> list[int]:
    """Which configurations are compiled for the program of a seed: for one of a few programs, one, in turn."""
    if campaign.jit_every == 0 or seed % campaign.jit_every:
        return []
    return [seed // campaign.jit_every % len(campaign.configurations)]
