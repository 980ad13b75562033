"""A terminal as standard error of code in this process."""

from __future__ import annotations

import contextlib
import os
import pty
import sys
import threading
from collections.abc import Callable, Iterator

_END = b"\0"


@contextlib.contextmanager
def terminal_as_stderr() -> Iterator[Callable[[], str]]:
    """Yield a function that returns, after the block, what was written to the terminal."""
    reading, writing = pty.openpty()
    found = bytearray()

    def read() -> None:
        while not found.endswith(_END):
            found.extend(os.read(reading, 1 << 16))

    reader = threading.Thread(target=read)
    reader.start()
    before = sys.stderr
    with os.fdopen(writing, "w") as sys.stderr:
        try:
            yield lambda: found.removesuffix(_END).decode()
        finally:
            sys.stderr.flush()
            os.write(writing, _END)  # Processes that were started may keep it open.
            sys.stderr = before
    reader.join()
    os.close(reading)
