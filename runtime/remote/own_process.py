"""A call in a Python process of its own, which may start others, as the processes of Dask's workers may not.

The call comes on standard input, the result goes to standard output, both pickled. The process ends when the one that
asked does.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["answer_call", "call_in_own_process"]

Argument = TypeVar("Argument")
Result = TypeVar("Result")


def call_in_own_process(function: Callable[[Argument], Result], argument: Argument) -> Result:
    """Return ``function(argument)``, computed by another process; all three are pickled.

    Raises:
        RuntimeError: the process ended without a result; the message has its last line on standard error.
        OSError: no process can be started.
    """
    command = [sys.executable, "-c", f"from {__name__} import answer_call; answer_call()"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_environment()
    ) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        errors: list[bytes] = []
        reader = threading.Thread(target=lambda: errors.extend(process.stderr or ()), daemon=True)
        reader.start()
        try:
            process.stdin.write(pickle.dumps((function, argument)))
            process.stdin.flush()
        except BrokenPipeError:
            pass
        # Standard input stays open: its end is that of this process.
        answer = process.stdout.read()
        code = process.wait()
        reader.join()
    if code != 0:
        last = errors[-1].decode(errors="replace").strip() if errors else "no message"
        raise RuntimeError(f"the process of a task ended with exit code {code}: {last}")
    return pickle.loads(answer)


def _environment() -> dict[str, str]:
    """The environment, in which the process finds what this one imports."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def answer_call() -> None:
    """Read a call, write what it returns; all that is printed meanwhile goes to standard error."""
    function, argument = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_the_asking_process, daemon=True).start()
    with os.fdopen(os.dup(1), "wb") as answer:
        os.dup2(2, 1)
        pickle.dump(function(argument), answer)


def _end_with_the_asking_process() -> None:
    # Not by `sys.stdin`: a thread that holds its lock ends the interpreter with an error.
    os.read(0, 1)
    os._exit(1)
