"""Ctrl-C for native code, which never looks at Python's signals."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Generator


@contextlib.contextmanager
def interruptible(on_interrupt: Callable[[], None]) -> Generator[None, None, None]:
    """While the body runs, an interrupt calls `on_interrupt`, which must not return.

    Python's own handler would run only after the native call. Its C part, though, writes each signal's number into a
    pipe at once, and a thread waits there. Outside the main thread, where that is not allowed, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    receiving, sending = os.pipe()
    os.set_blocking(sending, False)

    def watch() -> None:
        while number := os.read(receiving, 1):
            if number[0] == signal.SIGINT:
                on_interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    previous = signal.set_wakeup_fd(sending)
    watcher.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(previous)
        os.close(sending)  # Closing the pipe ends the thread.
        watcher.join()
        os.close(receiving)
