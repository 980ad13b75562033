"""Work in a child process, so that a crash or hang of generated code does no other harm.

The child is a fork, so it has the modules, pipelines and passes of its parent. It sends messages while it works, and
its result at the end; its output is kept for the report of a crash.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import pickle
import resource
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any, NoReturn

_PR_SET_PDEATHSIG = 1
_MOST_OUTPUT = 4000

Send = Callable[[Any], None]
"""Sends a message, which must be picklable, to the parent at once."""


@dataclass(frozen=True)
class Ended:
    """The end of a child: a value, an exception or a signal; `messages` are those it had sent."""

    value: Any = None
    error: BaseException | None = None
    killed_by: int = 0
    messages: tuple[Any, ...] = ()
    output: str = ""

    @property
    def crashed(self) -> bool:
        """Whether a signal ended it."""
        return self.killed_by != 0

    @property
    def hung(self) -> bool:
        """Whether it ran into the time limit."""
        return self.killed_by == signal.SIGALRM

    @property
    def cause(self) -> str:
        """The cause of its end: the signal, and the last line it printed."""
        if self.hung:
            return "it did not end in time"
        name = signal.Signals(self.killed_by).name if self.killed_by > 0 else f"exit code {-self.killed_by}"
        last = self.output.strip().rpartition("\n")[2].strip()
        return f"{name}: {last}" if last else name


def isolated(work: Callable[[Send], Any], seconds: float) -> Ended:
    """Run `work` in a fork for at most `seconds`, and wait for it.

    The parent must have no threads that hold locks which `work` needs. If the parent dies, the child does too. Raises
    `OSError` when the system has no room for another process.
    """
    reading, writing = os.pipe()
    parent = os.getpid()
    with tempfile.TemporaryFile() as output:
        child = _fork()
        if child == 0:
            os.close(reading)
            _work(work, seconds, parent, os.fdopen(writing, "wb"), output)
        os.close(writing)
        try:
            with os.fdopen(reading, "rb") as pipe:
                messages = list(_received(pipe))
        except BaseException:
            os.kill(child, signal.SIGKILL)
            raise
        finally:
            _, status = os.waitpid(child, 0)
        output.seek(0)
        printed = output.read()[-_MOST_OUTPUT:].decode(errors="replace")
    return _ended(messages, os.waitstatus_to_exitcode(status), printed)


def allow(seconds: float) -> None:
    """In a child: restart its time limit."""
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _fork() -> int:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()  # or both processes would flush its contents
    with warnings.catch_warnings():
        # Python warns if there are threads; those of BLAS are fork-safe.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _received(pipe: IO[bytes]) -> Any:
    while True:
        try:
            yield pickle.load(pipe)
        except (EOFError, pickle.UnpicklingError):
            return  # end of file, or a message truncated by a crash


def _ended(messages: list[Any], code: int, output: str) -> Ended:
    sent = tuple(content for kind, content in messages if kind == "message")
    last, content = messages[-1] if messages else ("", None)
    if last == "value":
        return Ended(value=content, messages=sent, output=output)
    if last == "error":
        return Ended(error=content, messages=sent, output=output)
    return Ended(killed_by=-code or -1, messages=sent, output=output)


def _work(work: Callable[[Send], Any], seconds: float, parent: int, pipe: IO[bytes], output: IO[bytes]) -> NoReturn:
    """The main function of the child."""

    def tell(kind: str, content: Any) -> None:
        pipe.write(pickle.dumps((kind, content)))
        pipe.flush()

    try:
        _settle(seconds, parent, output)
        tell("value", work(lambda message: tell("message", message)))
    except BaseException as error:  # noqa: BLE001 - sent to the parent, whatever it is
        with contextlib.suppress(BaseException):
            tell("error", _picklable(error))
    finally:
        os._exit(0)


def _settle(seconds: float, parent: int, output: IO[bytes]) -> None:
    """Limit the child's time, end it with its parent, and redirect its output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles interrupts
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    allow(seconds)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()
    for descriptor in (1, 2):
        os.dup2(output.fileno(), descriptor)
    sys.stdout = sys.stderr = os.fdopen(1, "w", closefd=False)


def _picklable(error: BaseException) -> BaseException:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - any class may refuse in its own way
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
