"""Capture of what C++ prints on standard error: parts of the pass infrastructure report only there."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager


class CapturedText:
    """What was captured; empty until the `with` block has ended."""

    text: str = ""


@contextmanager
def captured_native_stderr() -> Generator[CapturedText]:
    """Diverts file descriptor 2 for the length of the block.

    The whole process is affected, so the block must be short and run nothing of the user's. A process that has no
    standard error at all captures nothing.
    """
    captured = CapturedText()
    if sys.stderr:
        sys.stderr.flush()
    try:
        original = os.dup(2)
    except OSError:
        yield captured
        return
    with open(os.memfd_create("standard error"), "w+b") as buffer:  # tempfile takes 5 ms to import
        os.dup2(buffer.fileno(), 2)
        try:
            yield captured
        finally:
            os.dup2(original, 2)
            os.close(original)
        buffer.seek(0)
        captured.text = buffer.read().decode(errors="replace")
