"""A process beside pytest's that calls functions for it, and has the project's modules loaded for the forks it starts.

pytest's own process cannot fork safely: MLIR and pytest-xdist have threads in it. Each xdist worker has a server.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, TypeVar

from forked_python import die_with_parent, prepare

P = ParamSpec("P")
T = TypeVar("T")


class ForkServer:
    """Starts the process when it is first needed, and again when it has ended or was killed.

    Args:
        environment: its environment variables.
        packages: what it loads, by name.
    """

    def __init__(self, environment: Mapping[str, str], packages: Sequence[str] = ()) -> None:
        self._prepared = (dict(environment), packages)
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None

    def call(self, function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> T:
        """What a function of a module in test/support returns in the server; `call_within` with two minutes."""
        return self.call_within(120, function, *arguments, **keywords)

    def call_within(self, seconds: float, function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> T:
        """The same with another limit: `TimeoutError` if it takes longer, `EOFError` if it ended the server."""
        if self._process is None:
            self._start()
        try:
            return self._ask(seconds, function, arguments, keywords)
        except BaseException:  # The answer would be taken for that of the next call.
            self.kill()
            raise

    def _ask(
        self, seconds: float, function: Callable[..., T], arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> T:
        assert self._connection
        self._connection.send((function, arguments, keywords))
        if not self._connection.poll(seconds):
            raise TimeoutError(f"no answer in {seconds} s: {function.__name__}{arguments}")
        try:
            return self._connection.recv()
        except EOFError:
            raise EOFError(f"the fork server ended in {function.__name__}{arguments}") from None

    def _start(self) -> None:
        self._connection, other = Pipe()
        command = [sys.executable, __file__, str(other.fileno())]
        environment = self._prepared[0]
        self._process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[other.fileno()],
            start_new_session=True,
        )
        other.close()
        self.call(prepare, *self._prepared)

    def kill(self) -> None:
        """Kill the server and all that it started."""
        if self._process and self._connection:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._connection.close()
        self._process = self._connection = None


def _serve(connection: Connection) -> None:
    with contextlib.suppress(EOFError):  # Whoever asked has gone.
        while True:
            function, arguments, keywords = connection.recv()
            connection.send(function(*arguments, **keywords))


if __name__ == "__main__":
    die_with_parent()
    _serve(Connection(int(sys.argv[1])))
