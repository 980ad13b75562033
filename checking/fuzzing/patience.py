"""How long a worker process may take for one thing: so many seconds of processor time, many more of waiting.

On a busy machine a process waits for longer than it runs, which is no fault of the program that is tried. The system
counts what it runs, and ends it without asking Python: also in native code that never returns.
"""

from __future__ import annotations

import signal

__all__ = ["STALLED", "limit_processor_time", "took_too_long"]

STALLED = 20
"""How many times as long a process may take in all as it may run: one that waits for itself does not run."""


def limit_processor_time(seconds: float) -> None:
    """End this process when it has run so long from now on; 0 for no limit."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def took_too_long(exitcode: int | None) -> bool:
    """Whether a process with this exit code was ended by its limit."""
    return exitcode == -signal.SIGPROF
