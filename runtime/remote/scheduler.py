"""Tasks on the workers of a Dask scheduler.

Dask runs a task again whose worker is lost, and takes workers that come later. Each task runs in a process of its own
(``own_process.py``), so what it does to its process is not done to the worker. Needs `distributed`, the extra `dask`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

from .own_process import call_in_own_process

__all__ = ["SchedulerError", "remote_results"]

_AHEAD = 2
"""How many tasks are handed out for each thread of the workers, so that none waits for the next one."""
_ANSWERS_WITHIN = 10
"""How many seconds the scheduler may take to answer."""
_HAS_WORKERS_WITHIN = 30
"""How many seconds the first worker may take to register."""

_RETRIES = 2
"""How often a task is tried again whose process ended, as where memory is short."""

Task = TypeVar("Task")
Result = TypeVar("Result")


class SchedulerError(ValueError):
    """The scheduler cannot be used: it does not answer or no longer, has no workers, or these cannot run the tasks."""


def remote_results(
    address: str, function: Callable[[Task], Result], tasks: Iterable[Task]
) -> Iterator[tuple[int, Task, Result | None]]:
    """Yield the number of each task, the task, and what ``function`` returns for it, in the order in which they end.

    The result is None if Dask gave up, since one worker after the other was lost while it ran the task. Tasks are drawn
    as workers need them; all are cancelled if the iterator is closed. ``function``, tasks and results are pickled.

    Raises:
        SchedulerError: there is no such scheduler, it has no workers, these lack this version of the package, or
            Dask is not installed, or ``function`` raised or ended its process time and again.
    """
    client = _connect(address)
    waiting = iter(enumerate(tasks))
    running: dict[Any, tuple[int, Any]] = {}
    done = import_module("distributed").as_completed(loop=client.loop)
    try:
        while True:
            # One task at least: it waits where all workers are away.
            most = max(1, _AHEAD * sum(client.nthreads().values()))
            for number, task in islice(waiting, max(0, most - len(running))):
                future = client.submit(_perform, _version(), function, task, pure=False, retries=_RETRIES)
                running[future] = number, task
                done.add(future)
            if not running:
                return
            future = next(done)
            number, task = running.pop(future)
            yield number, task, _result_of(future)
    except (OSError, CancelledError) as error:
        raise SchedulerError(f"the scheduler at {address} was lost: {error}") from None
    finally:
        client.cancel(list(running))
        client.close()


def _connect(address: str) -> Any:
    """Return a client of a scheduler with workers."""
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise SchedulerError("Dask is not installed; install it: pip install 'mlir-inplace[dask]'") from None
    client = distributed.Client.__new__(distributed.Client)
    try:
        client.__init__(address, timeout=_ANSWERS_WITHIN, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        client.status = "closed"  # Otherwise it is closed when it is collected, for as long again, with a traceback.
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SchedulerError(
            f"no scheduler answers at {address!r} ({why}); start one with 'dask scheduler', and give its address"
        ) from None
    try:
        client.wait_for_workers(1, timeout=_HAS_WORKERS_WITHIN)
    except OSError:  # TimeoutError is one.
        client.close()
        raise SchedulerError(
            f"the scheduler at {address} has no workers; start one with 'dask worker {address}'"
        ) from None
    return client


def _result_of(future: Any) -> Any:
    """Return the result of a task that ended, or None if its workers were lost."""
    try:
        return future.result()
    except import_module("distributed").KilledWorker:
        return None
    except RuntimeError as error:
        raise SchedulerError(f"a task failed on a worker: {str(error).splitlines()[0]}") from None
    except ImportError as error:
        raise SchedulerError(
            f"a worker cannot run the task ({error}); install mlir-inplace {_version()} there"
        ) from None


def _perform(version: str, function: Callable[[Task], Result], task: Task) -> Result:
    """Run a task on a worker."""
    if version != _version():
        raise SchedulerError(f"a worker has mlir-inplace {_version()}; install {version} there, as here")
    return call_in_own_process(function, task)


def _version() -> str:
    """That of the package, by name: what it exports imports this module."""
    return import_module("...", __package__).__version__
