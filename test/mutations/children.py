"""Child processes that write what they find into a pipe, as a program without a rule may end its process."""

from __future__ import annotations

import os
from collections.abc import Callable


def start_child(work: Callable[[int], None]) -> tuple[int, int]:
    """Run `work` in a child, which gets a pipe to write into; return where to read from it, and the child's number."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            work(writing)
        finally:
            os._exit(0)
    os.close(writing)
    return reading, child
