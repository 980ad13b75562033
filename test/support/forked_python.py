"""Python programs in forks of a process that has their modules loaded, started by `subprocess.Popen` as ever.

A fork starts in milliseconds where a fresh interpreter needs half a second for the bindings. The process that forks has
to have one thread, so it must never make an `ir.Context`.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import importlib
import io
import linecache
import os
import pkgutil
import runpy
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

_PER_TEST = "LIT_CURRENT_TESTCASE"
"""lit sets this one for each test. No interpreter and no library reads it when it starts."""

_PR_SET_PDEATHSIG = 1

_Popen = subprocess.Popen


class ForkingPopen(_Popen[Any]):
    """Run `python -m MODULE …` and `python -c CODE …` in a fork of this process, and other commands as ever.

    A command with an environment of its own is another one, as an interpreter and libraries read it when they start.

    Args:
        args: the command.
        env: its environment; the one of this process by default.
        redirections: for a fork, file descriptor -> the file to write there, or None to close it.
        settings: the other ones of `subprocess.Popen`.
    """

    environment: Mapping[str, str] = {}
    """What this process was started with: Python adds to `os.environ` (PEP 538)."""

    def __init__(
        self,
        args: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        redirections: Mapping[int, str | None] | None = None,
        **settings: Any,
    ) -> None:
        env = self.environment if env is None else env
        own = {name: value for name, value in env.items() if name != _PER_TEST} != self.environment
        ours = os.path.normpath(args[0]) == os.path.normpath(sys.executable)  # Python 3.13 drops `..` from the latter.
        if ours and args[1:2] in (["-m"], ["-c"]) and not own:
            # Popen has connected the streams and changed the directory when it calls this in its child.
            run = functools.partial(_run_python, env, redirections or {}, *args[1:])
            settings |= {"preexec_fn": run, "restore_signals": False}
        elif redirections:
            raise ValueError(f"only a fork has redirections, and this command is none: {args}")
        super().__init__(args, env=env, **settings)


def run_program(command: Sequence[str], **settings: Any) -> subprocess.CompletedProcess[Any]:
    """`subprocess.run`, but with `ForkingPopen`; output is captured."""
    return subprocess.run(command, capture_output=True, check=False, **settings)


def prepare(environment: Mapping[str, str], packages: Sequence[str]) -> None:
    """Let `subprocess` start forks of this process, and import all modules of the packages.

    Args:
        environment: what this process was started with.
        packages: their names.
    """
    ForkingPopen.environment = environment
    subprocess.Popen = ForkingPopen  # type: ignore[misc]
    for package in packages:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.endswith(".__main__"):
                with contextlib.suppress(ImportError):  # It needs what is not installed.
                    importlib.import_module(module.name)
    gc.collect()
    gc.freeze()  # No collection writes in objects whose pages a child would have to copy then.


def die_with_parent() -> None:
    """Have this process killed when the one that started it ends, however that is."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _run_python(
    environment: Mapping[str, str], redirections: Mapping[int, str | None], flag: str, program: str, *arguments: str
) -> NoReturn:
    """Be `python FLAG PROGRAM ARGUMENTS…` in a child, to its end."""
    code = 1
    try:
        die_with_parent()
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # Popen waits for the end of one of them.
        subprocess.Popen = _Popen  # type: ignore[misc]
        os.environ.update(environment)
        _open_streams(redirections)
        gc.enable()
        sys.path[0] = os.getcwd() if flag == "-m" else ""
        sys.argv = [flag, *arguments]
        if flag == "-m":
            sys.modules.pop(program, None)
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            if sys.version_info >= (3, 13):  # Its tracebacks show the line.
                linecache.cache["<string>"] = (len(program), None, program.splitlines(keepends=True), "<string>")
            exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
        code = 0
    except SystemExit as end:
        code = end.code or 0
        if not isinstance(code, int):
            print(code, file=sys.stderr)
            code = 1
    except BaseException as error:  # noqa: BLE001 - the interpreter reports them all
        traceback.print_exception(error.with_traceback(error.__traceback__.tb_next))
    finally:
        _leave(code)


def _open_streams(redirections: Mapping[int, str | None]) -> None:
    """Open the standard streams for what their file descriptors are now, as an interpreter does when it starts."""
    for number, path in redirections.items():
        os.close(number)
        if path is not None:
            os.dup2(os.open(path, os.O_WRONLY), number)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old, new = getattr(sys, f"__{name}__"), None
        with contextlib.suppress(OSError):  # A closed one is None.
            raw = open(number, "wb" if number else "rb", closefd=False)  # noqa: SIM115
            new = io.TextIOWrapper(raw, old.encoding, old.errors, newline="\n", line_buffering=number == 2)
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def _leave(code: int) -> NoReturn:
    """End a child, after what C has buffered was written.

    Taking the interpreter down would cost more than most programs, and the destructors of MLIR's globals, which are all
    over its memory, a third of a small one. Nothing is tested of these, nor of `atexit`.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except OSError:
            code = 120  # as the interpreter ends then
    ctypes.CDLL(None).fflush(None)
    os._exit(code)
