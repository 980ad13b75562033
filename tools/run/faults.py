"""Faults of native code: the signals that would end the process without a word.

A handler catches them, notes where the program was, and replaces the process by one that explains the fault
(`fault_report.py`): the memory of this one may be corrupted. A run without faults pays 40 µs.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..shared.input import Source

__all__ = ["Fault", "faults_explained", "read_fault"]

_SIGNALS = (signal.SIGFPE, signal.SIGSEGV, signal.SIGILL, signal.SIGABRT, signal.SIGBUS)
_SENT_BY_USER = 0
"""The code of a signal that another process has sent."""
_MOST_FRAMES = 256
_STACK_BYTES = 1 << 20
_PATIENCE = 10
"""The seconds after which a process that cannot even be replaced ends."""

_SIGINFO, _ONSTACK = 4, 0x08000000
_CODE, _ADDRESS = 8, 16
"""Offsets in `siginfo_t`."""
_PLACES = {"x86_64": (160, 168)}
"""For each processor, the offsets of the stack pointer and the program counter in `ucontext_t`."""

_libc = ctypes.CDLL(None)
_Handler = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class _Action(ctypes.Structure):
    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_ulong * 16),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


class _Stack(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t))


@dataclass(frozen=True)
class Fault:
    """A fault: the number and code of its signal, and the program that ran.

    Attributes:
        address: the memory that was accessed.
        stack: how far that is from the top of the stack; None if it is not known.
        frames: the program counter, then the return addresses of the calls around it.
        functions: where the called function was in each version of the program: for contiguous arguments, and for any.
        entry_point: the name of that function.
        name: the name of the source.
        text: its text.
    """

    number: int
    code: int
    address: int
    stack: int | None
    frames: tuple[int, ...]
    functions: Mapping[bool, int]
    entry_point: str
    name: str
    text: str


@contextlib.contextmanager
def faults_explained(
    source: Source, entry_point: str, addresses: Callable[[], Mapping[bool, int]], explain: Callable[[int], list[str]]
) -> Generator[None]:
    """While the body runs, a fault replaces the process by the command `explain(file)`, which `read_fault` takes.

    Args:
        source: the program.
        entry_point: the function that the body calls.
        addresses: the address of that function in each version of the program.
        explain: the command, from the number of an open file.
    """
    if sys.platform != "linux":  # The structures of signals are those of Linux.
        yield
        return

    def describe(number: int, code: int, address: int, stack: int | None, frames: tuple[int, ...]) -> Fault:
        return Fault(number, code, address, stack, frames, addresses(), entry_point, source.name, source.text)

    catcher = _Catcher(describe, explain)
    handler = _Handler(catcher.caught)
    action = _Action(ctypes.cast(handler, ctypes.c_void_p), flags=_SIGINFO | _ONSTACK)
    previous = {number: _Action() for number in _SIGNALS}
    with mmap.mmap(-1, _STACK_BYTES) as memory:  # The fault may be that the stack is full.
        area = ctypes.c_char.from_buffer(memory)
        old_stack = _Stack()
        _libc.sigaltstack(ctypes.byref(_Stack(ctypes.addressof(area), 0, _STACK_BYTES)), ctypes.byref(old_stack))
        for number, old in previous.items():
            _libc.sigaction(number, ctypes.byref(action), ctypes.byref(old))
        try:
            yield
        finally:
            for number, old in previous.items():
                _libc.sigaction(number, ctypes.byref(old), None)
            _libc.sigaltstack(ctypes.byref(old_stack), None)
            del area


class _Catcher:
    """The handler of the signals. It never returns to code that would fault again, but where that is to end it all."""

    def __init__(self, describe: Callable[..., Fault], explain: Callable[[int], list[str]]) -> None:
        self._describe, self._explain = describe, explain
        self._first = threading.Lock()
        self._thread = 0

    def caught(self, number: int, info: int, context: int) -> None:
        """Replace the process; in other threads wait until that has happened."""
        signal.alarm(_PATIENCE)
        if not self._first.acquire(blocking=False) and self._thread != threading.get_ident():
            while True:
                time.sleep(_PATIENCE)
        code = ctypes.c_int.from_address(info + _CODE).value
        if self._thread or code == _SENT_BY_USER:  # A fault of this handler, or somebody's wish.
            self._give_up(number)
            return
        self._thread = threading.get_ident()
        try:
            address, (stack, frames) = ctypes.c_size_t.from_address(info + _ADDRESS).value, _where(context)
            distance = None if stack is None else address - stack
            _replace_process(self._describe(number, code, address, distance, frames), self._explain)
        except BaseException:
            self._give_up(number)
            raise

    @staticmethod
    def _give_up(number: int) -> None:
        """Let the signal end the process as ever, when the handler has returned."""
        signal.alarm(0)
        _libc.sigaction(number, ctypes.byref(_Action()), None)
        os.kill(os.getpid(), number)


def _where(context: int) -> tuple[int | None, tuple[int, ...]]:
    """The stack pointer, and the frames from the fault outwards; nothing where the processor is another one."""
    places = _PLACES.get(os.uname().machine)
    if places is None:
        return None, ()
    stack, counter = (ctypes.c_size_t.from_address(context + place).value for place in places)
    found = (ctypes.c_void_p * _MOST_FRAMES)()
    count = _libc.backtrace(found, _MOST_FRAMES) if hasattr(_libc, "backtrace") else 0
    frames = [found[number] or 0 for number in range(count)]
    start = frames.index(counter) + 1 if counter in frames else len(frames)
    return stack, (counter, *frames[start:])


def _replace_process(fault: Fault, explain: Callable[[int], list[str]]) -> None:
    file = os.memfd_create("fault", 0)
    with os.fdopen(os.dup(file), "wb") as written:
        written.write(json.dumps(asdict(fault)).encode())
    command = explain(file)
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)  # A handler runs with its own signal blocked.
    signal.alarm(0)
    os.execv(command[0], command)


def read_fault(file: int) -> Fault:
    """The fault that was written to an open file."""
    os.lseek(file, 0, os.SEEK_SET)
    with os.fdopen(file, "rb") as content:
        found: dict[str, Any] = json.loads(content.read())
    found["functions"] = {contiguous == "true": address for contiguous, address in found["functions"].items()}
    found["frames"] = tuple(found["frames"])
    return Fault(**found)
