"""Progress on a terminal: one line on standard error about work that takes longer than a second."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Generator

__all__ = ["Progress", "progress"]

_DELAY, _INTERVAL = 1.0, 0.2
_ERASE = "\r\x1b[K"
_terminal = threading.Lock()
"""Held by who has a line: work within other work, or beside it, shows none."""


class Progress:
    """What is being done, and since when. Where standard error is no terminal, nothing is ever shown.

    Attributes:
        text: what is being done; it may change at any time.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._started = time.monotonic()
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._shown = False

    @contextlib.contextmanager
    def hidden(self) -> Generator[None]:
        """Erase the line for a `with` block that prints."""
        with self._lock:
            self._erase()
            yield

    def stop(self) -> None:
        """Erase the line, for good."""
        self._ended.set()
        with self._lock:
            self._erase()

    def run(self) -> None:
        """Show the line until it is stopped."""
        wait = _DELAY
        while not self._ended.wait(wait):
            wait = _INTERVAL
            with self._lock:
                if not self._ended.is_set():
                    self._show()

    def _show(self) -> None:
        line = f"{self.text} … {time.monotonic() - self._started:.0f} s"
        self._shown = True
        _write(f"{_ERASE}{line[: _columns() - 1]}")

    def _erase(self) -> None:
        if self._shown:
            self._shown = False
            _write(_ERASE)


@contextlib.contextmanager
def progress(text: str, *, shown: bool = True) -> Generator[Progress]:
    """If `shown`, show `text`, and the seconds so far, from the second second of the body on."""
    line = Progress(text)
    if not shown or sys.stderr is None or not sys.stderr.isatty() or not _terminal.acquire(blocking=False):
        yield line
        return
    thread = threading.Thread(target=line.run, daemon=True)
    try:
        thread.start()
        try:
            yield line
        finally:
            line.stop()
            thread.join()
    finally:
        _terminal.release()


def _write(text: str) -> None:
    """Write past Python's buffer, whose lock a fork must not find taken."""
    with contextlib.suppress(OSError):
        os.write(sys.stderr.fileno(), text.encode(errors="replace"))


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80
