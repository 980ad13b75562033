"""Daemon threads may be anywhere when the interpreter ends; nothing that they still need goes away before they do.

A daemon thread dies at its next attempt to take the GIL. Two things must not happen until then:

- It is in a callback of the bindings: the frames of C++ below it are unwound, and their destructors end the process
  (`PyGILState_Release: thread state must be current`, or SIGABRT without a word). So the exit waits for threads that
  work `in_bindings`, and no other thread begins to.
- It runs machine code whose memory is freed with the modules of Python. So `kept_for_daemons` is not freed.

Neither costs anything in a process whose threads have ended.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
import weakref
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["in_bindings", "kept_for_daemons"]

LONGEST_WAIT = 60.0
"""Seconds that the exit waits for daemon threads: longer than any compilation takes, and an end all the same."""


class _Gate:
    """The threads that work in the bindings, how deep each, and whether the interpreter ends."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.depths: dict[int, int] = {}
        self.is_closed = False

    def enter(self) -> None:
        thread = threading.get_ident()
        with self.changed:
            while self.is_closed and thread not in self.depths and not _is_main():
                self.changed.wait()  # until the interpreter ends, and this thread with it
            self.depths[thread] = self.depths.get(thread, 0) + 1

    def leave(self) -> None:
        thread = threading.get_ident()
        with self.changed:
            self.depths[thread] -= 1
            if not self.depths[thread]:
                del self.depths[thread]
                if self.is_closed:
                    self.changed.notify_all()

    def close(self) -> None:
        own = threading.get_ident()
        with self.changed:
            self.is_closed = True
            self.changed.wait_for(lambda: not self.depths.keys() - {own}, LONGEST_WAIT)


_gate = _Gate()
_owners: weakref.WeakSet[object] = weakref.WeakSet()


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextmanager
def in_bindings() -> Generator[None]:
    """Work that the exit of the interpreter waits for, if a daemon thread does it; for a minute at most.

    May be nested. A thread that begins after the exit has begun waits until it dies.
    """
    gate = _gate
    gate.enter()
    try:
        yield
    finally:
        gate.leave()


def kept_for_daemons(owner: object) -> None:
    """Let what `owner` owns, which is machine code, outlive the interpreter if daemon threads may be running it."""
    _owners.add(owner)


def _exit() -> None:
    if threading.active_count() == 1:
        return
    _gate.close()
    for owner in list(_owners):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))


def _forked() -> None:
    # Only the thread that forked is left.
    global _gate
    old, _gate = _gate, _Gate()
    thread = threading.get_ident()
    if thread in old.depths:
        _gate.depths[thread] = old.depths[thread]


atexit.register(_exit)
os.register_at_fork(after_in_child=_forked)
